training-engine-missing = Training with { $engine } needs the package { $engine }, which is not installed.
    .next = In the folder of Headway's source, run `pip install ".[{ $extra }]"`.
training-architecture = The { $engine } engine trains models of the Llama family: it does not have { $architecture }.
    .next = Choose a Llama, Mistral, Qwen2 or Qwen3 preset without experts.
training-no-accelerator = The accelerator of the recipe must be on this machine: "{ $accelerator }" is not, or PyTorch cannot see it.
    .next = Set hardware.accelerator to "cpu" or "auto", or check the driver with `headway probe`.
training-loss-not-finite = The loss and the gradients must stay finite: at step { $step } the loss is { $loss } and the gradient norm { $gradient_norm }.
    .next = Lower training.learning_rate, lengthen training.warmup_steps, or use precision "fp32"; the last checkpoint is from before.
training-worker-killed = The training process must end by itself: it was killed by signal { $signal }. Everything up to the last checkpoint is safe.
    .next = Ask why with `headway diagnose { $log }`, then continue "{ $name }" with --resume.
training-worker-not-started = The training process must start: { $program } did not ({ $reason }).
    .next = Check that the program is there and that the machine has memory and processes to spare.
training-worker-failed = The training process ended with exit code { $code } and left no reason in the run's events.
    .next = Ask why with `headway diagnose { $log }`.
training-hung = The training must go on: it stood still, and was ended. Everything up to the last checkpoint is safe.
    .next = See in { $log } where each process stood, then continue "{ $name }" with --resume.
# $reason (String): in English, from Ray
training-ray-failed = Ray Train must end the training well: it did not ({ $reason }). Everything up to the last checkpoint is safe.
    .next = Look at the run's logs with `headway diagnose`, then continue with --resume.
# $allocated_bytes, $peak_bytes, ..._bytes (Number); $is_planned yes or no; $change settings, or none
training-out-of-memory = Memory ran out: the training process had { BYTES($allocated_bytes) } and needed more. { $is_planned ->
        [no] No plan says what it needs.
       *[yes] The plan is { BYTES($peak_bytes) }: parameters { BYTES($parameters_bytes) }, gradients { BYTES($gradients_bytes) }, optimizer { BYTES($optimizer_bytes) }, activations { BYTES($activations_bytes) }, logits { BYTES($logits_bytes) }, communication { BYTES($communication_bytes) }, framework { BYTES($reserve_bytes) }.
    }
    .next = { $change ->
        [none] Free memory on this machine, or take a smaller micro-batch, shorter sequences or a smaller model.
       *[other] Set { $change }, which is planned to take { BYTES($change_bytes) }, and go on with --resume; or free memory on this machine.
    }
training-unforeseen = The training ended with an error that Headway did not foresee: { $kind }: { $reason }.
    .next = The whole traceback is in { $log }.
training-no-weights = Weights to start from must be safetensors files: { $folder } holds no model*.safetensors.
    .next = Point training.init_from to the folder of a Hugging Face model or of a checkpoint.
training-weights-adapters = Training starts from the weights of a whole model: { $folder } holds adapters alone.
    .next = Export that run with `headway runs export RUN --merge --output FOLDER`, and point training.init_from to FOLDER.
training-weights-shape = Weights to start from must be those of the recipe's model: in { $folder }, { $name } is { $found }, and the model has { $expected }.
    .next = Set model.config to the config.json that belongs to these weights, or point training.init_from to others.
training-weights-unreadable = Weights to start from must be readable safetensors files: { $path } is not ({ $reason }).
    .next = Download or copy the file again.
training-float8-emulated = This device has no products of 8-bit floats: they are emulated, with the same losses and at less than the speed of bf16.
    .next = For speed, set training.precision to "bf16".
# $name (String): of a weight; $count (Number): of its numbers that are none
training-weights-not-finite = Weights to start from must be numbers: of { $name }, { $count ->
        [one] 1 is
       *[other] { $count } are
    } infinite or not a number.
    .next = Start from another copy, or from an earlier checkpoint of the run that wrote it.
training-weights-mismatch = Weights must fit the model: { $reason }.
    .next = Use the recipe and the checkpoint of the same run.
training-prompt-length = A prompt must have at least one token and leave room for more: it has { $length }, and the model's longest sequence is { $limit }.
    .next = Give a prompt that is not empty and shorter.
# $position (Number): of the first character that is none, from 0
training-prompt-text = A prompt must be text in UTF-8: from character { $position } on it is not.
    .next = Check the encoding of the terminal or of the file that the prompt comes from.
training-sampling = Tokens are drawn with settings in their range: { $name } must be { $name ->
    [temperature] 0, or from 0.001 to 1,000
    [top_p] above 0 and at most 1
    [top_k] at least 1
   *[seed] from 0 to 9,223,372,036,854,775,807
}, and it is { $value }.
    .next = Give another { $name }, or leave it out.
training-no-validation = The validation split is too short for one sequence of { $needed_tokens } tokens: it has { COUNT($tokens) }. The run goes on without validation.
    .next = Raise data.validation_fraction, or add text.
# $conversations (Number): of the training split
training-conversations-cut = { $conversations ->
        [one] One conversation is longer than a sequence, and is cut.
       *[other] { COUNT($conversations) } conversations are longer than a sequence, and are cut.
    }
    .next = Raise training.sequence_length to keep them whole.
# $devices (Number); $field (String): section.setting; $value, $supported (String): as a recipe has them
training-needs-plan = Several devices split the work as a plan says, and on these { $devices } there is none for { $field } = "{ $value }".
    .next = Set { $field } to one of { $supported }, or hardware.devices to 1.
# $field (String): section.setting; $value, $supported (String): as a recipe has them
training-not-planned = This run has no plan, since { $field } = "{ $value }" is not measured on such a device, so that its ledger shows measurements only.
    .next = { $field } = { $supported } can be planned here.
training-no-plan = This run has no plan, so that its ledger shows measurements only.
    .next = Run `headway probe --refresh` while the machine is idle, then start the run anew.
training-preparation-failed = The process that prepares the data must end by itself: it ended with code { $code }.
    .next = Look at the run's log; a negative code is the signal that killed it, and 9 often means that memory ran out.
# Before a run's folder is made.
training-obstacles = A recipe must be one that can be trained here: { $count } things keep this one from it.
    .next = Change what is named above; `headway plan` plans the recipe as it is.
# $field (String): section.setting; $value, $supported (String): as a recipe has them
training-setting = Training has only some of the settings that plans know: { $field } must be { $supported }, and it is { $value }.
    .next = Change { $field }, or leave it out; `headway plan` plans the recipe as it is.
# $phases (String): their names
training-phases = Training has one phase in this version: the recipe has others after it ({ $phases }).
    .next = Train each phase with a recipe of its own, whose training.init_from is a checkpoint of the one before; `headway plan` plans them all.
training-too-many-threads = A run cannot have more threads than this machine has processors, { $cores }: hardware.threads is { $threads }.
    .next = Set hardware.threads to { $cores } or less, or leave it out.
training-infeasible = A run must fit before it starts, and by the plan this one does not:
    .next = Change what is named above, or train all the same with --force.

# When a run goes on. $changed (String): such as "layout.micro_batch_size (4 -> 8)"
training-settings-changed = These settings differ from those that the run had before: { $changed }. The weights may differ in their last digits from those of a run without the change.
    .next = For exactly the same weights, resume with the settings of before.
# $before, $steps (Number): the length of the run before and now; $schedule (String)
training-schedule-changed = The length of the run changes from { $before } to { $steps } steps, and with it the learning rate: the "{ $schedule }" schedule now falls over { $steps } steps, so that the result is not that of one run of this length. The ledger compares with the plan for the first length.
training-length-changed = The length of the run changes from { $before } to { $steps } steps. The ledger compares with the plan for the first length.
training-checkpoints-gone = The run had saved its steps up to { $step }, but no checkpoint is there any more: it starts again from the beginning.
    .next = If you have a copy of its checkpoints, stop now, put them back, and resume again.

# $method (String): lora or qlora
training-adapter-base = Adapters are trained beside weights that are there already: training.method is "{ $method }", and training.init_from names none.
    .next = Set training.init_from to a Hugging Face folder or to a checkpoint of a run.
# $method, $optimizer (String): as a recipe has them
training-adapter-optimizer = Adapters are two factors of a matrix, and Muon is for whole ones: training.method is "{ $method }", and training.optimizer is "{ $optimizer }".
    .next = Set training.optimizer to "adamw", "adamw16bit" or "adamw8bit".
# $path, $kind (String): a folder, and what its configuration says that it is
training-gguf-missing = Reading GGUF files needs the package { $package }, and it is not installed.
    .next = In the folder of Headway's source, run `pip install ".[{ $extra }]"`.
training-gguf-unreadable = A model must be a readable GGUF file: { $path } is not ({ $reason }).
    .next = Download or copy the file again.
training-gguf-architecture = GGUF models that can be read are of the architectures { $known }: { $path } is { $architecture }.
    .next = Take another model, or convert it with its own tools.
training-gguf-mismatch = A GGUF file must hold every weight of its model: in { $path }, { $name } is { $found }, and its settings ask for { $expected }.
    .next = Download the file again; of a model in several files, merge them first with llama.cpp's gguf-split.
training-gguf-setting = Models can be read where rotary positions cover whole heads and nothing scales them, attention has no window, and one file holds all: { $path } says { $key } = { $value }.
    .next = Take another file of the model, or convert it with its own tools.
training-gguf-not-finite = Weights must be finite numbers: { $name } of { $path } has others.
    .next = Download the file again, or take a file with more bits.
training-gguf-tensor = A model of the Llama family has no tensor like { $tensor }, which { $path } holds.
    .next = Take a file without it; rotary factors are not read.
training-gguf-tokenizer = Tokenizers that can be read from GGUF files are { $known }: { $path } has { $kind }.
    .next = Import with --no-tokenizer, and take the tokenizer.json that comes with the model.
training-adapter-kind = An adapter must be of the kind LORA: { $path } says { $kind }.
    .next = Convert it with peft, or train a new one.
# $devices, $found (Number)
training-too-few-devices = Every process of a run has a device of its own on this machine: the recipe asks for { $devices }, and there { $found ->
    [one] is one
   *[other] are { $found }
} here.
    .next = Set hardware.devices to { $found }. To let several processes share this server's processors, set hardware.devices_per_node to { $devices } too.
# $field, $possible (String): a setting, and its only value
training-compile-layout = Over several devices the compiler takes whole matrices and one backward pass: training.compile is true, and { $field } must be { $possible }.
    .next = Set { $field } to { $possible }, or training.compile to false.
# $layout (Number): processes that the layout is for; $size (Number): processes that were started
training-world-size = A layout must be for as many processes as were started: it is for { $layout }, and there are { $size }.
    .next = Start { $layout } processes, or plan for { $size } devices.
# $devices (Number)
training-no-layout = A run on several devices needs a plan that says how the work is split over them: there is none for { $devices } devices.
    .next = See what `headway plan` says of the recipe; `headway probe` measures this machine.
# $variable, $value (String): an environment variable and what it holds
training-rank = The launcher must say which process this is: { $variable } is "{ $value }", which is no number below the number of processes.
    .next = Start the processes with `headway train` or torchrun, or unset { $variable }.
# $variable, $value (String)
training-rehearsal = What a drill orders of a worker is FAULT:STEP:RANK:AMOUNT, but { $variable } is "{ $value }".
    .next = Unset { $variable }: it is for drills only.
# $field (String): of the model; $value, $degree (Number)
training-tensor-parallel = Devices that share matrices must share them evenly: { $field } is { $value }, which { $degree } devices cannot divide.
    .next = Set layout.tensor_parallel_degree to a divisor of { $value }.
# $stages, $layers (Number)
training-stages = Every stage of a pipeline needs a layer: there are { $stages } stages and { $layers } layers.
    .next = Lower layout.pipeline_parallel_degree or layout.virtual_pipeline_stages.
# $micro_batches, $stages (Number)
training-micro-batches = Interleaved stages take as many micro-batches at a time as there are stages, { $stages }: a step has { $micro_batches }.
    .next = Change layout.micro_batch_size so that a step has a multiple of { $stages } micro-batches.
training-other-accelerator = The run must train on the accelerator of its recipe: that is { $accelerator }, and this machine has { $found }.
    .next = Set hardware.accelerator to "auto", or train on the machine that was planned for.
training-chat-template = A chat needs the template of its model: the run { $name } has none.
    .next = Leave --chat out, to go on from the prompt as text.
training-chat-prompt = A chat needs something to answer: the prompt is empty.
    .next = Say something with --prompt, or write text with --no-chat.
# $step (Number); $loss, $median, $deviations (Number)
training-loss-spike = The loss must not rise far above what it was: at step { $step } it is { DECIMAL($loss, 4) }, { DECIMAL($deviations) } deviations above the median of { DECIMAL($median, 4) }, and no roll-back is left that could help.
    .next = Lower training.learning_rate, look at the data of these steps, or set resilience.guards.loss_spike to "warn".
# $step, $loss_scale, $skipped (Number)
training-scale-collapse = The loss scale of fp16 must find a value that holds: at step { $step } it is { $loss_scale }, and { $skipped ->
        [one] a step
       *[other] { $skipped } steps in a row
    } overflowed.
    .next = Use training.precision "bf16", lower training.learning_rate, or set resilience.guards.scale_collapse to "warn".
# $step, $rank (Number); $what: replay or copies
training-corruption = A step must give the same bits whenever it is done, and copies of weights must be the same: at step { $step } { $what ->
        [copies] copies differ between processes
       *[replay] a step that was done twice gave different results
    }{ $rank ->
        [-1] .
       *[other] , and process { $rank } is the odd one.
    }
    .next = Test the memory and the processor of { $rank ->
        [-1] the machines
       *[other] that process's machine
    } before going on with --resume; the last checkpoint is from before.
# $device (String); $step, $count, $code (Number)
training-device-error = A device must not have errors that it cannot correct: { $device } has reported { $code ->
        [0] { $count ->
            [one] one
           *[other] { $count }
        }
       *[other] Xid { $code }
    } by step { $step }.
    .next = Go on with --resume from the last checkpoint; have the device reset, or leave it out.
training-submit-accelerator = The recipe must say what each process of a cluster needs, but `hardware.accelerator` is "auto", which only a server can answer for itself.
    .next = Add `--set hardware.accelerator=cpu`, or the name of a device such as `h100-sxm-80gb`.
