### Os recursos do balanço.

resource-accelerators = aceleradores
resource-time = tempo
resource-memory = memória
resource-storage = armazenamento
resource-data = dados
resource-network = rede
resource-energy = energia
resource-cooling = refrigeração
resource-software = software
resource-algorithms = algoritmos
resource-hyperparameters = hiperparâmetros
resource-failures = falhas
resource-money = dinheiro
