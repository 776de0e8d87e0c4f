### The page that `headway plan --report` writes.

# $name (String): of the recipe
report-title = Plan: { $name }
report-messages = Obstacles and warnings
report-charts = Charts
report-tables = Everything that it takes
report-phases = Phases
report-published = Beside what was published
report-layouts = Layouts
report-watch = What to watch
report-explanations = How the numbers came about
report-recipe = The recipe
# $version (String)
report-footer = Made by Headway { $version }. Intervals hold 80 % of all cases. This page loads nothing from anywhere.
report-chart-memory = Memory of one device, by part
report-chart-time = One step, by part
report-chart-layouts = Time and memory of all layouts that fit; each point tells its cost beside the chosen one's
report-chart-power = Power of the facility, by part
report-chart-cost = Cost, by part
report-chart-front = front: no other layout is as fast, as lean and as cheap at once
report-chart-chosen = chosen
report-chart-other = other layouts
# $path (String)
report-written = Written: { $path }
