# Was Wächter während des Trainings über einen Lauf sagen. Danach folgt, was daraufhin geschieht.

guard-not-finite = Schritt { $step } ergibt keine endliche Zahl: Der Loss ist { $loss }, die Gradientennorm { $gradient_norm }. Die Gewichte bleiben unverändert.
guard-loss-spike = Der Loss schlägt bei Schritt { $step } aus: { DECIMAL($loss, 4) } bei einem Median von { DECIMAL($median, 4) }, also { DECIMAL($deviations) } Abweichungen darüber.
guard-scale-collapse = Die Loss-Skalierung von fp16 bricht bei Schritt { $step } ein: { $skipped ->
        [one] Ein Schritt ist übergelaufen
       *[other] { $skipped } Schritte hintereinander sind übergelaufen
    }, zuletzt bei einer Skalierung von { $loss_scale }.

guard-memory-creep = Der Speicherbedarf wächst um { BYTES($bytes_per_second) } pro Sekunde: Nach Schritt { $step } belegt der Prozess { BYTES($used_bytes) }, und in { DURATION($left_seconds) } ist nichts mehr frei.
    .next = Suchen Sie, was wächst; ein Neustart gibt den Speicher frei.
guard-disk = Die Festplatte läuft voll: Nach Schritt { $step } sind noch { BYTES($free_bytes) } frei, und ein Checkpoint braucht { BYTES($checkpoint_bytes) }.
    .next = Schaffen Sie vor den nächsten Checkpoints Platz oder senken Sie resilience.keep_last.
guard-throughput = Die Schritte sind langsam: Bis Schritt { $step } dauern sie { DURATION($step_seconds) }, { $beside ->
        [plan] geplant waren { DURATION($expected_seconds) }
       *[best] im besten Fall waren es { DURATION($expected_seconds) }
    }. Das sind { PERCENT($share) } dieses Tempos.
    .next = Prüfen Sie Temperatur, Stromversorgung, andere Programme auf dem Rechner und das Netzwerk.
guard-straggler = Prozess { $rank } hält die anderen auf: Bei Schritt { $step } braucht er für dieselbe Arbeit { DURATION($seconds) }, das { DECIMAL($ratio) }-Fache des Üblichen.
    .next = Prüfen Sie seinen Rechner auf Hitze, Stromversorgung und andere Programme, oder lassen Sie ihn beim nächsten Start weg.
guard-data-stall = Die Schritte warten auf ihre Daten: { PERCENT($share) } der Zeit bis Schritt { $step }.
    .next = Legen Sie die Daten auf eine schnellere Festplatte oder geben Sie diesem Prozess mehr Prozessorkerne.

guard-corruption = { $what ->
        [copies] Kopien derselben Gewichte unterscheiden sich nach Schritt { $step } zwischen den Prozessen
       *[replay] Schritt { $step } wurde zweimal aus demselben Zustand gerechnet, mit verschiedenen Ergebnissen
    }{ $rank ->
        [-1] .
       *[other] : Prozess { $rank } weicht von den anderen ab.
    }
guard-device-events = { $kind ->
        [uncorrectable] Gerät { $device } meldet vor Schritt { $step } { $code ->
            [0] einen nicht korrigierbaren Speicherfehler
           *[other] Xid { $code }
        }.
        [xid] Gerät { $device } meldet vor Schritt { $step } Xid { $code }.
        [corrected] Gerät { $device } hat { $count ->
            [one] einen Speicherfehler
           *[other] { $count } Speicherfehler
        } vor Schritt { $step } korrigiert.
        [power] Gerät { $device } wird bei Schritt { $step } gedrosselt, weil Leistung fehlt.
       *[thermal] Gerät { $device } wird bei Schritt { $step } wegen Hitze gedrosselt.
    }
    .next = { $kind ->
        [thermal] Prüfen Sie seine Kühlung.
        [power] Prüfen Sie seine Stromversorgung.
       *[other] Lassen Sie es nach dem Lauf prüfen.
    }

guard-action-warn = Der Lauf geht weiter.
guard-action-skip = Der Lauf geht mit dem nächsten Batch weiter.
guard-action-roll-back = Der Lauf springt auf Schritt { $to_step } zurück und lässt diese Daten aus.
guard-action-pause = Der Lauf pausiert: Er speichert und endet. Setzen Sie ihn mit --resume fort, sobald die Ursache behoben ist.
guard-action-stop = Der Lauf hält an.
