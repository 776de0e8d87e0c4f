supervisor-attempt-started = Avvio { $attempt }.
supervisor-attempt-finished = Completato dopo { DURATION($seconds) }.
supervisor-attempt-stopped = Fermato, come chiesto dal segnale { $signal }.
supervisor-attempt-failed = { $cause } (certezza: { PERCENT($confidence) })
supervisor-hang = Nessuno step da { DURATION($silent_seconds) }: è bloccato e viene terminato.
supervisor-retrying = Nuovo avvio tra { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Nessun nuovo avvio: il problema si ripresenterebbe anche al prossimo.
    [repeated] Nessun nuovo avvio: è successa la stessa cosa due volte allo stesso step.
   *[retries] Nessun nuovo avvio: il numero di avvii consentiti è esaurito.
}
supervisor-explained = La storia completa: headway diagnose { $path }
supervisor-no-command = Deve esserci un comando da eseguire, ma dopo le opzioni non ce n'è.
    .next = Scriverlo dopo due trattini, per esempio: headway run -- torchrun train.py
