### Wie es um einen Lauf steht.

status-created = angelegt
status-running = läuft
status-finished = fertig
status-failed = fehlgeschlagen
status-interrupted = unterbrochen
status-damaged = beschädigt
