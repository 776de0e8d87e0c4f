### Was in einem Lauf geschieht, je eine Zeile.

event-started = Das Training beginnt.
event-resumed = Das Training geht nach Schritt { $step } weiter.
event-data-ready = Daten: { COUNT($documents) } Dokumente, { BYTES($text_bytes) } Text, { COUNT($tokens) } Tokens (je { DECIMAL($bytes_per_token) } Byte).
event-checkpoint-saved = Checkpoint bei Schritt { $step }: { BYTES($bytes) } in { DURATION($seconds) }.
event-evaluated-answers = Validierung bei Schritt { $step }: Loss { DECIMAL($loss, 4) }, Perplexität { DECIMAL($perplexity) }.
event-evaluated = Validierung bei Schritt { $step }: Loss { DECIMAL($loss, 4) }, Perplexität { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } Bit je Byte.
event-step-skipped = Schritt { $step } wird übersprungen: Bei einer Loss-Skalierung von { $loss_scale } sind seine Gradienten in fp16 übergelaufen; die Skalierung wird halbiert.
event-finished = Fertig.
event-stopped-early = Nach Schritt { $step } vorzeitig beendet, weil es nicht mehr besser wird: Der niedrigste Validierungs-Loss ist { DECIMAL($loss, 4) } bei Schritt { $best_step }, dessen Checkpoint erhalten bleibt. Mit --best wird er verwendet.
event-step-abandoned = Schritt { $step } wurde nach { DURATION($seconds) } abgebrochen, da der Lauf anhalten soll; er wird beim Fortsetzen wiederholt.
event-checkpoint-interval = Checkpoints kommen jetzt alle { DURATION($seconds) } statt alle { DURATION($before_seconds) }: Etwa alle { DURATION($mtbf_seconds) } ist ein Ausfall zu erwarten, und ein Checkpoint hält die Arbeit { DURATION($stall_seconds) } lang an.
event-stopped = Angehalten.
event-failed = Fehlgeschlagen.
