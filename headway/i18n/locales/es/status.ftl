status-created = creada
status-running = en curso
status-finished = terminada
status-failed = fallida
status-interrupted = interrumpida
status-damaged = dañada
