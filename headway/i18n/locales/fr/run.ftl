run-name-invalid = Le nom d'un run doit commencer par une lettre ou un chiffre et ne contenir que lettres, chiffres, points, tirets et tirets bas : ce n'est pas le cas de « { $name } ».
    .next = Donnez un autre nom avec --name.
run-exists = Le nom d'un run doit être nouveau : { $root } contient déjà un run « { $name } ».
    .next = Continuez-le avec --resume ou donnez un autre nom avec --name.
run-unknown = Un run doit exister pour être ouvert : { $root } n'en contient aucun nommé « { $name } ».
    .next = { $known ->
        [none] Lancez-en un avec `headway train RECIPE`.
       *[other] { $closest ->
            [none] Runs connus : { $known }.
           *[other] Vouliez-vous dire « { $closest } » ? Runs connus : { $known }.
        }
    }
run-unwritable = Le dossier des runs doit être accessible en écriture : impossible d'écrire dans { $path } ({ $reason }).
    .next = Vérifiez ses droits et l'espace libre ou choisissez un autre dossier avec --runs.
run-locked = Un run appartient à un seul processus à la fois : un autre entraîne déjà « { $name } ».
    .next = Attendez-le, arrêtez-le ou lancez un run sous un autre nom.
run-file-damaged = Les fichiers d'un run doivent être lisibles : { $path } ne l'est pas ({ $reason }).
    .next = Restaurez le fichier depuis une copie ou lancez un nouveau run.
run-recipe-changed = Un run repris doit garder sa recette de départ : { $sections } a changé depuis le début de « { $name } ».
    .next = Annulez la modification ou lancez un nouveau run sans --resume.
run-steps-done = Un run repris ne peut pas se terminer avant les étapes déjà faites : « { $name } » en a fait { $done }, et la recette en demande { $steps }.
    .next = Réglez training.steps à { $done } ou plus, ou lancez un nouveau run sans --resume.
run-data-changed = Un run repris doit garder son texte de départ : les fichiers de [data] contiennent un autre texte depuis le début de « { $name } ».
    .next = Restaurez le texte ou lancez un nouveau run sans --resume.
run-nothing-to-resume = Un run doit exister pour être repris : { $root } n'en contient aucun pour la recette « { $name } ».
    .next = Lancez-le sans --resume.
run-base-changed = Un run doit continuer avec ses poids de départ : ceux de { $folder } ne sont pas ceux pour lesquels « { $name } » a ses adaptateurs.
    .next = Remettez-y les poids d'origine ou lancez un nouveau run.
run-output-exists = Un modèle est écrit dans un nouveau dossier, pour ne rien écraser : { $path } existe déjà.
    .next = Indiquez un autre dossier avec --output ou déplacez celui-là.
run-output-unwritable = Le dossier d'un modèle doit pouvoir être créé : { $path } n'a pas pu l'être ({ $reason }).
    .next = Indiquez un autre dossier avec --output ou faites-y de la place.
run-no-checkpoint = Un run doit avoir un checkpoint : « { $name } » n'en a pas encore.
    .next = Attendez son premier checkpoint ou continuez l'entraînement avec --resume.
run-no-best = Le meilleur checkpoint est celui dont la perte de validation est la plus basse, et { $name } n'en a aucun d'évalué.
    .next = Prenez le plus récent ou entraînez avec training.evaluate_every_steps et resilience.keep_best.
run-step-twice = Un checkpoint se choisit une seule fois : l'étape { $step } ou le meilleur.
    .next = Retirez --step ou --best.
run-no-such-step = Le checkpoint doit exister dans le run : « { $name } » n'en a pas à l'étape { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Il n'en a encore aucun ; attendez le premier ou continuez l'entraînement avec --resume.
       *[other] Il a ceux des étapes { $known }.
    }
run-checkpoints-gone = Un run doit avoir un checkpoint : ceux que « { $name } » a enregistrés ne sont plus là.
    .next = Remettez-les depuis une copie ou recommencez l'entraînement depuis le début avec --resume.
run-no-metrics = Un run doit avoir fait au moins une étape : « { $name } » n'en a pas encore fait.
    .next = Lancez-le ou reprenez-le d'abord.
run-plot-format = Le nom d'une image doit se terminer par { $known } : ce n'est pas le cas de { $path }.
    .next = Donnez un nom comme loss.png.
run-plot-missing = Les images ont besoin du paquet { $package }, qui n'est pas installé.
    .next = Dans le dossier des sources de Headway, exécutez `pip install ".[torch]"`.
run-plot-loss = perte (nats par token)
run-plot-speed = tokens par seconde
run-plot-step = étape de l'optimiseur
run-plot-validation = { $name }, validation
run-no-scheduler = Un job est soumis par le programme de l'ordonnanceur : { $program } n'a pas pu être lancé ({ $reason }).
    .next = Écrivez le job avec --output et soumettez-le là où { $program } est installé.
