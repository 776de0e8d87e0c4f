guard-not-finite = Askel { $step } ei tuota lukua: häviö on { $loss } ja gradientin normi { $gradient_norm }. Sen päivitystä ei tehdä.
guard-loss-spike = Häviöpiikki askeleella { $step }: { DECIMAL($loss, 4) }, kun mediaani on { DECIMAL($median, 4) }; ero on { DECIMAL($deviations) } hajontaa.
guard-scale-collapse = fp16:n häviön skaalauskerroin romahtaa askeleella { $step }: { $skipped ->
        [one] yksi askel vuoti
       *[other] { $skipped } peräkkäistä askelta vuoti
    } yli, viimeinen kertoimella { $loss_scale }.
guard-memory-creep = Muistin käyttö kasvaa { BYTES($bytes_per_second) } sekunnissa: askeleen { $step } jälkeen prosessilla on { BYTES($used_bytes) }, ja muisti loppuu, kun aikaa on kulunut { DURATION($left_seconds) }.
    .next = Etsi, mikä kasvaa; uudelleenkäynnistys vapauttaa muistin.
guard-disk = Levy täyttyy: askeleen { $step } jälkeen vapaana on { BYTES($free_bytes) }, ja tarkistuspiste vie { BYTES($checkpoint_bytes) }.
    .next = Vapauta tilaa ennen seuraavia tarkistuspisteitä tai pienennä arvoa resilience.keep_last.
guard-throughput = Askeleet ovat hitaita: askeleeseen { $step } mennessä kesto on { DURATION($step_seconds) }, { $beside ->
        [plan] suunnitelmassa { DURATION($expected_seconds) }
       *[best] parhaimmillaan { DURATION($expected_seconds) }
    }, eli { PERCENT($share) } siitä nopeudesta.
    .next = Tarkista lämpötila, virransyöttö, koneen muut ohjelmat ja verkko.
guard-straggler = Prosessi { $rank } viivyttää muita: askeleella { $step } sama työ kestää siltä { DURATION($seconds) }, { DECIMAL($ratio) } kertaa tavallisen ajan.
    .next = Tarkista sen kone: lämpötila, virransyöttö, muut ohjelmat; tai jätä se pois seuraavasta käynnistyksestä.
guard-data-stall = Askeleet odottavat dataa: { PERCENT($share) } ajasta askeleeseen { $step } mennessä.
    .next = Siirrä data nopeammalle levylle tai anna tälle prosessille lisää suorittimia.
guard-corruption = { $what ->
        [copies] Samojen painojen kopiot eroavat prosessien välillä askeleen { $step } jälkeen
       *[replay] Askel { $step } tehtiin kahdesti samasta tilasta, mutta tulokset eroavat
    }{ $rank ->
        [-1] .
       *[other] : prosessi { $rank } poikkeaa muista.
    }
guard-device-events = { $kind ->
        [uncorrectable] Laite { $device } ilmoittaa ennen askelta { $step }: { $code ->
            [0] muistivirhe, jota se ei voinut korjata
           *[other] Xid { $code }
        }.
        [xid] Laite { $device } ilmoittaa ennen askelta { $step }: Xid { $code }.
        [corrected] Laite { $device } on korjannut { $count ->
            [one] muistivirheen
           *[other] { $count } muistivirhettä
        } ennen askelta { $step }.
        [power] Laite { $device } hidastuu riittämättömän virransyötön vuoksi askeleella { $step }.
       *[thermal] Laite { $device } hidastuu kuumuuden vuoksi askeleella { $step }.
    }
    .next = { $kind ->
        [thermal] Tarkista sen jäähdytys.
        [power] Tarkista sen virransyöttö.
       *[other] Tarkistuta laite, kun ajo on valmis.
    }
guard-action-warn = Ajo jatkuu.
guard-action-skip = Ajo jatkuu seuraavasta erästä.
guard-action-roll-back = Ajo palaa askeleeseen { $to_step } ja ohittaa tämän datan.
guard-action-pause = Ajo keskeytyy: se tallentaa ja päättyy. Jatka valitsimella --resume, kun syy on poistunut.
guard-action-stop = Ajo pysähtyy.
