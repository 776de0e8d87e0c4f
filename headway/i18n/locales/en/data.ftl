# Errors: the value states the rule and what was received, .next states the next step.

# Finding the files.
data-path-missing = Every path in data.paths must exist: { $path } does not.
    .next = Check the spelling; a relative path starts from the working folder.
data-pattern-matches-nothing = A pattern in data.paths must match at least one file: { $path } matches none.
    .next = Check the pattern; `**` stands for any number of folders, and it starts from the working folder.
data-folder-without-text = A folder in data.paths must hold files with a known suffix of text: { $path } holds none.
    .next = Name the files with a pattern, which takes any suffix: "{ $path }/**/*".
data-not-a-file = The data must be in regular files: { $path } is { $kind ->
        [fifo] a named pipe
        [socket] a socket
        [folder] a folder
       *[device] a device
    }.
    .next = Save the data as a file, and name that file in data.paths.
data-format-unsupported = The data must be text, JSON Lines or Parquet, the first two also with .gz or .zst: { $path } ends in { $suffix }.
    .next = Convert it, for instance to JSON Lines: one JSON object on each line, with the text in the field that data.text_field names.
data-unreadable = Every file of the data must be readable: { $path } could not be read ({ $reason }).
    .next = Check that the file is there and that you may read it.
data-empty = The data must hold some text: no file has any.
    .next = Check data.paths, and that data.max_bytes is not too small.
data-changed-while-reading = The data must stay the same while it is prepared: it changed between the first and the second reading.
    .next = Wait until nothing writes to the files any more, then run the command again.

# Object storage and servers.
data-url-unreachable = What a URL names must be there and readable: { $path } is not ({ $reason }).
    .next = Check the address, your credentials for that store, and the network.
data-url-protocol = A URL must be of a store that fsspec knows, such as { $known }: { $path } begins with "{ $scheme }".
    .next = Check the address; a local path is written without "://".
data-driver-missing = Files of { $scheme }:// need a driver that is not installed.
    .next = Run `{ $command }`.
data-driver-unknown = Files of { $scheme }:// need a driver that is not installed ({ $reason }).
    .next = Install the driver that the reason names.
data-prepared-missing = Prepared data must be a folder that `headway data prepare --output` wrote: { $path } has no manifest.json.
    .next = Check data.prepared, or name the text itself with data.paths.
data-prepared-damaged = Prepared data must be as it was written: in { $path }, { $file } is not.
    .next = Copy it again, or prepare it again.
data-output-exists = Prepared data must go to a new place: { $path } is there already.
    .next = Choose another one, or remove it.
data-output-unwritable = Prepared data must go where it can be written: { $path } cannot be ({ $reason }).
    .next = Choose a folder of your own, on a disk with room.
data-card-missing = Prepared data must have its data card: { $path } has none that can be read.
    .next = Run `headway data prepare` on the recipe again.
data-sources-tokenizers = All sources must have one tokenizer: "{ $other }" was prepared with another one than "{ $first }".
    .next = Prepare them with the same data.tokenizer, a file.
data-sources-kinds = All sources must be text, or all conversations: "{ $first }" and "{ $other }" are not alike.
    .next = Set data.format to "text" or "chat" for all of them, or leave one out.
data-worker-killed = A process that prepares the data was killed, perhaps since memory ran out.
    .next = Run the command again with fewer --workers; what was done is kept.

# Reading them.
data-corrupt-file = Every file of the data must be whole: { $path } is damaged or cut off ({ $reason }).
    .next = Copy or download the file again.
data-not-utf8 = Text must be in UTF-8: { $path } is not, at byte { $offset_bytes } (counted from 0, after decompression).
    .next = Convert the file, for instance with `iconv -f latin1 -t utf-8`, or take it out of data.paths.
data-line-not-utf8 = Text must be in UTF-8: line { $line } of { $path } is not, at byte { $offset_bytes } of the file (counted from 0, after decompression).
    .next = Convert the file, for instance with `iconv -f latin1 -t utf-8`, or leave such lines out with data.on_bad_row = "skip".
data-row-not-utf8 = Text must be in UTF-8: in { $path }, column "{ $field }" of row { $line } is not.
    .next = Write the file again from text that is in UTF-8.
data-line-too-long = A line of JSON Lines must be shorter than { BYTES($limit_bytes) }: line { $line } of { $path } is longer.
    .next = Check that the file has one JSON object on each line, and split documents of this length, or leave them out with data.on_bad_row = "skip".
data-json-invalid = Every line of JSON Lines must be valid JSON: line { $line } of { $path } is not, from its character { $character } on ({ $reason }).
    .next = Mend or remove that line, or leave such lines out with data.on_bad_row = "skip".
data-json-not-object = Every line of JSON Lines must be a JSON object: line { $line } of { $path } is { $found ->
        [array] an array
        [string] a string
        [number] a number
        [boolean] true or false
       *[null] null
    }.
    .next = Write one object on each line, such as {"{"}"text": "..."{"}"}.
data-field-missing = Every line must have the field that data.text_field names, "{ $field }": line { $line } of { $path } has { $present ->
        [none] no field
       *[other] only { $present }
    }.
    .next = Set data.text_field to the field that holds the text.
data-field-type = The text must be a string: in { $path }, "{ $field }" of row { $line } is { $found ->
        [object] an object
        [array] an array
        [number] a number
        [boolean] true or false
       *[null] null
    }.
    .next = Set data.text_field to the field that holds the text, or remove that row.
data-lone-surrogate = The text must be valid Unicode: in { $path }, "{ $field }" of row { $line } has half of a surrogate pair.
    .next = Mend or remove that row, or leave such rows out with data.on_bad_row = "skip".
data-column-missing = A Parquet file must have the column that data.text_field names, "{ $field }": { $path } has { $present ->
        [none] no column
       *[other] only { $present }
    }.
    .next = Set data.text_field to the column that holds the text.
data-column-type = The text column of a Parquet file must hold strings: in { $path }, "{ $field }" holds { $found }.
    .next = Set data.text_field to the column that holds the text.
data-package-missing = Reading this data needs the package { $package }, and it is not installed.
    .next = In the folder of Headway's source, run `{ $command }`.

# Conversations.
data-chat-file-kind = Conversations must be in JSON Lines or Parquet: { $path } is neither.
    .next = Convert it, or set data.format to "text".
data-chat-columns = A Parquet file of conversations must have the columns messages, or prompt and completion, or instruction and output: { $path } has { $present ->
        [none] no column
       *[other] only { $present }
    }.
    .next = Rename its columns, or set data.format to "text".
data-chat-shape = A conversation must have the fields messages, or prompt and completion, or instruction and output: line { $line } of { $path } has { $present ->
        [none] none
       *[other] { $present }
    }.
    .next = Rename its fields, or set data.format to "text".
data-chat-messages-type = "{ $field }" must be a list of messages: in { $path }, that of row { $line } is { $found ->
        [object] an object
        [string] a string
        [number] a number
        [boolean] true or false
        [empty] empty
       *[null] null
    }.
    .next = Write a list such as [{"{"}"role": "user", "content": "..."{"}"}, {"{"}"role": "assistant", "content": "..."{"}"}], or leave such rows out with data.on_bad_row = "skip".
data-chat-message-type = Each message must be an object with role and content: in { $path }, message { $message } of row { $line } is { $found ->
        [array] an array
        [string] a string
        [number] a number
        [boolean] true or false
       *[null] null
    }.
    .next = Write it as {"{"}"role": "user", "content": "..."{"}"}, or leave such rows out with data.on_bad_row = "skip".
data-chat-text-type = "{ $field }" must be a string: in { $path }, that of row { $line } is { $found ->
        [object] an object
        [array] an array
        [number] a number
        [boolean] true or false
       *[null] null
    }.
    .next = Mend or remove that row, or leave such rows out with data.on_bad_row = "skip".
data-chat-content-type = The content of a message must be a string: in { $path }, that of message { $message } of row { $line } is { $found ->
        [object] an object
        [array] an array
        [number] a number
        [boolean] true or false
       *[null] null
    }.
    .next = Write its text as one string, or leave such rows out with data.on_bad_row = "skip".
data-chat-role = The role of a message must be one of { $known }: in { $path }, that of message { $message } of row { $line } is "{ $role }".
    .next = Mend that row, or leave such rows out with data.on_bad_row = "skip".
data-chat-empty-message = A message must have some content: in { $path }, message { $message } of row { $line } ({ $role }) has none.
    .next = Mend or remove that row, or leave such rows out with data.on_bad_row = "skip".
data-chat-special-token = A message must not spell a special token of the tokenizer, which would end a turn or speak for another role: in { $path }, message { $message } of row { $line } has { $token }.
    .next = Take it out of the text, or leave such rows out with data.on_bad_row = "skip".
data-chat-tool-calls = Tool calls need a chat template that knows them: { $template } does not, and message { $message } of row { $line } of { $path } has some.
    .next = Take a tokenizer whose template has "tool_calls", or leave such rows out with data.on_bad_row = "skip".
data-chat-without-answer = Where only answers count, a conversation must have one: row { $line } of { $path } has no message of the assistant.
    .next = Set data.loss_on to "all", or leave such rows out with data.on_bad_row = "skip".
data-chat-answer-unclear = The chat template must show which text is the answer: with { $template }, the text of message { $message } of row { $line } of { $path } changes with what comes after it.
    .next = Mark answers in the template with {"{"}% generation %{"}"} and {"{"}% endgeneration %{"}"}, or set data.loss_on to "all".
data-chat-template-refuses = The chat template must accept each conversation: { $template } refuses row { $line } of { $path } ({ $reason }).
    .next = Mend that row, or leave such rows out with data.on_bad_row = "skip".
data-chat-template-invalid = The chat template must be one that can be read: { $path } cannot ({ $reason }).
    .next = Download or export the tokenizer's files again.
data-chat-template-missing = Conversations need the chat template of the tokenizer's model: beside { $path } lies neither chat_template.jinja nor a tokenizer_config.json with "chat_template".
    .next = Put the model's chat_template.jinja beside its tokenizer.json, or set data.tokenizer to "bpe" or "byte".

# Tokenizers.
data-unknown-tokenizer = data.tokenizer must be "byte", "bpe", or the path of a tokenizer.json: "{ $name }" is neither.
    .next = { $closest ->
        [none] Check the path; a relative one starts from the working folder.
       *[other] Did you mean "{ $closest }"?
    }
data-tokenizer-missing = data.tokenizer must name a file tokenizer.json or a folder that holds one: { $path } is not a file.
    .next = Check data.tokenizer.
data-tokenizer-invalid = The tokenizer must be a tokenizer.json of the Hugging Face format: { $path } is not ({ $reason }).
    .next = Download or export the file again; the older formats (vocab.json, tokenizer.model) must be converted first.
data-tokenizer-without-end = The tokenizer must have a special token that ends a document, one of { $expected }: { $path } has { $found ->
        [none] no special token
       *[other] only { $found }
    }.
    .next = Add one of these to the added_tokens of the file, with "special": true.
data-vocabulary-too-small = A trained tokenizer needs a vocabulary of at least { $minimum }, for all bytes and the special tokens: model.vocab_size is { $vocab_size }.
    .next = Raise model.vocab_size to { $minimum } or more; 4096 suits a small model.
data-vocabulary-too-large = The model must have a row for every id of the tokenizer: the tokenizer has { $tokenizer_size } ids and model.vocab_size is { $vocab_size }.
    .next = Raise model.vocab_size to { $tokenizer_size } or more, or choose another tokenizer.

# Tokens.
data-no-targets = The split "{ $split }" must hold something to learn: of its { $tokens } tokens, none is of an answer.
    .next = Add conversations with answers, or set data.loss_on = "all".
data-too-few-tokens = The split "{ $split }" must hold at least one sample, { $needed_tokens } tokens: it holds { $tokens }.
    .next = { $split ->
        [validation] Raise data.validation_fraction, add data, or shorten training.sequence_length.
       *[other] Add data, or shorten training.sequence_length.
    }
data-cache-unusable = The cache of prepared data must be a folder that can be written: { $path } cannot be used ({ $reason }).
    .next = Set data.cache, or the environment variable HEADWAY_CACHE, to a folder of your own.
data-disk-full = The disk must have room for the prepared data, about { BYTES($needed_bytes) }: { $path } has { BYTES($free_bytes) } left.
    .next = Free some space, or set data.cache to a folder on a larger disk. Nothing was left behind.

# Notices.
data-cache-damaged = The prepared data in { $path } was damaged ({ $file }) and has been prepared anew.
    .next = If this happens again, check the disk.
data-rows-skipped = { $rows ->
        [one] One row was left out, since it cannot be used:
       *[other] { COUNT($rows) } rows were left out, since they cannot be used. The first:
    }

# Stages of the preparation.
data-progress-verifying = Checking the prepared data
data-progress-waiting = Waiting for another process that prepares the same data
data-progress-reading = Reading the text
data-progress-tokenizer = Training the tokenizer
data-progress-encoding = Turning text into tokens
