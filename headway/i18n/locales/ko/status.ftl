### 런의 상태

status-created = 생성됨
status-running = 실행 중
status-finished = 완료
status-failed = 실패
status-interrupted = 중단됨
status-damaged = 손상됨
