### Die Ressourcen der Bilanz.

resource-accelerators = Beschleuniger
resource-time = Zeit
resource-memory = Speicher
resource-storage = Massenspeicher
resource-data = Daten
resource-network = Netzwerk
resource-energy = Energie
resource-cooling = Kühlung
resource-software = Software
resource-algorithms = Algorithmen
resource-hyperparameters = Hyperparameter
resource-failures = Ausfälle
resource-money = Geld
