guard-not-finite = Lo step { $step } non dà un numero: la loss è { $loss } e la norma del gradiente { $gradient_norm }. L'aggiornamento non viene applicato.
guard-loss-spike = Picco della loss allo step { $step }: { DECIMAL($loss, 4) } con una mediana di { DECIMAL($median, 4) }, cioè { DECIMAL($deviations) } deviazioni sopra.
guard-scale-collapse = Il loss scale di fp16 crolla allo step { $step }: { $skipped ->
        [one] uno step è andato
       *[other] { $skipped } step di fila sono andati
    } in overflow, l'ultimo con un loss scale di { $loss_scale }.
guard-memory-creep = La memoria cresce di { BYTES($bytes_per_second) } al secondo: dopo lo step { $step } il processo occupa { BYTES($used_bytes) }, e tra { DURATION($left_seconds) } non ne resterà più.
    .next = Cercare che cosa cresce; un riavvio la libera.
guard-disk = Il disco si sta riempiendo: dopo lo step { $step } restano { BYTES($free_bytes) } liberi e un checkpoint occupa { BYTES($checkpoint_bytes) }.
    .next = Liberare spazio prima dei prossimi checkpoint o abbassare resilience.keep_last.
guard-throughput = Gli step sono lenti: fino allo step { $step } richiedono { DURATION($step_seconds) }, { $beside ->
        [plan] più dei { DURATION($expected_seconds) } del piano
       *[best] mentre al meglio richiedevano { DURATION($expected_seconds) }
    }, cioè il { PERCENT($share) } di quella velocità.
    .next = Controllare temperatura, alimentazione, altri programmi della macchina e rete.
guard-straggler = Il processo { $rank } rallenta gli altri: allo step { $step } lo stesso lavoro gli richiede { DURATION($seconds) }, { DECIMAL($ratio) } volte il solito.
    .next = Controllare la sua macchina (temperatura, alimentazione, altri programmi) o escluderla dal prossimo avvio.
guard-data-stall = Gli step aspettano i dati: { PERCENT($share) } del tempo fino allo step { $step }.
    .next = Mettere i dati su un disco più veloce o dare più processori a questo processo.
guard-corruption = { $what ->
        [copies] Le copie degli stessi pesi differiscono tra i processi dopo lo step { $step }
       *[replay] Lo step { $step } è stato eseguito due volte dallo stesso stato, con risultati diversi
    }{ $rank ->
        [-1] .
       *[other] : il processo { $rank } non concorda con gli altri.
    }
guard-device-events = { $kind ->
        [uncorrectable] Il dispositivo { $device } segnala { $code ->
            [0] un errore di memoria che non ha potuto correggere
           *[other] l'errore Xid { $code }
        } prima dello step { $step }.
        [xid] Il dispositivo { $device } segnala l'errore Xid { $code } prima dello step { $step }.
        [corrected] Il dispositivo { $device } ha corretto { $count ->
            [one] un errore di memoria
           *[other] { $count } errori di memoria
        } prima dello step { $step }.
        [power] Il dispositivo { $device } è rallentato per carenza di alimentazione allo step { $step }.
       *[thermal] Il dispositivo { $device } è rallentato per il calore allo step { $step }.
    }
    .next = { $kind ->
        [thermal] Controllare il raffreddamento.
        [power] Controllare l'alimentazione.
       *[other] Farlo controllare al termine della run.
    }
guard-action-warn = La run continua.
guard-action-skip = La run continua con il batch successivo.
guard-action-roll-back = La run torna allo step { $to_step } e salta quei dati.
guard-action-pause = La run va in pausa: salva e termina. Riprendere con --resume una volta rimossa la causa.
guard-action-stop = La run si ferma.
