status-created = creata
status-running = in corso
status-finished = completata
status-failed = fallita
status-interrupted = interrotta
status-damaged = danneggiata
