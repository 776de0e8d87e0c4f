### Ce qui arrive à un run, une ligne chacun.

event-started = L'entraînement commence.
event-resumed = L'entraînement reprend après l'étape { $step }.
event-data-ready = Données : { COUNT($documents) } documents, { BYTES($text_bytes) } de texte, { COUNT($tokens) } tokens (de { DECIMAL($bytes_per_token) } octets chacun).
event-checkpoint-saved = Checkpoint à l'étape { $step } : { BYTES($bytes) } en { DURATION($seconds) }.
event-evaluated-answers = Validation à l'étape { $step } : perte { DECIMAL($loss, 4) }, perplexité { DECIMAL($perplexity) }.
event-evaluated = Validation à l'étape { $step } : perte { DECIMAL($loss, 4) }, perplexité { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } bits par octet.
event-step-skipped = L'étape { $step } est sautée : ses gradients ont débordé en fp16 avec une échelle de perte de { $loss_scale }, qui est divisée par deux.
event-finished = Terminé.
event-stopped-early = Arrêt anticipé après l'étape { $step }, faute de progrès : la perte de validation la plus basse est de { DECIMAL($loss, 4) }, à l'étape { $best_step }, dont le checkpoint est conservé. Utilisez-le avec --best.
event-step-abandoned = L'étape { $step } a été abandonnée après { DURATION($seconds) }, car le run doit s'arrêter ; elle sera refaite à la reprise.
event-checkpoint-interval = L'intervalle entre checkpoints passe de { DURATION($before_seconds) } à { DURATION($seconds) } : une panne est attendue toutes les { DURATION($mtbf_seconds) }, et un checkpoint suspend le travail pendant { DURATION($stall_seconds) }.
event-stopped = Arrêté.
event-failed = Échec.
