guard-not-finite = El paso { $step } no da un número: la pérdida es { $loss } y la norma del gradiente, { $gradient_norm }. Su actualización no se aplica.
guard-loss-spike = Pico de la pérdida en el paso { $step }: { DECIMAL($loss, 4) }, con una mediana de { DECIMAL($median, 4) }; son { DECIMAL($deviations) } desviaciones por encima.
guard-scale-collapse = La escala de la pérdida en fp16 se hunde en el paso { $step }: { $skipped ->
        [one] se desbordó un paso
       *[other] se desbordaron { $skipped } pasos seguidos
    }, el último con una escala de { $loss_scale }.
guard-memory-creep = La memoria crece { BYTES($bytes_per_second) } por segundo: tras el paso { $step } el proceso ocupa { BYTES($used_bytes) }, y en { DURATION($left_seconds) } no quedará nada.
    .next = Busque qué es lo que crece; un reinicio la libera.
guard-disk = El disco se llena: tras el paso { $step } le quedan { BYTES($free_bytes) } libres, y un checkpoint ocupa { BYTES($checkpoint_bytes) }.
    .next = Libere espacio antes de los próximos checkpoints o baje resilience.keep_last.
guard-throughput = Los pasos son lentos: hasta el paso { $step } tardan { DURATION($step_seconds) }, { $beside ->
        [plan] frente a los { DURATION($expected_seconds) } del plan
       *[best] cuando en su mejor momento tardaban { DURATION($expected_seconds) }
    }, es decir, al { PERCENT($share) } de esa velocidad.
    .next = Revise la temperatura, la alimentación, los demás programas de la máquina y su red.
guard-straggler = El proceso { $rank } retrasa a los demás: en el paso { $step } tarda { DURATION($seconds) } en el mismo trabajo, { DECIMAL($ratio) } veces lo habitual.
    .next = Revise su máquina (temperatura, alimentación, otros programas) o exclúyala del próximo arranque.
guard-data-stall = Los pasos esperan a los datos: el { PERCENT($share) } del tiempo hasta el paso { $step }.
    .next = Ponga los datos en un disco más rápido o dé más procesadores a este proceso.
guard-corruption = { $what ->
        [copies] Las copias de los mismos pesos difieren entre procesos tras el paso { $step }
       *[replay] El paso { $step } se hizo dos veces desde el mismo estado, con resultados distintos
    }{ $rank ->
        [-1] .
       *[other] : las del proceso { $rank } no coinciden con las de los demás.
    }
guard-device-events = { $kind ->
        [uncorrectable] El dispositivo { $device } comunica { $code ->
            [0] un error de memoria que no pudo corregir
           *[other] el error Xid { $code }
        } antes del paso { $step }.
        [xid] El dispositivo { $device } comunica el error Xid { $code } antes del paso { $step }.
        [corrected] El dispositivo { $device } ha corregido { $count ->
            [one] un error de memoria
           *[other] { $count } errores de memoria
        } antes del paso { $step }.
        [power] El dispositivo { $device } va más lento por falta de alimentación en el paso { $step }.
       *[thermal] El dispositivo { $device } va más lento por la temperatura en el paso { $step }.
    }
    .next = { $kind ->
        [thermal] Revise su refrigeración.
        [power] Revise su fuente de alimentación.
       *[other] Haga que lo revisen cuando acabe la ejecución.
    }
guard-action-warn = La ejecución continúa.
guard-action-skip = La ejecución continúa con el siguiente batch.
guard-action-roll-back = La ejecución vuelve al paso { $to_step } y se salta esos datos.
guard-action-pause = La ejecución hace una pausa: guarda y termina. Continúe con --resume cuando la causa haya desaparecido.
guard-action-stop = La ejecución se detiene.
