# O que as sentinelas dizem de uma execução durante o treinamento, seguido do que é feito.

guard-not-finite = O passo { $step } não produz um número finito: a perda é { $loss } e a norma do gradiente, { $gradient_norm }. A atualização não é aplicada.
guard-loss-spike = Pico de perda no passo { $step }: { DECIMAL($loss, 4) } para uma mediana de { DECIMAL($median, 4) }, ou seja, { DECIMAL($deviations) } desvios acima dela.
guard-scale-collapse = A escala da perda de fp16 desaba no passo { $step }: { $skipped ->
        [1] um passo estourou
       *[other] { $skipped } passos seguidos estouraram
    }, o último com escala de { $loss_scale }.

guard-memory-creep = A memória cresce { BYTES($bytes_per_second) } por segundo: após o passo { $step } o processo ocupa { BYTES($used_bytes) }, e em { DURATION($left_seconds) } não sobrará nada.
    .next = Procure o que está crescendo; um reinício libera a memória.
guard-disk = O disco está enchendo: após o passo { $step } restam { BYTES($free_bytes) } livres, e um checkpoint ocupa { BYTES($checkpoint_bytes) }.
    .next = Libere espaço antes dos próximos checkpoints ou reduza resilience.keep_last.
guard-throughput = Os passos estão lentos: até o passo { $step } levam { DURATION($step_seconds) }, { $beside ->
        [plan] contra { DURATION($expected_seconds) } no plano
       *[best] contra { DURATION($expected_seconds) } no melhor momento
    }, ou seja, { PERCENT($share) } dessa velocidade.
    .next = Verifique a temperatura, a energia, os outros programas da máquina e a rede.
guard-straggler = O processo { $rank } atrasa os outros: no passo { $step } o mesmo trabalho leva { DURATION($seconds) }, { DECIMAL($ratio) } vezes o tempo normal.
    .next = Verifique a máquina dele: temperatura, energia, outros programas; ou deixe-a de fora no próximo início.
guard-data-stall = Os passos esperam pelos dados: { PERCENT($share) } do tempo até o passo { $step }.
    .next = Coloque os dados em um disco mais rápido ou dê mais núcleos a este processo.

guard-corruption = { $what ->
        [copies] Cópias dos mesmos pesos diferem entre processos após o passo { $step }
       *[replay] O passo { $step } foi feito duas vezes a partir do mesmo estado, com resultados diferentes
    }{ $rank ->
        [-1] .
       *[other] : o processo { $rank } difere dos outros.
    }
guard-device-events = { $kind ->
        [uncorrectable] O dispositivo { $device } informa { $code ->
            [0] um erro de memória incorrigível
           *[other] Xid { $code }
        } antes do passo { $step }.
        [xid] O dispositivo { $device } informa Xid { $code } antes do passo { $step }.
        [corrected] O dispositivo { $device } corrigiu { $count ->
            [1] um erro de memória
           *[other] { $count } erros de memória
        } antes do passo { $step }.
        [power] O dispositivo { $device } ficou mais lento no passo { $step } por falta de energia.
       *[thermal] O dispositivo { $device } ficou mais lento no passo { $step } por causa do calor.
    }
    .next = { $kind ->
        [thermal] Verifique a refrigeração.
        [power] Verifique a fonte de alimentação.
       *[other] Mande examiná-lo quando a execução terminar.
    }

guard-action-warn = A execução continua.
guard-action-skip = A execução continua com o próximo batch.
guard-action-roll-back = A execução volta ao passo { $to_step } e pula esses dados.
guard-action-pause = A execução faz uma pausa: salva e termina. Continue com --resume quando a causa estiver resolvida.
guard-action-stop = A execução para.
