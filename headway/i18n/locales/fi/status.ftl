status-created = luotu
status-running = käynnissä
status-finished = valmis
status-failed = epäonnistunut
status-interrupted = keskeytynyt
status-damaged = vioittunut
