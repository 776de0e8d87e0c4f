supervisor-attempt-started = البدء رقم { $attempt }.
supervisor-attempt-finished = اكتمل بعد { DURATION($seconds) }.
supervisor-attempt-stopped = توقّف استجابةً للإشارة { $signal }.
supervisor-attempt-failed = { $cause } (بثقة { PERCENT($confidence) })
supervisor-hang = لا خطوة منذ { DURATION($silent_seconds) }: لقد تجمّد، ويجري إنهاؤه.
supervisor-retrying = يبدأ من جديد بعد { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] لن يبدأ من جديد: سيبقى السبب قائمًا في البدء التالي أيضًا.
    [repeated] لن يبدأ من جديد: حدث الأمر نفسه مرتين عند الخطوة نفسها.
   *[retries] لن يبدأ من جديد: استُنفد عدد مرات البدء المسموح به.
}
supervisor-explained = القصة كاملة: headway diagnose { $path }
supervisor-no-command = يجب أن يكون هناك أمر لتنفيذه، لكن لا شيء بعد الخيارات.
    .next = اكتبه بعد شرطتين، مثلًا: headway run -- torchrun train.py
