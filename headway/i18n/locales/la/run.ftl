run-name-invalid = Nomen cursus a littera vel numero incipere debet nec nisi litteras, numeros, puncta, lineolas lineolasque imas continere: "{ $name }" non ita est.
    .next = Aliud nomen da per --name.
run-exists = Nomen cursus novum esse debet: in { $root } iam est cursus "{ $name }".
    .next = Perge eum per --resume, aut aliud nomen da per --name.
run-unknown = Cursus ut aperiatur exstare debet: in { $root } nullus est nomine "{ $name }".
    .next = { $known ->
        [none] Incipe unum per `headway train RECIPE`.
       *[other] { $closest ->
            [none] Cursus noti: { $known }.
           *[other] Num "{ $closest }" dicere voluisti? Cursus noti: { $known }.
        }
    }
run-unwritable = In capsam cursus scribi posse debet: { $path } scribi non potuit ({ $reason }).
    .next = Permissiones et spatium vacuum inspice, aut aliam capsam elige per --runs.
run-locked = Cursus uni tantum processui simul servit: alius "{ $name }" instituit.
    .next = Exspecta eum, aut siste, aut cursum alio nomine incipe.
run-file-damaged = Documenta cursus legi posse debent: { $path } non potest ({ $reason }).
    .next = Documentum ex exemplo restitue, aut novum cursum incipe.
run-recipe-changed = Cursus resumptus praescriptum suum servare debet: ex quo "{ $name }" coepit, haec mutata sunt: { $sections }.
    .next = Mutationem tolle, aut novum cursum sine --resume incipe.
run-steps-done = Cursus resumptus ante gradus iam factos finiri non potest: "{ $name }" fecit { $done }, praescriptum poscit { $steps }.
    .next = Pone training.steps { $done } vel plus, aut novum cursum sine --resume incipe.
run-data-changed = Cursus resumptus textum suum servare debet: documenta [data] alium textum continent ex quo "{ $name }" coepit.
    .next = Textum restitue, aut novum cursum sine --resume incipe.
run-nothing-to-resume = Cursus ut resumatur exstare debet: in { $root } nullus est praescripti "{ $name }".
    .next = Incipe eum sine --resume.
run-base-changed = Cursus cum iisdem ponderibus pergere debet quibuscum coepit: ea quae in { $folder } sunt non sunt quibus "{ $name }" aptamenta habet.
    .next = Pondera priora ibi repone, aut novum cursum incipe.
run-output-exists = Exemplar in novam capsam scribitur, ne quid deleatur: { $path } iam exstat.
    .next = Aliam capsam nomina per --output, aut illam amove.
run-output-unwritable = Exemplar in capsam scribitur quae creari possit: { $path } creari non potuit ({ $reason }).
    .next = Aliam capsam nomina per --output, aut ibi spatium fac.
run-no-checkpoint = Cursus punctum servatum habere debet: "{ $name }" nullum adhuc habet.
    .next = Primum eius punctum exspecta, aut institue eum per --resume.
run-no-best = Optimum punctum est cuius iactura probationis minima est, et { $name } nullum aestimatum habet.
    .next = Sume novissimum, aut institue cum training.evaluate_every_steps et resilience.keep_best.
run-step-twice = Punctum semel eligitur: aut gradus { $step } aut optimum.
    .next = Omitte --step vel --best.
run-no-such-step = Punctum eligendum est quod cursus habet: "{ $name }" nullum habet gradus { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Nullum adhuc habet; exspecta primum, aut institue eum per --resume.
       *[other] Habet puncta horum graduum: { $known }.
    }
run-checkpoints-gone = Cursus punctum servatum habere debet: ea quae "{ $name }" servavit iam non adsunt.
    .next = Ex exemplo repone, aut ab initio rursus institue per --resume.
run-no-metrics = Cursus saltem unum gradum fecisse debet: "{ $name }" nondum fecit.
    .next = Prius eum incipe vel resume.
run-plot-format = Nomen imaginis uno ex his finiri debet: { $known }; { $path } non ita finitur.
    .next = Da nomen quale est loss.png.
run-plot-missing = Imagines sarcinam { $package } poscunt, quae non est instructa.
    .next = In capsa fontis Headway age `pip install ".[torch]"`.
run-plot-loss = iactura (nats per signum)
run-plot-speed = signa in secundam
run-plot-step = gradus optimatoris
run-plot-validation = { $name }, probatio
run-no-scheduler = Opus per ipsius dispensatoris programma traditur: { $program } incipi non potuit ({ $reason }).
    .next = Opus scribe per --output, et trade ubi { $program } instructum est.
