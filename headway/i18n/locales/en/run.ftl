run-name-invalid = A run's name must start with a letter or digit and hold only letters, digits, dots, dashes and underscores: "{ $name }" does not.
    .next = Give another name with --name.
run-exists = A run's name must be new: { $root } already holds a run "{ $name }".
    .next = Continue it with --resume, or give another name with --name.
run-unknown = A run must exist to be opened: { $root } holds none called "{ $name }".
    .next = { $known ->
        [none] Start one with `headway train RECIPE`.
       *[other] { $closest ->
            [none] Known runs: { $known }.
           *[other] Did you mean "{ $closest }"? Known runs: { $known }.
        }
    }
run-unwritable = The run folder must be writable: { $path } could not be written ({ $reason }).
    .next = Check its permissions and free space, or choose another folder with --runs.
run-locked = A run belongs to one process at a time: another one is training "{ $name }".
    .next = Wait for it, stop it, or start a run of another name.
run-file-damaged = The files of a run must be readable: { $path } is not ({ $reason }).
    .next = Restore the file from a copy, or start a new run.
run-recipe-changed = A resumed run must keep the recipe it was started with: { $sections } changed since "{ $name }" started.
    .next = Undo the change, or start a new run without --resume.
run-steps-done = A resumed run cannot end before the steps that it has done: "{ $name }" has done { $done }, and the recipe asks for { $steps }.
    .next = Set training.steps to { $done } or more, or start a new run without --resume.
run-data-changed = A resumed run must keep the text it was started with: the files of [data] hold other text since "{ $name }" started.
    .next = Restore the text, or start a new run without --resume.
run-nothing-to-resume = A run must exist to be resumed: { $root } holds none for the recipe "{ $name }".
    .next = Start it without --resume.
# $name, $folder (String)
run-base-changed = A run must go on beside the weights that it began with: those in { $folder } are not the ones that "{ $name }" has its adapters for.
    .next = Put the weights of before back there, or start a new run.
# $path (String)
run-output-exists = A model is written to a new folder, so that nothing is overwritten: { $path } exists.
    .next = Name another folder with --output, or move that one away.
run-output-unwritable = A model is written to a folder that can be made: { $path } could not be ({ $reason }).
    .next = Name another folder with --output, or make room there.
run-no-checkpoint = A run must have a checkpoint: "{ $name }" has none yet.
    .next = Wait for its first checkpoint, or train it with --resume.
run-no-best = The best checkpoint is the one with the lowest validation loss, and { $name } has none that was evaluated.
    .next = Take the newest one, or train with training.evaluate_every_steps and resilience.keep_best.
run-step-twice = A checkpoint is chosen once: step { $step }, or the best one.
    .next = Leave out --step or --best.
run-no-such-step = A checkpoint must be one that the run has: "{ $name }" has none of step { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] It has none at all yet; wait for its first, or train it with --resume.
       *[other] It has those of the steps { $known }.
    }
run-checkpoints-gone = A run must have a checkpoint: those that "{ $name }" saved are not there any more.
    .next = Put them back from a copy, or train it again from the beginning with --resume.
run-no-metrics = A run must have trained for at least one step: "{ $name }" has not yet.
    .next = Start or resume it first.
run-plot-format = A picture's file name must end in one of { $known }: { $path } does not.
    .next = Give a name such as loss.png.
run-plot-missing = Pictures need the package { $package }, which is not installed.
    .next = In the folder of Headway's source, run `pip install ".[torch]"`.
run-plot-loss = loss (nats per token)
run-plot-speed = tokens per second
run-plot-step = optimizer step
run-plot-validation = { $name }, validation
# $program (String): the scheduler's; $reason (String): in English, from the system
run-no-scheduler = A job is handed over by the scheduler's own program: { $program } could not be started ({ $reason }).
    .next = Write the job with --output, and hand it over where { $program } is installed.
