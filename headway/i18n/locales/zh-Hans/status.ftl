status-created = 已创建
status-running = 运行中
status-finished = 已完成
status-failed = 失败
status-interrupted = 已中断
status-damaged = 已损坏
