supervisor-attempt-started = Arranque { $attempt }.
supervisor-attempt-finished = Terminado tras { DURATION($seconds) }.
supervisor-attempt-stopped = Detenido, como pidió la señal { $signal }.
supervisor-attempt-failed = { $cause } (certeza: { PERCENT($confidence) })
supervisor-hang = Ningún paso en { DURATION($silent_seconds) }: está bloqueado y se termina.
supervisor-retrying = Nuevo arranque en { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] No se vuelve a arrancar: en el próximo arranque pasaría lo mismo.
    [repeated] No se vuelve a arrancar: ha pasado lo mismo dos veces en el mismo paso.
   *[retries] No se vuelve a arrancar: se ha agotado el número de arranques permitidos.
}
supervisor-explained = La historia completa: headway diagnose { $path }
supervisor-no-command = Debe haber un comando que ejecutar, pero no hay ninguno detrás de las opciones.
    .next = Escríbalo tras dos guiones, por ejemplo: headway run -- torchrun train.py
