cli-error = error
cli-next = next
cli-commands = Commands
cli-options = Options
cli-usage = Usage
cli-option-help = Show this message and exit.

# The command line. $command (String): the command so far, such as "headway runs show"
cli-usage-option = Every option must be known: "{ $name }" is not.
    .next = { $closest ->
        [none] See `{ $command } --help`.
       *[other] Did you mean "{ $closest }"? See `{ $command } --help`.
    }
cli-usage-command = Every command must be known: "{ $name }" is not.
    .next = { $closest ->
        [none] See `{ $command } --help`.
       *[other] Did you mean "{ $closest }"? See `{ $command } --help`.
    }
cli-usage-missing = { $parameter } must be given, and it is not.
    .next = See `{ $command } --help`.
# $range (String): such as "> 0, <= 1"
cli-usage-value = { $parameter } must be { $expected ->
    [integer] a whole number
    [number] a number
   *[other] a value of its kind
}{ $range ->
    [none] { "" }
   *[other] { " " }({ $range })
}: it is "{ $value }".
    .next = Change it; see `{ $command } --help`.
# $reason (String): in English, from the library that reads the command line
cli-usage-other = The command line must be one that the help describes: { $reason }
    .next = See `{ $command } --help`.
# $reason (String): as the system says it
cli-output-unwritable = The output must be written: it could not be ({ $reason }).
    .next = Send it to a file on a disk with room, or to the terminal.

# A paragraph of a help text that begins with two spaces keeps its line breaks: { "  " }
cli-headway = Plan, run, survive and explain the training of large language models.
cli-headway-help = Plan it, run it, survive it, explain it: from a recipe to a trained model, with every resource predicted beforehand and measured afterwards.

    { "  " }Example:  headway demo
cli-option-lang = Language of all text, such as en; by default HEADWAY_LANG or the system's.

cli-lang-unknown = There is no text in the language "{ $tag }" yet, so that it is in { $used }; known: { $known }.

cli-probe = Say what this machine is and how fast it is.
cli-probe-help = Read this machine's processors, memory, disks, network and accelerators, and measure matrix products, memory, disk and collectives. Measurements are kept and feed the plan.

    { "  " }Example:  headway probe --json
cli-option-refresh = Measure again, even where a measurement is kept.
cli-option-no-measure = Read the machine only; measure nothing.
cli-option-diagnose-recipe = A recipe that describes the job, or a model's name: where memory ran out, its plan is set beside what the logs say.
cli-option-job-name = Name of the run folder; that of the program by default.
cli-option-retries = How often the command may be started again.
cli-option-hang-steps = Usual steps without another one, after which the command hangs; 0 watches for none.
cli-option-grace = Seconds that the command has to save and end when it is told to stop.
cli-option-follow = Go on reading logs that still grow, and tell whenever the diagnosis changes.
cli-option-redact = Leave out names of hosts and users, paths, addresses and tokens, so that the text may be shown to others.
cli-option-list-causes = List every cause that is known, and end.
cli-option-json = Print machine-readable JSON instead of text.

cli-data = Turn text into tokens ahead of a training, and show what they are made of.
cli-data-help = Training prepares its own data. These commands do it ahead, on many processors or machines, and show the data card.

    { "  " }Example:  headway data prepare my.toml --workers 8
cli-data-prepare = Turn the text of a recipe into tokens.
cli-data-prepare-help = Turn the text of a recipe into tokens, by processes of this machine or by Ray on many. The tokens do not depend on how many workers there are. What was done when it is stopped or killed is kept: the same command goes on with it.

    { "  " }Example:  headway data prepare my.toml --workers 8 --output s3://bucket/tokens
cli-data-show = Show the data card: counts, digests, and what was left out.
cli-data-show-help = Show what prepared data is made of: documents, tokens and bytes of each source, digests of every file, and which rows were left out, and why.

    { "  " }Example:  headway data show my.toml --page data-card.md
cli-data-title = Data card
cli-data-total = { COUNT($documents) } documents, { COUNT($tokens) } tokens of { BYTES($text_bytes) } of text; digest { $digest }
cli-data-source = Source "{ $name }", { PERCENT($share) } of the mixture
cli-data-splits = Splits
cli-data-sources = Files that were read: { COUNT($count) }
cli-data-files = Files of tokens: { COUNT($count) }
cli-data-more = And { COUNT($count) } more, which `--json` lists.
cli-data-read = Read: { COUNT($count) } { $count ->
        [one] file
       *[other] files
    }, { BYTES($size_bytes) }
cli-data-tokenizer = Tokenizer: SHA-256 { $digest }
cli-data-template = Chat template: SHA-256 { $digest }
cli-data-digest = Tokens: digest { $digest }
cli-data-none-skipped = No row was left out.
cli-data-skipped = Left out: { COUNT($rows) } { $rows ->
        [one] row
       *[other] rows
    }. The first: { $first }
cli-data-not-prepared = There must be prepared data to show: that of { $recipe } was not prepared yet.
    .next = Run `headway data prepare { $recipe }`.
cli-data-written = Prepared: { $path }
cli-option-workers = Processes that work at once; by default one for each processor. With --on ray, at most so many of the cluster.
cli-option-on = Who does the work: processes of this machine, or Ray ("scale" is its extra), on the cluster that RAY_ADDRESS names.
cli-option-data-output = Copy the tokens to a new folder or URL as well, for data.prepared on other machines.
cli-option-page = Write the card as a page of Markdown.
cli-recipe = Write, check and show recipes.
cli-recipe-help = A recipe is one TOML file: the model, the data, the training, the hardware, the site, the budget.

    { "  " }Example:  headway recipe new --preset headway-tiny-11m --output my.toml
cli-recipe-show = Print a recipe with every default and preset filled in.
cli-recipe-show-help = Print a recipe with every default and preset filled in.

    { "  " }Example:  headway recipe show recipes/laptop.toml
cli-recipe-new = Write a commented recipe to start from.
cli-recipe-new-help = Write a commented recipe to start from: every section, with the settings that people change most.

    { "  " }Example:  headway recipe new --preset llama-3.1-8b --output my.toml
cli-recipe-check = Check a recipe against every rule.
cli-recipe-check-help = Check a recipe against every rule, and name each rule that is broken.

    { "  " }Example:  headway recipe check my.toml
cli-recipe-valid = { $path }: the recipe keeps every rule.
cli-recipe-obstacles = It can be planned, but not trained here and now:
cli-recipe-written = Wrote { $path }. Plan it with `headway plan { $path }`, train it with `headway train { $path }`.
cli-option-preset = Model preset to start from.
cli-option-output-folder = Folder to write; it must not exist.
cli-option-no-tokenizer = Leave the tokenizer out.
cli-option-best = Take the checkpoint with the lowest validation loss, in place of the newest.
cli-option-merge = Add trained adapters to the weights of their model, and write the whole of it.
cli-option-output = File to write; by default the text is printed.
cli-option-set = Override a setting of the recipe, such as training.steps=100; may be repeated.
cli-file-exists = An existing file is not overwritten: { $path } is there already.
    .next = Choose another --output, or remove the file first.
cli-option-runs = Folder of all runs.
cli-option-name = Name of the run; by default the recipe's.
cli-option-resume = Go on with the newest run of this recipe (or with --name) from its last good checkpoint.
cli-option-force = Train even where the plan says that it cannot fit.
cli-option-train-retries = How often the processes may be started again after a failure, instead of the recipe's resilience.max_restarts.
cli-option-launcher = Who starts the processes: this command each of them, or torchrun all.
cli-option-on-ray = Let Ray Train place the processes and start them again ("scale" is its extra), on the cluster that RAY_ADDRESS names, or else on this machine.
cli-option-prepare-only = Plan the recipe, make its run folder, print its path, and end: for launchers that start the processes themselves.
cli-option-to = Which scheduler it is for.
cli-option-submit = Hand it over to the scheduler (sbatch, or kubectl apply).
cli-option-image = Container image that has Headway, for Kubernetes.
cli-option-claim = Persistent volume claim for the runs, which all nodes can write, for Kubernetes.
cli-submit = Write the batch script or the manifest that trains a recipe on a cluster.
cli-submit-help = Write a batch script for Slurm, or a JobSet for Kubernetes, that makes the run's folder, starts its processes on every node, saves before the time ends, and goes on when it is started again. The runs must lie on a disk that all nodes see.

    { "  " }Example:  headway submit my.toml --to slurm --output job.sh
cli-option-prompt = Text to go on from.
cli-option-chat = Put the prompt into the model's chat template, and stop where the answer ends; by default where the run was trained on conversations.
cli-option-tokens = Tokens to write at most.
cli-option-temperature = Spread of the choice of tokens; 0 always takes the most likely one.
cli-option-top-k = Choose among so many of the most likely tokens.
cli-option-top-p = Choose among the most likely tokens that hold this probability together.
cli-option-seed = Key of the random choice.
cli-option-step = Checkpoint to use; by default the newest.
cli-option-steps = Optimizer steps, instead of the demo's own number.
cli-option-plot = Write a picture of loss and throughput (.png, .svg or .pdf).

cli-plan = Predict everything that a recipe will take.
cli-plan-help = Predict memory, time, storage, network, energy, cooling, cost, carbon and failures of a recipe, or of a model preset, before anything runs.

    { "  " }Example:  headway plan llama-3.1-8b --set hardware.accelerator=h100-sxm-80gb
cli-train = Train a recipe on this machine.
cli-train-help = Plan a recipe, train it, and lay what was measured beside what was predicted. The training survives a kill: go on with --resume.

    { "  " }Example:  headway train recipes/laptop.toml
cli-import = Turn a GGUF model into a folder to train from.
cli-import-help = Write the model of a GGUF file, quantised or not, as a folder with weights in fp32, config.json, tokenizer and chat template: what training.init_from and data.tokenizer take, and transformers loads.

    { "  " }Example:  headway import model-Q4_0.gguf --output my-base
cli-export = Write a model as one GGUF file, for serving.
cli-export-help = Write the model of a run, or of a Hugging Face folder, as one GGUF file that llama.cpp runs: weights in a chosen format, tokenizer and chat template. Formats, from the largest: f32, f16, bf16, q8_0, q6_k, q5_k_m, q5_k_s, q5_1, q5_0, q4_k_m, q4_k_s, q4_1, q4_0. Weights are read a few rows at a time, so that a model may be larger than the memory.

    { "  " }Example:  headway export demo --quant q4_k_m --output demo.gguf
# $bits (Number): of a weight on the average
cli-export-written = Wrote { $path }: { BYTES($size_bytes) }, { NUMBER($parameters) } parameters of { NUMBER($bits) } bits each.
cli-option-quant = Number format of the weights.
cli-option-output-gguf = The file to write; by default named after the model and the format.
cli-serve = Run a model behind an OpenAI-compatible endpoint.
cli-serve-help = Run a GGUF file with llama.cpp on this machine's processor, behind an endpoint that speaks OpenAI's protocol: /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models, /health and /metrics. It says how fast the model should write before it starts, and how fast it did when it ends. It listens on this machine only; with another --host everybody must show a key.

    { "  " }Example:  headway serve demo.gguf --port 8080
# What is said of a model in service; the first ones are rows of a table.
cli-serve-model = Model
cli-serve-weights = Weights
cli-serve-context = Context (requests x tokens)
cli-serve-cache = Key-value cache
cli-serve-memory = Memory that is free
cli-serve-threads = Threads
cli-serve-numa = NUMA policy
cli-serve-speed = Predicted speed of one answer, at most
cli-serve-larger = The weights ({ BYTES($weight_bytes) }) are larger than the memory that is free ({ BYTES($usable_bytes) }): they are read from the disk for each token, which takes seconds or minutes.
cli-serve-loading = Loading { $model } ...
cli-serve-ready = Serving at { $url }; Ctrl-C lets requests end and stops.
cli-serve-key = API key: { $key }
cli-serve-restart = It is started again.
cli-serve-served = Served { COUNT($requests) } requests, { COUNT($tokens) } tokens written.
cli-serve-measured = Speed of one answer: predicted { $predicted } at most, measured { $measured }.
cli-chat = Talk with a model in the terminal.
cli-chat-help = Talk with a GGUF file, or with a server that speaks OpenAI's protocol. Ctrl-C stops an answer; /new begins again, /exit leaves.

    { "  " }Example:  headway chat demo.gguf
cli-chat-hint = Ctrl-C stops an answer, /new begins again, /exit leaves.
cli-chat-stopped = (stopped)
cli-option-serve-host = Address to listen on; beyond this machine a key is asked for.
cli-option-serve-port = Port to listen on; 0 takes any that is free.
cli-option-api-key = Key that everybody must show, or the variable HEADWAY_API_KEY.
cli-option-ctx = Tokens of one request, prompt and answer together; by default what fits beside the weights.
cli-option-parallel = Requests that are worked on at the same time.
cli-option-queue = Requests that may wait beside them; more are answered with 429.
cli-option-serve-threads = Threads that compute; by default one for each physical core.
cli-option-kv-type = Number format of the key-value cache.
cli-option-numa = Policy for threads and pages on several memory domains; by default spread over all.
cli-option-mlock = Keep the weights in memory.
cli-option-embeddings = Answer /v1/embeddings too, which makes prompts slower.
cli-option-serve-grace = Seconds for which requests may go on after SIGTERM.
cli-option-json-lines = Print JSON, one line when it begins and one when it ends.
cli-option-system = What the model is told to be.
cli-generate = Write text with the model of a run.
cli-generate-help = Write text that goes on from a prompt, with the newest checkpoint of a run.

    { "  " }Example:  headway generate demo --prompt "def "
cli-run = Run any command, and keep it alive: restart what a restart can help, explain the rest.
cli-run-help = Run a command of any program in a process group of its own. Where it fails, its log is diagnosed; where another start can help (a lost device, a broken connection, a preemption, a hang), it is started again, a little later each time. It is told to stop when this command is, with time to save, and nothing that it started is left behind.

    { "  " }Example:  headway run --name llama --retries 5 -- torchrun train.py
cli-drill = Rehearse faults on a short version of a recipe.
cli-drill-help = Train a short version of a recipe once as it is, and once with each fault: killed processes, a hang, NaN, damaged checkpoints, full and read-only disks, and more. It says how soon each was noticed, how soon the run went on, which steps were done again, and whether the last weights are the same, byte for byte. It exits with 1 where a promise was not kept.

    { "  " }Example:  headway drill recipes/laptop.toml --fault killed-worker --fault full-disk
cli-option-fault = A fault to rehearse; may be given several times; all by default.
cli-option-drill-report = Write the table as one HTML page.
cli-preflight = Look at everything that a run needs, before it starts.
cli-preflight-help = Look at software, devices, memory, disk, limits, ports and the clock of this server, write a little to the disk, multiply on every core or device and compare with the right result, and add up over processes: all in seconds. It exits with 1 where a run would fail.

    { "  " }Example:  headway preflight recipes/laptop.toml
cli-option-check = Run only this check; may be given several times.
cli-preflight-passed = Ready ({ DURATION($seconds) }).
cli-preflight-failed = Not ready ({ DURATION($seconds) }).
cli-i18n = Begin, check and count translations.
cli-i18n-help = Messages lie in one Fluent catalogue for each language, which the command line, reports and the dashboard share.

    { "  " }Example:  headway i18n check
cli-i18n-new = Begin a language: its files, with English to translate from.
cli-i18n-new-help = Write the files of a language, every English message as a comment. Translate below each; what is not translated yet is shown in English.

    { "  " }Example:  headway i18n new sv
cli-i18n-check = Compare languages with English: missing or unknown messages, other arguments.
cli-i18n-check-help = Exits with 1 where something is wrong. A file that a language has at all must be whole.

    { "  " }Example:  headway i18n check de fr
cli-i18n-coverage = Tell how much of each file every language has.
cli-i18n-coverage-help = Count the messages of every language, file by file, beside English.

    { "  " }Example:  headway i18n coverage --json
cli-option-locales = Folder of the catalogues.
# $language (String)
cli-i18n-begun = { $language } is begun. Translate the comments, then run `headway i18n check { $language }`.
# $languages (Number), $findings (Number)
cli-i18n-checked = { $languages ->
    [one] { $languages } language
   *[other] { $languages } languages
} checked: { $findings ->
    [0] all is well.
    [one] { $findings } finding.
   *[other] { $findings } findings.
}
cli-column-language = language
cli-column-all = all
# $name (String): of the run
cli-train-paused = { $name } has stopped before its end, saved; what stands above tells why. Go on with --resume.
cli-watch = Show all runs live in a browser, with the planner and the diagnosis.
cli-watch-help = Start a web server on this machine, and print the address of the dashboard. It listens on loopback only; with another --host everybody must show a token.

    { "  " }Example:  headway watch runs
cli-option-host = Address to listen on; anything but loopback asks for a token.
cli-option-port = Port to listen on; 0 takes any that is free.
cli-option-token = Token to ask for; one is made up where it is needed and none is given.
cli-option-open = Open the dashboard in the browser.
# $url (String)
cli-watch-open = The dashboard is at { $url } (Ctrl-C ends it)
cli-watch-token = Whoever opens this address may read all runs: pass it on with care.
cli-diagnose = Say why a training failed, from its logs.
cli-diagnose-help = Read the logs of a job, of any framework, and say in one screen what the root cause was, how sure that is, what shows it, which rank failed first, and what to do.

    PATH may be a file, a folder, a pattern in quotes, an archive (.gz, .zst, .xz, .bz2, .tar, .zip), or - for the standard input. Nothing leaves this machine.

    { "  " }Example:  headway diagnose slurm-4711.out logs --json
cli-runs = List, show and compare runs, and read their ledgers.
cli-runs-help = Runs are folders; these commands read them, also while they train.

    { "  " }Example:  headway runs ledger demo
cli-runs-list = List all runs.
cli-runs-list-help = List all runs with their state, step and loss.

    { "  " }Example:  headway runs list --json
cli-runs-show = Show one run and what happened to it.
cli-runs-show-help = Show the state of one run, its last loss and speed, and what happened to it.

    { "  " }Example:  headway runs show demo --plot demo.png
cli-runs-compare = Compare runs side by side.
cli-runs-compare-help = Show which settings differ between runs, and what each run took.

    { "  " }Example:  headway runs compare demo demo-2
cli-runs-ledger = Show what was predicted beside what was measured.
cli-runs-ledger-help = Show every resource of a run: the prediction, the measurement and the error.

    { "  " }Example:  headway runs ledger demo
cli-runs-export = Write the model of a run for Hugging Face's libraries.
cli-runs-export-help = Write the newest checkpoint of a run as a folder that transformers loads. Where adapters were trained, the folder holds them alone, for peft, or with --merge the whole model with them added to its weights.

    { "  " }Example:  headway runs export my --output my-model
cli-runs-verify = Read all checkpoints of a run, and say which can be trusted.
cli-runs-verify-help = Read every checkpoint of a run as a resumed run would: the manifest, the checksum of every file, where it says that the training stood, and whether all numbers are finite. The exit code is 1 where one cannot be trusted. Memory for one checkpoint is needed.

    { "  " }Example:  headway runs verify demo
cli-verify-none = There are no checkpoints yet.
# $step (Number), $size (String)
cli-verify-good = Step { $step }: good, { $size }.
# $step (Number)
cli-verify-damaged = Step { $step }: not to be trusted.
cli-runs-none = There are no runs in { $folder } yet. Start one with `headway train RECIPE`, or see `headway demo`.
cli-plot-written = Wrote { $path }.
cli-demo = See everything once, on this machine, in a few minutes.
cli-demo-help = Probe this machine, plan a small Llama for it, train it on real text, kill it half-way with SIGKILL, resume it, and show the ledger and some text that it writes.

    { "  " }Example:  headway demo

cli-train-run = Run folder: { $path }
cli-train-stopped = Every step that was done is saved; go on with --resume.
cli-train-stopped-early = Stopped before the first step, so that there was nothing to save; --resume starts the run.
cli-train-complete = The run "{ $name }" is finished: all { $step } steps are done, and nothing was changed. For more, give it more with --set training.steps=N.
cli-stopped = Stopped.
cli-train-not-saved = Stopped, but the last steps could not be saved; --resume goes on from the last good checkpoint.
cli-train-line = step { $step }/{ $total }  loss { $loss }  { $speed }  memory { $memory }  left { $left }  predicted/measured time { $ratio }

# In a narrower terminal.
cli-train-line-medium = step { $step }/{ $total }  loss { $loss }  { $speed }  left { $left }
cli-train-line-short = { $step }/{ $total }  loss { $loss }  left { $left }

cli-demo-probe = 1/6 Probe this machine
cli-demo-plan = 2/6 Plan a small Llama for it
cli-demo-train = 3/6 Train it, and kill it with SIGKILL at step { $step }
cli-demo-killed = Killed with SIGKILL after step { $step }.
cli-demo-resume = 4/6 Resume it
cli-demo-ledger = 5/6 The ledger: predicted beside measured
cli-demo-generate = 6/6 Text from the model that was just trained
cli-demo-done = Done in { DURATION($seconds) }. Look at the run with `headway runs show { $run }`, and let it write more with `headway generate { $run }`.

cli-goodput-part = time of the run
cli-goodput-time = took
cli-goodput-share = share
cli-goodput-step = steps that count
cli-goodput-warm_up = warm-up
cli-goodput-data_stall = waiting for data
cli-goodput-checkpoint_stall = waiting for checkpoints
cli-goodput-evaluation = evaluation
cli-goodput-start = start
cli-goodput-restart = restarts and roll-backs
cli-goodput-lost_work = steps done in vain
cli-goodput-idle = nothing that is known
cli-goodput-all = all
cli-column-what = what
cli-column-split = split
cli-column-documents = documents
cli-column-tokens = tokens
cli-column-text_bytes = text
cli-column-file = file
cli-column-size = size
cli-column-sha256 = SHA-256
cli-column-value = value
cli-column-resource = resource
cli-column-quantity = quantity
cli-column-predicted = predicted
cli-column-interval = 80 % interval
cli-column-measured = measured
cli-column-error = error
cli-column-name = run
cli-column-status = state
cli-column-step = step
cli-column-loss = loss
cli-column-validation-loss = validation loss
cli-column-tokens-per-second = speed
cli-estimated = { $value } (estimated)

cli-probe-measured = Measured on { $when }; `headway probe --refresh` measures again.
cli-probe-processor = Processor
cli-probe-cores = Cores (usable / all)
cli-probe-instruction_sets = Instruction sets
cli-probe-memory = Memory
cli-probe-disk_free = Free disk
cli-probe-accelerators = Accelerators
cli-probe-triad = Memory bandwidth (triad)
cli-probe-matmul_fp32 = Matrix products, fp32
cli-probe-matmul_bf16 = Matrix products, bf16
cli-probe-matmul_int8 = Matrix products, int8
cli-probe-disk_write = Disk writing (flushed)
cli-probe-disk_read = Disk reading
