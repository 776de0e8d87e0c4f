### Drills: faults that are rehearsed on a short version of a recipe.

## The runs

drill-fault-clean = No fault
drill-fault-killed-worker = Worker killed
drill-fault-killed-supervisor = Supervisor killed
drill-fault-all-killed = Everything killed
drill-fault-terminated = Asked to stop
drill-fault-hang = Worker that hangs
drill-fault-slow-rank = Slow rank
drill-fault-nan = Weight that is no number
drill-fault-loss-spike = Loss spike
drill-fault-flipped-bit = Bit flipped in memory
drill-fault-checkpoint-bit = Bit flipped in a checkpoint
drill-fault-checkpoint-cut = Checkpoint cut short
drill-fault-full-disk = Full disk
drill-fault-full-quota = Limit of file size
drill-fault-read-only-disk = Read-only disk
drill-fault-slow-disk = Slow disk
drill-fault-unreadable-data = Unreadable data
drill-fault-exhausted-memory = Memory exhausted
drill-fault-network-cut = Network cut
drill-fault-clock-jump = Clock that jumps

## The table

drill-column-fault = Fault
drill-column-status = Outcome
drill-column-detected = Detected after
drill-column-recovered = Recovered after
drill-column-repeated = Steps repeated
drill-column-identical = Same weights
drill-column-reason = Why
drill-status-passed = passed
drill-status-failed = FAILED
drill-status-impossible = not possible here
drill-yes = yes
drill-no = no
# $passed, $failed, $impossible (Number): drills
drill-verdict = { $passed } passed, { $failed } failed, { $impossible } not possible here, which proves nothing of those.

## Why a promise was not kept, or the weights are others

# $log (String): a path
drill-reason-missed = The run ended before the fault could come; see { $log }.
# $log (String): a path
drill-reason-overdue = The run came to no end in any reasonable time; see { $log }.
# $log (String): a path
drill-reason-not-finished = The run did not come to its end, even when it was started again; see { $log }.
# $log (String): a path
drill-reason-not-detected = Nothing in the run's events tells of the fault; see { $log }.
# $log (String): a path
drill-reason-by-hand = The run had to be started again by hand, where it should have started by itself; see { $log }.
# $log (String): a path
drill-reason-weights = The last weights differ from those of the run without a fault; see { $log }.
# $steps (Number)
drill-reason-repeated = { $steps ->
    [one] { $steps } step was
   *[other] { $steps } steps were
} done again, though the run was asked to end and had time to save.
# $pids (String): numbers of processes
drill-reason-orphans = Processes were left behind: { $pids }.
# $batches (Number)
drill-reason-passed-over = { $batches ->
    [one] The run passed over { $batches } batch
   *[other] The run passed over { $batches } batches
} on purpose, so that its weights are those of other data.

## Why a fault is not possible here

drill-obstacle-one-process = It takes several processes, but the recipe has one (`hardware.devices`).
# $shard (String): a value of layout.shard
drill-obstacle-no-copies = No process holds a copy to compare with, since `layout.shard` is "{ $shard }": in memory, such a flip is not seen.
drill-obstacle-no-hang-watch = `resilience.hang_steps` is 0, so that nobody watches for hangs.
# $setting (String): of [resilience.guards]
drill-obstacle-guard-off = `resilience.guards.{ $setting }` is set so that the run does not recover by it.
drill-obstacle-mount = File systems may not be mounted here.
# $needed_bytes (Number)
drill-obstacle-memory-disk = A disk in memory would take { BYTES($needed_bytes) }, more than a quarter of what is free.
drill-obstacle-own-data = The tokens are your own files (`data.prepared`), which a drill does not touch.

## Errors

# $name (String), $known (String)
drill-fault-unknown = A fault must be one of { $known }, but { $name } is none.
    .next = Name one of them, or leave --fault out to rehearse all.
# $log (String): a path
drill-clean-failed = The short run without any fault must finish before faults can be rehearsed, but it did not.
    .next = Read { $log }, or run `headway diagnose` on the run beside it.

## The page

# $name (String): of a recipe
drill-report-title = Drills of { $name }
# $steps (Number), $folder (String)
drill-report-introduction = Each fault was done to a run of { $steps } steps, whose last weights and optimizer state were compared, byte for byte, with those of the run without a fault. The runs are in { $folder }.
# $version (String)
drill-report-footer = Made by Headway { $version }. This page loads nothing from anywhere.
