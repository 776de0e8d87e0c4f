### Was das Dashboard sagt.

## Auf jeder Seite

ui-skip = Zum Inhalt
ui-language = Sprache
ui-dark = Dunkel
ui-light = Hell
ui-loading = Lädt …
ui-no-page = Diese Seite gibt es nicht.
ui-disconnected = Verbindung verloren, neuer Versuch läuft
ui-error-page = Diese Seite ist fehlgeschlagen: { $reason }
ui-error-server = Der Server antwortet nicht. Läuft `headway watch` noch?
ui-error-status = Der Server hat mit Status { $status } geantwortet.

## Läufe

ui-runs = Läufe
ui-runs-filter = Nach Namen filtern
ui-runs-compare = Vergleichen ({ $count })
ui-runs-none = Noch gibt es keine Läufe. Starten Sie einen mit `headway train RECIPE`.
ui-runs-choose = Zum Vergleich auswählen
ui-compare = Läufe im Vergleich
ui-column-name = Name
ui-column-status = Status
ui-column-progress = Fortschritt
ui-column-loss = Loss
ui-column-validation = Validierungs-Loss
ui-column-speed = Tempo
ui-column-changed = Letztes Lebenszeichen

## Ein Lauf

ui-charts = Diagramme
ui-charts-none = Noch ist kein Schritt fertig.
ui-axis = Waagerechte Achse
ui-axis-step = Schritte
ui-axis-tokens = Tokens
ui-axis-time = Zeit
ui-logarithmic = Logarithmisch
ui-zoom-out = Alles zeigen
ui-ledger = Vorhergesagt und gemessen
ui-column-resource = Ressource
ui-column-quantity = Größe
ui-column-predicted = Vorhergesagt
ui-column-measured = Gemessen
ui-column-error = Abweichung
ui-estimated = { $value } (geschätzt)
ui-events = Verlauf
ui-why = Warum der Lauf endete

## Messwerte

ui-metric-gradient_norm = Gradientennorm
ui-metric-learning_rate = Lernrate
ui-metric-resident_bytes = Speicher des Prozesses
ui-metric-data_seconds = Warten auf Daten, je Schritt
ui-metric-loss_scale = Loss-Skalierung
ui-metric-is_skipped = übersprungen

ui-tokens-per-second = { $count } Tokens/s

## Plan

ui-plan = Plan
ui-plan-model = Modell
ui-plan-accelerator = Beschleuniger
ui-plan-devices = Geräte
ui-plan-tokens = Tokens
ui-plan-fits = Es passt.
ui-plan-memory = Speicher je Gerät
ui-plan-step = Zeit je Schritt
ui-plan-days = Gesamtzeit
ui-plan-mfu = Modell-FLOPs-Auslastung (MFU)
ui-plan-power = Leistung am Standort
ui-plan-energy = Energie
ui-plan-carbon = CO₂-Äquivalent
ui-plan-cost = Kosten
ui-plan-goodput = Goodput
ui-part-parameters = Parameter
ui-part-gradients = Gradienten
ui-part-optimizer = Optimizer
ui-part-activations = Aktivierungen
ui-part-logits = Logits
ui-part-communication = Kommunikation
ui-part-reserve = Reserve

## Diagnose

ui-diagnose = Diagnose
ui-diagnose-drop = Log hier ablegen oder Datei wählen: jedes Framework, auch gepackt
ui-diagnose-private = Es wird auf dem Rechner gelesen, auf dem dieser Server läuft, und verlässt ihn nicht.
ui-diagnose-first = Erster Ausfall: Rank { $rank }, Host { $host }
ui-diagnose-remedies = Was zu tun ist
ui-diagnose-evidence = Was darauf hinweist

## Server

ui-server = Server
ui-server-processor = Prozessor
ui-server-cores = Nutzbare Rechenkerne
ui-server-memory = Arbeitsspeicher
ui-server-disk = Freier Plattenplatz
ui-server-accelerators = Beschleuniger
ui-server-advice = Empfehlungen
ui-server-fine = Nichts zu ändern.
