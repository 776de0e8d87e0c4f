### What a training will take: labels, errors, warnings, obstacles, what to watch.

## Parts of a plan

plan-label-model = Model
plan-label-run = Run
plan-label-hardware = Hardware
plan-label-layout = Layout
plan-label-memory = Memory of one device
plan-label-time = Time
plan-label-storage = Storage
plan-label-network = Network
plan-label-power = Power
plan-label-energy = Energy
plan-label-cooling = Cooling
plan-label-carbon = Carbon
plan-label-water = Water
plan-label-cost = Cost
plan-label-reliability = Failures
plan-label-software = Software
plan-label-watching = Watch
plan-label-alternatives = Alternatives
plan-label-warnings = Warnings
plan-label-infeasible = Obstacles

## Quantities

plan-label-parameters = Parameters
plan-label-active-parameters = Active parameters
plan-label-forward-flops-per-token = Forward FLOPs per token
plan-label-training-flops-per-token = Training FLOPs per token
plan-label-model-flops-per-token = Model FLOPs per token
plan-label-steps = Steps
plan-label-tokens = Tokens
plan-label-epochs = Passes over the data
plan-label-training-flops = Training FLOPs
plan-label-accelerator = Accelerator
plan-label-devices = Devices
plan-label-devices-per-node = Devices per server
plan-label-nodes = Servers
plan-label-peak-flops-per-second = Peak rate of one device
plan-label-data-parallel-degree = Data parallel
plan-label-tensor-parallel-degree = Tensor parallel
plan-label-pipeline-parallel-degree = Pipeline parallel
plan-label-virtual-pipeline-stages = Chunks of layers in a stage
plan-label-context-parallel-degree = Context parallel
plan-label-expert-parallel-degree = Expert parallel
plan-label-shard = Sharded states
plan-label-micro-batch-size = Micro-batch
plan-label-gradient-accumulation-steps = Micro-batches per step
plan-label-recompute = Recomputation
plan-label-reshard-after-forward = Drop gathered weights after the forward pass
plan-label-recompute-share = Share of the layers that recompute
plan-label-search = Search for a layout
plan-label-considered = Layouts that were evaluated
plan-label-removed = Choices removed by rule
plan-label-shard-group-size = Devices that share states
plan-layout-summary = data { $data }, tensor { $tensor }, pipeline { $pipeline }{ $virtual ->
        [1] {""}
       *[other] x{ $virtual }
    }, context { $context }, experts { $expert }, micro-batch { $micro_batch }
plan-label-device-peak-bytes = Peak
plan-label-device-allocated-bytes = Tensors
plan-label-device-capacity-bytes = Capacity
plan-label-fits = Fits
plan-label-moment = Moment of the peak
plan-label-parameters-bytes = Parameters
plan-label-gradients-bytes = Gradients
plan-label-optimizer-bytes = Optimizer
plan-label-activations-bytes = Activations
plan-label-logits-bytes = Logits and loss
plan-label-communication-bytes = Communication
plan-label-reserve-bytes = Framework and allocator
plan-label-step-seconds = Step
plan-label-tokens-per-second = Tokens per second
plan-label-tokens-per-second-per-device = Tokens per second and device
plan-label-model-flops-utilization = Model FLOPs utilisation
plan-label-training-seconds = Training alone
plan-label-total-seconds = Whole run
plan-label-hardware-flops-utilization = Hardware FLOPs utilisation
plan-label-total-days = Whole run in days
plan-label-embedding-seconds = Embedding
plan-label-compute-seconds = Layers
plan-label-recompute-seconds = Recomputation
plan-label-tensor-communication-seconds = Tensor-parallel communication
plan-label-expert-communication-seconds = Exchange of tokens between experts
plan-label-context-communication-seconds = Passing keys and values around
plan-label-pipeline-communication-seconds = Sends between stages
plan-label-data-communication-seconds = Gradients and weights between replicas
plan-label-bubble-seconds = Waiting of pipeline stages
plan-label-host-seconds = Host that is too slow
plan-label-offload-seconds = Sending to the host and back
plan-label-waiting-seconds = Waiting for the slowest
plan-label-attention-seconds = Attention
plan-label-mlp-seconds = Feed-forward
plan-label-elementwise-seconds = Norms, rotary positions, gates
plan-label-head-seconds = Output and loss
plan-label-optimizer-seconds = Optimizer
plan-label-communication-seconds = Exposed communication
plan-label-dataset-bytes = Dataset
plan-label-checkpoint-bytes = One checkpoint
plan-label-checkpoints-bytes = All checkpoints
plan-label-total-bytes = Disk space
plan-label-free-bytes = Free disk space
plan-label-checkpoint-write-seconds = Writing a checkpoint
plan-label-checkpoint-write-bytes-per-second = Write rate needed
plan-label-checkpoint-time-share = Time spent on checkpoints
plan-label-read-bytes-per-second = Read rate needed
plan-label-node-write-bytes-per-second = Write rate needed of a server
plan-label-restart-read-bytes-per-second = Read rate needed at a restart
plan-label-burst-read-bytes-per-second = Read rate needed without reading ahead
plan-label-read-time-share = Time spent on reading, beside the work
plan-label-written-bytes = Written in all
plan-label-read-bytes = Read in all
plan-label-scale-up-bytes-per-step = Inside servers, per step
plan-label-scale-out-bytes-per-step = Between servers, per step
plan-label-exposed-seconds = Not hidden by computation
plan-label-required-bytes-per-second = Rate needed between servers
plan-label-device-watts = One device
plan-label-node-watts = One server
plan-label-facility-watts = Facility
plan-label-facility-peak-watts = Facility at its rated maximum
plan-label-equipment-watts = Servers, network, storage
plan-label-device-idle-watts = One device that waits
plan-label-device-design-watts = Design power of one device
plan-label-busy-share = Share of the time in which devices compute
plan-label-node-peak-watts = One server at its rated maximum
plan-label-nodes-per-rack = Servers in a rack
plan-label-racks = Racks
plan-label-rack-peak-watts = One rack at its rated maximum
plan-label-capacity-watts = Capacity of the site
plan-label-accelerators-watts = Accelerators
plan-label-processors-watts = Processors
plan-label-memory-watts = Memory
plan-label-network-interfaces-watts = Network interfaces
plan-label-drives-watts = Drives
plan-label-fans-and-boards-watts = Fans and boards
plan-label-supply-losses-watts = Losses of power supplies
plan-label-fabric-and-storage-watts = Switches and storage servers
plan-label-servers-watts = Servers
plan-label-site-overhead-watts = Cooling and losses of the site
plan-label-equipment-joules = Servers
plan-label-facility-joules = Facility
plan-label-design-device-joules = Devices alone, at design power
plan-label-joules-per-token = For each token
plan-label-heat-watts = Heat
plan-label-refrigeration-tons = Tons of refrigeration
plan-label-airflow-m3-per-hour = Airflow
plan-label-liquid-litres-per-minute = Liquid flow
plan-label-method = Method
plan-label-methods = Methods that the racks allow
plan-label-peak-heat-watts = Heat at the rated maximum
plan-label-operational-kg-co2e = Operation
plan-label-embodied-kg-co2e = Making of the hardware
plan-label-grid-kg-co2e-per-kilowatt-hour = Grid, kg CO2e per kWh
plan-label-design-device-kg-co2e = Devices alone, at design power
plan-label-greenest-start-hour = Greenest hour to start
plan-label-greenest-operational-kg-co2e = Operation, started then
plan-label-litres = Water used
plan-label-generation-litres = Water of the electricity
plan-label-site-litres = Water of the site
plan-label-total-usd = Total
plan-label-energy-usd = Electricity
plan-label-hardware-usd = Devices
plan-label-device-usd-per-hour = One device and hour
plan-label-infrastructure-usd = Power supply and cooling
plan-label-interest-usd = Interest
plan-label-rent-usd = Were the devices rented
plan-label-purchase-usd = Were the devices bought
plan-label-capital-usd = Purchase
plan-label-lifetime-share = Share of the machines' life
plan-label-break-even-months = Months until buying pays
plan-label-electricity-usd-per-kilowatt-hour = One kWh of electricity
plan-label-cheapest-start-hour = Cheapest hour to start
plan-label-cheapest-energy-usd = Electricity, started then
plan-label-failures-per-1000-devices-per-day = Failures for 1,000 devices and a day
plan-label-wall-seconds = Run with what failures cost
plan-label-detection-seconds = Until a failure is noticed
plan-label-checkpointing = How the job saves itself
plan-label-losses = Where the time goes
plan-label-spares = Spare servers
plan-label-mtbf-hours = Hours between interruptions
plan-label-expected-interruptions = Expected interruptions
plan-label-restart-seconds = Restart
plan-label-checkpoint-interval-seconds = Best time between checkpoints
plan-label-goodput = Useful share of the time
plan-label-best-goodput = The same with the best interval
plan-label-engine = Engine
plan-label-engine-version = Version
plan-label-precision = Precision

## Errors

# $name, $closest, $known (String): names, not translated
plan-accelerator-unknown = The accelerator of this machine must be one that the catalogue knows: it does not know "{ $name }".
    .next = { $closest ->
        [none] Set `hardware.accelerator` to "cpu" or to one of: { $known }.
       *[other] Set `hardware.accelerator` to "cpu", or to the catalogue's accelerator that comes nearest, such as "{ $closest }".
    }
plan-cpu-not-measured = A plan for training on a CPU needs the measured speed of this machine, and there is none.
    .next = Run `headway probe` on the machine that will train, or name an accelerator in `hardware.accelerator`.
# $operation (String): name of the operation, not translated; $dtype (String): fp32 or bf16
plan-operation-not-measured = A plan needs every operation measured, but { $operation } in { $dtype } was not measured on this machine.
    .next = Run `headway probe --refresh`, or change `training.precision`.
# $accelerator (String); $precision (String)
plan-efficiency-unknown = A plan needs to know what trainings reach on the device, but nobody published enough of them on { $accelerator }.
    .next = Use one of: { $known }.
plan-rate-unknown = A plan needs the device's rate, but nobody states one for { $accelerator } in { $precision }.
    .next = Change `training.precision` or `hardware.accelerator`.
# $accelerator (String)
plan-bandwidth-unknown = A plan needs the bandwidth of the device's memory, but nobody states one for { $accelerator }.
    .next = Change `hardware.accelerator`.
# $field (String): the recipe's field; $value (String); $supported (String)
plan-layout-impossible = No layout keeps all that the recipe asks for on { COUNT($devices) } devices.
    .next = Change one of these fields, where any are named, or leave [layout] to "auto". This one is possible: data { $data }, tensor { $tensor }, pipeline { $pipeline }, context { $context } and a micro-batch of { $micro_batch }.
# $field, $nearest (String): not translated; $value (Number)
plan-field-impossible = `{ $field }` of { NUMBER($value, useGrouping: 0) } goes with nothing else that is asked for.
    .next = Nearest that do: { $nearest }.
plan-layout-unsupported = `{ $field }` must be { $supported } in this version, but it is { $value }.
    .next = Set `{ $field }` to { $supported } or "auto".
# $global_batch_size, $devices, $lower, $upper (Number)
plan-batch-not-divisible = Every device takes an equal share of the batch, but { COUNT($global_batch_size) } sequences do not divide by { COUNT($devices) } devices.
    .next = Set `training.global_batch_size` to { COUNT($lower) } or { COUNT($upper) }.
# $micro_batch_size, $per_device (Number)
plan-micro-batch-not-divisible = A device's share of the batch is made of whole micro-batches, but { COUNT($per_device) } sequences do not divide by { COUNT($micro_batch_size) }.
    .next = Set `layout.micro_batch_size` to a divisor of { COUNT($per_device) }, or to "auto".
# $path, $reason (String)
plan-series-unreadable = A series by the hour must be a readable file: { $path } could not be read ({ $reason }).
    .next = Check the path in [site]; it starts from the recipe's folder.
# $path (String); $limit_bytes (Number)
plan-series-large = A series by the hour must be smaller than { BYTES($limit_bytes) }: { $path } is larger.
    .next = Keep one line for each hour of a year.
# $path (String)
plan-series-empty = A series by the hour must hold at least one hour: { $path } holds none.
    .next = Write lines of an hour and a value, such as "0,0.12".
# $path, $text (String); $line (Number)
plan-series-row = A line of a series must be an hour or a time, a comma, and a number: line { $line } of { $path } is "{ $text }".
    .next = Write it like "0,0.12" or "2026-01-01T00:00,0.12".
# $path, $value (String); $line, $lowest (Number)
plan-series-value = A value of a series must be a finite number from { DECIMAL($lowest) } to a million: row { $line } of { $path } is { $value }.
    .next = Write prices in dollars and intensities in kilograms of CO2e, both for a kWh.
# $path, $before, $after (String); $line (Number)
plan-series-gap = The hours of a series must follow each other: row { $line } of { $path } is { $after }, after { $before }.
    .next = Fill the missing hours, sort the lines, and leave the clock at standard time or UTC.
## Warnings

# $share (Number): of the capacity, at the upper end of the interval; $micro_batch_size (Number)
plan-warning-memory-tight = Memory may be tight: up to { PERCENT($share) } of the device's memory.
    .next = { $micro_batch_size ->
        [1] Recompute more in the backward pass (`layout.recompute`), or use more devices.
       *[other] Set `layout.micro_batch_size` to a smaller divisor of the batch.
    }
# $share (Number): of the wall time
plan-warning-checkpoint-slow = Checkpoints take { PERCENT($share) } of the time.
    .next = Raise `resilience.checkpoint_every`, or store the run on a faster disk.
# $interval_seconds, $share, $best_seconds, $best (Number)
plan-warning-checkpoint-interval = With { DURATION($interval_seconds) } of work between checkpoints, { PERCENT($share) } of the time is useful; with { DURATION($best_seconds) }, { PERCENT($best) } would be.
    .next = Set `resilience.checkpoint_every` to "auto".
plan-warning-network-unknown = The rate of the network is not known, so the time of the communication is not in this plan.
    .next = Name the network between the servers in `hardware.network`.
# $share (Number): of a step
plan-warning-network-exposed = Communication that the computation does not hide takes { PERCENT($share) } of each step.
    .next = Use a faster network, a larger `training.global_batch_size`, or fewer devices.
# $epochs (Number)
plan-warning-many-epochs = The data is repeated { DECIMAL($epochs) } times; beyond about four, a repeated token teaches less than a new one.
    .next = Add data, or train for fewer tokens.
# $limit, $value (Number)
plan-warning-budget-usd = The run costs { USD($value) }, and the budget is { USD($limit) }.
    .next = Shorten the run, choose cheaper devices, or raise `budget.max_usd`.
plan-warning-budget-duration = The run takes { DURATION($value) }, and the budget is { DURATION($limit) }.
    .next = Shorten the run, add devices, or raise `budget.max_duration`.
plan-warning-budget-carbon = The run emits { DECIMAL($value) } kg CO2e, and the budget is { DECIMAL($limit) } kg.
    .next = Shorten the run, choose a cleaner grid, or raise `budget.max_kg_co2e`.
# $limit (Number)
plan-warning-budget-usd-unknown = The budget is { USD($limit) }, but no price is known, so that the plan cannot say whether it holds.
    .next = Set `site.device_usd_per_hour` or `site.electricity_usd_per_kilowatt_hour`.
plan-warning-budget-duration-unknown = The budget is { DURATION($limit) }, but the run would never end.
    .next = Remove the obstacles that the plan names.
plan-warning-budget-carbon-unknown = The budget is { DECIMAL($limit) } kg CO2e, but the emissions are not known.
    .next = Set `site.grid`, and `site.node_watts` where the power of the server is not known.

# $limit, $value (Number)
plan-warning-budget-energy = The run takes { DECIMAL($value) } kWh, and the budget is { DECIMAL($limit) } kWh.
    .next = Shorten the run, choose a device that needs less, or raise `budget.max_kilowatt_hours`.
plan-warning-budget-water = The run consumes { DECIMAL($value) } L of water, and the budget is { DECIMAL($limit) } L.
    .next = Choose a site that is cooled by dry air, or raise `budget.max_litres`.
plan-warning-budget-energy-unknown = The budget is { DECIMAL($limit) } kWh, but the power of the machines is not known.
    .next = Set `site.node_watts`.
plan-warning-budget-water-unknown = The budget is { DECIMAL($limit) } L of water, but the consumption is not known.
    .next = Set `site.grid` or `site.water_usage_effectiveness`, and `site.node_watts` where the power is not known.
# $share (Number): of the site's capacity
plan-warning-site-power-tight = The site's power is tight: at its maximum the run takes { PERCENT($share) } of it.
    .next = Cap the power of the devices, or use fewer of them.
plan-warning-site-cooling-tight = The site's cooling is tight: at its maximum the run takes { PERCENT($share) } of it.
    .next = Cap the power of the devices, or use fewer of them.
# $capacity_watts (Number)
plan-warning-site-power-unknown = The site supplies { WATTS($capacity_watts) }, but what the machines draw is not known.
    .next = Set `site.node_watts`.
plan-warning-site-cooling-unknown = The site removes { WATTS($capacity_watts) } of heat, but what the machines draw is not known.
    .next = Set `site.node_watts`.
# $rack_watts, $limit_watts, $nodes_per_rack (Number)
plan-warning-rack-power = A rack of { COUNT($nodes_per_rack) } servers draws up to { WATTS($rack_watts) }, and it can supply { WATTS($limit_watts) }.
    .next = Lower `site.nodes_per_rack`, or raise `site.rack_capacity`.
# $needed_bytes_per_second, $ratio (Number): needed over what the disk gives
plan-warning-data-slow = The training reads { BYTERATE($needed_bytes_per_second) }, { DECIMAL($ratio) } times what the disk gives.
    .next = Move the data to a faster disk, or into memory.
plan-warning-purchase-unknown = The machines are to be bought, but the price of a server is not known, so that it is missing from the cost.
    .next = Set `site.node_usd`.
# $hour, $now, $best (Number)
plan-warning-start-price = Electricity costs { USD($now) } as the run starts; started in hour { $hour } of the series it would cost { USD($best) }.
    .next = Set `site.start_hour` to { $hour }.
plan-warning-start-carbon = The run emits { DECIMAL($now) } kg CO2e as it starts; started in hour { $hour } of the series it would emit { DECIMAL($best) } kg.
    .next = Set `site.start_hour` to { $hour }.

## Obstacles

# $needed_watts, $capacity_watts, $devices (Number)
plan-infeasible-site-power = The run needs { WATTS($needed_watts) } at its maximum, and the site supplies { WATTS($capacity_watts) }, enough for { COUNT($devices) } devices.
    .next = Use at most { COUNT($devices) } devices, or a site with more power.
plan-infeasible-site-cooling = The run gives off { WATTS($needed_watts) } of heat at its maximum, and the site removes { WATTS($capacity_watts) }, enough for { COUNT($devices) } devices.
    .next = Use at most { COUNT($devices) } devices, or a site with more cooling.
# $rack_watts, $limit_watts, $nodes_per_rack (Number); $method, $methods (String): names, not translated
plan-infeasible-rack = A rack of { COUNT($nodes_per_rack) } servers gives off up to { WATTS($rack_watts) }, and { $method ->
        [none] no known method removes more than
       *[other] the method "{ $method }" removes no more than
    } { WATTS($limit_watts) }.
    .next = { $methods ->
        [none] Lower `site.nodes_per_rack`.
       *[other] Lower `site.nodes_per_rack`, or set `site.cooling` to one of: { $methods }.
    }

# $needed_bytes, $capacity_bytes, $micro_batch_size (Number); $shard, $largest_part (String): names, not translated
plan-infeasible-memory = The training does not fit: a device needs { BYTES($needed_bytes) } and has { BYTES($capacity_bytes) }, with a micro-batch of { COUNT($micro_batch_size) } and sharded states "{ $shard }". The largest part is { $largest_part }.
    .next = Use more devices, a device with more memory, a shorter `training.sequence_length`, or a smaller model.
# $needed_bytes, $free_bytes (Number)
plan-infeasible-disk = The run needs { BYTES($needed_bytes) } of disk space, and { BYTES($free_bytes) } are free.
    .next = Store the run elsewhere, or lower `resilience.keep_last`.

# $mtbf_seconds, $write_seconds, $restart_seconds (Number)
plan-infeasible-goodput = The run would never end: it is interrupted every { DURATION($mtbf_seconds) } on average, a checkpoint takes { DURATION($write_seconds) }, and a restart { DURATION($restart_seconds) }, so that no work is kept.
    .next = Use faster storage, fewer devices, or a shorter `resilience.checkpoint_every`.

## What to watch

plan-watch-loss = The loss and the gradient norm: neither may become NaN or infinite, nor rise for long.
# $limit_seconds (Number)
plan-watch-step-time = The time of a step: more than { DURATION($limit_seconds) } is slower than planned.
# $limit_bytes, $capacity_bytes (Number)
plan-watch-memory = The memory of each device: more than { BYTES($limit_bytes) } is more than planned; { BYTES($capacity_bytes) } are there.
# $needed_bytes (Number)
plan-watch-disk = The disk: the run needs { BYTES($needed_bytes) } in all.

## How the numbers on failures came about

# $rate (Number): failures; $fleets (String): names of catalogue entries
plan-explain-reliability-rate = Failures that stop a job: { DECIMAL($rate) } for 1,000 devices and a day, from { $fleets }; of several, the geometric mean.
# $rate, $devices, $seconds (Number)
plan-explain-reliability-mtbf = Any device stops the whole job, so that the rates add up: { DECIMAL($rate) } for 1,000 devices and a day on { COUNT($devices) } devices is one failure in { DURATION($seconds) }.
# $wall_seconds, $mtbf_seconds, $count, $low, $high (Number)
plan-explain-reliability-interruptions = { DURATION($wall_seconds) } with one failure in { DURATION($mtbf_seconds) } make { COUNT($count) }; in 80 % of all cases { COUNT($low) } to { COUNT($high) }, since clusters differ.
# $mtbf_seconds, $stall_seconds, $write_behind_seconds, $young_seconds, $seconds (Number)
plan-explain-reliability-interval = The least time is lost with { DURATION($seconds) } of work between checkpoints that stop it for { DURATION($stall_seconds) } and are written behind it for { DURATION($write_behind_seconds) }, with a failure in { DURATION($mtbf_seconds) }; Young's first-order formula says { DURATION($young_seconds) }.
# $work_seconds, $stall_seconds, $write_behind_seconds, $detection_seconds, $restart_seconds, $mtbf_seconds, $share, $closed, $low, $high (Number)
plan-explain-reliability-goodput = Useful are T / ((M + D) e^((R + B)/M) (e^((T + S)/M) - 1)) = { PERCENT($share) } of the time, with the work T = { DURATION($work_seconds) }, the stall S = { DURATION($stall_seconds) }, the write behind B = { DURATION($write_behind_seconds) }, the detection D = { DURATION($detection_seconds) }, the restart R = { DURATION($restart_seconds) } and M = { DURATION($mtbf_seconds) }; { PERCENT($low) } to { PERCENT($high) } as clusters differ. The published closed form says { PERCENT($closed) }.
# $share (Number): of the wall time, in this and the next three
plan-explain-reliability-lost-work = Work that is lost and done again takes { PERCENT($share) } of the time.
plan-explain-reliability-restarts = Restarts take { PERCENT($share) } of the time.
plan-explain-reliability-detection = Failures that are not noticed yet take { PERCENT($share) } of the time.
plan-explain-reliability-stalls = Checkpoints stop the work for { PERCENT($share) } of the time.
# $repair_seconds, $away, $recommended, $nodes, $share (Number)
plan-explain-reliability-spares = With a repair of { DURATION($repair_seconds) }, { DECIMAL($away) } servers are away on average; { COUNT($recommended) } spare servers suffice for 99 % of the time, and { COUNT($nodes) } for { PERCENT($share) }.

## How the numbers on the site came about

# $design_watts, $idle_share, $busy_share, $time_share, $watts (Number)
plan-explain-power-device = A device of { WATTS($design_watts) } draws { PERCENT($idle_share) } of it while it waits and { PERCENT($busy_share) } while it computes; it computes { PERCENT($time_share) } of the time, which makes { WATTS($watts) }.
# $part (String): name of a part; $watts, $share (Number): of the facility
plan-explain-power-part = { $part ->
        [accelerators_watts] { plan-label-accelerators-watts }
        [processors_watts] { plan-label-processors-watts }
        [memory_watts] { plan-label-memory-watts }
        [network_interfaces_watts] { plan-label-network-interfaces-watts }
        [drives_watts] { plan-label-drives-watts }
        [fans_and_boards_watts] { plan-label-fans-and-boards-watts }
        [supply_losses_watts] { plan-label-supply-losses-watts }
        [fabric_and_storage_watts] { plan-label-fabric-and-storage-watts }
        [servers_watts] { plan-label-servers-watts }
       *[site_overhead_watts] { plan-label-site-overhead-watts }
    }: { WATTS($watts) }, { PERCENT($share) } of the facility.
# $devices, $watts, $peak_watts (Number)
plan-explain-power-node = A server of { COUNT($devices) } devices draws { WATTS($watts) }, and at most { WATTS($peak_watts) }.
# $equipment_watts, $effectiveness, $watts (Number)
plan-explain-power-facility = Servers, network and storage draw { WATTS($equipment_watts) }; with a power usage effectiveness of { DECIMAL($effectiveness) } the facility draws { WATTS($watts) }.
# $watts, $seconds, $kilowatt_hours (Number)
plan-explain-energy-facility = { WATTS($watts) } for { DURATION($seconds) }, interruptions included, make { DECIMAL($kilowatt_hours) } kWh.
# $devices, $design_watts, $seconds, $kilowatt_hours (Number)
plan-explain-energy-design = Model cards state { COUNT($devices) } devices at their design power of { WATTS($design_watts) } for { DURATION($seconds) }: { DECIMAL($kilowatt_hours) } kWh.
# $kilowatt_hours, $intensity, $kg (Number)
plan-explain-carbon-operational = { DECIMAL($kilowatt_hours) } kWh at { DECIMAL($intensity) } kg CO2e for each make { DECIMAL($kg) } kg CO2e.
# $hour, $kg (Number)
plan-explain-carbon-greenest = Started in hour { $hour } of the series, the run would emit { DECIMAL($kg) } kg CO2e.
# $devices, $server_devices, $seconds, $life_seconds, $utilization, $kg (Number)
plan-explain-carbon-embodied = Making { COUNT($devices) } cards, and an eighth of a server of { COUNT($server_devices) } for each, shared out over a life of { DURATION($life_seconds) } that is used to { PERCENT($utilization) }, makes { DECIMAL($kg) } kg CO2e for { DURATION($seconds) }.
# $kilowatt_hours, $litres_per_kilowatt_hour, $litres (Number)
plan-explain-water-generation = Generating { DECIMAL($kilowatt_hours) } kWh at { DECIMAL($litres_per_kilowatt_hour) } L for each consumes { DECIMAL($litres) } L.
plan-explain-water-site = Cooling { DECIMAL($kilowatt_hours) } kWh of the machines at { DECIMAL($litres_per_kilowatt_hour) } L for each consumes { DECIMAL($litres) } L.
# $watts, $peak_watts (Number)
plan-explain-cooling-heat = All power of the machines becomes heat: { WATTS($watts) }, and at most { WATTS($peak_watts) }.
# $watts, $btu_per_hour, $ton_btu_per_hour, $tons (Number)
plan-explain-cooling-tons = { WATTS($watts) } at { DECIMAL($btu_per_hour, 6) } BTU/h for a kilowatt, over { DECIMAL($ton_btu_per_hour, 6) } BTU/h for a ton, are { DECIMAL($tons) } tons of refrigeration.
# $rack_watts, $nodes, $air_watts, $door_watts, $chip_watts (Number); $method (String): a name, not translated
plan-explain-cooling-method = A rack of { COUNT($nodes) } servers gives off up to { WATTS($rack_watts) }; air is known to cool { WATTS($air_watts) }, a liquid-cooled rear door { WATTS($door_watts) }, cold plates { WATTS($chip_watts) }. Chosen: { $method }.
# $density, $heat_capacity, $kelvin, $flow (Number)
plan-explain-cooling-air = The heat that goes into air, over { DECIMAL($density) } kg/m3, { DECIMAL($heat_capacity, 4) } J/(kg K) and a rise of { DECIMAL($kelvin) } K, needs { DECIMAL($flow) } m3/h.
plan-explain-cooling-liquid = The heat that goes into liquid, over { DECIMAL($density) } kg/L, { DECIMAL($heat_capacity, 4) } J/(kg K) and a rise of { DECIMAL($kelvin) } K, needs { DECIMAL($flow) } L/min.
# $devices, $device_hours, $price, $usd (Number)
plan-explain-cost-rent = { COUNT($devices) } devices are held for { COUNT($device_hours) } device hours; at { USD($price) } each that is { USD($usd) } of rent.
# $capital_usd, $seconds, $life_seconds, $utilization, $usd, $infrastructure_usd, $interest_usd (Number)
plan-explain-cost-purchase = Of a purchase of { USD($capital_usd) }, written off over { DURATION($life_seconds) } of which { PERCENT($utilization) } are used, { DURATION($seconds) } use up { USD($usd) } of servers and { USD($infrastructure_usd) } of power supply and cooling; interest adds { USD($interest_usd) }.
# $kilowatt_hours, $price, $usd (Number)
plan-explain-cost-energy = { DECIMAL($kilowatt_hours) } kWh at { USD($price) } each cost { USD($usd) }.
# $hour, $usd (Number)
plan-explain-cost-cheapest = Started in hour { $hour } of the series, the electricity would cost { USD($usd) }.
# $capital_usd, $months (Number)
plan-explain-cost-break-even = { USD($capital_usd) }, over what rent exceeds electricity in a month, are earned back after { DECIMAL($months) } months.
# $parameters, $bytes (Number)
plan-explain-storage-checkpoint = { COUNT($parameters) } weights, and the two moments of each, take { BYTES($bytes) } in fp32, headers included.
# $checkpoints_bytes, $dataset_bytes, $keep_last, $bytes (Number)
plan-explain-storage-space = { COUNT($keep_last) } checkpoints that stay, and the one that is being written, take { BYTES($checkpoints_bytes) }; with { BYTES($dataset_bytes) } of tokens that is { BYTES($bytes) }.
# $bytes, $interval_seconds, $share, $rate, $node_rate (Number)
plan-explain-storage-write = { BYTES($bytes) } every { DURATION($interval_seconds) } stop the work for no more than { PERCENT($share) } of the time at { BYTERATE($rate) }, which is { BYTERATE($node_rate) } for each server.
# $rate, $burst_rate, $share (Number)
plan-explain-storage-read = The training reads { BYTERATE($rate) }; were nothing read ahead, the tokens of a step would have to come at { BYTERATE($burst_rate) } to take no more than { PERCENT($share) } of it.

## How the numbers on memory came about

# $parameters, $tensor, $pipeline, $expert, $weights (Number)
plan-explain-memory-held = Of { COUNT($parameters) } weights, divided by tensor parallelism { COUNT($tensor) }, pipeline stages { COUNT($pipeline) } and expert parallelism { COUNT($expert) }, a device of the fullest stage computes with { COUNT($weights) }.
# $weights, $each_bytes, $group, $own_bytes, $extra_bytes, $bytes (Number)
plan-explain-memory-parameters = Parameters: { COUNT($weights) } weights x { DECIMAL($each_bytes) } bytes / { COUNT($group) } devices that divide them = { BYTES($own_bytes) }; rounded copies and weights gathered from other devices add { BYTES($extra_bytes) }: { BYTES($bytes) }.
plan-explain-memory-gradients = Gradients: { COUNT($weights) } trained weights x { DECIMAL($each_bytes) } bytes / { COUNT($group) } devices = { BYTES($own_bytes) }; those of the layers in work add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $weights, $master_bytes, $moment_bytes, $own_bytes, $extra_bytes, $bytes (Number); $place (String): host or device
plan-explain-memory-optimizer = Optimizer: this device updates { COUNT($weights) } weights x ({ DECIMAL($master_bytes) } bytes of a precise copy + { DECIMAL($moment_bytes) } of moments) = { BYTES($own_bytes) }{ $place ->
        [host] , since they are in the memory of the host
       *[device] {""}
    }; what the update writes for a moment adds { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $tokens, $full_bytes, $kept_bytes, $layers, $extra_bytes, $bytes (Number); $recompute (String): a name, not translated; $moment (String)
plan-explain-memory-activations = Activations: a layer makes { BYTES($full_bytes) } for a micro-batch of { COUNT($tokens) } tokens on this device and, with recomputation "{ $recompute }", keeps { BYTES($kept_bytes) }; { $moment ->
        [update] but the peak is that of the update, when nothing of the passes is left
       *[passes] x { DECIMAL($layers) } layers in flight, and { BYTES($extra_bytes) } for the layer whose backward pass runs
    }: { BYTES($bytes) }.
# $tokens, $vocabulary, $tensor, $logits_bytes, $bytes (Number); $loss (String): a name, not translated; $moment (String)
plan-explain-memory-logits = Logits and loss: { COUNT($tokens) } tokens x { COUNT($vocabulary) } entries / { COUNT($tensor) } devices, held as the loss "{ $loss }" does, take { BYTES($logits_bytes) }{ $moment ->
        [absent] ; the stage and the moment of the peak hold none of them
        [backward] ; the backward pass of the last layer comes after the loss and takes more
       *[loss] {""}
    }: { BYTES($bytes) }.
# $devices, $groups, $bytes (Number)
plan-explain-memory-communication = Communication: buffers of collectives among { COUNT($devices) } devices in { COUNT($groups) } kinds of groups: { BYTES($bytes) }.
# $context_bytes, $allocated_bytes, $share, $bytes (Number); $kernels (String): a name, not translated
plan-explain-memory-reserve = Framework and allocator: { BYTES($context_bytes) } of the driver's context and { PERCENT($share) } of { BYTES($allocated_bytes) } in holes of the allocator, with kernels that are { $kernels }: { BYTES($bytes) }.
# $bytes, $low, $high, $capacity_bytes (Number); $is_known (String): yes or no
plan-explain-memory-peak = Peak: the parts add up to { BYTES($bytes) }, in 80 % of all cases { BYTES($low) } to { BYTES($high) }{ $is_known ->
        [no] ; what the device has is not known
       *[yes] ; the device has { BYTES($capacity_bytes) }
    }.
# $part (String): parameters, gradients or optimizer; $moment (String): forward, backward or update
plan-explain-memory-states = { $part ->
        [parameters] Parameters
        [gradients] Gradients
       *[optimizer] Optimizer
    }: { COUNT($weights) } weights x { COUNT($each_bytes) } bytes / { COUNT($group) } devices, as far as they are there at the peak ({ $moment ->
        [forward] the end of the forward pass
        [update] the update
       *[backward] the backward pass
    }) = { BYTES($own_bytes) }; rounded copies add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $tokens, $elements, $value_bytes, $kept_bytes, $extra_bytes, $bytes (Number)
plan-explain-memory-kept = Activations: { COUNT($tokens) } tokens of a micro-batch leave { COUNT($elements) } elements of { COUNT($value_bytes) } bytes each, and fp32 numbers of norms: { BYTES($kept_bytes) }; masks and the backward pass of the last layer add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $rows, $bytes (Number)
plan-explain-memory-chunk = Logits and loss: made for { COUNT($rows) } rows at a time; held at the peak: { BYTES($bytes) }.
# $degree, $bytes (Number)
plan-explain-memory-buffers = Communication: buffers of { COUNT($degree) } servers that share the batch: { BYTES($bytes) }.
# $process_bytes, $heap_bytes, $bytes (Number)
plan-explain-memory-process = Framework and allocator: the process takes { BYTES($process_bytes) } before any model, as probed, and the heap keeps { BYTES($heap_bytes) } in holes: { BYTES($bytes) }.

## How the numbers on time came about

# $accelerator, $precision (String): names, not translated; $peak_rate, $share, $rate (Number)
plan-explain-time-rate = Products: { $accelerator } states { FLOPS($peak_rate) } in { $precision }; large products hold { PERCENT($share) } of it through a training: { FLOPS($rate) }.
# $kernels (String): a name, not translated; $forward_share, $backward_share (Number)
plan-explain-time-attention-rate = Attention, with kernels that are { $kernels }: { PERCENT($forward_share) } of the stated rate forward and { PERCENT($backward_share) } backward, less for short sequences and narrow heads.
# $peak_rate, $share, $rate, $kernel_seconds (Number)
plan-explain-time-memory-rate = Memory: of { BYTERATE($peak_rate) }, long reads and writes hold { PERCENT($share) }: { BYTERATE($rate) }; every kernel takes { DURATION($kernel_seconds) } besides.
# $operation (String); $layers, $tokens, $forward_seconds, $backward_seconds, $stages, $rounds, $seconds (Number)
plan-explain-time-operation = { $operation ->
        [projections] Projections
        [attention] Attention
        [rounding] Scaling and rounding
       *[elementwise] Norms, rotary positions, gates
    }: { COUNT($tokens) } tokens through { COUNT($layers) } layers take { DURATION($forward_seconds) } forward and { DURATION($backward_seconds) } backward, each the longer of its arithmetic and its memory traffic; / { COUNT($stages) } stages x { COUNT($rounds) } micro-batches: { DURATION($seconds) }.
# $recompute (String): a name, not translated; $share, $once_seconds, $rounds, $stages, $seconds (Number)
plan-explain-time-recompute = Recomputation "{ $recompute }" in { PERCENT($share) } of the layers does { DURATION($once_seconds) } of a micro-batch again; / { COUNT($stages) } stages x { COUNT($rounds) } micro-batches: { DURATION($seconds) }.
# $part (String): name of a part; $seconds, $share, $data, $tensor, $pipeline, $virtual, $context, $expert, $rounds, $devices, $waiting_share (Number); $shard (String)
plan-explain-time-part = { $part ->
        [head_seconds] Output and loss: the vocabulary's products of { COUNT($rounds) } micro-batches, as far as the slowest stage waits for them
        [tensor_communication_seconds] Tensor-parallel communication: four gatherings and four scatterings of the activations of every layer among { COUNT($tensor) } devices, as far as products do not hide them
        [expert_communication_seconds] Exchange of tokens: to the experts on { COUNT($expert) } devices and back, forward and backward
        [context_communication_seconds] Keys and values: passed around { COUNT($context) } devices, as far as attention does not hide it
        [pipeline_communication_seconds] Sends between { COUNT($pipeline) } stages, { COUNT($virtual) } times for each micro-batch
        [data_communication_seconds] Gradients and weights: among { COUNT($data) } replicas with sharded states "{ $shard }", what the computation does not hide and what it is slowed by
        [bubble_seconds] Bubble: ({ COUNT($pipeline) } - 1) / { COUNT($virtual) } times what a stage takes for a micro-batch, of { COUNT($rounds) }
        [optimizer_seconds] Optimizer: states, gradients and weights are read and written once
        [host_seconds] Host: by how much starting the operations takes longer than the device needs for them
       *[waiting_seconds] Waiting for the slowest: { PERCENT($waiting_share) } for every doubling, of { COUNT($devices) } devices
    }: { DURATION($seconds) }, { PERCENT($share) } of the step.
# $part (String): name of a part; $rounds, $seconds, $share (Number)
plan-explain-time-measured = { $part ->
        [attention_seconds] { plan-label-attention-seconds }
        [mlp_seconds] { plan-label-mlp-seconds }
        [elementwise_seconds] { plan-label-elementwise-seconds }
        [head_seconds] { plan-label-head-seconds }
        [optimizer_seconds] { plan-label-optimizer-seconds }
        [embedding_seconds] { plan-label-embedding-seconds }
       *[communication_seconds] { plan-label-communication-seconds }
    }: operations as they were measured, over { COUNT($rounds) } micro-batches: { DURATION($seconds) }, { PERCENT($share) } of the step.
# $seconds, $low, $high (Number)
plan-explain-time-step = Step: the parts add up to { DURATION($seconds) }, in 80 % of all cases { DURATION($low) } to { DURATION($high) }.
# $tokens_per_second, $flops_per_token, $devices, $peak_rate, $share (Number)
plan-explain-time-utilization = Model FLOPs utilisation: { COUNT($tokens_per_second) } tokens/s x { COUNT($flops_per_token) } FLOPs (6 N + 12 L H Q T) / ({ COUNT($devices) } devices x { FLOPS($peak_rate) }) = { PERCENT($share) }.
# $steps, $tokens, $batch_tokens, $step_seconds, $seconds (Number)
plan-explain-time-training = Training: { COUNT($tokens) } tokens / { COUNT($batch_tokens) } of a step = { COUNT($steps) } steps x { DURATION($step_seconds) }: { DURATION($seconds) }.
# $training_seconds, $goodput, $seconds (Number); $is_known (String): yes or no
plan-explain-time-total = Whole run: { DURATION($training_seconds) } and the evaluations{ $is_known ->
        [no] {" "}and checkpoints
       *[yes] , over a useful share of { PERCENT($goodput) }
    }: { DURATION($seconds) }.

## How the numbers on the network came about

# $devices, $stated_rate, $share, $rate, $latency_seconds (Number)
plan-explain-network-up = The fast link joins { COUNT($devices) } devices at { BYTERATE($stated_rate) } for each device and direction; large collectives hold { PERCENT($share) }: { BYTERATE($rate) }, and a step of a collective takes { DURATION($latency_seconds) } besides.
# $network (String): a name, not translated
plan-explain-network-out = The network { $network ->
        [none] {""}
       *[other] "{ $network }" {""}
    }gives a device { BYTERATE($stated_rate) }; large collectives hold { PERCENT($share) }: { BYTERATE($rate) }, and a step takes { DURATION($latency_seconds) } besides.
# $shard (String): a name, not translated; $replicas, $rounds, $up_bytes, $out_bytes (Number)
plan-explain-network-traffic = { COUNT($replicas) } replicas with sharded states "{ $shard }" and { COUNT($rounds) } micro-batches in a step: a device sends { BYTES($up_bytes) } over the fast link and { BYTES($out_bytes) } over the network, for gradients and weights.
# $seconds (Number)
plan-explain-network-total = Were nothing else to run, these collectives would take { DURATION($seconds) }: (n - 1) / n of the bytes over the rate, and the latency of each step.
plan-explain-network-unknown = The rate of the network between the servers is not known, so that its time is not in the plan.
# $part (String): name of a part; $seconds, $share (Number)
plan-explain-network-part = { $part ->
        [tensor_communication_seconds] { plan-label-tensor-communication-seconds }
        [expert_communication_seconds] { plan-label-expert-communication-seconds }
        [context_communication_seconds] { plan-label-context-communication-seconds }
        [pipeline_communication_seconds] { plan-label-pipeline-communication-seconds }
        [data_communication_seconds] { plan-label-data-communication-seconds }
       *[communication_seconds] { plan-label-communication-seconds }
    }: { DURATION($seconds) } that computation does not hide, { PERCENT($share) } of the step.
# $seconds, $share (Number)
plan-explain-network-exposed = In all, communication shows for { DURATION($seconds) }, { PERCENT($share) } of the step.
# $rate, $out_bytes (Number)
plan-explain-network-required = { BYTES($out_bytes) } hide behind the computation where the network states { BYTERATE($rate) } or more for a device.

## Options of `headway plan`

plan-option-explain = Open the numbers on a topic down to formula, inputs and sources; may be repeated, and "all" opens every topic.
plan-option-compare = Plan the same training on several accelerators, given with commas between them.
plan-option-sweep = Plan it for several values of a setting: devices=64..4096 doubles, devices=64..512..8 takes eight points, devices=64,128 takes these.
plan-option-output = File of the picture that --sweep draws: .png, .svg or .pdf.
plan-option-published = Set every published training beside its plan, instead of planning a recipe.
plan-option-report = Write one page with tables, charts and explanations, which needs no network and no other file.
plan-topic-title = How the numbers on { $topic ->
        [memory] memory
        [time] time
        [network] the network
        [power] power
        [energy] energy
        [carbon] carbon
        [water] water
        [cooling] cooling
        [cost] cost
        [storage] storage
       *[reliability] failures
    } came about
plan-topic-nothing = Nothing is known on { $topic } for this plan.
# $source (String): a publication, a file or a name of the catalogue
plan-explain-source = Source: { $source }
# $name, $closest, $known (String): names, not translated
plan-topic-unknown = A topic must be one that a plan explains: "{ $name }" is none.
    .next = { $closest ->
        [none] Choose one of: { $known }.
       *[other] Did you mean "{ $closest }"? Known are: { $known }.
    }

## Comparing accelerators, and sweeping a setting

plan-yes = yes
plan-no = no
# all degrees (Number); $shard, $recompute (String): names, not translated
plan-layout-short = { $data ->
        [1] {""}
       *[other] data { $data }{" "}
    }{ $tensor ->
        [1] {""}
       *[other] tensor { $tensor }{" "}
    }{ $pipeline ->
        [1] {""}
       *[other] pipeline { $pipeline }{" "}
    }{ $virtual ->
        [1] {""}
       *[other] chunks { $virtual }{" "}
    }{ $context ->
        [1] {""}
       *[other] context { $context }{" "}
    }{ $expert ->
        [1] {""}
       *[other] experts { $expert }{" "}
    }micro-batch { $micro_batch }{ $shard ->
        [none] {""}
       *[other] {", "}sharded { $shard }
    }{ $recompute ->
        [none] {""}
       *[other] {", "}recompute { $recompute }
    }
# $mark (String): a sign
plan-compare-best = { $mark } marks the best value of those that can run.
# $settings (String): names, not translated
plan-compare-left-out = What the recipe says of its own servers holds for its own accelerator only: { $settings }.
plan-compare-empty = A comparison needs accelerators, and none is named.
    .next = Name them with commas between them, such as --compare a100-sxm-80gb,h100-sxm-80gb.
# $setting, $value (String): names, not translated
plan-sweep-fastest = Fastest: { $setting } = { $value }.
plan-sweep-cheapest = Cheapest: { $setting } = { $value }.
# $text (String): what was given
plan-sweep-shape = A sweep must be a setting and its values, such as devices=64..4096: "{ $text }" is not.
    .next = Write devices=64..4096 (doubling), devices=64..512..8 (eight points) or devices=64,128,256.
# $name, $closest (String): names, not translated
plan-sweep-setting = A sweep needs one setting of the recipe: "{ $name }" is not the name of exactly one.
    .next = { $closest ->
        [none] Look for its name in docs/reference/recipe.md.
       *[other] Did you mean { $closest }?
    }
# $first, $last (Number)
plan-sweep-range = A range must go from a number above 0 up to another: { $first } to { $last } does not.
    .next = Write the smaller number first, such as 64..4096.
# $points, $limit (Number)
plan-sweep-points = A sweep takes from 2 to { $limit } points: { $points } is not.
    .next = Take fewer points, or a narrower range.
# $name, $value (String): not translated
plan-sweep-not-numeric = A sweep needs a setting that is a number: `{ $name }` is { $value }.
    .next = Sweep another setting; for accelerators use --compare.
# $path, $known (String)
plan-chart-format = A picture's file name must end in one of { $known }: { $path } does not.
    .next = Give a name such as scaling.svg.
# $name (String): a setting, not translated
plan-chart-empty = A picture needs one value at least that can run, and none of { $name } can.
    .next = Look at the reasons that headway plan --sweep prints without --output.
# $path, $reason (String)
plan-file-unwritable = The file must be writable: { $path } could not be written ({ $reason }).
    .next = Check its folder, its permissions and the free space.
# $option, $other (String): options, not translated
plan-option-needs = { $option } goes with { $other } only.
    .next = Add { $other }, or leave out { $option }.
# $options (String): options, not translated
plan-options-conflict = One plan is shown in one way: { $options } were given together.
    .next = Give one of them at a time.
plan-recipe-missing = A plan needs a recipe, and none is named.
    .next = Give a file, or the name of a model such as llama-3.1-8b.
plan-label-scaling-efficiency = Scaling efficiency
plan-column-training = training
plan-column-hours = device hours
plan-column-planned = planned
plan-column-error = error
plan-column-given-utilization = at its MFU
plan-column-given-hours = at its hours
plan-column-days = days
plan-column-quantity = quantity
plan-column-published = published
plan-column-interval = 80 % interval
plan-column-basis = reckoned
plan-column-phase = phase
plan-column-devices = devices
plan-column-fits = runs
plan-column-tonnes = t CO2e
plan-column-rate = tokens/s
plan-column-efficiency = efficiency
plan-column-utilization = MFU
plan-column-goodput = goodput
plan-column-duration = whole run
plan-column-usd = cost
plan-column-megawatt-hours = MWh
plan-chart-planned = planned
plan-chart-ideal = ideal
plan-chart-percent = percent
plan-chart-days = days
plan-chart-usd = US dollars
plan-chart-energy = MWh (dashed)

## Published trainings beside their plans

# $title (String): a name, not translated
plan-published-title = As published: { $title }
# $quantity (String): name of a quantity
plan-published-quantity = { $quantity ->
        [device_hours] device hours
        [device_hours_at_published_utilization] device hours at its MFU
        [days] days
        [utilization] model FLOPs utilisation
        [kilowatt_hours] energy MWh
        [kg_co2e] t CO2e
        [interruptions] interruptions
       *[goodput] useful time
    }
# $basis (String): design, site or measured
plan-published-basis = { $basis ->
        [design] design power
        [site] and the site
       *[measured] measured
    }
# $trainings, $within_aim (Number); $median_error, $aim (Number): shares
plan-published-score-layout = Device hours with the published layout: { $within_aim } of { $trainings } within { PERCENT($aim) }, median error { PERCENT($median_error) }.
plan-published-score-utilization = Device hours at the published utilisation: { $within_aim } of { $trainings } within { PERCENT($aim) }, median error { PERCENT($median_error) }.
plan-published-score-all = Device hours of all trainings, the layout chosen by the plan where none is published: { $within_aim } of { $trainings } within { PERCENT($aim) }, median error { PERCENT($median_error) }. Where nothing of the layout is published, the plan says what the best one takes, and real trainings took longer.
# $mark (String): a sign
plan-published-assumed = { $mark } marks trainings whose number of devices is not published; 512 or 64 are taken. What else was assumed stands in headway/catalog/facts/published_trainings.toml.
plan-published-convention = Model cards reckon energy and emissions with the design power of the devices and state no measurement: they are set beside the same reckoning of the plan. Where no grid is published, that of the country is taken.

## The verdict

# $devices, $seconds, $usd, $interruptions, $low, $high (Number); $accelerator (String): a name; $price, $failures (String): known, rare or unknown
plan-verdict-runs = Runs on { NUMBER($devices) } x { $accelerator } in { DURATION($seconds) }{ $price ->
        [unknown] {""}
       *[known] , for { USD($usd) }
    }{ $failures ->
        [unknown] {""}
        [rare] , with less than one interruption
       *[known] , with about { DECIMAL($interruptions) } interruptions ({ DECIMAL($low) } to { DECIMAL($high) })
    }.
plan-verdict-unknown = Would run on { NUMBER($devices) } x { $accelerator } in { DURATION($seconds) }{ $price ->
        [unknown] {""}
       *[known] , for { USD($usd) }
    }{ $failures ->
        [unknown] {""}
        [rare] , with less than one interruption
       *[known] , with about { DECIMAL($interruptions) } interruptions ({ DECIMAL($low) } to { DECIMAL($high) })
    }, if it fits, which is not known.
# $devices, $count (Number); $accelerator (String): a name, not translated
plan-verdict-impossible = Does not run on { NUMBER($devices) } x { $accelerator }: { $count ->
        [one] one obstacle
       *[other] { COUNT($count) } obstacles
    }, named below.
# $layout (String)
plan-verdict-layout = Layout: { $layout }.
# $step (String): what to do
plan-verdict-change = Change first: { $step }
plan-verdict-no-change = Nothing needs to change.
# $considered (Number); $removed (String): rules with numbers
plan-search-line = Search: { COUNT($considered) } layouts evaluated{ $removed ->
        [none] {""}
       *[other] ; removed by rule: { $removed }
    }.
# $rule (String): name of a rule; $count (Number)
plan-search-rule = { $rule ->
        [memory] memory
        [batch] batch that does not divide
        [devices] devices that do not divide
        [data] data-parallel degree
        [heads] heads
        [link] reach of the fast link
        [layers] layers
        [sequence] sequence
        [experts] experts
       *[schedule] schedule of the stages
    } { COUNT($count) }
plan-label-degrees = Split
plan-label-micro-batches = Micro-batch x accumulation
# $bytes (Number)
plan-nearest-layout = It fits with [layout] left to "auto": a device then needs { BYTES($bytes) }.
# $seconds (Number)
plan-nearest-offload = It fits with `layout.offload_optimizer = true`; a step then takes { DURATION($seconds) }.
# $devices (Number)
plan-nearest-devices = It fits on { NUMBER($devices, useGrouping: 0) } devices (`hardware.devices`), with [layout] left to "auto".

## Phases

plan-phases-title = Phases, the recipe itself being the first
plan-phases-search = search and trial runs beside them
plan-phases-sum = sum
