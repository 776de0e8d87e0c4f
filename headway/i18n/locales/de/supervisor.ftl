### Was der Supervisor eines Jobs sagt.

supervisor-attempt-started = Start { $attempt }.
supervisor-attempt-finished = Nach { DURATION($seconds) } fertig.
supervisor-attempt-stopped = Angehalten, wie von Signal { $signal } verlangt.
supervisor-attempt-failed = { $cause } (zu { PERCENT($confidence) } sicher)
supervisor-hang = Seit { DURATION($silent_seconds) } kein Schritt: Er hängt und wird beendet.
supervisor-retrying = Neustart in { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Kein Neustart: Dieselbe Ursache bestünde auch beim nächsten Start.
    [repeated] Kein Neustart: Zweimal geschah dasselbe beim selben Schritt.
   *[retries] Kein Neustart: Die erlaubte Zahl von Starts ist aufgebraucht.
}
supervisor-explained = Die ganze Geschichte: headway diagnose { $path }
supervisor-no-command = Es muss einen Befehl zum Ausführen geben, aber hinter den Optionen steht keiner.
    .next = Schreiben Sie ihn hinter zwei Bindestriche, zum Beispiel: headway run -- torchrun train.py
