guard-not-finite = Gradus { $step } numerum non reddit: iactura est { $loss }, norma gradientis { $gradient_norm }. Mutatio eius non fit.
guard-loss-spike = Iactura ad gradum { $step } subito exsilit: { DECIMAL($loss, 4) }, cum mediana sit { DECIMAL($median, 4) }; supra eam est { DECIMAL($deviations) } deviationibus.
guard-scale-collapse = Scala iacturae fp16 ad gradum { $step } corruit: { $skipped ->
        [1] unus gradus modum excessit
       *[other] { $skipped } gradus deinceps modum excesserunt
    }, novissimus cum scala { $loss_scale }.
guard-memory-creep = Usus memoriae crescit, in singulas secundas { BYTES($bytes_per_second) }: post gradum { $step } processus { BYTES($used_bytes) } tenet, et post { DURATION($left_seconds) } nihil supererit.
    .next = Quaere quid crescat; novum initium memoriam liberat.
guard-disk = Discus impletur: post gradum { $step } vacant { BYTES($free_bytes) }, et punctum servatum { BYTES($checkpoint_bytes) } occupat.
    .next = Spatium libera ante proxima puncta, vel minue resilience.keep_last.
guard-throughput = Gradus tardi sunt: ad gradum { $step } usque singuli { DURATION($step_seconds) } poscunt, { $beside ->
        [plan] cum consilium { DURATION($expected_seconds) } daret
       *[best] cum optimi { DURATION($expected_seconds) } poscerent
    }, id est { PERCENT($share) } illius celeritatis.
    .next = Inspice calorem, vim electricam, alia programmata machinae, rete eius.
guard-straggler = Processus { $rank } ceteros moratur: ad gradum { $step } idem opus ei { DURATION($seconds) } poscit, id est tempus solitum × { DECIMAL($ratio) }.
    .next = Machinam eius inspice: calorem, vim electricam, alia programmata; aut eam a proximo initio exclude.
guard-data-stall = Gradus data exspectant: { PERCENT($share) } temporis usque ad gradum { $step }.
    .next = Data in celeriore disco pone, aut huic processui plura processoria da.
guard-corruption = { $what ->
        [copies] Exempla eorundem ponderum inter processus post gradum { $step } differunt
       *[replay] Gradus { $step } bis ex eodem statu factus est, nec idem evenit
    }{ $rank ->
        [-1] .
       *[other] : processus { $rank } cum ceteris non congruit.
    }
guard-device-events = { $kind ->
        [uncorrectable] Instrumentum { $device } ante gradum { $step } nuntiat { $code ->
            [0] errorem memoriae quem corrigere non potuit
           *[other] Xid { $code }
        }.
        [xid] Instrumentum { $device } ante gradum { $step } nuntiat Xid { $code }.
        [corrected] Instrumentum { $device } ante gradum { $step } correxit { $count ->
            [1] errorem memoriae
           *[other] { $count } errores memoriae
        }.
        [power] Instrumentum { $device } ad gradum { $step } tardatur, quia vis electrica deest.
       *[thermal] Instrumentum { $device } ad gradum { $step } calore tardatur.
    }
    .next = { $kind ->
        [thermal] Refrigerationem eius inspice.
        [power] Fontem vis electricae inspice.
       *[other] Cura ut cursu perfecto inspiciatur.
    }
guard-action-warn = Cursus pergit.
guard-action-skip = Cursus proximo fasciculo pergit.
guard-action-roll-back = Cursus ad gradum { $to_step } redit et ea data praeterit.
guard-action-pause = Cursus intermittitur: servat et finitur. Perge per --resume, cum causa sublata erit.
guard-action-stop = Cursus consistit.
