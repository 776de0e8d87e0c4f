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

# $used_bytes, $bytes_per_second, $left_seconds (Number)
guard-memory-creep = Memory grows by { BYTES($bytes_per_second) } each second: after step { $step } the process holds { BYTES($used_bytes) }, and there is none left in { DURATION($left_seconds) }.
    .next = Look for what grows; a restart frees it.
# $free_bytes, $checkpoint_bytes, $left_seconds (Number)
guard-disk = The disk fills: after step { $step } it has { BYTES($free_bytes) } free, and a checkpoint takes { BYTES($checkpoint_bytes) }.
    .next = Free some space before the next checkpoints, or lower resilience.keep_last.
# $beside: best or plan; $step_seconds, $expected_seconds, $share (Number)
guard-throughput = Steps are slow: up to step { $step } they take { DURATION($step_seconds) }, { $beside ->
        [plan] beyond the { DURATION($expected_seconds) } of the plan
       *[best] where they took { DURATION($expected_seconds) } at best
    }, which is { PERCENT($share) } of that speed.
    .next = Look at heat, power and other programs of the machine, and at its network.
# $rank, $seconds, $usual_seconds, $ratio (Number)
guard-straggler = Process { $rank } holds up the others: at step { $step } the same work takes it { DURATION($seconds) }, { DECIMAL($ratio) } times as long as usual.
    .next = Look at its machine: heat, power, other programs; or leave it out of the next start.
guard-data-stall = Steps wait for their data: { PERCENT($share) } of the time up to step { $step }.
    .next = Have the data on a faster disk, or more processors for this process.

# $what: replay or copies; $rank (Number): -1 where it is not known
guard-corruption = { $what ->
        [copies] Copies of the same weights differ between processes after step { $step }
       *[replay] Step { $step } was done twice from the same state, with different results
    }{ $rank ->
        [-1] .
       *[other] : those of process { $rank } are not those of the others.
    }
# $device; $kind: uncorrectable, corrected, xid, thermal or power; $count, $code (Number)
guard-device-events = { $kind ->
        [uncorrectable] Device { $device } reports { $code ->
            [0] a memory error that it could not correct
           *[other] Xid { $code }
        } before step { $step }.
        [xid] Device { $device } reports Xid { $code } before step { $step }.
        [corrected] Device { $device } has corrected { $count ->
            [one] a memory error
           *[other] { $count } memory errors
        } before step { $step }.
        [power] Device { $device } is slowed down for want of power at step { $step }.
       *[thermal] Device { $device } is slowed down by heat at step { $step }.
    }
    .next = { $kind ->
        [thermal] Look at its cooling.
        [power] Look at its power supply.
       *[other] Have it looked at when the run is done.
    }

guard-action-warn = The run goes on.
guard-action-skip = The run goes on with the next batch.
# $to_step (Number): of the checkpoint
guard-action-roll-back = The run goes back to step { $to_step } and passes over that data.
guard-action-pause = The run pauses: it saves and ends. Go on with --resume once the cause is gone.
guard-action-stop = The run stops.
