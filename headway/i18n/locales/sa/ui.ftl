### फलकस्य वचनानि ।

## सर्वेषु पृष्ठेषु

ui-skip = विषयं प्रति
ui-language = भाषा
ui-dark = श्यामम्
ui-light = उज्ज्वलम्
ui-loading = आनीयते…
ui-no-page = ईदृशं पृष्ठं नास्ति ।
ui-disconnected = सम्पर्कः छिन्नः, पुनः प्रयत्यते
ui-error-page = एतत् पृष्ठं विफलम् : { $reason }
ui-error-server = वितरकः न प्रतिवदति । `headway watch` अद्यापि चलति किम् ?
ui-error-status = वितरकः { $status } इति स्थित्या प्रत्यवदत् ।

## प्रवर्तनानि

ui-runs = प्रवर्तनानि
ui-runs-filter = नाम्ना शोध्यताम्
ui-runs-compare = तोलनम् ({ $count })
ui-runs-none = अद्यावधि प्रवर्तनानि न सन्ति । `headway train RECIPE` इत्यनेन आरभ्यताम् ।
ui-runs-choose = तोलनाय वरणम्
ui-compare = प्रवर्तनानां तोलनम्
ui-column-name = नाम
ui-column-status = स्थितिः
ui-column-progress = प्रगतिः
ui-column-loss = हानिः
ui-column-validation = परीक्षणहानिः
ui-column-speed = वेगः
ui-column-changed = अन्तिमं चेष्टितम्

## एकं प्रवर्तनम्

ui-charts = आलेखाः
ui-charts-none = अद्यावधि किमपि पदं न कृतम् ।
ui-axis = क्षैतिजः अक्षः
ui-axis-step = पदानि
ui-axis-tokens = टोकनानि
ui-axis-time = कालः
ui-logarithmic = लघुगणकीयम्
ui-zoom-out = सर्वं दर्श्यताम्
ui-ledger = पूर्वानुमितं मितं च
ui-column-resource = साधनम्
ui-column-quantity = राशिः
ui-column-predicted = पूर्वानुमितम्
ui-column-measured = मितम्
ui-column-error = अन्तरम्
ui-estimated = { $value } (अनुमितम्)
ui-events = यद् वृत्तम्
ui-why = विरामस्य कारणम्

## मानानि

ui-metric-gradient_norm = प्रवणतायाः मानम्
ui-metric-learning_rate = शिक्षणगतिः
ui-metric-resident_bytes = प्रक्रियायाः स्मृतिः
ui-metric-data_seconds = प्रतिपदं दत्तांशप्रतीक्षा
ui-metric-loss_scale = हानिमापनी
ui-metric-is_skipped = लङ्घितम्

ui-tokens-per-second = { $count } टोकनानि/से

## योजना

ui-plan = योजना
ui-plan-model = प्रतिरूपम्
ui-plan-accelerator = त्वरकः
ui-plan-devices = उपकरणानि
ui-plan-tokens = टोकनानि
ui-plan-fits = स्मृतौ माति ।
ui-plan-memory = प्रत्युपकरणं स्मृतिः
ui-plan-step = एकपदस्य कालः
ui-plan-days = समग्रः कालः
ui-plan-mfu = प्रतिरूपस्य FLOPs-उपयोगः (MFU)
ui-plan-power = स्थलस्य विद्युच्छक्तिः
ui-plan-energy = ऊर्जा
ui-plan-carbon = अङ्गारोत्सर्गः
ui-plan-cost = व्ययः
ui-plan-goodput = सार्थकांशः
ui-part-parameters = प्राचलाः
ui-part-gradients = प्रवणताः
ui-part-optimizer = अनुकूलकः
ui-part-activations = सक्रियणानि
ui-part-logits = लॉजिट्-मानानि
ui-part-communication = सम्प्रेषणम्
ui-part-reserve = आरक्षितम्

## निदानम्

ui-diagnose = निदानम्
ui-diagnose-drop = वृत्तलेखः अत्र स्थाप्यतां, सञ्चिका वा व्रियताम् : यत्किमपि तन्त्रं, सङ्कुचितापि
ui-diagnose-private = यस्मिन् यन्त्रे अयं वितरकः चलति तत्रैव पठ्यते, अन्यत्र न गच्छति ।
ui-diagnose-first = प्रथमं वैफल्यम् : क्रमाङ्कः { $rank }, यन्त्रम् { $host }
ui-diagnose-remedies = किं कर्तव्यम्
ui-diagnose-evidence = प्रमाणम्

## वितरकः

ui-server = वितरकः
ui-server-processor = संसाधकः
ui-server-cores = गणनार्थाः कोराः
ui-server-memory = स्मृतिः
ui-server-disk = चक्रिकायां रिक्तम्
ui-server-accelerators = त्वरकाः
ui-server-advice = उपदेशाः
ui-server-fine = किमपि न परिवर्तनीयम् ।
