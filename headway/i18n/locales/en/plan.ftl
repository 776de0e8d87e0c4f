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
plan-label-front = Trade-offs
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
plan-label-sources = Sources
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
plan-label-pipeline-schedule = Order of the passes of a pipeline
plan-label-context-parallel-degree = Context parallel
plan-label-expert-parallel-degree = Expert parallel
plan-label-shard = Sharded states
plan-label-micro-batch-size = Micro-batch
plan-label-gradient-accumulation-steps = Micro-batches per step
plan-label-recompute = Recomputation
plan-label-reshard-after-forward = Drop gathered weights after the forward pass
plan-label-recompute-share = Share of the layers that recompute
plan-label-sequence-parallel = Positions divided with the matrices
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
plan-label-headroom-share = Left free
plan-label-cost-axis = What cost is measured in
plan-label-formats = Formats that were compared
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
plan-label-device-hours = Device hours
plan-label-evaluation-seconds = Evaluations
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
plan-label-network-total-seconds = All of it, were nothing to hide it
plan-label-assumed-bytes-per-second = Rate between servers, assumed
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
plan-label-spare-servers-watts = Spare servers that wait
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
plan-label-known-usd = At least
plan-label-missing = Parts that are not known
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
plan-label-mtbf-hours = Time between interruptions
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
# $accelerator, $precision, $known (String): names, not translated; none where none is known
plan-efficiency-unknown = A plan needs to know what trainings reach on the device, but nobody published enough of them on { $accelerator }.
    .next = Use one of: { $known }.
plan-rate-unknown = A plan needs the device's rate, but nobody states one for { $accelerator } in { $precision }.
    .next = { $known ->
        [none] Change `training.precision` or `hardware.accelerator`.
       *[other] Set `training.precision` to one that is known for it ({ $known }), or change `hardware.accelerator`.
    }
# $network, $possible (String): names, not translated
plan-network-inside-server = `hardware.network` must join servers, and { $network } ends inside one.
    .next = Use one of: { $possible }. The link inside servers comes with the accelerator.
# $watts, $devices, $least_watts, $design_watts (Number); $accelerator (String)
plan-node-power-low = `site.node_watts` of { WATTS($watts) } must be what a whole server takes, and { COUNT($devices) } { $accelerator } alone take { WATTS($least_watts) } while they wait and are made for { WATTS($design_watts) }.
    .next = Set `site.node_watts` to the power of a whole server under load, or leave it out.
# $accelerator (String)
plan-bandwidth-unknown = A plan needs the bandwidth of the device's memory, but nobody states one for { $accelerator }.
    .next = Change `hardware.accelerator`.
# $field (String): the recipe's field; $value (String); $supported (String)
plan-layout-impossible = No layout keeps all that the recipe asks for on { COUNT($devices) } devices.
    .next = Change one of these fields, where any are named, or leave [layout] to "auto". This one is possible: data { $data }, tensor { $tensor }, pipeline { $pipeline }, context { $context } and a micro-batch of { $micro_batch }.
# $field, $value, $nearest (String): not translated; $rule (String): name of a rule
plan-field-impossible = { $rule ->
        [batch] Every step is made of whole micro-batches on every data-parallel device
        [devices] The degrees together divide the devices
        [data] The data-parallel degree is what the other degrees leave of the devices
        [heads] Tensor parallelism divides the heads
        [width] Tensor parallelism divides the inner widths of the MLPs
        [split] Activations are divided only among the devices of a tensor-parallel group
        [tokens] Sequence parallelism leaves every device of a tensor-parallel group the same number of tokens
        [layers] A stage holds at least one layer, and is cut into equal chunks of layers
        [sequence] Context parallelism divides the sequence into two equal parts for each device
        [experts] Expert parallelism divides the experts of the model and the devices that hold them
        [group] States are divided among groups of several data-parallel devices
        [refused] The program of `training.software` has no such split
        [update] An update in the backward pass takes the gradients of one micro-batch, so that a step has one
       *[schedule] Interleaved stages take as many micro-batches as there are stages at a time
    }, and `{ $field }` of { $value } does not go with that.
    .next = Nearest that do: { $nearest }.
# all Numbers
plan-model-too-large = No model has more than { COUNT($limit) } parameters, and this one has { COUNT($parameters) }: `model.hidden_size` is { COUNT($hidden_size) }, `model.num_hidden_layers` { COUNT($num_hidden_layers) }, `model.vocab_size` { COUNT($vocab_size) }, `model.num_experts` { COUNT($num_experts) }.
    .next = Lower the largest of these fields; look for a digit too many.
# $phase (String): name of a phase
plan-phase-impossible = Every phase must be possible, and { $phase } cannot be planned.
    .next = Change what is named below in the `[[phases]]` entry of that name, or in what it shares with the recipe.
plan-layout-unsupported = `{ $field }` must be { $supported } in this version, but it is { $value }.
    .next = Set `{ $field }` to { $supported } or "auto".
# $field, $value, $supported (String): names, not translated
plan-setting-unsupported = A plan for such a device needs `{ $field }` to be one of { $supported }, since nothing else was measured there: it is { $value }.
    .next = Set `{ $field }` to one of these, or plan for another device; what `headway train` has, it trains on one device without a plan.
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

# $share (Number): of the wall time
plan-warning-storage-unknown = Noticing failures and restarting take { PERCENT($share) } of the time, and are counted; writing checkpoints and doing lost work again are left out of time, energy and cost, since the storage's rate is not known.
    .next = Set `resilience.storage_write_bytes_per_second`.
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
# $away, $nodes, $share, $recommended (Number): servers under repair, spare ones, share of the time in which the job waits
plan-warning-spares = Repairs keep { DECIMAL($away) } servers away on average where the job never stops, and { $nodes ->
        [0] none waits to take their place
        [one] one waits to take their place
       *[other] { COUNT($nodes) } wait to take their place
    }: for { PERCENT($share) } of the time the job stands still for want of a server, which this plan counts.
    .next = Set `resilience.spare_nodes` to { NUMBER($recommended, useGrouping: 0) }, or to "auto" where the provider replaces servers at once.
# the same; $share is of the time in which those are too few
plan-warning-spares-unknown = { DECIMAL($away) } servers are under repair on average. This plan takes it that somebody replaces them at once; were there no others, the job would lack one for { PERCENT($share) } of the time.
    .next = Set `resilience.spare_nodes` to { NUMBER($recommended, useGrouping: 0) }, whose cost the plan then counts, unless the provider replaces servers at once.
# $rate (Number): of one device
plan-warning-network-assumed = No network between the servers is named; this plan assumes what such servers usually have, { BYTERATE($rate) } for each device.
    .next = Name it in `hardware.network`, or state its rate in `hardware.network_bytes_per_second`.
# $share (Number): of a step
plan-warning-network-exposed = Communication that the computation does not hide takes { PERCENT($share) } of each step.
    .next = Use a faster network, a larger `training.global_batch_size`, or fewer devices.
# $setting, $value (String): not translated; $reason (String): name of a reason
plan-warning-no-effect = `{ $setting }` of { $value } changes nothing in this plan: { $reason ->
        [replicas] no two devices hold the same weights
        [gathered] weights are not divided, so that none are gathered
        [tensor] no matrices are divided
        [exchange] no experts are divided among devices, so that no tokens travel to them
        [stages] there is one stage only
        [adapters] all weights are trained, without adapters
        [documents] how long the documents are is not known, and attention is counted over whole sequences, so that the true time is shorter
       *[asynchronous] checkpoints are not written in the background
    }.
    .next = { $reason ->
        [documents] Take the time as an upper end.
       *[other] Leave out `{ $setting }`, or change what it needs.
    }
# $precision, $wide (String): names, not translated; $ratio, $loss (Number)
plan-warning-precision-chosen = `training.precision` is left to the plan, which takes { $precision }: a step is { DECIMAL($ratio) } times as fast as in { $wide }. It assumes that the loss stays within { PERCENT($loss) } of that, as DeepSeek-V3 measured with a scale for each block; no plan can know it for this model and these data.
    .next = Compare { $precision } and { $wide } on a short run first, or set `training.precision` to "{ $wide }".
# $precision, $wide (String): names, not translated
plan-warning-precision-room = `training.precision` is left to the plan, which takes { $precision }, since in { $wide } nothing fits. It assumes that the loss stays the same, which no plan can know for this model and these data.
    .next = Compare both on a short run first, or make room for "{ $wide }".
# $precision, $accelerator (String): names, not translated
plan-warning-precision-no-faster = Products in { $precision } are no faster than in bf16 on { $accelerator }, by the rates that the catalogue knows, and rounding to it takes time.
    .next = Set `training.precision` to "bf16".
# $epochs (Number)
plan-warning-many-epochs = The data is repeated { DECIMAL($epochs) } times; beyond about four, a repeated token teaches less than a new one.
    .next = Add data, or train for fewer tokens.
# $epochs (Number); $source (String): the name of a source
plan-warning-source-epochs = The source "{ $source }" is repeated { DECIMAL($epochs) } times; beyond about four, a repeated token teaches less than a new one.
    .next = Lower its weight, add data to it, or train for fewer tokens.
# $share, $epochs, $tokens (Number); $is_known (String): no where nobody says how large the source is
plan-source = Source "{ $source }": { PERCENT($share) } of the tokens, { COUNT($tokens) }, { $is_known ->
        [no] of an unknown number
       *[yes] { DECIMAL($epochs) } passes over it
    }
# $limit, $value (Number); $is_whole (String): no where a part is not known, and the value is less than the whole
plan-warning-budget-usd = The run costs { $is_whole ->
        [no] at least { USD($value) }
       *[yes] { USD($value) }
    }, and the budget is { USD($limit) }.
    .next = Shorten the run, choose cheaper devices, or raise `budget.max_usd`.
plan-warning-budget-duration = The run takes { DURATION($value) }, and the budget is { DURATION($limit) }.
    .next = Shorten the run, add devices, or raise `budget.max_duration`.
plan-warning-budget-carbon = The run emits { DECIMAL($value) } kg CO2e, and the budget is { DECIMAL($limit) } kg.
    .next = Shorten the run, choose a cleaner grid, or raise `budget.max_kg_co2e`.
# $limit (Number)
plan-warning-budget-usd-unknown = The budget is { USD($limit) }, but not every price is known, so that the plan cannot say whether it holds.
    .next = Set the prices that are missing: `site.device_usd_per_hour` of a rented device; `site.node_usd` and `site.electricity_usd_per_kilowatt_hour` of bought servers.
plan-warning-budget-duration-unknown = The budget is { DURATION($limit) }, but the run would never end.
    .next = Remove the obstacles that the plan names.
plan-warning-budget-carbon-unknown = The budget is { DECIMAL($limit) } kg CO2e, but the emissions are not known.
    .next = Set `site.grid`, and `site.node_watts` where the power of the server is not known.

# $limit, $value (Number)
plan-warning-budget-energy = The run takes { DECIMAL($value) } kWh, and the budget is { DECIMAL($limit) } kWh.
    .next = Shorten the run, choose a device that needs less, or raise `budget.max_kilowatt_hours`.
plan-warning-budget-water = The run consumes { $is_whole ->
        [no] at least { DECIMAL($value) } L
       *[yes] { DECIMAL($value) } L
    } of water, and the budget is { DECIMAL($limit) } L.
    .next = Choose a site that is cooled by dry air, or raise `budget.max_litres`.
plan-warning-budget-energy-unknown = The budget is { DECIMAL($limit) } kWh, but the power of the machines is not known.
    .next = Set `site.node_watts`.
plan-warning-budget-water-unknown = The budget is { DECIMAL($limit) } L of water, but the consumption is not known.
    .next = Set `site.grid` and `site.water_usage_effectiveness`, and `site.node_watts` where the power is not known.
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
# $watts, $accelerators_watts (Number)
plan-warning-node-power = `site.node_watts` says that a server takes { WATTS($watts) }, and its accelerators alone take { WATTS($accelerators_watts) } while they compute, unless their power is capped.
    .next = Check that it is the power of a whole server under load; energy, cooling and cost follow from it.
# $rack_watts, $limit_watts, $nodes_per_rack (Number)
plan-warning-rack-power = A rack of { COUNT($nodes_per_rack) } servers draws up to { WATTS($rack_watts) }, and it can supply { WATTS($limit_watts) }.
    .next = Lower `site.nodes_per_rack`, or raise `site.rack_capacity`.
# $needed_bytes_per_second, $ratio (Number): needed over what the disk gives
plan-warning-data-slow = The training reads { BYTERATE($needed_bytes_per_second) }, { DECIMAL($ratio) } times what the disk gives.
    .next = Move the data to a faster disk, or into memory.
# $part (String): name of the part that is not; $is_bought (String): yes or no
plan-warning-cost-partial = What the { $part ->
        [hardware] { $is_bought ->
            [yes] servers cost to buy
           *[no] devices cost
        }
        [infrastructure] power supply and cooling cost
       *[electricity] electricity costs
    } is not known, so that the cost has no total, and is not compared.
    .next = { $part ->
        [hardware] { $is_bought ->
            [yes] Set `site.node_usd`.
           *[no] Set `site.device_usd_per_hour`.
        }
        [infrastructure] Set `site.node_watts`.
       *[electricity] Set `site.electricity_usd_per_kilowatt_hour`, and `site.node_watts` where the power of the server is not known.
    }
# $hour, $now, $best (Number)
plan-warning-start-price = Electricity costs { USD($now) } as the run starts; started in hour { $hour } of the series it would cost { USD($best) }.
    .next = Set `site.start_hour` to { $hour }.
plan-warning-start-carbon = The run emits { DECIMAL($now) } kg CO2e as it starts; started in hour { $hour } of the series it would emit { DECIMAL($best) } kg.
    .next = Set `site.start_hour` to { $hour }.

## Obstacles

# $needed_watts, $capacity_watts, $devices (Number)
plan-infeasible-site-power = The run needs { WATTS($needed_watts) } at its maximum, and the site supplies { WATTS($capacity_watts) }, { $devices ->
        [0] less than any of its devices needs
       *[other] enough for { NUMBER($devices, useGrouping: 0) } devices that fill their servers and share the batch
    }.
    .next = { $devices ->
        [0] Use a site with more power (`site.power_capacity`).
       *[other] Use at most { NUMBER($devices, useGrouping: 0) } devices, or a site with more power.
    }
plan-infeasible-site-cooling = The run gives off { WATTS($needed_watts) } of heat at its maximum, and the site removes { WATTS($capacity_watts) }, { $devices ->
        [0] less than any of its devices needs
       *[other] enough for { NUMBER($devices, useGrouping: 0) } devices that fill their servers and share the batch
    }.
    .next = { $devices ->
        [0] Use a site with more cooling (`site.cooling_capacity`).
       *[other] Use at most { NUMBER($devices, useGrouping: 0) } devices, or a site with more cooling.
    }
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

# $mtbf_seconds, $write_seconds, $restart_seconds (Number); $is_known (String): yes or no
plan-infeasible-goodput = The run would never end: it is interrupted every { DURATION($mtbf_seconds) } on average, { $is_known ->
        [no] {""}
       *[yes] a checkpoint takes { DURATION($write_seconds) },{" "}
    }and a restart { DURATION($restart_seconds) }, so that next to no work is kept.
    .next = Use faster storage, fewer devices, or a shorter `resilience.checkpoint_every`, and check `resilience.failures_per_1000_devices_per_day`.

## What to watch

plan-watch-loss = The loss and the gradient norm: neither may become NaN or infinite, nor rise for long.
# $limit_seconds (Number)
plan-watch-step-time = The time of a step: more than { DURATION($limit_seconds) } is slower than planned.
# $limit_bytes, $capacity_bytes (Number)
plan-watch-memory = The memory of each device: more than { BYTES($limit_bytes) } is more than planned; { BYTES($capacity_bytes) } are there.
# $needed_bytes (Number)
plan-watch-disk = The disk: the run needs { BYTES($needed_bytes) } in all.

## Options of `headway plan`

plan-option-explain = Open the numbers on a topic down to formula, inputs and sources; may be repeated, and "all" opens every topic.
plan-option-compare = Plan the same training on several accelerators, given with commas between them.
plan-option-sweep = Plan it for several values of a setting: devices=64..4096 doubles, devices=64..512..8 takes eight points, devices=64,128 takes these.
plan-option-output = File of the picture that --sweep draws: .png, .svg or .pdf.
plan-option-published = Set every published training beside its plan, instead of planning a recipe.
plan-option-report = Write one page with tables, charts and explanations, which needs no network and no other file.
plan-topic-title = How the numbers on { $topic ->
        [memory] memory
        [layout] the layout
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
# $name, $closest, $known (String): names, not translated
plan-topic-unknown = A topic must be one that a plan explains: "{ $name }" is none.
    .next = { $closest ->
        [none] Choose one of: { $known }.
       *[other] Did you mean "{ $closest }"? Known are: { $known }.
    }

## Comparing accelerators, and sweeping a setting

plan-yes = yes
plan-no = no
# all degrees (Number); $shard (String): none, or plan-layout-shard; $recompute (String): none, or plan-layout-recompute
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
# $shard (String): a name, not translated; $keeps (String): yes or no
plan-layout-shard = { $shard }{ $keeps ->
        [yes] {" "}(kept after the forward pass)
       *[no] {""}
    }
# $level (String): a name, not translated; $partial (String): yes or no; $share (Number): of the layers
plan-layout-recompute = { $level }{ $partial ->
        [yes] {" "}in { PERCENT($share) } of layers
       *[no] {""}
    }
# $usd (Number): what is known of a cost
plan-at-least = at least { USD($usd) }
# $mark (String): a sign
plan-compare-best = { $mark } marks the best value of those that can run.
plan-compare-front = Unbeaten in time and cost
# $settings (String): names, not translated
plan-compare-left-out = What the recipe says of its own servers holds for its own accelerator only: { $settings }.
plan-compare-empty = A comparison needs accelerators, and none is named.
    .next = Name them with commas between them, such as --compare a100-sxm-80gb,h100-sxm-80gb.
# $setting (String): name, not translated; $values (String): numbers
plan-sweep-front = Unbeaten in time and cost at once: { $setting } = { $values }.
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

# $devices, $seconds, $usd, $interruptions, $low, $high (Number); $accelerator (String): a name; $price (String): known, least or unknown; $failures (String): known, rare or unknown
plan-verdict-runs = Runs on { NUMBER($devices) } x { $accelerator } in { DURATION($seconds) }{ $price ->
        [unknown] {""}
        [least] , for at least { USD($usd) }
       *[known] , for { USD($usd) }
    }{ $failures ->
        [unknown] {""}
        [rare] , with less than one interruption
       *[known] , with about { DECIMAL($interruptions) } interruptions ({ DECIMAL($low) } to { DECIMAL($high) })
    }.
plan-verdict-unknown = Would run on { NUMBER($devices) } x { $accelerator } in { DURATION($seconds) }{ $price ->
        [unknown] {""}
        [least] , for at least { USD($usd) }
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
# the same of all phases of a training together; $phases, $devices (Number): phases, and devices of the largest
plan-verdict-phases-run = Its { COUNT($phases) } phases run, on up to { NUMBER($devices) } devices, in { DURATION($seconds) }{ $price ->
        [unknown] {""}
        [least] , for at least { USD($usd) }
       *[known] , for { USD($usd) }
    }{ $failures ->
        [unknown] {""}
        [rare] , with less than one interruption
       *[known] , with about { DECIMAL($interruptions) } interruptions
    }.
plan-verdict-phases-unknown = Its { COUNT($phases) } phases would run, on up to { NUMBER($devices) } devices, in { DURATION($seconds) }{ $price ->
        [unknown] {""}
        [least] , for at least { USD($usd) }
       *[known] , for { USD($usd) }
    }{ $failures ->
        [unknown] {""}
        [rare] , with less than one interruption
       *[known] , with about { DECIMAL($interruptions) } interruptions
    }, if all fit, which is not known.
# $failing (String): names of phases
plan-verdict-phases-impossible = Does not run: of its { COUNT($phases) } phases, { $count ->
        [one] one obstacle
       *[other] { COUNT($count) } obstacles
    } { $count ->
        [one] stands
       *[other] stand
    } in the way of { $failing }, named below.
# $layout (String)
plan-verdict-layout = Layout: { $layout }.
# $step (String): what to do
plan-verdict-change = Change first: { $step }
# $phase (String): name of a phase
plan-verdict-change-phase = Change first, in the phase { $phase }: { $step }
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
        [width] inner widths
        [link] reach of the fast link
        [split] division of activations
        [tokens] tokens that do not divide
        [group] groups of states
        [layers] layers
        [sequence] sequence
        [experts] experts
        [program] what the program cannot do
        [update] update in the backward pass
        [many] sizes close to others
       *[schedule] schedule of the stages
    } { COUNT($count) }
# $told (String): a rule with its number; $rule (String): name of the rule, for the reason behind it
plan-search-reason = { $told }{ $rule ->
        [memory] {" "}(a device would need more than it has)
        [batch] {" "}(every data-parallel device takes an equal share of each step)
        [devices] {" "}(the degrees together divide the devices)
        [data] {" "}(the other degrees leave another one than is asked for)
        [heads] {" "}(each tensor-parallel device takes whole heads)
        [width] {" "}(each tensor-parallel device takes an equal part of the MLPs)
        [link] {" "}(tensor parallelism leaves the server only where it is asked for)
        [split] {" "}(activations are divided only where matrices are)
        [group] {" "}(states are divided among several devices that hold the same)
        [layers] {" "}(each stage takes equal chunks of whole layers)
        [sequence] {" "}(each context-parallel device takes two equal parts of the sequence)
        [experts] {" "}(each expert-parallel device takes as many experts)
        [program] {" "}(the program that trains has no such split)
        [many] {" "}(at most half a million layouts are evaluated)
        [update] {" "}(an update in the backward pass takes one micro-batch a step)
        [schedule] {" "}(interleaved stages take as many micro-batches as there are stages at a time)
       *[other] {""}
    }
# $axis (String): what cost is measured in; $mark (String): before the chosen one
plan-trades-note = { $axis ->
        [usd] No layout is better than one of these in time, memory and cost at once; less of one buys more of another.
        [joules] No layout is better than one of these in time, memory and energy at once; what is paid by the hour follows the time.
       *[time] No layout is better than one of these in both time and memory; cost follows the time.
    } { $mark } is the plan's, the simplest that is about as fast as the fastest.
plan-label-degrees = Split
plan-label-micro-batches = Micro-batch x accumulation
# $bytes (Number)
plan-nearest-layout = It fits with [layout] left to "auto": a device then needs { BYTES($bytes) }.
# $seconds (Number)
plan-nearest-offload = It fits with `layout.offload_optimizer = true`; a step then takes { DURATION($seconds) }.
# $accelerator (String): name, not translated
plan-nearest-accelerator = It fits on as many { $accelerator } (`hardware.accelerator`).
# $field (String): a setting, not translated; $value (Number)
plan-nearest-size = It fits with `{ $field } = { NUMBER($value, useGrouping: 0) }`, all else as it is.
# $devices, $value (Number); $field (String): a setting, not translated
plan-nearest-both = It fits on { NUMBER($devices, useGrouping: 0) } devices (`hardware.devices`) with `{ $field } = { NUMBER($value, useGrouping: 0) }` and [layout] left to "auto".
# $devices (Number)
plan-nearest-devices = It fits on { NUMBER($devices, useGrouping: 0) } devices (`hardware.devices`), with [layout] left to "auto".

## Phases

plan-phases-title = Phases, the recipe itself being the first
plan-phases-evaluation = evaluations in them
plan-phases-search = search and trial runs beside them
plan-phases-sum = sum
