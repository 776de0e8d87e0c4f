supervisor-attempt-started = Käynnistys { $attempt }.
supervisor-attempt-finished = Valmis, kesto { DURATION($seconds) }.
supervisor-attempt-stopped = Pysäytetty signaalin { $signal } pyynnöstä.
supervisor-attempt-failed = { $cause } (varmuus { PERCENT($confidence) })
supervisor-hang = Ei askelia, aikaa kulunut { DURATION($silent_seconds) }: se on jumissa, ja se lopetetaan.
supervisor-retrying = Uusi käynnistys, odotus { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Ei käynnistetä uudelleen: sama vika olisi vastassa seuraavallakin kerralla.
    [repeated] Ei käynnistetä uudelleen: sama tapahtui samalla askeleella kahdesti.
   *[retries] Ei käynnistetä uudelleen: sallitut käynnistykset on käytetty.
}
supervisor-explained = Koko tarina: headway diagnose { $path }
supervisor-no-command = Suoritettava komento tarvitaan, mutta valitsimien jälkeen ei ole mitään.
    .next = Kirjoita se kahden viivan jälkeen, esimerkiksi: headway run -- torchrun train.py
