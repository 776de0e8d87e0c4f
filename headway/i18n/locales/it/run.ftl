run-name-invalid = Il nome di una run deve iniziare con una lettera o una cifra e contenere solo lettere, cifre, punti, trattini e trattini bassi: "{ $name }" non lo fa.
    .next = Indicare un altro nome con --name.
run-exists = Il nome di una run deve essere nuovo: { $root } contiene già una run "{ $name }".
    .next = Continuarla con --resume o indicare un altro nome con --name.
run-unknown = Una run deve esistere per poter essere aperta: in { $root } non ce n'è una chiamata "{ $name }".
    .next = { $known ->
        [none] Avviarne una con `headway train RECIPE`.
       *[other] { $closest ->
            [none] Run note: { $known }.
           *[other] Forse si intendeva "{ $closest }"? Run note: { $known }.
        }
    }
run-unwritable = La cartella della run deve essere scrivibile: impossibile scrivere { $path } ({ $reason }).
    .next = Controllare permessi e spazio libero, o scegliere un'altra cartella con --runs.
run-locked = Una run appartiene a un solo processo per volta: un altro sta addestrando "{ $name }".
    .next = Attendere che finisca, fermarlo o avviare una run con un altro nome.
run-file-damaged = I file di una run devono essere leggibili: { $path } non lo è ({ $reason }).
    .next = Ripristinare il file da una copia o avviare una nuova run.
run-recipe-changed = Una run ripresa deve mantenere la ricetta con cui è iniziata: dall'avvio di "{ $name }" sono cambiate queste sezioni: { $sections }.
    .next = Annullare la modifica o avviare una nuova run senza --resume.
run-steps-done = Una run ripresa non può finire prima degli step già fatti: "{ $name }" ne ha fatti { $done } e la ricetta ne chiede { $steps }.
    .next = Impostare training.steps a { $done } o più, o avviare una nuova run senza --resume.
run-data-changed = Una run ripresa deve mantenere il testo con cui è iniziata: dall'avvio di "{ $name }" i file di [data] contengono un altro testo.
    .next = Ripristinare il testo o avviare una nuova run senza --resume.
run-nothing-to-resume = Una run deve esistere per poter essere ripresa: in { $root } non ce n'è una per la ricetta "{ $name }".
    .next = Avviarla senza --resume.
run-base-changed = Una run deve continuare con i pesi con cui è iniziata: quelli in { $folder } non sono quelli degli adapter di "{ $name }".
    .next = Rimettere lì i pesi di prima o avviare una nuova run.
run-output-exists = Un modello viene scritto in una cartella nuova, per non sovrascrivere nulla: { $path } esiste già.
    .next = Indicare un'altra cartella con --output o spostare quella esistente.
run-output-unwritable = Un modello viene scritto in una cartella che si possa creare: impossibile creare { $path } ({ $reason }).
    .next = Indicare un'altra cartella con --output o fare spazio lì.
run-no-checkpoint = Una run deve avere un checkpoint: "{ $name }" non ne ha ancora.
    .next = Attendere il primo o addestrarla con --resume.
run-no-best = Il checkpoint migliore è quello con la loss di validazione più bassa, e { $name } non ne ha di valutati.
    .next = Usare il più recente, o addestrare con training.evaluate_every_steps e resilience.keep_best.
run-step-twice = Un checkpoint si sceglie una volta sola: quello dello step { $step } o il migliore.
    .next = Togliere --step o --best.
run-no-such-step = Il checkpoint deve essere uno di quelli della run: "{ $name }" non ne ha per lo step { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Non ne ha ancora nessuno; attendere il primo o addestrarla con --resume.
       *[other] Ha quelli degli step { $known }.
    }
run-checkpoints-gone = Una run deve avere un checkpoint: quelli salvati da "{ $name }" non ci sono più.
    .next = Recuperarli da una copia o riaddestrarla dall'inizio con --resume.
run-no-metrics = Una run deve aver fatto almeno uno step: "{ $name }" non l'ha ancora fatto.
    .next = Prima avviarla o riprenderla.
run-plot-format = Il nome del file di un'immagine deve terminare con uno di { $known }: { $path } non lo fa.
    .next = Usare un nome come loss.png.
run-plot-missing = Le immagini richiedono il pacchetto { $package }, che non è installato.
    .next = Nella cartella dei sorgenti di Headway, eseguire `pip install ".[torch]"`.
run-plot-loss = loss (nat per token)
run-plot-speed = token al secondo
run-plot-step = step dell'ottimizzatore
run-plot-validation = { $name }, validazione
run-no-scheduler = Un job si consegna con il programma dello scheduler stesso: impossibile avviare { $program } ({ $reason }).
    .next = Scrivere il job con --output e consegnarlo dove { $program } è installato.
