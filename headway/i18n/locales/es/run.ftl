run-name-invalid = El nombre de una ejecución debe empezar por una letra o una cifra y contener solo letras, cifras, puntos, guiones y guiones bajos: "{ $name }" no lo cumple.
    .next = Dé otro nombre con --name.
run-exists = El nombre de una ejecución debe ser nuevo: { $root } ya contiene una ejecución "{ $name }".
    .next = Continúela con --resume o dé otro nombre con --name.
run-unknown = Una ejecución debe existir para poder abrirla: en { $root } no hay ninguna llamada "{ $name }".
    .next = { $known ->
        [none] Inicie una con `headway train RECIPE`.
       *[other] { $closest ->
            [none] Ejecuciones conocidas: { $known }.
           *[other] ¿Quería decir "{ $closest }"? Ejecuciones conocidas: { $known }.
        }
    }
run-unwritable = Se debe poder escribir en la carpeta de la ejecución: no se pudo escribir { $path } ({ $reason }).
    .next = Compruebe los permisos y el espacio libre, o elija otra carpeta con --runs.
run-locked = Una ejecución pertenece a un solo proceso a la vez: otro está entrenando "{ $name }".
    .next = Espere a que acabe, deténgalo o inicie una ejecución con otro nombre.
run-file-damaged = Los archivos de una ejecución deben poder leerse: { $path } no se puede leer ({ $reason }).
    .next = Restaure el archivo desde una copia o inicie una ejecución nueva.
run-recipe-changed = Una ejecución reanudada debe mantener la receta con la que empezó: desde que empezó "{ $name }" ha cambiado { $sections }.
    .next = Deshaga el cambio o inicie una ejecución nueva sin --resume.
run-steps-done = Una ejecución reanudada no puede acabar antes de los pasos que ya ha hecho: "{ $name }" ha hecho { $done }, y la receta pide { $steps }.
    .next = Ponga training.steps en { $done } o más, o inicie una ejecución nueva sin --resume.
run-data-changed = Una ejecución reanudada debe mantener el texto con el que empezó: los archivos de [data] contienen otro texto desde que empezó "{ $name }".
    .next = Restaure el texto o inicie una ejecución nueva sin --resume.
run-nothing-to-resume = Una ejecución debe existir para poder reanudarla: en { $root } no hay ninguna de la receta "{ $name }".
    .next = Iníciela sin --resume.
run-base-changed = Una ejecución debe continuar con los pesos con los que empezó: los de { $folder } no son los de los adaptadores de "{ $name }".
    .next = Vuelva a poner allí los pesos de antes o inicie una ejecución nueva.
run-output-exists = Un modelo se escribe en una carpeta nueva para no sobrescribir nada: { $path } ya existe.
    .next = Indique otra carpeta con --output o mueva la existente.
run-output-unwritable = Un modelo se escribe en una carpeta que se pueda crear: { $path } no se pudo crear ({ $reason }).
    .next = Indique otra carpeta con --output o haga sitio allí.
run-no-checkpoint = Una ejecución debe tener un checkpoint: "{ $name }" no tiene ninguno todavía.
    .next = Espere al primero o entrénela con --resume.
run-no-best = El mejor checkpoint es el de menor pérdida de validación, y { $name } no tiene ninguno evaluado.
    .next = Use el más reciente, o entrene con training.evaluate_every_steps y resilience.keep_best.
run-step-twice = Un checkpoint se elige una sola vez: el del paso { $step } o el mejor.
    .next = Quite --step o --best.
run-no-such-step = El checkpoint debe ser uno que la ejecución tenga: "{ $name }" no tiene ninguno del paso { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Aún no tiene ninguno; espere al primero o entrénela con --resume.
       *[other] Tiene los de los pasos { $known }.
    }
run-checkpoints-gone = Una ejecución debe tener un checkpoint: los que guardó "{ $name }" ya no están.
    .next = Recupérelos de una copia o vuelva a entrenarla desde el principio con --resume.
run-no-metrics = Una ejecución debe haber entrenado al menos un paso: "{ $name }" aún no lo ha hecho.
    .next = Iníciela o reanúdela antes.
run-plot-format = El nombre de archivo de una imagen debe terminar en una de estas extensiones: { $known }; { $path } no lo hace.
    .next = Dé un nombre como loss.png.
run-plot-missing = Las imágenes necesitan el paquete { $package }, que no está instalado.
    .next = En la carpeta del código fuente de Headway, ejecute `pip install ".[torch]"`.
run-plot-loss = pérdida (nats por token)
run-plot-speed = tokens por segundo
run-plot-step = paso del optimizador
run-plot-validation = { $name }, validación
run-no-scheduler = Un trabajo se entrega con el programa propio del planificador: { $program } no se pudo iniciar ({ $reason }).
    .next = Escriba el trabajo con --output y entréguelo donde esté instalado { $program }.
