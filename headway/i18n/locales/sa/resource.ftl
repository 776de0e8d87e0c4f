### लेखायाः साधनानि ।

resource-accelerators = त्वरकाः
resource-time = कालः
resource-memory = स्मृतिः
resource-storage = सङ्ग्रहस्थानम्
resource-data = दत्तांशाः
resource-network = जालम्
resource-energy = ऊर्जा
resource-cooling = शीतलीकरणम्
resource-software = तन्त्रांशः
resource-algorithms = कलनविधयः
resource-hyperparameters = अतिप्राचलाः
resource-failures = वैफल्यानि
resource-money = धनम्
