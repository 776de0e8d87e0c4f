### Состояние запуска.

status-created = создан
status-running = выполняется
status-finished = завершён
status-failed = сбой
status-interrupted = прерван
status-damaged = повреждён
