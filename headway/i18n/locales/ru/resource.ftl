### Ресурсы ведомости.

resource-accelerators = ускорители
resource-time = время
resource-memory = память
resource-storage = хранилище
resource-data = данные
resource-network = сеть
resource-energy = энергия
resource-cooling = охлаждение
resource-software = ПО
resource-algorithms = алгоритмы
resource-hyperparameters = гиперпараметры
resource-failures = сбои
resource-money = деньги
