### What this server is and can do: stages, errors, notes and advice.

## Stages of a probe

machine-stage-inventory = Reading what this machine is
machine-stage-memory = Measuring memory bandwidth
machine-stage-framework = Measuring the framework's own cost
machine-stage-matmul = Measuring matrix products
machine-stage-attention = Measuring attention
machine-stage-operations = Measuring the operations of training
machine-stage-all-reduce = Measuring all-reduce
machine-stage-again = Measuring once more, since other work disturbs this machine
machine-stage-disk = Measuring the disk
machine-stage-done = Done

## Errors

# $folder (String)
machine-folder-missing = The folder to probe must exist, but { $folder } is not a folder.
    .next = Create it, or name another one.
# $reason (String): what is wrong and where, in English, from the JSON library
machine-description-invalid = A machine's description must be what `headway probe --json` prints, but this one is not: { $reason }
    .next = Write it anew with `headway probe --json`.

## Notes on measurements

# $load (Number): the load average over one minute; $cores (Number)
machine-note-busy = Other work kept this machine busy while it was measured: load { DECIMAL($load) } on { $cores ->
    [one] { $cores } core
   *[other] { $cores } cores
}.
# $spread (Number): 0 to 1; $rounds (Number)
machine-note-uneven = Repetitions of the same work differed: the middle one reached { PERCENT($spread) } less than the best, also in the calmest of { $rounds ->
    [one] { $rounds } round
   *[other] { $rounds } rounds
}. Other work, or the neighbours of a virtual machine, disturb this machine, and plans for it are less sure.
    .next = Run `headway probe --refresh` when the machine is calm.
machine-note-no-compiler = Memory bandwidth was measured with NumPy, because no C compiler was found.
machine-note-no-torch = Only fp32 matrix products were measured, with NumPy, because PyTorch is not installed.
    .next = In the folder of Headway's source, run `pip install ".[torch]"`, then probe again with --refresh.
# $stage (String), $detail (String): the first line of the failure, as the failing program wrote it
machine-note-failed = One measurement failed ({ $stage ->
    [memory] memory bandwidth
    [import] importing the framework
    [framework] the framework's own cost
    [matmul] matrix products
    [attention] attention
    [all_reduce] all-reduce
   *[other] the measuring process
}): { $detail }
# $stage (String), $signal (String): such as SIGKILL
machine-note-killed = One measurement was killed by { $signal } ({ $stage ->
    [memory] memory bandwidth
    [import] importing the framework
    [framework] the framework's own cost
    [matmul] matrix products
    [attention] attention
    [all_reduce] all-reduce
   *[other] the measuring process
}).
    .next = SIGKILL usually means that memory ran out: look at `dmesg`, free some memory and probe again.
# $stage (String), $timeout_seconds (Number)
machine-note-timeout = One measurement took longer than { DURATION($timeout_seconds) } and was stopped ({ $stage ->
    [memory] memory bandwidth
    [import] importing the framework
    [framework] the framework's own cost
    [matmul] matrix products
    [attention] attention
    [all_reduce] all-reduce
   *[other] the measuring process
}).
    .next = Probe again with --refresh when the machine is idle.
# $folder (String), $free_bytes (Number)
machine-note-disk-full = The disk was not measured: { $folder } has only { BYTES($free_bytes) } free.
    .next = Free some space, or name a folder on another disk.
# $folder (String), $reason (String): the system's error name, such as ENOSPC or EACCES
machine-note-disk-failed = The disk was not measured: writing to { $folder } failed with { $reason }.
    .next = Name a folder that you may write to and that has space.

## Advice

# $quota_cores (Number), $visible_cores (Number), $usable_cores (Number)
machine-advice-cpu-quota = This process sees { $visible_cores } cores but may use only { DECIMAL($quota_cores) }: libraries that start one thread per visible core are slowed down.
    .next = Set OMP_NUM_THREADS={ $usable_cores }, or raise the CPU quota of the container.
# $swap_used_bytes (Number)
machine-advice-swap-in-use = { BYTES($swap_used_bytes) } of swap are in use: a training run that swaps is many times slower.
    .next = Close other programs, or train with less memory.
# $shared_memory_bytes (Number)
machine-advice-small-shared-memory = /dev/shm has only { BYTES($shared_memory_bytes) }: data loaders with workers can fail with a bus error.
    .next = Start the container with --shm-size=1g or more, or remount /dev/shm larger.
# $open_files (Number), $wanted_files (Number)
machine-advice-few-open-files = A process may open only { $open_files } files: many shards, workers and connections need more.
    .next = Run `ulimit -n { NUMBER($wanted_files, useGrouping: 0) }` before training.
# $folder (String)
machine-advice-folder-in-memory = { $folder } lies in memory: checkpoints there take memory and are lost when the machine restarts.
    .next = Name a folder on a disk.
# $folder (String), $write_bytes_per_second (Number)
machine-advice-slow-disk = Writing to { $folder } reaches only { BYTERATE($write_bytes_per_second) }: checkpoints will take long.
    .next = Name a folder on a faster disk, or save less often.
# $load (Number): the load average over one minute; $cores (Number)
machine-advice-measured-busy = The figures were taken while other work ran (load { DECIMAL($load) } on { $cores ->
    [one] { $cores } core
   *[other] { $cores } cores
}), so they may be too low.
    .next = Probe again with --refresh when the machine is idle.
# $ratio (Number): how many times faster
machine-advice-use-bf16 = bf16 matrix products run { DECIMAL($ratio) } times as fast as fp32 on these processors.
    .next = Train with precision "bf16".
# $ratio (Number): how many times faster
machine-advice-use-fp32 = fp32 matrix products run { DECIMAL($ratio) } times as fast as bf16 on these processors.
    .next = Train with precision "fp32" when you train on them.
machine-advice-no-bf16 = These processors have no bf16 instructions: bf16 saves memory here, but hardly any time.
# $ratio (Number): how many times faster
machine-advice-use-onednn = fp32 matrix products through oneDNN run { DECIMAL($ratio) } times as fast as PyTorch's default on these processors.
machine-advice-huge-pages-off = Transparent huge pages are switched off: large arrays cost more page faults and address look-ups.
    .next = As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled
machine-advice-no-compiler = No C compiler was found: torch.compile cannot be used on the processors, and memory bandwidth is measured less exactly.
    .next = Install gcc or clang.
machine-advice-rapl-unreadable = The processors' energy counters cannot be read: energy will be estimated and marked as such.
    .next = On a physical server: as root, chmod a+r /sys/class/powercap/*/energy_uj; most virtual machines have none.
