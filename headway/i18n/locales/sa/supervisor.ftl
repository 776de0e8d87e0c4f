### कार्यस्य पर्यवेक्षकः यद् वदति ।

supervisor-attempt-started = आरम्भः { $attempt } ।
supervisor-attempt-finished = { DURATION($seconds) } इत्यस्मात् परं समाप्तम् ।
supervisor-attempt-stopped = सङ्केतेन { $signal } यथा प्रार्थितं तथा विरतम् ।
supervisor-attempt-failed = { $cause } (निश्चयः { PERCENT($confidence) })
supervisor-hang = { DURATION($silent_seconds) } यावत् किमपि पदं न कृतम् : स्तब्धम्, अतः समाप्यते ।
supervisor-retrying = { DURATION($wait_seconds) } इत्यस्मात् परं पुनः आरभ्यते ।
supervisor-gave-up = { $reason ->
    [lasting] पुनः न आरभ्यते : आगामिनि आरम्भेऽपि तदेव कारणं स्यात् ।
    [repeated] पुनः न आरभ्यते : तस्मिन्नेव पदे तदेव द्विः अभवत् ।
   *[retries] पुनः न आरभ्यते : अनुमता आरम्भसङ्ख्या समाप्ता ।
}
supervisor-explained = सम्पूर्णं वृत्तम् : headway diagnose { $path }
supervisor-no-command = चालनीयः आदेशः भवेत्, विकल्पेभ्यः परं तु कोऽपि नास्ति ।
    .next = लघुरेखाद्वयात् परं लिख्यतां, यथा : headway run -- torchrun train.py
