status-created = 已建立
status-running = 執行中
status-finished = 已完成
status-failed = 失敗
status-interrupted = 已中斷
status-damaged = 已損壞
