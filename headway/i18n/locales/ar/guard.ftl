guard-not-finite = نتيجة الخطوة { $step } ليست عددًا: الخسارة { $loss } ومعيار التدرّج { $gradient_norm }. لن يُطبَّق تحديثها.
guard-loss-spike = قفزت الخسارة عند الخطوة { $step }: { DECIMAL($loss, 4) } والوسيط { DECIMAL($median, 4) }، أي أعلى منه بمقدار { DECIMAL($deviations) } من الانحرافات.
guard-scale-collapse = انهار معامل تحجيم الخسارة في fp16 عند الخطوة { $step }: { $skipped ->
        [one] فاضت خطوة واحدة
        [two] فاضت خطوتان متتاليتان
        [few] فاضت { $skipped } خطوات متتالية
       *[other] فاضت { $skipped } خطوة متتالية
    }، وكان المعامل في آخرها { $loss_scale }.
guard-memory-creep = تزداد الذاكرة بمقدار { BYTES($bytes_per_second) } كل ثانية: بعد الخطوة { $step } تشغل العملية { BYTES($used_bytes) }، ولن يبقى شيء بعد { DURATION($left_seconds) }.
    .next = ابحث عمّا يزداد؛ وإعادة البدء تحرّر الذاكرة.
guard-disk = القرص يمتلئ: بعد الخطوة { $step } بقي فيه { BYTES($free_bytes) }، ونقطة الحفظ تشغل { BYTES($checkpoint_bytes) }.
    .next = حرّر مساحة قبل نقاط الحفظ التالية، أو خفّض resilience.keep_last.
guard-throughput = الخطوات بطيئة: حتى الخطوة { $step } تستغرق الواحدة { DURATION($step_seconds) }، { $beside ->
        [plan] والخطة { DURATION($expected_seconds) }
       *[best] وكانت في أفضل حالاتها { DURATION($expected_seconds) }
    }، أي { PERCENT($share) } من تلك السرعة.
    .next = افحص الحرارة والتغذية الكهربائية والبرامج الأخرى على الجهاز وشبكته.
guard-straggler = العملية { $rank } تؤخّر غيرها: عند الخطوة { $step } استغرق العمل نفسه لديها { DURATION($seconds) }، أي المعتاد مضروبًا في { DECIMAL($ratio) }.
    .next = افحص جهازها: الحرارة والتغذية الكهربائية والبرامج الأخرى؛ أو استبعده من البدء التالي.
guard-data-stall = الخطوات تنتظر بياناتها: { PERCENT($share) } من الزمن حتى الخطوة { $step }.
    .next = ضع البيانات على قرص أسرع، أو امنح هذه العملية معالجات أكثر.
guard-corruption = { $what ->
        [copies] نسخ الأوزان نفسها تختلف بين العمليات بعد الخطوة { $step }
       *[replay] نُفّذت الخطوة { $step } مرتين من الحالة نفسها بنتيجتين مختلفتين
    }{ $rank ->
        [-1] .
       *[other] : ما لدى العملية { $rank } يخالف ما لدى غيرها.
    }
guard-device-events = { $kind ->
        [uncorrectable] أبلغ الجهاز { $device } عن { $code ->
            [0] خطأ في الذاكرة لم يستطع تصحيحه
           *[other] خطأ Xid { $code }
        } قبل الخطوة { $step }.
        [xid] أبلغ الجهاز { $device } عن خطأ Xid { $code } قبل الخطوة { $step }.
        [corrected] الجهاز { $device }: صُحّح { $count ->
            [one] خطأ واحد في الذاكرة
            [two] خطآن في الذاكرة
            [few] { $count } أخطاء في الذاكرة
            [many] { $count } خطأً في الذاكرة
           *[other] { $count } خطأ في الذاكرة
        } قبل الخطوة { $step }.
        [power] أُبطئ الجهاز { $device } لنقص التغذية الكهربائية عند الخطوة { $step }.
       *[thermal] أُبطئ الجهاز { $device } بسبب الحرارة عند الخطوة { $step }.
    }
    .next = { $kind ->
        [thermal] افحص تبريده.
        [power] افحص تغذيته الكهربائية.
       *[other] اطلب فحصه بعد انتهاء التشغيل.
    }
guard-action-warn = يستمر التشغيل.
guard-action-skip = يستمر التشغيل بالدفعة التالية.
guard-action-roll-back = يعود التشغيل إلى الخطوة { $to_step } ويتجاوز تلك البيانات.
guard-action-pause = يتوقّف التشغيل مؤقتًا: يحفظ وينتهي. تابعه عبر --resume بعد زوال السبب.
guard-action-stop = يتوقّف التشغيل.
