### What is said of the catalogues themselves.

# $tag (String)
i18n-tag = A language must be given by its tag, such as pt or zh-Hant, but { $tag } is none.
    .next = Look it up in the IANA Language Subtag Registry.
# $tag (String), $known (String)
i18n-language-unknown = There must be a catalogue of a language to check it, but there is none of { $tag }.
    .next = Begin one with `headway i18n new { $tag }`, or choose one of: { $known }.

# $message (String), $file (String)
i18n-missing = { $message } is missing in { $file }.ftl.
# $message (String), $file (String)
i18n-unknown = { $message } in { $file }.ftl is not in English.
# $message (String), $file (String), $detail (String): file that it belongs into
i18n-place = { $message } lies in { $file }.ftl, and not in { $detail }.ftl as in English.
# $message (String), $file (String), $detail (String): names with - or + before them
i18n-arguments = { $message } in { $file }.ftl takes other arguments than in English: { $detail }
# $message (String), $file (String), $detail (String): names with - or + before them
i18n-parts = { $message } in { $file }.ftl has other parts than in English: { $detail }
# $message (String), $file (String), $detail (String): names
i18n-functions = { $message } in { $file }.ftl calls what does not exist: { $detail }
# $detail (String): file and line
i18n-broken = { $detail } is no message.
