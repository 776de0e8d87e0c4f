### What the dashboard says.

## On every page

ui-skip = To the content
ui-language = Language
ui-dark = Dark
ui-light = Light
ui-loading = Loading…
ui-no-page = There is no such page.
ui-disconnected = Connection lost, trying again
# $reason (String): in English, from the browser
ui-error-page = This page failed: { $reason }
ui-error-server = The server does not answer. Is `headway watch` still running?
# $status (Number): of the HTTP answer
ui-error-status = The server answered with status { $status }.

## Runs

ui-runs = Runs
ui-runs-filter = Filter by name
# $count (Number): of the chosen runs
ui-runs-compare = Compare ({ $count })
ui-runs-none = There are no runs yet. Start one with `headway train RECIPE`.
ui-runs-choose = Choose for comparing
ui-compare = Runs side by side
ui-column-name = Name
ui-column-status = Status
ui-column-progress = Progress
ui-column-loss = Loss
ui-column-validation = Validation loss
ui-column-speed = Speed
ui-column-changed = Last sign of life

## One run

ui-charts = Charts
ui-charts-none = No step was done yet.
ui-axis = Horizontal axis
ui-axis-step = Steps
ui-axis-tokens = Tokens
ui-axis-time = Time
ui-logarithmic = Logarithmic
ui-zoom-out = Show all
ui-ledger = Predicted and measured
ui-column-resource = Resource
ui-column-quantity = Quantity
ui-column-predicted = Predicted
ui-column-measured = Measured
ui-column-error = Error
# $value (String): a quantity with its unit
ui-estimated = { $value } (estimated)
ui-events = What happened
ui-why = Why it stopped

## Metrics

ui-metric-gradient_norm = gradient norm
ui-metric-learning_rate = learning rate
ui-metric-resident_bytes = memory of the process
ui-metric-data_seconds = waiting for data, each step
ui-metric-loss_scale = loss scale
ui-metric-is_skipped = skipped

# $count (String): a number, already written
ui-tokens-per-second = { $count } tokens/s

## Plan

ui-plan = Plan
ui-plan-model = Model
ui-plan-accelerator = Accelerator
ui-plan-devices = Devices
ui-plan-tokens = Tokens
ui-plan-fits = It fits.
ui-plan-memory = Memory of a device
ui-plan-step = Time of a step
ui-plan-days = Time in all
ui-plan-mfu = Model FLOPs utilisation
ui-plan-power = Power of the site
ui-plan-energy = Energy
ui-plan-carbon = Carbon
ui-plan-cost = Cost
ui-plan-goodput = Goodput
ui-part-parameters = Parameters
ui-part-gradients = Gradients
ui-part-optimizer = Optimizer
ui-part-activations = Activations
ui-part-logits = Logits
ui-part-communication = Communication
ui-part-reserve = Reserve

## Diagnose

ui-diagnose = Diagnose
ui-diagnose-drop = Drop a log here, or choose a file: any framework, also packed
ui-diagnose-private = It is read on the machine that runs this server, and goes nowhere else.
# $rank (String), $host (String): a dash where unknown
ui-diagnose-first = First failure: rank { $rank }, host { $host }
ui-diagnose-remedies = What to do
ui-diagnose-evidence = What shows it

## Server

ui-server = Server
ui-server-processor = Processor
ui-server-cores = Cores to compute with
ui-server-memory = Memory
ui-server-disk = Free disk
ui-server-accelerators = Accelerators
ui-server-advice = Advice
ui-server-fine = Nothing to change.
