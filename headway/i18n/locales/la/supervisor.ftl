supervisor-attempt-started = Initium { $attempt }.
supervisor-attempt-finished = Perfectum post { DURATION($seconds) }.
supervisor-attempt-stopped = Constitit, ut signum { $signal } iussit.
supervisor-attempt-failed = { $cause } (fides { PERCENT($confidence) })
supervisor-hang = Nullus gradus per { DURATION($silent_seconds) }: torpet, et finitur.
supervisor-retrying = Iterum incipit post { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Non iterum incipitur: idem in proximo quoque initio adesset.
    [repeated] Non iterum incipitur: idem bis ad eundem gradum accidit.
   *[retries] Non iterum incipitur: numerus initiorum concessorum exhaustus est.
}
supervisor-explained = Tota narratio: headway diagnose { $path }
supervisor-no-command = Mandatum agendum esse debet, sed post optiones nullum stat.
    .next = Scribe id post duas lineolas, exempli gratia: headway run -- torchrun train.py
