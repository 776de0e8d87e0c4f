### Les ressources du bilan.

resource-accelerators = accélérateurs
resource-time = temps
resource-memory = mémoire
resource-storage = stockage
resource-data = données
resource-network = réseau
resource-energy = énergie
resource-cooling = refroidissement
resource-software = logiciel
resource-algorithms = algorithmes
resource-hyperparameters = hyperparamètres
resource-failures = pannes
resource-money = argent
