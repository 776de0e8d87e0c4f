### How a run stands.

status-created = created
status-running = running
status-finished = finished
status-failed = failed
status-interrupted = interrupted
status-damaged = damaged
