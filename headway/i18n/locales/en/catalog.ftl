# What a name was looked up as; used by the messages below.
catalog-kind = { $kind ->
    [accelerator] accelerator
    [cpu] processor
    [network] network
    [grid] grid
    [price] price
    [cooling] cooling rule
    [power] fact about power
    [constant] constant
    [failure] failure fact
    [model] model preset
   *[kind] kind of fact
}

# Errors: the value states the rule and what was received, .next states the next step.

catalog-unknown-name = The { catalog-kind } must be one that the catalogue knows: "{ $name }" is not.
    .next = { $closest ->
        [none] Use one of: { $known }.
       *[other] Did you mean "{ $closest }"?
    }
catalog-unreadable = Every catalogue file must be readable: { $file } could not be read ({ $reason }).
    .next = Install Headway again, or check the file's permissions.
catalog-not-toml = Every catalogue file must be valid TOML in UTF-8: { $file } is not ({ $reason }).
    .next = Mend the line named above.
catalog-not-a-table = Every entry must be a table: "{ $entry }" in { $file } is of type { $received }.
    .next = Write "{ $entry }" as a table in square brackets, with its facts below it.
catalog-bad-id = An id must be kebab-case (lower-case letters, digits, hyphens and dots): "{ $entry }" in { $file } is not.
    .next = Rename the entry; other spellings belong into its aliases.
catalog-unknown-field = Every field must be in the schema: "{ $field }" of "{ $entry }" in { $file } is not.
    .next = { $closest ->
        [none] Use one of: { $known }.
       *[other] Did you mean "{ $closest }"?
    }
catalog-missing-field = Every entry must state its { $field }: "{ $entry }" in { $file } does not.
    .next = Add { $field } to the entry.
catalog-wrong-type = { $field } must be of type { $expected }: in "{ $entry }" of { $file } it is { $received }.
    .next = Correct the value; leave the field out where nobody knows it.
catalog-bad-number = A number in the catalogue must be finite and not negative: { $field } of "{ $entry }" in { $file } is { $value }.
    .next = Correct the value; leave the field out where nobody knows it.
catalog-duplicate-name = A name must mean one entry: "{ $name }" of "{ $entry }" in { $file } also means "{ $other }".
    .next = Remove the name from one of the two.
