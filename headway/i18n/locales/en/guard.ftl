# What guards say of a run while it trains. Each is followed by what is done about it.
# $step (Number): optimizer steps done
guard-not-finite = Step { $step } gives no number: the loss is { $loss } and the gradient norm { $gradient_norm }. Its update is not made.
# $loss, $median, $deviations, $limit (Number)
guard-loss-spike = The loss spikes at step { $step }: { DECIMAL($loss, 4) } where the median is { DECIMAL($median, 4) }, { DECIMAL($deviations) } deviations above it.
# $loss_scale, $skipped (Number)
guard-scale-collapse = The loss scale of fp16 collapses at step { $step }: { $skipped ->
        [one] a step
       *[other] { $skipped } steps in a row
    } overflowed, the last with a scale of { $loss_scale }.

guard-action-warn = The run goes on.
guard-action-skip = The run goes on with the next batch.
# $to_step (Number): of the checkpoint
guard-action-roll-back = The run goes back to step { $to_step } and passes over that data.
guard-action-pause = The run pauses: it saves and ends. Go on with --resume once the cause is gone.
guard-action-stop = The run stops.
