### 台帳のリソース

resource-accelerators = アクセラレーター
resource-time = 時間
resource-memory = メモリ
resource-storage = ストレージ
resource-data = データ
resource-network = ネットワーク
resource-energy = エネルギー
resource-cooling = 冷却
resource-software = ソフトウェア
resource-algorithms = アルゴリズム
resource-hyperparameters = ハイパーパラメーター
resource-failures = 障害
resource-money = 費用
