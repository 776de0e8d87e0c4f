### Ce que dit le superviseur d'un job.

supervisor-attempt-started = Démarrage { $attempt }.
supervisor-attempt-finished = Terminé après { DURATION($seconds) }.
supervisor-attempt-stopped = Arrêté, comme demandé par le signal { $signal }.
supervisor-attempt-failed = { $cause } (sûr à { PERCENT($confidence) })
supervisor-hang = Aucune étape depuis { DURATION($silent_seconds) } : le job est bloqué, il est arrêté.
supervisor-retrying = Nouveau démarrage dans { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Pas de redémarrage : la cause serait encore là au prochain démarrage.
    [repeated] Pas de redémarrage : la même chose s'est produite deux fois à la même étape.
   *[retries] Pas de redémarrage : le nombre de démarrages permis est épuisé.
}
supervisor-explained = Toute l'histoire : headway diagnose { $path }
supervisor-no-command = Il faut une commande à exécuter, mais aucune ne suit les options.
    .next = Écrivez-la après deux tirets, par exemple : headway run -- torchrun train.py
