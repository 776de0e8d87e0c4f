### Что говорит супервизор задания.

supervisor-attempt-started = Старт { $attempt }.
supervisor-attempt-finished = Завершено за { DURATION($seconds) }.
supervisor-attempt-stopped = Остановлено по сигналу { $signal }.
supervisor-attempt-failed = { $cause } (уверенность { PERCENT($confidence) })
supervisor-hang = Ни одного шага за { DURATION($silent_seconds) }: задание зависло и будет завершено.
supervisor-retrying = Новый старт через { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Перезапуска не будет: при следующем старте причина останется.
    [repeated] Перезапуска не будет: на одном и том же шаге дважды случилось одно и то же.
   *[retries] Перезапуска не будет: разрешённое число стартов исчерпано.
}
supervisor-explained = Вся история: headway diagnose { $path }
supervisor-no-command = Нужна команда для выполнения, но после параметров её нет.
    .next = Напишите её после двух дефисов, например: headway run -- torchrun train.py
