### 원장의 리소스

resource-accelerators = 가속기
resource-time = 시간
resource-memory = 메모리
resource-storage = 스토리지
resource-data = 데이터
resource-network = 네트워크
resource-energy = 에너지
resource-cooling = 냉각
resource-software = 소프트웨어
resource-algorithms = 알고리즘
resource-hyperparameters = 하이퍼파라미터
resource-failures = 장애
resource-money = 비용
