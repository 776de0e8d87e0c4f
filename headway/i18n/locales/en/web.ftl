### What the web server says when a request cannot be answered, or it cannot start.

# $path (String)
web-not-found = There is nothing at { $path }.
    .next = Look at `/`, or at docs/reference for the addresses of the API.
# $method (String), $path (String)
web-method = { $path } cannot be asked with { $method }.
    .next = Use GET to read, and POST to plan or to diagnose.
web-not-built = The dashboard's files must be built, but they are not there.
    .next = Install Headway with `pip install .`, or run `make venv` in the folder of its source.
# $package (String), $extra (String)
web-package-missing = The dashboard needs { $package }, which is not installed.
    .next = In the folder of Headway's source, run `pip install ".[{ $extra }]"`.
# $host (String), $port (Number)
web-port-taken = Port { $port } of { $host } must be free, but another program has it.
    .next = Choose another one with --port, or any that is free with --port 0.
# $host (String), $port (Number), $reason (String): in English, from the system
web-address = The dashboard cannot listen on { $host }, port { $port }: { $reason }
    .next = Choose an address of this machine with --host, and a port above 1023 with --port.
# $host (String): as the browser sent it
web-host = This server must be asked by a name that it knows, but was asked for { $host }.
    .next = Open the address that `headway watch` printed, or start it with --host and the name that you use.
# $origin (String)
web-origin = Only pages of this server may ask, but a page of { $origin } did.
    .next = Open the dashboard itself; other programs must send no Origin.
web-token = A token must be shown, and none or a wrong one was.
    .next = Open the address that `headway watch` printed, or send `Authorization: Bearer TOKEN`.
# $name (String)
web-outside = A run must lie in the folder of all runs, but { $name } is a link out of it.
    .next = Start `headway watch` on the folder that it leads to.
# $setting (String): the setting of the recipe, as in a recipe
web-plan-opens-file = A plan for a browser opens no file of this server, but { $setting } names one.
    .next = Write the model's sizes into the recipe, or run `headway plan` on the server.
# $reason (String): in English, from the JSON library
web-body-json = The body must be a JSON object, but is not: { $reason }
    .next = Send the sections of a recipe as one JSON object.
# $limit_bytes (Number)
web-body-large = A request may carry { BYTES($limit_bytes) }, but this one is larger.
    .next = Use the command line where the file lies.
web-body-empty = There must be a log in the body, but it is empty.
    .next = Send the file itself as the body.
# $name (String), $value (String)
web-query-number = { $name } must be a number, but is { $value }.
    .next = Leave it out, or give a number.
# $name (String), $value (String), $largest (Number)
web-query-count = { $name } must be a whole number from 1 to { $largest }, but is { $value }.
    .next = Leave it out, or give such a number.
# $value (String), $known (String)
web-axis = The axis must be one of { $known }, but is { $value }.
    .next = Choose one of them.
# $name (String), $run (String), $known (String)
web-no-metric = { $run } has no metric { $name } yet.
    .next = Choose one of: { $known }.
# $name (String)
web-no-catalogue = There are no messages named { $name }.
    .next = Load the page anew: a new version may be running.
