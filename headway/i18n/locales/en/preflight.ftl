### What is looked at before a run starts, and what was found.

## The checks

preflight-check-software = Software
preflight-check-devices = Devices
preflight-check-memory = Memory
preflight-check-disk = Disk space
preflight-check-shared-memory = Shared memory
preflight-check-limits = Limits
preflight-check-port = Meeting point
preflight-check-clock = Clock
preflight-check-load = Other work
preflight-check-disk-speed = Writing speed
preflight-check-self-test = Self-test
# $name (String), $known (String)
preflight-check-unknown = A check must be one of { $known }, but { $name } is none.
    .next = Name one of them, or leave --check out to run all.
# $reason (String): in English, from the system
preflight-check-failed = This check could not look: { $reason }

# $count (Number): of the problems, which follow
preflight-not-ready = { $count ->
    [one] This server is not ready for the run:
   *[other] This server is not ready for the run, for { $count } reasons:
}
    .next = Mend that, then try again; --force trains all the same.

## Software

# $engine (String), $installed (String): a version
preflight-engine = { $engine } { $installed } is installed, as planned.
# $engine (String), $planned (String), $installed (String): versions
preflight-engine-version = { $engine } { $installed } is installed, but the plan is for { $planned }: speed and memory may differ.
    .next = Install { $engine } { $planned }, or plan again.
# $engine (String)
preflight-engine-missing = { $engine } must be installed to train, but it is not.
    .next = In the folder of Headway's source, run `pip install ".[{ $engine }]"`.

## Devices

# $name (String): of the processor, $cores (Number)
preflight-devices-cpu = { $cores ->
    [one] { $cores } core
   *[other] { $cores } cores
} of { $name }.
# $count (Number), $name (String)
preflight-devices = { $count } × { $name }.
# $found (Number), $wanted (Number)
preflight-devices-few = The recipe puts { $wanted } devices on a server, but this one has { $found }.
    .next = Look for a device that the driver has lost (`nvidia-smi`, `dmesg`), or set hardware.devices_per_node.
# $what (String): a property, $device (Number), $value (String), $usual (String)
preflight-device-odd = Device { $device } is not like the others: { $what ->
    [name] its name
    [memory_bytes] its memory
    [pci_bytes_per_second] its PCI link
    [num_nvlinks] the number of its NVLinks that are up
   *[power_limit_watts] its power limit
} is { $value }, that of most is { $usual }.
    .next = The slowest device sets the pace of all: reseat or replace it, or leave its server out.

## Memory

# $available_bytes (Number), $needed_bytes (Number)
preflight-memory = { BYTES($available_bytes) } are free; the plan needs { BYTES($needed_bytes) }.
# $available_bytes (Number), $needed_bytes (Number)
preflight-memory-short = The plan needs { BYTES($needed_bytes) }, but only { BYTES($available_bytes) } are free now.
    .next = End other programs, or take a smaller training.sequence_length or layout.micro_batch_size.
# $available_bytes (Number): -1 where unknown
preflight-memory-unknown = What the run takes of this server's own memory is not planned{ $available_bytes ->
    [-1] .
   *[other] ; { BYTES($available_bytes) } are free.
}

## Disk

# $folder (String), $needed_bytes (Number), $free_bytes (Number)
preflight-disk = { BYTES($free_bytes) } are free in { $folder }; the run takes { BYTES($needed_bytes) }.
# $folder (String), $needed_bytes (Number), $free_bytes (Number)
preflight-disk-short = The run takes { BYTES($needed_bytes) } of disk, but only { BYTES($free_bytes) } are free in { $folder }.
    .next = Free some space, choose another --runs folder, or keep fewer checkpoints (resilience.keep_last).
# $free_bytes (Number)
preflight-disk-unplanned = What the run will store is not planned; { BYTES($free_bytes) } are free.
# $folder (String)
preflight-disk-closed = Runs must be written to { $folder }, but it cannot be written.
    .next = Change its permissions, or choose another --runs folder.
# $folder (String), $reason (String): in English, from the system
preflight-disk-unreadable = The disk below { $folder } does not answer: { $reason }
    .next = Look at the mount (`df`, `mount`), or choose another --runs folder.
# $folder (String)
preflight-inodes = No more files can be made in { $folder }: its disk has no inode left.
    .next = Remove small files, or choose another --runs folder.
# $write_bytes_per_second (Number)
preflight-disk-speed = The disk writes { BYTERATE($write_bytes_per_second) }.
# $write_bytes_per_second (Number), $checkpoint_bytes (Number), $seconds (Number), $interval_seconds (Number)
preflight-checkpoint-time = A checkpoint of { BYTES($checkpoint_bytes) } takes { DURATION($seconds) } at { BYTERATE($write_bytes_per_second) }.
# $write_bytes_per_second (Number), $checkpoint_bytes (Number), $seconds (Number), $interval_seconds (Number)
preflight-disk-slow = A checkpoint of { BYTES($checkpoint_bytes) } takes { DURATION($seconds) } at { BYTERATE($write_bytes_per_second) }, every { DURATION($interval_seconds) }.
    .next = Save less often (resilience.checkpoint_every), or on a faster disk.

## Limits

preflight-shared-memory-unused = One process needs none.
preflight-shared-memory-unknown = How large /dev/shm is cannot be read.
# $size_bytes (Number), $needed_bytes (Number), $processes (Number)
preflight-shared-memory = /dev/shm holds { BYTES($size_bytes) }, for { $processes } processes.
# $size_bytes (Number), $needed_bytes (Number), $processes (Number)
preflight-shared-memory-small = /dev/shm holds { BYTES($size_bytes) }, but { $processes } processes may need { BYTES($needed_bytes) }.
    .next = Give the container more: `docker run --shm-size 8g`, or an emptyDir of medium Memory in Kubernetes.
# $open_files (Number): -1 where there is no limit
preflight-limits = { $open_files ->
    [-1] Any number of files
   *[other] { $open_files } files
} may be open.
# $limit (Number), $needed (Number), $hard (Number)
preflight-open-files = A process may open { $limit } files, but may need { $needed }.
    .next = Raise it: `ulimit -n { $hard }`, or LimitNOFILE of the service.
# $limit_bytes (Number)
preflight-locked-memory = This server has InfiniBand, whose buffers must stay in memory, but a process may lock only { BYTES($limit_bytes) }.
    .next = Raise it: `ulimit -l unlimited`, `docker run --ulimit memlock=-1`, or LimitMEMLOCK of the service.
# $quota_cores (Number), $threads (Number), $visible_cores (Number)
preflight-cpu-quota = The recipe computes with { $threads } threads, but the control group gives { DECIMAL($quota_cores) } of { $visible_cores } cores.
    .next = Set hardware.threads to what there is, or raise the quota.

## Meeting point

preflight-port-unused = Processes of one server meet at a file.
# $port (String)
preflight-port-wrong = MASTER_PORT must be a number from 1 to 65535, but it is { $port }.
    .next = Set it to a free port.
# $host (String), $reason (String)
preflight-host-unknown = The processes meet at { $host }, whose address is not known here: { $reason }
    .next = Set MASTER_ADDR to a name or address that all servers know.
# $host (String), $port (Number)
preflight-port = Port { $port } of { $host } is free.
# $host (String), $port (Number)
preflight-port-taken = Port { $port } of { $host }, where the processes meet, is taken by another program.
    .next = End it (`ss -ltnp`), or set MASTER_PORT to a free port.
# $host (String), $port (Number), $reason (String)
preflight-port-closed = Port { $port } of { $host } cannot be opened: { $reason }
    .next = Set MASTER_PORT to a port above 1023, and MASTER_ADDR to an address of this server.
# $host (String), $port (Number)
preflight-port-reached = { $host } answers.
# $host (String), $port (Number), $reason (String)
preflight-port-unreached = { $host } cannot be reached at port { $port }: { $reason }
    .next = Open the port in the firewall between the servers, or set MASTER_ADDR to an address in their own network.

## Clock

preflight-clock = A time service keeps the clock right.
preflight-clock-free = No time service keeps the clock: the events of several servers may be told in the wrong order.
    .next = Start one: `systemctl enable --now chronyd`, or systemd-timesyncd.
preflight-clock-unknown = Whether a time service keeps the clock cannot be told here.
# $folder (String), $skew_seconds (Number)
preflight-clock-skew = A file that was just written in { $folder } is { DECIMAL($skew_seconds) } s off this server's clock.
    .next = Start a time service on this server and on the one that holds the disk.

## Other work

# $load (Number), $cores (Number)
preflight-load = The load is { DECIMAL($load) } on { $cores ->
    [one] { $cores } core
   *[other] { $cores } cores
}.
# $load (Number), $cores (Number)
preflight-load-busy = Other work keeps this server busy: load { DECIMAL($load) } on { $cores ->
    [one] { $cores } core
   *[other] { $cores } cores
}. The run will be slower than planned.
    .next = See who it is with `top`, and end it or wait.

## Self-test

# $count (Number): of cores or devices, $flops_per_second (Number)
preflight-products = Products are right on { $count ->
    [one] { $count } core or device
   *[other] all { $count } cores or devices
}, at { FLOPS($flops_per_second) } each.
# $device (String), $wrong (Number), $products (Number)
preflight-device-wrong = { $device } computes wrong: { $wrong } of { $products } products of whole numbers were not right.
    .next = Take it out of service: what it trains would be worthless. Run the maker's diagnosis (`dcgmi diag -r 3`).
# $device (String), $ratio (Number): how much slower, $flops_per_second (Number)
preflight-device-slow = { $device } is { DECIMAL($ratio) } times slower than the middle one: { FLOPS($flops_per_second) }.
    .next = Look for heat, a power limit, or other work on it; all others would wait for it at each step.
# $ranks (Number), $backend (String), $bytes_per_second (Number)
preflight-sum = { $ranks } processes add up right over { $backend }, at { BYTERATE($bytes_per_second) }.
# $ranks (Number), $backend (String), $bytes_per_second (Number)
preflight-sum-wrong = A sum over { $ranks } processes by { $backend } is wrong.
    .next = Gradients would be wrong too: look for a bad link or device, and try NCCL_P2P_DISABLE=1 to tell which.
preflight-self-test-silent = The self-test left no result.
