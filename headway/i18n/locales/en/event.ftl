### What happens to a run, one line each; shared by the command line and the dashboard.

event-started = Training starts.
event-resumed = Training goes on after step { $step }.
event-data-ready = Data: { COUNT($documents) } documents, { BYTES($text_bytes) } of text, { COUNT($tokens) } tokens ({ DECIMAL($bytes_per_token) } bytes each).
event-checkpoint-saved = Checkpoint at step { $step }: { BYTES($bytes) } in { DURATION($seconds) }.
event-evaluated-answers = Validation at step { $step }: loss { DECIMAL($loss, 4) }, perplexity { DECIMAL($perplexity) }.
event-evaluated = Validation at step { $step }: loss { DECIMAL($loss, 4) }, perplexity { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } bits per byte.
event-step-skipped = Step { $step } is skipped: its gradients overflowed in fp16 with a loss scale of { $loss_scale }, which is halved.
event-finished = Finished.
# $step, $best_step, $loss (Number)
event-stopped-early = Stopped early after step { $step }, since it gets no better: the lowest validation loss is { DECIMAL($loss, 4) }, of step { $best_step }, whose checkpoint is kept. Take it with --best.
event-step-abandoned = Step { $step } was abandoned after { DURATION($seconds) }, since the run is to stop; it is done again when the run goes on.
event-checkpoint-interval = Checkpoints now come every { DURATION($seconds) } instead of { DURATION($before_seconds) }: a failure is expected every { DURATION($mtbf_seconds) }, and a checkpoint stops the work for { DURATION($stall_seconds) }.
event-stopped = Stopped.
event-failed = Failed.
