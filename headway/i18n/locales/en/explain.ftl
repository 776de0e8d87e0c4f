### How the numbers of a plan came about: formula and inputs of every step.

## How the layout was found

# $considered, $removed (Number)
explain-layout-search = Every legal combination of degrees, chunks, sharding, micro-batch and recomputation was evaluated: { COUNT($considered) } layouts; rules removed { COUNT($removed) } choices.
# $near, $filled (Number): shares
explain-layout-choice = Of those that fill at most { PERCENT($filled) } of a device, the simplest is taken that is at most { PERCENT($near) } slower than the fastest.
# $precision (String): name of a format; $narrow (String): yes or no; $seconds, $bytes, $loss (Number)
explain-layout-format = With products in { $precision } the best step takes { DURATION($seconds) } and { BYTES($bytes) } of a device{ $narrow ->
        [yes] ; the loss is assumed to stay within { PERCENT($loss) } of that in 16 bits
       *[no] {""}
    }.
# $chosen, $keeps, $joules_known, $usd_known (String): yes or no; $precision, $shard, $recompute (String): names; $data, $tensor, $pipeline, $context, $expert, $micro_batch, $seconds, $bytes, $kilowatt_hours, $usd (Number)
explain-layout-trade = { $chosen ->
        [yes] Chosen
       *[no] Also unbeaten
    }: data { $data }, tensor { $tensor }, pipeline { $pipeline }, context { $context }, experts { $expert }, micro-batch { $micro_batch }, sharded { $shard }{ $keeps ->
        [yes] {" "}(kept after the forward pass)
       *[no] {""}
    }, recompute { $recompute }, { $precision }: { DURATION($seconds) } a step and { BYTES($bytes) } of a device{ $joules_known ->
        [yes] , { DECIMAL($kilowatt_hours) } kWh
       *[no] {""}
    }{ $usd_known ->
        [yes] , { USD($usd) }
       *[no] {""}
    } for the run.

## How the numbers on failures came about

# $rate (Number): failures; $fleets (String): names of catalogue entries
explain-reliability-rate = Failures that stop a job: { DECIMAL($rate) } for 1,000 devices and a day, from { $fleets }; of several, the geometric mean.
# $rate, $devices, $seconds (Number)
explain-reliability-mtbf = Any device stops the whole job, so that the rates add up: { DECIMAL($rate) } for 1,000 devices and a day on { COUNT($devices) } devices is one failure in { DURATION($seconds) }.
# $wall_seconds, $mtbf_seconds, $count, $low, $high (Number)
explain-reliability-interruptions = { DURATION($wall_seconds) } with one failure in { DURATION($mtbf_seconds) } make { COUNT($count) }; in 80 % of all cases { COUNT($low) } to { COUNT($high) }, since clusters differ.
# $mtbf_seconds, $stall_seconds, $write_behind_seconds, $young_seconds, $seconds (Number)
explain-reliability-interval = The least time is lost with { DURATION($seconds) } of work between checkpoints that stop it for { DURATION($stall_seconds) } and are written behind it for { DURATION($write_behind_seconds) }, with a failure in { DURATION($mtbf_seconds) }; Young's first-order formula says { DURATION($young_seconds) }.
# $work_seconds, $stall_seconds, $write_behind_seconds, $detection_seconds, $restart_seconds, $mtbf_seconds, $share, $closed, $low, $high (Number)
explain-reliability-goodput = Useful are T / ((M + D) e^((R + B)/M) (e^((T + S)/M) - 1)) = { PERCENT($share) } of the time, with the work T = { DURATION($work_seconds) }, the stall S = { DURATION($stall_seconds) }, the write behind B = { DURATION($write_behind_seconds) }, the detection D = { DURATION($detection_seconds) }, the restart R = { DURATION($restart_seconds) } and M = { DURATION($mtbf_seconds) }; { PERCENT($low) } to { PERCENT($high) } as clusters differ. The published closed form says { PERCENT($closed) }.
# $share (Number): of the wall time, in this and the next three
explain-reliability-lost-work = Work that is lost and done again takes { PERCENT($share) } of the time.
explain-reliability-waiting = Waiting for a server, since more are under repair than there are spares, takes { PERCENT($share) } of the time.
explain-reliability-restarts = Restarts take { PERCENT($share) } of the time.
explain-reliability-detection = Failures that are not noticed yet take { PERCENT($share) } of the time.
explain-reliability-stalls = Checkpoints stop the work for { PERCENT($share) } of the time.
# $process (String): independent, bursts or replay; $replicas, $share, $low, $high, $fewest, $most (Number)
explain-reliability-chance = By chance, in { COUNT($replicas) } replicas of the run { $process ->
        [independent] with failures that know nothing of each other
        [bursts] with as many failures that come in bursts
       *[replay] with the failures of a public trace, at its own rate, as many times side by side as the job is larger
    }: { PERCENT($share) } of the time is useful, in 80 % of them { PERCENT($low) } to { PERCENT($high) }, with { COUNT($fewest) } to { COUNT($most) } interruptions.
# $repair_seconds, $away, $recommended, $nodes, $share (Number)
explain-reliability-spares = With a repair of { DURATION($repair_seconds) }, { DECIMAL($away) } servers are away on average; { COUNT($recommended) } spare servers suffice for 99 % of the time, and { COUNT($nodes) } for { PERCENT($share) }.

## How the numbers on the site came about

# $design_watts, $idle_share, $busy_share, $time_share, $watts (Number)
explain-power-device = A device of { WATTS($design_watts) } draws { PERCENT($idle_share) } of it while it waits and { PERCENT($busy_share) } while it computes; it computes { PERCENT($time_share) } of the time, which makes { WATTS($watts) }.
# $part (String): name of a part; $watts, $share (Number): of the facility
explain-power-part = { $part ->
        [accelerators_watts] Accelerators
        [processors_watts] Processors
        [memory_watts] Memory
        [network_interfaces_watts] Network interfaces
        [drives_watts] Drives
        [fans_and_boards_watts] Fans and boards
        [supply_losses_watts] Losses of power supplies
        [fabric_and_storage_watts] Switches and storage servers
        [servers_watts] Servers
        [spare_servers_watts] Spare servers that wait
       *[site_overhead_watts] Cooling and losses of the site
    }: { WATTS($watts) }, { PERCENT($share) } of the facility.
# $devices, $watts, $peak_watts (Number)
explain-power-node = A server of { COUNT($devices) } devices draws { WATTS($watts) }, and at most { WATTS($peak_watts) }.
# $equipment_watts, $effectiveness, $watts (Number)
explain-power-facility = Servers, network and storage draw { WATTS($equipment_watts) }; with a power usage effectiveness of { DECIMAL($effectiveness) } the facility draws { WATTS($watts) }.
# $watts, $seconds, $kilowatt_hours (Number); $interruptions (String): all, some or none
explain-energy-facility = { WATTS($watts) } for { DURATION($seconds) }{ $interruptions ->
        [all] , interruptions included,
        [some] , with restarts but without checkpoints and lost work,
       *[none] {""}
    } make { DECIMAL($kilowatt_hours) } kWh.
# $devices, $design_watts, $seconds, $kilowatt_hours (Number)
explain-energy-design = Model cards state { COUNT($devices) } devices at their design power of { WATTS($design_watts) } for { DURATION($seconds) }: { DECIMAL($kilowatt_hours) } kWh.
# $kilowatt_hours, $intensity, $kg (Number)
explain-carbon-operational = { DECIMAL($kilowatt_hours) } kWh at { DECIMAL($intensity) } kg CO2e for each make { DECIMAL($kg) } kg CO2e.
# $hour, $kg (Number)
explain-carbon-greenest = Started in hour { $hour } of the series, the run would emit { DECIMAL($kg) } kg CO2e.
# $devices, $server_devices, $seconds, $life_seconds, $utilization, $kg (Number)
explain-carbon-embodied = Making { COUNT($devices) } cards, and an eighth of a server of { COUNT($server_devices) } for each, shared out over a life of { DURATION($life_seconds) } that is used to { PERCENT($utilization) }, makes { DECIMAL($kg) } kg CO2e for { DURATION($seconds) }.
# $kilowatt_hours, $litres_per_kilowatt_hour, $litres (Number)
explain-water-generation = Generating { DECIMAL($kilowatt_hours) } kWh at { DECIMAL($litres_per_kilowatt_hour) } L for each consumes { DECIMAL($litres) } L.
explain-water-site = Cooling { DECIMAL($kilowatt_hours) } kWh of the machines at { DECIMAL($litres_per_kilowatt_hour) } L for each consumes { DECIMAL($litres) } L.
# $watts, $peak_watts (Number)
explain-cooling-heat = All power of the machines becomes heat: { WATTS($watts) }, and at most { WATTS($peak_watts) }.
# $watts, $btu_per_hour, $ton_btu_per_hour, $tons (Number)
explain-cooling-tons = { WATTS($watts) } at { DECIMAL($btu_per_hour, 6) } BTU/h for a kilowatt, over { DECIMAL($ton_btu_per_hour, 6) } BTU/h for a ton, are { DECIMAL($tons) } tons of refrigeration.
# $rack_watts, $nodes, $air_watts, $door_watts, $chip_watts (Number); $method (String): a name, not translated
explain-cooling-method = A rack of { COUNT($nodes) } servers gives off up to { WATTS($rack_watts) }; air is known to cool { WATTS($air_watts) }, a liquid-cooled rear door { WATTS($door_watts) }, cold plates { WATTS($chip_watts) }. Chosen: { $method }.
# $density, $heat_capacity, $kelvin, $flow (Number)
explain-cooling-air = The heat that goes into air, over { DECIMAL($density) } kg/m3, { DECIMAL($heat_capacity, 4) } J/(kg K) and a rise of { DECIMAL($kelvin) } K, needs { DECIMAL($flow) } m3/h.
explain-cooling-liquid = The heat that goes into liquid, over { DECIMAL($density) } kg/L, { DECIMAL($heat_capacity, 4) } J/(kg K) and a rise of { DECIMAL($kelvin) } K, needs { DECIMAL($flow) } L/min.
# $devices, $device_hours, $price, $usd (Number)
explain-cost-rent = { COUNT($devices) } devices are held for { COUNT($device_hours) } device hours; at { USD($price) } each that is { USD($usd) } of rent.
# $capital_usd, $seconds, $life_seconds, $utilization, $usd, $infrastructure_usd, $interest_usd (Number)
explain-cost-purchase = Of a purchase of { USD($capital_usd) }, written off over { DURATION($life_seconds) } of which { PERCENT($utilization) } are used, { DURATION($seconds) } use up { USD($usd) } of servers and { USD($infrastructure_usd) } of power supply and cooling; interest adds { USD($interest_usd) }.
# $kilowatt_hours, $price, $usd (Number)
explain-cost-energy = { DECIMAL($kilowatt_hours) } kWh at { USD($price) } each cost { USD($usd) }.
# $usd, $low, $high (Number); $is_bounded (String): yes or no
explain-cost-total = What is paid for adds up to { USD($usd) }, in 80 % of all cases { $is_bounded ->
        [no] { USD($low) } or more, since the run may never end
       *[yes] { USD($low) } to { USD($high) }
    }.
# $usd (Number); $part (String): name of a part
explain-cost-known = What is known of the cost adds up to { USD($usd) }; what the { $part ->
        [hardware] hardware
        [infrastructure] power supply and cooling
       *[electricity] electricity
    } costs is not known, so that there is no total.
# $hour, $usd (Number)
explain-cost-cheapest = Started in hour { $hour } of the series, the electricity would cost { USD($usd) }.
# $capital_usd, $months (Number)
explain-cost-break-even = { USD($capital_usd) }, over what rent exceeds electricity in a month, are earned back after { DECIMAL($months) } months.
# $parameters, $each_bytes, $bytes (Number); $method (String): full, lora or qlora
explain-storage-checkpoint = { $method ->
       *[full] { COUNT($parameters) } weights, each with its moments
        [lora] The weights of the adapters, each with its moments
        [qlora] The weights of the adapters, each with its moments
    }, of { DECIMAL($each_bytes) } bytes take { BYTES($bytes) }, headers included.
# $checkpoints_bytes, $dataset_bytes, $keep_last, $bytes (Number)
explain-storage-space = { COUNT($keep_last) } checkpoints that stay, and the one that is being written, take { BYTES($checkpoints_bytes) }; with { BYTES($dataset_bytes) } of tokens that is { BYTES($bytes) }.
# $bytes, $interval_seconds, $share, $rate, $node_rate (Number)
explain-storage-write = { BYTES($bytes) } every { DURATION($interval_seconds) } stop the work for no more than { PERCENT($share) } of the time at { BYTERATE($rate) }, which is { BYTERATE($node_rate) } for each server.
# $rate, $burst_rate, $share (Number)
explain-storage-read = The training reads { BYTERATE($rate) }; were nothing read ahead, the tokens of a step would have to come at { BYTERATE($burst_rate) } to take no more than { PERCENT($share) } of it.

## How the numbers on memory came about

# $parameters, $tensor, $pipeline, $expert, $weights (Number)
explain-memory-held = Of { COUNT($parameters) } weights, divided by tensor parallelism { COUNT($tensor) }, pipeline stages { COUNT($pipeline) } and expert parallelism { COUNT($expert) }, a device of the fullest stage computes with { COUNT($weights) }.
# $weights, $each_bytes, $group, $own_bytes, $extra_bytes, $bytes (Number)
explain-memory-parameters = Parameters: { COUNT($weights) } weights x { DECIMAL($each_bytes) } bytes / { COUNT($group) } devices that divide them = { BYTES($own_bytes) }; rounded copies and weights gathered from other devices add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $freed (String): yes or no
explain-memory-gradients = Gradients: { $freed ->
        [yes] the update takes each of { COUNT($weights) } as soon as it exists, so that only those of the layers in work are held
       *[no] { COUNT($weights) } trained weights x { DECIMAL($each_bytes) } bytes / { COUNT($group) } devices = { BYTES($own_bytes) }; those of the layers in work add { BYTES($extra_bytes) }
    }: { BYTES($bytes) }.
# $weights, $master_bytes, $moment_bytes, $own_bytes, $extra_bytes, $bytes (Number); $place (String): host or device
explain-memory-optimizer = Optimizer: this device updates { COUNT($weights) } weights x ({ DECIMAL($master_bytes) } bytes of a precise copy + { DECIMAL($moment_bytes) } of moments) = { BYTES($own_bytes) }{ $place ->
        [host] , since they are in the memory of the host
       *[device] {""}
    }; what the update writes for a moment adds { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $tokens, $full_bytes, $kept_bytes, $layers, $extra_bytes, $bytes (Number); $recompute (String): a name, not translated; $moment (String)
explain-memory-activations = Activations: a layer makes { BYTES($full_bytes) } for a micro-batch of { COUNT($tokens) } tokens on this device and, with recomputation "{ $recompute }", keeps { BYTES($kept_bytes) }; { $moment ->
        [update] but the peak is that of the update, when nothing of the passes is left
        [offload] x { DECIMAL($layers) } layers, since the others' are in the host's memory, and { BYTES($extra_bytes) } for the layer whose backward pass runs
       *[passes] x { DECIMAL($layers) } layers in flight, and { BYTES($extra_bytes) } for the layer whose backward pass runs
    }: { BYTES($bytes) }.
# $tokens, $vocabulary, $tensor, $logits_bytes, $bytes (Number); $loss (String): a name, not translated; $moment (String)
explain-memory-logits = Logits and loss: { COUNT($tokens) } tokens x { COUNT($vocabulary) } entries / { COUNT($tensor) } devices, held as the loss "{ $loss }" does, take { BYTES($logits_bytes) }{ $moment ->
        [absent] ; the stage and the moment of the peak hold none of them
        [backward] ; the backward pass of the last layer comes after the loss and takes more
       *[loss] {""}
    }: { BYTES($bytes) }.
# $devices, $groups, $bytes (Number)
explain-memory-communication = Communication: buffers of collectives among { COUNT($devices) } devices in { COUNT($groups) } kinds of groups: { BYTES($bytes) }.
# $context_bytes, $allocated_bytes, $share, $bytes (Number); $kernels (String): a name, not translated
explain-memory-reserve = Framework and allocator: { BYTES($context_bytes) } of the driver's context and { PERCENT($share) } of { BYTES($allocated_bytes) } in holes of the allocator, with kernels that are { $kernels }: { BYTES($bytes) }.
# $bytes, $low, $high, $capacity_bytes (Number); $is_known (String): yes or no
explain-memory-peak = Peak: the parts add up to { BYTES($bytes) }, in 80 % of all cases { BYTES($low) } to { BYTES($high) }{ $is_known ->
        [no] ; what the device has is not known
       *[yes] ; the device has { BYTES($capacity_bytes) }
    }.
# $part (String): parameters, gradients or optimizer; $moment (String): forward, backward or update
explain-memory-states = { $part ->
        [parameters] Parameters
        [gradients] Gradients
       *[optimizer] Optimizer
    }: { COUNT($weights) } weights x { COUNT($each_bytes) } bytes / { COUNT($group) } devices, as far as they are there at the peak ({ $moment ->
        [forward] the end of the forward pass
        [update] the update
       *[backward] the backward pass
    }) = { BYTES($own_bytes) }; rounded copies and frozen weights add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $tokens, $elements, $value_bytes, $kept_bytes, $extra_bytes, $bytes (Number)
explain-memory-kept = Activations: { COUNT($tokens) } tokens of a micro-batch leave { COUNT($elements) } elements of { COUNT($value_bytes) } bytes each, and fp32 numbers of norms: { BYTES($kept_bytes) }; masks and the backward pass of the last layer add { BYTES($extra_bytes) }: { BYTES($bytes) }.
# $rows, $bytes (Number)
explain-memory-chunk = Logits and loss: made for { COUNT($rows) } rows at a time; held at the peak: { BYTES($bytes) }.
# $degree, $bytes (Number)
explain-memory-buffers = Communication: buffers of { COUNT($degree) } servers that share the batch: { BYTES($bytes) }.
# $process_bytes, $heap_bytes, $bytes (Number)
explain-memory-process = Framework and allocator: the process takes { BYTES($process_bytes) } before any model, as probed, and the heap keeps { BYTES($heap_bytes) } in holes: { BYTES($bytes) }.

## How the numbers on time came about

# $accelerator, $precision (String): names, not translated; $peak_rate, $share, $rate (Number)
explain-time-rate = Products: { $accelerator } states { FLOPS($peak_rate) } in { $precision }; large products hold { PERCENT($share) } of it through a training: { FLOPS($rate) }.
# $kernels, $precision (String): names, not translated; $peak_rate, $forward_share, $backward_share (Number)
explain-time-attention-rate = Attention, with kernels that are { $kernels }: { PERCENT($forward_share) } of the { FLOPS($peak_rate) } stated in { $precision } forward and { PERCENT($backward_share) } backward, less for short sequences and narrow heads.
# $peak_rate, $share, $rate, $kernel_seconds (Number)
explain-time-memory-rate = Memory: of { BYTERATE($peak_rate) }, long reads and writes hold { PERCENT($share) }: { BYTERATE($rate) }; every kernel takes { DURATION($kernel_seconds) } besides.
# $operation (String); $layers, $tokens, $forward_seconds, $backward_seconds, $stages, $rounds, $seconds (Number)
explain-time-operation = { $operation ->
        [projections] Projections
        [attention] Attention
        [rounding] Scaling and rounding
        [dispatch] Dispatch of tokens to experts
       *[elementwise] Norms, rotary positions, gates
    }: { COUNT($tokens) } tokens through { COUNT($layers) } layers take { DURATION($forward_seconds) } forward and { DURATION($backward_seconds) } backward, { $operation ->
        [dispatch] in which the device waits until the host knows how many tokens each expert has
       *[other] each the longer of its arithmetic and its memory traffic
    }; / { COUNT($stages) } stages x { COUNT($rounds) } micro-batches: { DURATION($seconds) }.
# $recompute (String): a name, not translated; $share, $once_seconds, $rounds, $stages, $seconds (Number)
explain-time-recompute = Recomputation "{ $recompute }" in { PERCENT($share) } of the layers does { DURATION($once_seconds) } of a micro-batch again; / { COUNT($stages) } stages x { COUNT($rounds) } micro-batches: { DURATION($seconds) }.
# $part (String): name of a part; $seconds, $share, $data, $tensor, $pipeline, $virtual, $chunks, $waits, $context, $expert, $rounds, $devices, $waiting_share, $expert_overlap (Number); $shard (String)
explain-time-part = { $part ->
        [head_seconds] Output and loss: the vocabulary's products of { COUNT($rounds) } micro-batches, as far as the slowest stage waits for them
        [tensor_communication_seconds] Tensor-parallel communication: four gatherings and four scatterings of the activations of every layer among { COUNT($tensor) } devices, as far as products do not hide them
        [expert_communication_seconds] Exchange of tokens: to the experts on { COUNT($expert) } devices and back, forward and backward{ $expert_overlap ->
            [0] {""}
           *[other] , of which kernels beside the computation hide { PERCENT($expert_overlap) }
        }
        [context_communication_seconds] Keys and values: passed around { COUNT($context) } devices, as far as attention does not hide it
        [pipeline_communication_seconds] Sends between { COUNT($pipeline) } stages, { COUNT($virtual) } times for each micro-batch
        [data_communication_seconds] Gradients and weights: among { COUNT($data) } replicas with sharded states "{ $shard }", what the computation does not hide and what it is slowed by
        [bubble_seconds] Bubble: ({ COUNT($pipeline) } - 1) / { COUNT($chunks) } times what a stage takes for a micro-batch, of { COUNT($rounds) }{ $waits ->
            [1] {""}
           *[other] , of which the weights' gradients leave { PERCENT($waits) }
        }
        [optimizer_seconds] Optimizer: states, gradients and weights are read and written once
        [host_seconds] Host: by how much starting the operations takes longer than the device needs for them
        [offload_seconds] Offloading: by how much sending activations to the host's memory and back takes longer than the computation, over { COUNT($rounds) } micro-batches
       *[waiting_seconds] Waiting for the slowest: { PERCENT($waiting_share) } for every doubling, of { COUNT($devices) } devices
    }: { DURATION($seconds) }, { PERCENT($share) } of the step.
# $part (String): name of a part; $rounds, $seconds, $share (Number)
explain-time-measured = { $part ->
        [attention_seconds] Attention
        [mlp_seconds] Feed-forward
        [elementwise_seconds] Norms, rotary positions, gates
        [head_seconds] Output and loss
        [optimizer_seconds] Optimizer
        [embedding_seconds] Embedding
       *[communication_seconds] Exposed communication
    }: operations as they were measured, over { COUNT($rounds) } micro-batches: { DURATION($seconds) }, { PERCENT($share) } of the step.
# $seconds, $low, $high (Number)
explain-time-step = Step: the parts add up to { DURATION($seconds) }, in 80 % of all cases { DURATION($low) } to { DURATION($high) }.
# $tokens_per_second, $flops_per_token, $devices, $peak_rate, $share (Number)
explain-time-utilization = Model FLOPs utilisation: { COUNT($tokens_per_second) } tokens/s x { COUNT($flops_per_token) } FLOPs (6 N + 12 L H Q T: the whole square of scores, or the band of a sliding window; nothing recomputed) / ({ COUNT($devices) } devices x { FLOPS($peak_rate) }) = { PERCENT($share) }.
# $recompute (String): a name, not translated; $layer_share, $share (Number)
explain-time-hardware-utilization = Hardware FLOPs utilisation: the same with the products that recomputation "{ $recompute }" repeats in { PERCENT($layer_share) } of the layers = { PERCENT($share) }.
# $steps, $tokens, $batch_tokens, $step_seconds, $seconds (Number)
explain-time-training = Training: { COUNT($tokens) } tokens / { COUNT($batch_tokens) } of a step = { COUNT($steps) } steps x { DURATION($step_seconds) }: { DURATION($seconds) }.
# $training_seconds, $goodput, $seconds (Number); $is_known (String): yes, partly or no
explain-time-total = Whole run: { DURATION($training_seconds) } and the evaluations{ $is_known ->
        [no] {" "}and checkpoints
        [partly] , over { PERCENT($goodput) } that restarts leave; checkpoints and lost work are not known
       *[yes] , over a useful share of { PERCENT($goodput) }
    }: { DURATION($seconds) }.

## How the numbers on the network came about

# $devices, $stated_rate, $share, $rate, $start_seconds, $latency_seconds (Number)
explain-network-up = The fast link joins { COUNT($devices) } devices at { BYTERATE($stated_rate) } for each device and direction; large collectives hold { PERCENT($share) }: { BYTERATE($rate) }. Each takes { DURATION($start_seconds) } to start and { DURATION($latency_seconds) } for every device that it passes besides.
# $network (String): a name, not translated; $is_assumed (String): yes or no; $stated_rate, $share, $rate, $latency_seconds (Number)
explain-network-out = { $is_assumed ->
        [yes] No network between the servers is named. Assumed is what such servers usually have, which {""}
       *[no] The network { $network ->
            [none] {""}
           *[other] "{ $network }" {""}
        }
    }gives a device { BYTERATE($stated_rate) }; large collectives hold { PERCENT($share) }: { BYTERATE($rate) }, and every server that they pass takes { DURATION($latency_seconds) } besides.
# $network (String): a name, not translated; $is_assumed (String): yes or no; $stated_rate, $share, $rate (Number)
explain-network-processors = { $is_assumed ->
        [yes] No network between the servers is named. Assumed is a slow one, which {""}
       *[no] The network { $network ->
            [none] {""}
           *[other] "{ $network }" {""}
        }
    }gives a server { BYTERATE($stated_rate) }; large collectives hold { PERCENT($share) }: { BYTERATE($rate) }.
# $part, $shard (String): names, not translated; $rounds, $up_bytes, $out_bytes, $seconds (Number)
explain-network-kind = { $part ->
        [tensor_communication_seconds] Tensor parallelism, activations of every layer
        [expert_communication_seconds] Expert parallelism, tokens to their experts and back
        [context_communication_seconds] Context parallelism, keys and values
        [pipeline_communication_seconds] Pipeline, results and gradients between stages
       *[data_communication_seconds] Data parallelism, gradients and weights with sharded states "{ $shard }"
    }, over { COUNT($rounds) } micro-batches: a device sends { BYTES($up_bytes) } over the fast link and { BYTES($out_bytes) } over the network, which alone would take { DURATION($seconds) }.
# $up_bytes, $out_bytes (Number)
explain-network-traffic = In a step a device sends { BYTES($up_bytes) } over the fast link and { BYTES($out_bytes) } over the network.
# $seconds (Number); $latencies (String): yes or no
explain-network-total = Were nothing else to run, all communication would take { DURATION($seconds) }: the bytes over the rates{ $latencies ->
        [yes] , and the latencies
       *[no] {""}
    }.
# $part (String): name of a part; $seconds, $share (Number)
explain-network-part = { $part ->
        [tensor_communication_seconds] Tensor-parallel communication
        [expert_communication_seconds] Exchange of tokens between experts
        [context_communication_seconds] Passing keys and values around
        [pipeline_communication_seconds] Sends between stages
        [data_communication_seconds] Gradients and weights between replicas
       *[communication_seconds] Exposed communication
    }: { DURATION($seconds) } that computation does not hide, { PERCENT($share) } of the step.
# $seconds, $share (Number)
explain-network-exposed = In all, communication shows for { DURATION($seconds) }, { PERCENT($share) } of the step.
# $rate, $out_bytes (Number)
explain-network-required = The network lengthens the step by 1 % at most where it states { BYTERATE($rate) } or more for a device, which sends { BYTES($out_bytes) } over it; a slower one shows.

## Every step

# $source (String): a publication, a file or a name of the catalogue
explain-source = Source: { $source }
