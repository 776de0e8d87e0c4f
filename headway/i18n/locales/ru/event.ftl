### Что происходит с запуском, по одной строке.

event-started = Обучение начинается.
event-resumed = Обучение продолжается после шага { $step }.
event-data-ready = Данные: документов — { COUNT($documents) }, текста — { BYTES($text_bytes) }, токенов — { COUNT($tokens) } (по { DECIMAL($bytes_per_token) } байта на токен).
event-checkpoint-saved = Чекпоинт на шаге { $step }: { BYTES($bytes) } за { DURATION($seconds) }.
event-evaluated-answers = Валидация на шаге { $step }: loss { DECIMAL($loss, 4) }, перплексия { DECIMAL($perplexity) }.
event-evaluated = Валидация на шаге { $step }: loss { DECIMAL($loss, 4) }, перплексия { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } бит на байт.
event-step-skipped = Шаг { $step } пропущен: градиенты переполнились в fp16 при масштабе loss { $loss_scale }; масштаб уменьшен вдвое.
event-finished = Готово.
event-stopped-early = Ранняя остановка после шага { $step }: улучшений больше нет. Наименьший loss на валидации — { DECIMAL($loss, 4) } на шаге { $best_step }, его чекпоинт сохранён. Используйте его с --best.
event-step-abandoned = Шаг { $step } прерван через { DURATION($seconds) }, так как запуск нужно остановить; при продолжении шаг будет выполнен заново.
event-checkpoint-interval = Интервал между чекпоинтами теперь { DURATION($seconds) } вместо { DURATION($before_seconds) }: сбой ожидается каждые { DURATION($mtbf_seconds) }, а чекпоинт останавливает работу на { DURATION($stall_seconds) }.
event-stopped = Остановлено.
event-failed = Сбой.
