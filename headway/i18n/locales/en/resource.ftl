### The resources of the ledger.

resource-accelerators = accelerators
resource-time = time
resource-memory = memory
resource-storage = storage
resource-data = data
resource-network = network
resource-energy = energy
resource-cooling = cooling
resource-software = software
resource-algorithms = algorithms
resource-hyperparameters = hyper-parameters
resource-failures = failures
resource-money = money
