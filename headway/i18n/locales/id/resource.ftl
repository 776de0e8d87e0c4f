### Sumber daya dalam neraca.

resource-accelerators = akselerator
resource-time = waktu
resource-memory = memori
resource-storage = penyimpanan
resource-data = data
resource-network = jaringan
resource-energy = energi
resource-cooling = pendinginan
resource-software = perangkat lunak
resource-algorithms = algoritma
resource-hyperparameters = hiperparameter
resource-failures = kegagalan
resource-money = uang
