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
recipe-field-missing = The recipe must state { $field }, and neither it nor a preset does.
    .next = Set { $field }, or choose a preset with `[model] preset = "llama-3.1-8b"`.
recipe-field-range = { $field } must be { $kind ->
        [greater_than] greater than
        [greater_than_equal] at least
        [less_than] less than
       *[less_than_equal] at most
    } { DECIMAL($bound, 18) }: it is { $value }.
    .next = Change { $field }.
recipe-field-choice = { $field } must be { $choices }: it is { $value }.
    .next = Choose one of the values named above.
recipe-field-type = { $field } cannot take the value { $value }; expected: { $expected }.
    .next = Change { $field }; quantities may be written as "15.6T", "80 GiB" or "7d".
recipe-override-shape = A setting on the command line must read section.key=value: `{ $override }` does not.
    .next = Write it like `--set training.steps=100`.
recipe-model-twice = The model's shape must come from one place: both preset "{ $preset }" and config "{ $config }" are given.
    .next = Remove one of the two from [model].
recipe-config-unreadable = [model] config must be a readable config.json: { $path } could not be read ({ $reason }).
    .next = Check the path; it starts from the recipe's folder.
recipe-config-not-json = [model] config must be a JSON object: { $path } is not ({ $reason }).
    .next = Point [model] config to the config.json of a Hugging Face model.
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
recipe-batch-not-divisible = global_batch_size must be a multiple of micro_batch_size times data_parallel_degree: { $global_batch_size } is not a multiple of { $product }.
    .next = Set training.global_batch_size to { $lower } or { $upper }.
recipe-data-twice = The text must come from one place: both source "{ $source }" and paths "{ $paths }" are given.
    .next = Remove data.source or data.paths.
recipe-experts-incomplete = A mixture of experts must state both num_experts and num_experts_per_tok.
    .next = Set the missing one in [model].
recipe-experts-too-few = num_experts_per_tok must not exceed num_experts: { $num_experts_per_tok } is more than { $num_experts }.
    .next = Lower model.num_experts_per_tok.
recipe-devices-not-divisible = Several nodes must all be full: { $devices } devices do not fill nodes of { $devices_per_node }.
    .next = Change hardware.devices to a multiple of { $devices_per_node }.
