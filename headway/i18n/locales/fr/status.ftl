### Où en est un run.

status-created = créé
status-running = en cours
status-finished = terminé
status-failed = échoué
status-interrupted = interrompu
status-damaged = endommagé
