status-created = creatus
status-running = currit
status-finished = perfectus
status-failed = defecit
status-interrupted = interruptus
status-damaged = corruptus
