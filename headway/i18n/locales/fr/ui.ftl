### Ce que dit le tableau de bord.

## Sur chaque page

ui-skip = Aller au contenu
ui-language = Langue
ui-dark = Sombre
ui-light = Clair
ui-loading = Chargement…
ui-no-page = Cette page n'existe pas.
ui-disconnected = Connexion perdue, nouvel essai en cours
ui-error-page = Cette page a échoué : { $reason }
ui-error-server = Le serveur ne répond pas. `headway watch` est-il toujours lancé ?
ui-error-status = Le serveur a répondu avec le statut { $status }.

## Runs

ui-runs = Runs
ui-runs-filter = Filtrer par nom
ui-runs-compare = Comparer ({ $count })
ui-runs-none = Il n'y a pas encore de run. Lancez-en un avec `headway train RECIPE`.
ui-runs-choose = Choisir pour comparer
ui-compare = Comparaison de runs
ui-column-name = Nom
ui-column-status = État
ui-column-progress = Avancement
ui-column-loss = Perte
ui-column-validation = Perte de validation
ui-column-speed = Vitesse
ui-column-changed = Dernier signe de vie

## Un run

ui-charts = Graphiques
ui-charts-none = Aucune étape n'est encore terminée.
ui-axis = Axe horizontal
ui-axis-step = Étapes
ui-axis-tokens = Tokens
ui-axis-time = Temps
ui-logarithmic = Logarithmique
ui-zoom-out = Tout afficher
ui-ledger = Prévu et mesuré
ui-column-resource = Ressource
ui-column-quantity = Grandeur
ui-column-predicted = Prévu
ui-column-measured = Mesuré
ui-column-error = Écart
ui-estimated = { $value } (estimation)
ui-events = Historique
ui-why = Pourquoi le run s'est arrêté

## Mesures

ui-metric-gradient_norm = norme du gradient
ui-metric-learning_rate = taux d'apprentissage
ui-metric-resident_bytes = mémoire du processus
ui-metric-data_seconds = attente des données, par étape
ui-metric-loss_scale = échelle de perte
ui-metric-is_skipped = sautée

ui-tokens-per-second = { $count } tokens/s

## Plan

ui-plan = Plan
ui-plan-model = Modèle
ui-plan-accelerator = Accélérateur
ui-plan-devices = Appareils
ui-plan-tokens = Tokens
ui-plan-fits = Tout tient en mémoire.
ui-plan-memory = Mémoire par appareil
ui-plan-step = Durée d'une étape
ui-plan-days = Durée totale
ui-plan-mfu = Utilisation des FLOPs du modèle (MFU)
ui-plan-power = Puissance du site
ui-plan-energy = Énergie
ui-plan-carbon = Carbone
ui-plan-cost = Coût
ui-plan-goodput = Goodput
ui-part-parameters = Paramètres
ui-part-gradients = Gradients
ui-part-optimizer = Optimiseur
ui-part-activations = Activations
ui-part-logits = Logits
ui-part-communication = Communication
ui-part-reserve = Réserve

## Diagnostic

ui-diagnose = Diagnostic
ui-diagnose-drop = Déposez un journal ici ou choisissez un fichier : tout framework, même compressé
ui-diagnose-private = Il est lu sur la machine où tourne ce serveur et n'en sort pas.
ui-diagnose-first = Première panne : rang { $rank }, hôte { $host }
ui-diagnose-remedies = Que faire
ui-diagnose-evidence = Ce qui l'indique

## Serveur

ui-server = Serveur
ui-server-processor = Processeur
ui-server-cores = Cœurs de calcul
ui-server-memory = Mémoire
ui-server-disk = Disque libre
ui-server-accelerators = Accélérateurs
ui-server-advice = Conseils
ui-server-fine = Rien à changer.
