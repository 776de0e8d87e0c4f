### प्रवर्तने यद् भवति, एकैकया पङ्क्त्या ।

event-started = प्रशिक्षणम् आरभ्यते ।
event-resumed = प्रशिक्षणं { $step } इति पदात् परम् अनुवर्तते ।
event-data-ready = दत्तांशाः : लेखाः { COUNT($documents) }, पाठः { BYTES($text_bytes) }, टोकनानि { COUNT($tokens) } (प्रत्येकं { DECIMAL($bytes_per_token) } बैट्) ।
event-checkpoint-saved = पदे { $step } रक्षितबिन्दुः : { BYTES($bytes) }, { DURATION($seconds) } इति काले ।
event-evaluated-answers = पदे { $step } परीक्षणम् : हानिः { DECIMAL($loss, 4) }, सम्भ्रममानम् { DECIMAL($perplexity) } ।
event-evaluated = पदे { $step } परीक्षणम् : हानिः { DECIMAL($loss, 4) }, सम्भ्रममानम् { DECIMAL($perplexity) }, प्रतिबैटं { DECIMAL($bits_per_byte) } बिट् ।
event-step-skipped = पदं { $step } लङ्घ्यते : { $loss_scale } इति हानिमापन्या तस्य प्रवणताः fp16 इत्यत्र सीमाम् अत्यक्रामन् ; मापनी अर्धीक्रियते ।
event-finished = समाप्तम् ।
event-stopped-early = { $step } इति पदात् परं शीघ्रमेव विरतं, यतः उत्कर्षः न भवति : न्यूनतमा परीक्षणहानिः { DECIMAL($loss, 4) } { $best_step } इति पदस्य, यस्य रक्षितबिन्दुः स्थाप्यते । --best इत्यनेन सः गृह्यताम् ।
event-step-abandoned = प्रवर्तनेन विरन्तव्यम् इति { DURATION($seconds) } इत्यस्मात् परं पदं { $step } त्यक्तम् ; अनुवर्तने तत् पुनः क्रियते ।
event-checkpoint-interval = रक्षितबिन्दूनाम् अन्तरम् अधुना { DURATION($seconds) }, प्राक् { DURATION($before_seconds) } : वैफल्यं प्रति { DURATION($mtbf_seconds) } सम्भाव्यते, रक्षितबिन्दुश्च कार्यं { DURATION($stall_seconds) } यावत् रुणद्धि ।
event-stopped = विरतम् ।
event-failed = विफलम् ।
