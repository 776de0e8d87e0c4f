run-name-invalid = O nome de uma execução deve começar com letra ou dígito e conter apenas letras, dígitos, pontos, hífens e sublinhados: "{ $name }" não serve.
    .next = Dê outro nome com --name.
run-exists = O nome de uma execução deve ser novo: { $root } já contém uma execução "{ $name }".
    .next = Continue-a com --resume ou dê outro nome com --name.
run-unknown = Uma execução precisa existir para ser aberta: { $root } não contém nenhuma chamada "{ $name }".
    .next = { $known ->
        [none] Inicie uma com `headway train RECIPE`.
       *[other] { $closest ->
            [none] Execuções conhecidas: { $known }.
           *[other] Você quis dizer "{ $closest }"? Execuções conhecidas: { $known }.
        }
    }
run-unwritable = A pasta das execuções precisa permitir gravação: não foi possível gravar { $path } ({ $reason }).
    .next = Verifique as permissões e o espaço livre ou escolha outra pasta com --runs.
run-locked = Uma execução pertence a um processo de cada vez: outro está treinando "{ $name }".
    .next = Espere por ele, pare-o ou inicie uma execução com outro nome.
run-file-damaged = Os arquivos de uma execução precisam ser legíveis: { $path } não é ({ $reason }).
    .next = Restaure o arquivo de uma cópia ou inicie uma nova execução.
run-recipe-changed = Uma execução retomada deve manter a receita com que começou: { $sections } mudou desde o início de "{ $name }".
    .next = Desfaça a mudança ou inicie uma nova execução sem --resume.
run-steps-done = Uma execução retomada não pode terminar antes dos passos já feitos: "{ $name }" fez { $done }, e a receita pede { $steps }.
    .next = Ajuste training.steps para { $done } ou mais, ou inicie uma nova execução sem --resume.
run-data-changed = Uma execução retomada deve manter o texto com que começou: os arquivos de [data] contêm outro texto desde o início de "{ $name }".
    .next = Restaure o texto ou inicie uma nova execução sem --resume.
run-nothing-to-resume = Uma execução precisa existir para ser retomada: { $root } não contém nenhuma da receita "{ $name }".
    .next = Inicie sem --resume.
run-base-changed = Uma execução deve continuar com os pesos com que começou: os de { $folder } não são aqueles para os quais "{ $name }" tem seus adaptadores.
    .next = Coloque de volta os pesos anteriores ou inicie uma nova execução.
run-output-exists = Um modelo é gravado em uma pasta nova, para que nada seja sobrescrito: { $path } já existe.
    .next = Indique outra pasta com --output ou mova a existente.
run-output-unwritable = A pasta de um modelo precisa poder ser criada: não foi possível criar { $path } ({ $reason }).
    .next = Indique outra pasta com --output ou libere espaço.
run-no-checkpoint = Uma execução precisa ter um checkpoint: "{ $name }" ainda não tem nenhum.
    .next = Espere pelo primeiro checkpoint ou continue o treinamento com --resume.
run-no-best = O melhor checkpoint é o de menor perda de validação, e { $name } não tem nenhum avaliado.
    .next = Use o mais recente ou treine com training.evaluate_every_steps e resilience.keep_best.
run-step-twice = Um checkpoint é escolhido uma só vez: o passo { $step } ou o melhor.
    .next = Retire --step ou --best.
run-no-such-step = O checkpoint precisa existir na execução: "{ $name }" não tem nenhum do passo { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Ainda não há nenhum; espere pelo primeiro ou continue o treinamento com --resume.
       *[other] Há os dos passos { $known }.
    }
run-checkpoints-gone = Uma execução precisa ter um checkpoint: os que "{ $name }" salvou não estão mais lá.
    .next = Recupere-os de uma cópia ou treine de novo desde o começo com --resume.
run-no-metrics = Uma execução precisa ter treinado pelo menos um passo: "{ $name }" ainda não treinou.
    .next = Inicie ou retome a execução primeiro.
run-plot-format = O nome de arquivo de uma imagem deve terminar em { $known }: { $path } não termina assim.
    .next = Dê um nome como loss.png.
run-plot-missing = As imagens precisam do pacote { $package }, que não está instalado.
    .next = Na pasta do código-fonte do Headway, execute `pip install ".[torch]"`.
run-plot-loss = perda (nats por token)
run-plot-speed = tokens por segundo
run-plot-step = passo do otimizador
run-plot-validation = { $name }, validação
run-no-scheduler = Um job é enviado pelo programa do próprio escalonador: não foi possível iniciar { $program } ({ $reason }).
    .next = Grave o job com --output e envie-o onde { $program } estiver instalado.
