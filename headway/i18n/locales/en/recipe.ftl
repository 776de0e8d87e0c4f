# Errors: the value states the rule and what was received, .next states the next step.

recipe-problems = The recipe breaks { $count } rules:
    .next = Mend each line above, then run `headway recipe check`.
recipe-unreadable = A recipe must be a readable file: { $path } could not be read ({ $reason }).
    .next = Check the path, or write a new recipe with `headway recipe new`.
recipe-file-too-large = A recipe must be smaller than { BYTES($limit_bytes) }: { $path } is larger.
    .next = Check that the path names a recipe and not a data file.
recipe-not-toml = A recipe must be valid TOML in UTF-8: { $path } is not ({ $reason }).
    .next = Mend the line named above, or compare with a recipe from `headway recipe new`.
recipe-section-not-table = A section must be a table: [{ $section }] is a single value.
    .next = Write `[{ $section }]` on a line of its own and its settings below it.
recipe-unknown-key = Every setting must be known: { $field } is not.
    .next = { $closest ->
        [none] Use one of: { $known }.
       *[other] Did you mean `{ $closest }`?
    }
# $field, $section (String): not translated
recipe-field-missing = { $section ->
        [phases] The recipe must state { $field }, and does not.
       *[other] The recipe must state { $field }, and neither it nor a preset does.
    }
    .next = { $section ->
        [phases] Set { $field }: every `[[phases]]` entry needs it.
       *[other] Set { $field }, or choose a preset with `[model] preset = "llama-3.1-8b"`.
    }
recipe-field-range = { $field } must be { $kind ->
        [greater_than] greater than
        [greater_than_equal] at least
        [less_than] less than
       *[less_than_equal] at most
    } { DECIMAL($bound, 18) }: it is { $value }.
    .next = Change { $field }.
# $adapter_rank, $limit (Number)
recipe-adapter-rank-too-large = An adapter's rank is at most the smaller side of the matrices that have one, { COUNT($limit) }: `training.adapter_rank` is { COUNT($adapter_rank) }.
    .next = Set `training.adapter_rank` to { COUNT($limit) } at most; 8 to 64 are usual.
recipe-field-choice = { $field } must be { $choices }: it is { $value }.
    .next = Choose one of the values named above.
recipe-field-alternatives = { $field } must be a number above zero or { $choices }: it is { $value }.
    .next = Change { $field }.
recipe-field-type = { $field } must be { $expected ->
        [bool] true or false
        [int] a whole number
        [float] a number
        [string] text in quotes
        [tuple] text in quotes, or a list of texts
        [model] a table of settings
        [value_error] a quantity
        [finite_number] a finite number
       *[other] of another type ({ $expected })
    }: it is { $value }.
    .next = { $expected ->
        [value_error] Change { $field }; quantities may be written as "15.6T", "80 GiB" or "7d".
       *[other] Change { $field }.
    }
# $phase (String): its name, not translated; $count (Number)
recipe-phase-problems = A phase must make a recipe of its own: "{ $phase }" breaks { $count ->
        [one] a rule
       *[other] { $count } rules
    }:
    .next = Mend each line above in [[phases]].
# $phase (String): its name, not translated
recipe-phase-twice = Phases must have names of their own: "{ $phase }" is there twice.
    .next = Rename one of them.
recipe-override-shape = A setting on the command line must read section.key=value: `{ $override }` does not.
    .next = Write it like `--set training.steps=100`.
recipe-model-twice = The model's shape must come from one place: both preset "{ $preset }" and config "{ $config }" are given.
    .next = Remove one of the two from [model].
recipe-config-unreadable = [model] config must be a readable config.json: { $path } could not be read ({ $reason }).
    .next = Check the path; it starts from the recipe's folder.
recipe-config-not-json = [model] config must be a JSON object: { $path } is not ({ $reason }).
    .next = Point [model] config to the config.json of a Hugging Face model.
recipe-config-too-large = A config.json must be smaller than { BYTES($limit_bytes) }: { $path } is larger.
    .next = Point [model] config to the config.json of a Hugging Face model, not to its weights.
recipe-config-number = { $field } of a config.json must be a number: in { $path } it is { $value }.
    .next = Correct the file, or state the shape in [model] yourself.
recipe-config-architecture = The architecture of a config.json must be one that Headway knows: { $path } is of { $architecture }.
    .next = Known architectures: { $known }.
recipe-config-rope = The rotary scaling of a config.json must be one that Headway knows: { $path } asks for "{ $kind }".
    .next = Use a model without it, or state the shape in [model] yourself.
recipe-hidden-not-divisible = hidden_size must be a multiple of num_attention_heads when head_dim is not given: { DECIMAL($hidden_size, 18) } is not a multiple of { $num_attention_heads }.
    .next = Change model.hidden_size or model.num_attention_heads, or set model.head_dim.
recipe-length-missing = The length of the training must be given.
    .next = Set training.steps (for instance 1000) or training.tokens (for instance "2B").
recipe-length-twice = The length of the training must be given once: it is given as { $steps } steps and as { COUNT($tokens) } tokens.
    .next = Remove training.steps or training.tokens.
recipe-heads-not-divisible = num_attention_heads must be a multiple of num_key_value_heads: { $num_attention_heads } is not a multiple of { $num_key_value_heads }.
    .next = Change model.num_key_value_heads to a divisor of { $num_attention_heads }.
recipe-head-dim-odd = head_dim must be even, since rotary embeddings turn pairs of channels: it is { $head_dim }.
    .next = Change model.head_dim, or the heads and the hidden size that it follows from.
recipe-sequence-too-long = sequence_length must not exceed the model's max_position_embeddings: { $sequence_length } is more than { $max_position_embeddings }.
    .next = Lower training.sequence_length, or raise model.max_position_embeddings.
recipe-warmup-too-long = The warm-up must end before the training does: { $warmup_steps } warm-up steps are more than { $steps } steps.
    .next = Lower training.warmup_steps.
recipe-best-without-evaluations = { $field } goes by the validation loss while a run trains, and this recipe does not measure it.
    .next = Set training.evaluate_every_steps, and data.validation_fraction above zero.
# $schedule, $field, $value, $possible (String): as a recipe has them
recipe-schedule = A pipeline whose weights' gradients have passes of their own goes back through a layer twice: layout.pipeline_schedule is "{ $schedule }", and { $field } is { $value }.
    .next = Set { $field } to { $possible } or "auto", or layout.pipeline_schedule to "1f1b".
recipe-batch-not-divisible = global_batch_size must be a multiple of micro_batch_size times data_parallel_degree: { $global_batch_size } is not a multiple of { $product }.
    .next = Set training.global_batch_size to { $lower } or { $upper }.
recipe-data-twice = The text must come from one place: both source "{ $source }" and paths "{ $paths }" are given.
    .next = Remove data.source or data.paths.
recipe-data-places = Text must come from one place, source, paths, prepared or sources: [{ $section }] has { $found ->
        [none] none
       *[other] { $found }
    }.
    .next = Keep one of them.
recipe-source-twice = Sources must have names of their own: "{ $source }" is there twice.
    .next = Rename one of them.
recipe-data-path-empty = Every path in data.paths must name something: one is empty text.
    .next = Remove it, or write "." for the folder of the recipe.
recipe-experts-incomplete = A mixture of experts must state both num_experts and num_experts_per_tok.
    .next = Set the missing one in [model].
recipe-experts-too-few = num_experts_per_tok must not exceed num_experts: { $num_experts_per_tok } is more than { $num_experts }.
    .next = Lower model.num_experts_per_tok.
recipe-expert-groups = n_group must divide num_experts, and topk_group must not exceed it: { $num_experts } experts, n_group { $n_group }, topk_group { $topk_group }.
    .next = Change model.n_group to a divisor of { $num_experts }, and model.topk_group to that or less; without groups both are 1.
recipe-latent-incomplete = Latent attention must state the rank of keys and values and all widths of its heads: { $stated } without { $missing }.
    .next = Set the missing fields in [model], or leave all of them out for plain attention.
recipe-devices-not-divisible = Several nodes must all be full: { $devices } devices do not fill nodes of { $devices_per_node }.
    .next = Change hardware.devices to a multiple of { $devices_per_node }.
recipe-gradients-pure = Where training.weights is "{ $weights }", nothing is kept in fp32: training.gradients is "{ $gradients }".
    .next = Set training.gradients to "auto", or training.weights to "fp32" or "master".
# $optimizer (String): not translated
recipe-backward-clips = An update in the backward pass never sees all gradients together, so that their norm cannot be limited: training.optimizer is "{ $optimizer }", training.gradient_clip_norm { $norm }.
    .next = Leave training.gradient_clip_norm out, or set training.optimizer to "{ $plain }".
recipe-backward-accumulates = An update in the backward pass takes the gradients of one micro-batch: training.optimizer is "{ $optimizer }", and { $global_batch_size } sequences are { $micro_batches } micro-batches of { $micro_batch_size } on each of { $data_parallel_degree } devices.
    .next = Set layout.micro_batch_size to { $whole }, training.global_batch_size to { $product }, or training.optimizer to "{ $plain }".
recipe-gather-precision = training.low_precision_gather needs products in 8 or 4 bits: training.precision is "{ $precision }".
    .next = Leave training.low_precision_gather at false, or set training.precision to one of { $possible }.
recipe-no-experts = layout.expert_tensor_parallel_degree of { $degree } needs a mixture of experts: this model has none.
    .next = Leave layout.expert_tensor_parallel_degree at "auto".
recipe-not-found = A recipe must be a file or the name of a model preset: there is no "{ $name }".
    .next = { $closest ->
        [none] Check the path, or write a recipe with `headway recipe new`.
       *[other] Did you mean the preset `{ $closest }`?
    }
recipe-unwritable = The recipe must be written somewhere: { $path } could not be written ({ $reason }).
    .next = Choose another --output.

# What each setting means: comments of a new recipe, and the reference.

recipe-doc-file = A Headway recipe. Settings behind a # keep their default; `headway recipe show` prints all of them.
recipe-doc-model = the network's shape, in the names of Hugging Face configs
recipe-doc-model-preset = a shape from the catalogue, such as "llama-3.1-8b"
recipe-doc-model-config = a config.json of Hugging Face to read the shape from, instead of a preset
recipe-doc-model-architecture = the family; it decides which parts a layer has
recipe-doc-model-hidden_size = width of the residual stream
recipe-doc-model-intermediate_size = width inside the MLP
recipe-doc-model-num_hidden_layers = layers
recipe-doc-model-num_attention_heads = query heads
recipe-doc-model-num_key_value_heads = key and value heads; fewer than query heads is grouped-query attention
recipe-doc-model-head_dim = channels of a head; by default hidden_size / num_attention_heads
recipe-doc-model-vocab_size = rows of the embedding; at least the tokenizer's size
recipe-doc-model-max_position_embeddings = longest sequence that the model is meant for, in tokens
recipe-doc-model-rope_theta = base of the rotary frequencies
recipe-doc-model-rope_scaling = Llama 3.1's stretch of the rotary frequencies (a table)
recipe-doc-model-rms_norm_eps = added to the mean square in every norm
recipe-doc-model-tie_word_embeddings = use the embedding as the output projection
recipe-doc-model-attention_bias = bias on query, key and value
recipe-doc-model-attention_output_bias = bias on the attention's output projection
recipe-doc-model-mlp_bias = bias on the MLP's projections
recipe-doc-model-qk_norm = normalise queries and keys of every head
recipe-doc-model-sliding_window = tokens that attention looks back; all when not set
recipe-doc-model-initializer_range = standard deviation of the initial weights
recipe-doc-model-num_experts = experts of a layer, for a mixture of experts
recipe-doc-model-num_experts_per_tok = experts that work on a token
recipe-doc-model-moe_intermediate_size = width inside an expert
recipe-doc-model-num_shared_experts = experts that work on every token
recipe-doc-model-first_k_dense_replace = first layers that have a dense MLP instead of experts
recipe-doc-model-n_group = groups of experts among which a router chooses first
recipe-doc-model-topk_group = of these groups, in which the experts of a token may be
recipe-doc-model-q_lora_rank = rank of the query compression in latent attention
recipe-doc-model-kv_lora_rank = rank of the key and value compression in latent attention
recipe-doc-model-qk_nope_head_dim = channels of a head without positions in latent attention
recipe-doc-model-qk_rope_head_dim = channels of a head with rotary positions in latent attention
recipe-doc-model-v_head_dim = channels of a value head in latent attention
recipe-doc-data = the text and how it becomes tokens
recipe-doc-data-source = a named source; "python-stdlib" is the source code of the running Python
recipe-doc-data-paths = files, folders or globs: text, Markdown, source code, JSONL, Parquet; also .gz and .zst
recipe-doc-data-prepared = folder or URL of tokens that "headway data prepare --output" wrote, in place of text
recipe-doc-data-sources = several texts in one mixture, each a table [[data.sources]] with name, weight and paths, prepared or source
recipe-doc-data-format = "text", or "chat": rows with messages, prompt and completion, or instruction and output; "auto" looks at the first
recipe-doc-data-loss_on = of conversations, what is learned: the "answers" of the assistant, or "all"
recipe-doc-data-on_bad_row = rows that cannot be used "stop" the preparation with the line's number, or are left out and counted ("skip")
recipe-doc-data-text_field = which field of a JSONL line or Parquet row is the text
recipe-doc-data-tokenizer = "bpe" (trained on the text), "byte", or the path of a tokenizer.json
recipe-doc-data-validation_fraction = share of the documents that is kept for validation
recipe-doc-data-attention_within_documents = keep attention inside each document of a packed sequence
recipe-doc-data-dataset_tokens = tokens of the whole data set, for the plan, where they cannot be counted yet
recipe-doc-data-cache = folder of prepared tokens; by default the user's cache folder
recipe-doc-data-max_bytes = read no more text than this, such as "10 MB"
recipe-doc-training = what the optimizer does, for how long, in which precision
recipe-doc-training-phase = which phase of a model's life this is
recipe-doc-training-method = which weights are trained: all, or low-rank adapters ("lora"), the frozen weights in 4 bits ("qlora")
recipe-doc-training-adapter_rank = rank of the adapters
recipe-doc-training-adapter_alpha = the adapters' product is multiplied by this over their rank; twice the rank by default
recipe-doc-training-adapter_targets = which projections have an adapter
recipe-doc-training-engine = the framework that trains
recipe-doc-training-software = the program that trains, of which the plan takes what it keeps in memory and its usual settings; "headway" trains, every other name only plans
recipe-doc-training-steps = optimizer steps; give steps or tokens
recipe-doc-training-tokens = tokens of the whole training, such as "15.6T"; by default 20 for each parameter of the preset
recipe-doc-training-sequence_length = tokens of a sequence
recipe-doc-training-global_batch_size = sequences of an optimizer step, over all devices
recipe-doc-training-precision = format of the matrix products; everything beside them is in fp32 or 16 bits. In tf32 products round fp32 inputs, where the device has it and the program was told to; fp32 rounds nothing. "auto" takes 16 bits, or 8 where the device and the program do them faster
recipe-doc-training-weights = where the precise weights are: "fp32" rounds fp32 weights on use, "master" keeps 16-bit weights and an fp32 copy beside the optimizer, "pure" keeps no fp32
recipe-doc-training-gradients = whether gradients are kept and sent in fp32 or "rounded" to 16 bits; "auto" is what the weights and the program imply
recipe-doc-training-dropout = share of the activations that dropout zeroes; above 0 its masks are kept
recipe-doc-training-low_precision_gather = let weights travel in 8 bits where products are in 8 or 4 bits
recipe-doc-training-attention = kernels of attention: portable fused ones, those a vendor "tuned" for the generation, or "unfused" ones that keep all scores
recipe-doc-training-loss = how logits are held: a few rows at a time ("chunked"), all in place ("sharded"), all with 16-bit copies ("rounded"), all with fp32 copies ("whole"), or all in a compiled loss without copies ("compiled")
recipe-doc-training-compile = compile the model with the framework's compiler
recipe-doc-training-capture_graphs = start captured graphs of operations instead of one operation after the other (CUDA graphs)
recipe-doc-training-seed = key of the initial weights and of the order of the data
recipe-doc-training-init_from = folder of a Hugging Face model or a checkpoint to start from
recipe-doc-training-optimizer = the optimizer: AdamW, with moments in fp32, bf16 ("16bit") or 8 bits, "in-backward" as soon as a weight's gradient exists, so that a step has one micro-batch; or Muon for the matrices of the layers, and AdamW for the rest
recipe-doc-training-learning_rate = peak learning rate
recipe-doc-training-beta1 = decay of the mean of the gradients
recipe-doc-training-beta2 = decay of the mean of the squared gradients
recipe-doc-training-epsilon = added to the denominator of the update
recipe-doc-training-weight_decay = decoupled decay of matrices; norms and biases have none
recipe-doc-training-gradient_clip_norm = largest norm of all gradients together; none where the update is in the backward pass
recipe-doc-training-schedule = how the learning rate falls after the warm-up
recipe-doc-training-warmup_steps = steps in which the learning rate rises
recipe-doc-training-decay_fraction = share of the steps in which "wsd" decays
recipe-doc-training-min_learning_rate_ratio = where the learning rate ends, as a share of its peak
recipe-doc-training-evaluate_every_steps = measure the validation loss every so many steps, and at the end
recipe-doc-training-early_stopping_patience = end after so many evaluations that are no better than the best one, whose checkpoint stays
recipe-doc-training-evaluate_batches = batches of a validation, each of 8 sequences whatever the layout, so that its loss is of the same text on every machine
recipe-doc-hardware = the machines that the run will have
recipe-doc-hardware-accelerator = a catalogue name such as "h100-sxm-80gb"; "cpu"; or "auto" for what this machine has
recipe-doc-hardware-devices = accelerators in all, or 1 for a CPU
recipe-doc-hardware-devices_per_node = accelerators in a server
recipe-doc-hardware-network = a catalogue name of the network between servers
recipe-doc-hardware-network_bytes_per_second = rate of the network between nodes for one device and direction, where it is known otherwise
recipe-doc-hardware-threads = CPU threads; by default as many as there are cores
recipe-doc-layout = how the work is split over devices; "auto" leaves it to the planner
recipe-doc-layout-pipeline_schedule = in which order a pipeline takes its passes: one forward and one backward in turn ("1f1b"), or with the weights' gradients where stages would wait ("zero-bubble"), and with two stages a rank in a V ("zero-bubble-v")
recipe-doc-layout-virtual_pipeline_stages = chunks of layers that each pipeline stage holds, so that it waits less
recipe-doc-layout-shard_group_size = devices among which the shared states are divided; the others hold copies
recipe-doc-layout-reshard_after_forward = drop gathered parameters after the forward pass and gather them again for the backward pass
recipe-doc-layout-offload_activations = keep what the layers keep for the backward pass in the host's memory
recipe-doc-layout-expert_tensor_parallel_degree = devices that share each matrix of an expert; by default 1 where experts are divided, else as many as share the other matrices
recipe-doc-layout-count_tables_as_layers = count the embedding and the output projection as a layer each when layers are divided into pipeline stages
recipe-doc-layout-offload_optimizer = keep the optimizer's states in the host's memory
recipe-doc-layout-sequence_parallel = let the tensor-parallel devices divide the activations between their products too
recipe-doc-layout-overlap_communication = let gradients and weights travel between replicas while the devices compute
recipe-doc-layout-overlap_tensor_communication = cut matrix products into pieces that hide tensor-parallel communication
recipe-doc-layout-overlap_expert_communication = exchange tokens between experts beside computation, and send each but once to a server (DeepEP)
recipe-doc-layout-data_parallel_degree = replicas that see different data
recipe-doc-layout-tensor_parallel_degree = devices that share each matrix
recipe-doc-layout-pipeline_parallel_degree = devices that share the layers
recipe-doc-layout-context_parallel_degree = devices that share each sequence
recipe-doc-layout-expert_parallel_degree = devices that share the experts
recipe-doc-layout-shard = what the replicas share instead of copying: nothing, "optimizer", "gradients" too, "parameters" too
recipe-doc-layout-micro_batch_size = sequences that go through the model at once on a device
recipe-doc-layout-recompute = what the backward pass computes again instead of keeping
recipe-doc-site = where the machines stand, and what power costs there
recipe-doc-site-grid = a catalogue name of the electricity grid, such as "france"
recipe-doc-site-grid_kg_co2e_per_kilowatt_hour = carbon intensity, instead of the grid's
recipe-doc-site-power_usage_effectiveness = power of the whole site over power of the machines (PUE)
recipe-doc-site-electricity_usd_per_kilowatt_hour = price of electricity
recipe-doc-site-device_usd_per_hour = price of a device for an hour, instead of the catalogue's
recipe-doc-site-node_watts = power of a whole server under this load, where it is known
recipe-doc-site-water_usage_effectiveness = litres that the site's cooling consumes for each kWh of the machines (WUE)
recipe-doc-site-electricity_price_series = a CSV file with the price of electricity by the hour: hour or time, dollars for a kWh
recipe-doc-site-grid_intensity_series = a CSV file with the carbon intensity by the hour: hour or time, kg CO2e for a kWh
recipe-doc-site-start_hour = the hour at which the run starts, counted from the first of the series
recipe-doc-site-power_capacity = power that the site can supply, such as "5 MW"
recipe-doc-site-cooling_capacity = heat that the site can remove, such as "4 MW"
recipe-doc-site-rack_capacity = power that one rack can supply, such as "40 kW"
recipe-doc-site-nodes_per_rack = servers in a rack; by default as many as its power allows
recipe-doc-site-cooling = how the racks are cooled; "auto" takes the simplest way that their power allows
recipe-doc-site-air_temperature_rise = kelvins that the air warms up by on its way through the machines
recipe-doc-site-liquid_temperature_rise = kelvins that the liquid warms up by on its way through the machines
recipe-doc-site-ownership = whether the machines are rented or bought
recipe-doc-site-node_usd = price of a server
recipe-doc-site-infrastructure_usd_per_watt = price of power supply and cooling, for each watt of the site
recipe-doc-site-service_life = time over which machines are written off, such as "5y"
recipe-doc-site-infrastructure_life = time over which power supply and cooling are written off; by default that of the machines
recipe-doc-site-utilization = share of their life in which bought machines work
recipe-doc-site-interest_rate = interest on the purchase for a year, such as 0.05
recipe-doc-site-max_stall_share = share of the time that checkpoints and reading may take; the storage rates follow from it
recipe-doc-resilience = how often the run saves itself, what it keeps, and what failures are expected
recipe-doc-resilience-checkpoint_every = time between checkpoints, such as "10 min"; "auto" is the planned best one
recipe-doc-resilience-checkpoint_every_steps = steps between checkpoints, instead of a time
recipe-doc-resilience-keep_last = how many checkpoints stay
recipe-doc-resilience-keep_best = save at every evaluation that is the best so far, and let the best one stay too
recipe-doc-resilience-max_restarts = how often the run's processes are started again after a failure that another start can mend
recipe-doc-resilience-hang_steps = usual steps without another one, and five seconds, after which the processes hang and are started again; 0 watches for none
recipe-doc-resilience-grace_time = how long the processes have to save and end when they are asked to stop
recipe-doc-resilience-keep_every = let one checkpoint of every so long a time stay for good, such as "6h", by the time that each says
recipe-doc-resilience-second_copy = folder or URL to which each checkpoint is copied in the background
recipe-doc-resilience-second_copy_keep_last = how many copies stay there
recipe-doc-resilience-storage_write_bytes_per_second = rate at which the storage takes a checkpoint, such as "400 GB", where it is not measured
recipe-doc-resilience-asynchronous_checkpoints = whether checkpoints are written while the work goes on, from a copy in the host's memory as large as a checkpoint
recipe-doc-resilience-asynchronous_stall_share = share of the writing time for which such a checkpoint still stops the work, instead of the catalogue's
recipe-doc-resilience-detection_time = from a failure until it is noticed, instead of the catalogue's
recipe-doc-resilience-restart_time = from then to the first step again, instead of the catalogue's
recipe-doc-resilience-warm_up_time = more time that each restart costs before the full speed is reached
recipe-doc-resilience-failure_basis = whose failure rate is expected: "published-fleets" pools all large ones, "same-hardware" those with the same accelerator, or a catalogue name such as "llama-3-405b-unexpected"
recipe-doc-resilience-failures_per_1000_devices_per_day = failures that stop the job, where the own cluster's are known
recipe-doc-resilience-repair_time = until a failed server is back, instead of the catalogue's
recipe-doc-resilience-spare_nodes = servers that wait to take the place of failed ones; a number is paid for, and the job stands still while it is too small. "auto" takes it that somebody replaces servers at once
recipe-doc-resilience-guards = what watches the run while it trains; each guard has an action, and the threshold at which it acts
recipe-doc-resilience-guards-not_finite = what to do where loss or gradients are infinite or no number: stop, leave out the step, or go back to the last checkpoint and pass over the batch
recipe-doc-resilience-guards-loss_spike = what to do where the loss rises far above those before it; roll-back goes to a checkpoint before it, and passes over the data since
recipe-doc-resilience-guards-loss_spike_deviations = how far above the median of the window a loss is a spike, in standard deviations (1.4826 x the median absolute deviation)
recipe-doc-resilience-guards-loss_spike_window = losses that a new one is judged by
recipe-doc-resilience-guards-loss_spike_steps = steps in a row that must be a spike
recipe-doc-resilience-guards-max_roll_backs = roll-backs, or steps left out, before a run that does not get past them stops
recipe-doc-resilience-guards-scale_collapse = what to do where the loss scale of fp16 falls and falls
recipe-doc-resilience-guards-least_loss_scale = loss scale at which an overflow is one too many
recipe-doc-resilience-guards-max_skipped_steps = steps in a row that may overflow in fp16
recipe-doc-resilience-guards-memory_creep = what to do where memory grows step by step; it tells early, and pauses the run when what is left lasts no longer than a save
recipe-doc-resilience-guards-disk = what to do where the disk fills; it tells early, and pauses the run while one more checkpoint still fits
recipe-doc-resilience-guards-straggler = what to do where one process computes slower than the others
recipe-doc-resilience-guards-straggler_ratio = time of a process over the median of all, beyond which it is slow
recipe-doc-resilience-guards-straggler_every_steps = steps between two comparisons of the processes
recipe-doc-resilience-guards-straggler_windows = comparisons in a row in which a process must be slow
recipe-doc-resilience-guards-throughput = what to do where the run becomes slower than it was, or than planned
recipe-doc-resilience-guards-throughput_share = share of the run's own best speed below which it is slow
recipe-doc-resilience-guards-corruption = what to do where a step that is replayed gives other weights, or copies of weights differ between processes
recipe-doc-resilience-guards-corruption_every_steps = steps between two replays; each costs the time of a step and, for as long, a copy of the state in memory. Nothing is replayed where it is left out
recipe-doc-resilience-guards-device_events = what to do at an uncorrectable memory error of a device; errors that were corrected, heat and lack of power are told only
recipe-doc-resilience-guards-data_stall = what to do where steps wait for their data for more than site.max_stall_share of the time
recipe-doc-budget = limits that the plan warns about
recipe-doc-budget-max_usd = money
recipe-doc-budget-max_duration = time, such as "7d"
recipe-doc-budget-max_kg_co2e = carbon
recipe-doc-budget-max_kilowatt_hours = electricity of the whole site
recipe-doc-budget-max_litres = water
recipe-doc-budget-search_share = share of all compute that goes into search and trial runs beside the phases; the plan's sum counts it
recipe-doc-phases = what follows this training, one table for each phase: the plan shows each, and their sum
recipe-doc-phases-name = of the phase, such as "long context"
recipe-doc-phases-data = settings of [data] that differ, such as { "{" } paths = "dialogues" { "}" }
recipe-doc-phases-training = settings of [training] that differ, such as { "{" } tokens = "1B", method = "lora" { "}" }
recipe-doc-phases-hardware = settings of [hardware] that differ, such as { "{" } devices = 8 { "}" }
recipe-doc-phases-layout = settings of [layout] that differ, such as { "{" } tensor_parallel_degree = "auto" { "}" }
