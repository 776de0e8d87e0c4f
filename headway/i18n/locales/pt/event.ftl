### O que acontece com uma execução, uma linha cada.

event-started = O treinamento começa.
event-resumed = O treinamento continua após o passo { $step }.
event-data-ready = Dados: { COUNT($documents) } documentos, { BYTES($text_bytes) } de texto, { COUNT($tokens) } tokens ({ DECIMAL($bytes_per_token) } bytes cada).
event-checkpoint-saved = Checkpoint no passo { $step }: { BYTES($bytes) } em { DURATION($seconds) }.
event-evaluated-answers = Validação no passo { $step }: perda { DECIMAL($loss, 4) }, perplexidade { DECIMAL($perplexity) }.
event-evaluated = Validação no passo { $step }: perda { DECIMAL($loss, 4) }, perplexidade { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } bits por byte.
event-step-skipped = O passo { $step } foi pulado: seus gradientes estouraram em fp16 com escala da perda de { $loss_scale }, que é reduzida à metade.
event-finished = Concluído.
event-stopped-early = Parada antecipada após o passo { $step }, pois não há mais melhora: a menor perda de validação é { DECIMAL($loss, 4) }, do passo { $best_step }, cujo checkpoint foi mantido. Use-o com --best.
event-step-abandoned = O passo { $step } foi abandonado após { DURATION($seconds) }, pois a execução deve parar; ele será refeito quando ela continuar.
event-checkpoint-interval = O intervalo entre checkpoints passa de { DURATION($before_seconds) } para { DURATION($seconds) }: espera-se uma falha a cada { DURATION($mtbf_seconds) }, e um checkpoint interrompe o trabalho por { DURATION($stall_seconds) }.
event-stopped = Parado.
event-failed = Falhou.
