# Ce que les garde-fous disent d'un run pendant l'entraînement, suivi de ce qui est fait.

guard-not-finite = L'étape { $step } ne donne pas de nombre fini : la perte vaut { $loss } et la norme du gradient { $gradient_norm }. Sa mise à jour n'est pas appliquée.
guard-loss-spike = Pic de perte à l'étape { $step } : { DECIMAL($loss, 4) } pour une médiane de { DECIMAL($median, 4) }, soit { DECIMAL($deviations) } écarts au-dessus.
guard-scale-collapse = L'échelle de perte de fp16 s'effondre à l'étape { $step } : { $skipped ->
        [1] une étape a débordé
       *[other] { $skipped } étapes de suite ont débordé
    }, la dernière avec une échelle de { $loss_scale }.

guard-memory-creep = La mémoire augmente de { BYTES($bytes_per_second) } par seconde : après l'étape { $step }, le processus occupe { BYTES($used_bytes) }, et il n'en restera plus dans { DURATION($left_seconds) }.
    .next = Cherchez ce qui grossit ; un redémarrage libère la mémoire.
guard-disk = Le disque se remplit : après l'étape { $step }, il reste { BYTES($free_bytes) }, et un checkpoint prend { BYTES($checkpoint_bytes) }.
    .next = Libérez de l'espace avant les prochains checkpoints ou réduisez resilience.keep_last.
guard-throughput = Les étapes sont lentes : jusqu'à l'étape { $step }, elles durent { DURATION($step_seconds) } { $beside ->
        [plan] au lieu des { DURATION($expected_seconds) } du plan
       *[best] contre { DURATION($expected_seconds) } au mieux
    }, soit { PERCENT($share) } de cette vitesse.
    .next = Vérifiez la température, l'alimentation, les autres programmes de la machine et son réseau.
guard-straggler = Le processus { $rank } retarde les autres : à l'étape { $step }, le même travail lui prend { DURATION($seconds) }, soit { DECIMAL($ratio) } fois la durée habituelle.
    .next = Vérifiez sa machine : température, alimentation, autres programmes ; ou écartez-la au prochain démarrage.
guard-data-stall = Les étapes attendent leurs données : { PERCENT($share) } du temps jusqu'à l'étape { $step }.
    .next = Placez les données sur un disque plus rapide ou donnez plus de cœurs à ce processus.

guard-corruption = { $what ->
        [copies] Des copies des mêmes poids diffèrent entre processus après l'étape { $step }
       *[replay] L'étape { $step } a été faite deux fois à partir du même état, avec des résultats différents
    }{ $rank ->
        [-1] .
       *[other] {" "}: le processus { $rank } diffère des autres.
    }
guard-device-events = { $kind ->
        [uncorrectable] L'appareil { $device } signale { $code ->
            [0] une erreur de mémoire non corrigible
           *[other] Xid { $code }
        } avant l'étape { $step }.
        [xid] L'appareil { $device } signale Xid { $code } avant l'étape { $step }.
        [corrected] L'appareil { $device } a corrigé { $count ->
            [1] une erreur de mémoire
           *[other] { $count } erreurs de mémoire
        } avant l'étape { $step }.
        [power] L'appareil { $device } est ralenti à l'étape { $step } par manque de puissance électrique.
       *[thermal] L'appareil { $device } est ralenti par la chaleur à l'étape { $step }.
    }
    .next = { $kind ->
        [thermal] Vérifiez son refroidissement.
        [power] Vérifiez son alimentation électrique.
       *[other] Faites-le examiner une fois le run terminé.
    }

guard-action-warn = Le run continue.
guard-action-skip = Le run continue avec le batch suivant.
guard-action-roll-back = Le run revient à l'étape { $to_step } et saute ces données.
guard-action-pause = Le run se met en pause : il enregistre et se termine. Reprenez avec --resume une fois la cause écartée.
guard-action-stop = Le run s'arrête.
