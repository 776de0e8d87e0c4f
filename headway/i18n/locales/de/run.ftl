run-name-invalid = Der Name eines Laufs muss mit einem Buchstaben oder einer Ziffer beginnen und darf nur Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche enthalten: „{ $name }“ erfüllt das nicht.
    .next = Geben Sie mit --name einen anderen Namen an.
run-exists = Der Name eines Laufs muss neu sein: { $root } enthält schon einen Lauf „{ $name }“.
    .next = Setzen Sie ihn mit --resume fort oder geben Sie mit --name einen anderen Namen an.
run-unknown = Nur ein vorhandener Lauf lässt sich öffnen: { $root } enthält keinen namens „{ $name }“.
    .next = { $known ->
        [none] Starten Sie einen mit `headway train RECIPE`.
       *[other] { $closest ->
            [none] Bekannte Läufe: { $known }.
           *[other] Meinten Sie „{ $closest }“? Bekannte Läufe: { $known }.
        }
    }
run-unwritable = Der Ordner der Läufe muss beschreibbar sein: { $path } ließ sich nicht schreiben ({ $reason }).
    .next = Prüfen Sie Rechte und freien Platz oder wählen Sie mit --runs einen anderen Ordner.
run-locked = Ein Lauf gehört immer nur einem Prozess: „{ $name }“ wird gerade von einem anderen trainiert.
    .next = Warten Sie auf ihn, halten Sie ihn an oder starten Sie einen Lauf mit anderem Namen.
run-file-damaged = Die Dateien eines Laufs müssen lesbar sein: { $path } ist es nicht ({ $reason }).
    .next = Stellen Sie die Datei aus einer Kopie wieder her oder starten Sie einen neuen Lauf.
run-recipe-changed = Ein fortgesetzter Lauf muss sein Rezept behalten: { $sections } hat sich seit dem Start von „{ $name }“ geändert.
    .next = Machen Sie die Änderung rückgängig oder starten Sie einen neuen Lauf ohne --resume.
run-steps-done = Ein fortgesetzter Lauf kann nicht vor den Schritten enden, die er schon gerechnet hat: „{ $name }“ hat { $done } gerechnet, das Rezept verlangt { $steps }.
    .next = Setzen Sie training.steps auf { $done } oder mehr oder starten Sie einen neuen Lauf ohne --resume.
run-data-changed = Ein fortgesetzter Lauf muss seinen Text behalten: Die Dateien aus [data] enthalten seit dem Start von „{ $name }“ anderen Text.
    .next = Stellen Sie den Text wieder her oder starten Sie einen neuen Lauf ohne --resume.
run-nothing-to-resume = Nur ein vorhandener Lauf lässt sich fortsetzen: { $root } enthält keinen zum Rezept „{ $name }“.
    .next = Starten Sie ihn ohne --resume.
run-base-changed = Ein Lauf braucht die Gewichte, mit denen er begonnen hat: Die in { $folder } sind nicht die, zu denen die Adapter von „{ $name }“ gehören.
    .next = Legen Sie die früheren Gewichte dort wieder ab oder starten Sie einen neuen Lauf.
run-output-exists = Ein Modell wird in einen neuen Ordner geschrieben, damit nichts überschrieben wird: { $path } gibt es schon.
    .next = Geben Sie mit --output einen anderen Ordner an oder verschieben Sie den vorhandenen.
run-output-unwritable = Der Ordner für das Modell muss sich anlegen lassen: Bei { $path } ging das nicht ({ $reason }).
    .next = Geben Sie mit --output einen anderen Ordner an oder schaffen Sie dort Platz.
run-no-checkpoint = Ein Lauf muss einen Checkpoint haben: „{ $name }“ hat noch keinen.
    .next = Warten Sie auf den ersten Checkpoint oder trainieren Sie ihn mit --resume weiter.
run-no-best = Der beste Checkpoint ist der mit dem niedrigsten Validierungs-Loss; { $name } hat keinen, der ausgewertet wurde.
    .next = Nehmen Sie den neuesten oder trainieren Sie mit training.evaluate_every_steps und resilience.keep_best.
run-step-twice = Ein Checkpoint wird nur einmal gewählt: entweder Schritt { $step } oder der beste.
    .next = Lassen Sie --step oder --best weg.
run-no-such-step = Der Checkpoint muss zum Lauf gehören: „{ $name }“ hat keinen von Schritt { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Es gibt noch gar keinen; warten Sie auf den ersten oder trainieren Sie mit --resume weiter.
       *[other] Vorhanden sind die der Schritte { $known }.
    }
run-checkpoints-gone = Ein Lauf muss einen Checkpoint haben: Die von „{ $name }“ gespeicherten sind nicht mehr da.
    .next = Legen Sie sie aus einer Kopie zurück oder trainieren Sie den Lauf mit --resume von vorn.
run-no-metrics = Ein Lauf muss mindestens einen Schritt trainiert haben: „{ $name }“ hat das noch nicht.
    .next = Starten Sie ihn oder setzen Sie ihn fort.
run-plot-format = Der Dateiname eines Bildes muss auf { $known } enden: { $path } tut das nicht.
    .next = Geben Sie einen Namen wie loss.png an.
run-plot-missing = Für Bilder wird das Paket { $package } gebraucht, das nicht installiert ist.
    .next = Führen Sie im Quellordner von Headway `pip install ".[torch]"` aus.
run-plot-loss = Loss (Nats je Token)
run-plot-speed = Tokens pro Sekunde
run-plot-step = Optimizer-Schritt
run-plot-validation = { $name }, Validierung
run-no-scheduler = Ein Job wird mit dem Programm des Schedulers eingereicht: { $program } ließ sich nicht starten ({ $reason }).
    .next = Schreiben Sie den Job mit --output in eine Datei und reichen Sie sie dort ein, wo { $program } installiert ist.
