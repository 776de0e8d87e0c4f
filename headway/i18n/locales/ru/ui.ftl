### Что говорит панель.

## На каждой странице

ui-skip = К содержимому
ui-language = Язык
ui-dark = Тёмная тема
ui-light = Светлая тема
ui-loading = Загрузка…
ui-no-page = Такой страницы нет.
ui-disconnected = Связь потеряна, подключаемся снова
ui-error-page = Ошибка на этой странице: { $reason }
ui-error-server = Сервер не отвечает. `headway watch` ещё работает?
ui-error-status = Сервер ответил со статусом { $status }.

## Запуски

ui-runs = Запуски
ui-runs-filter = Фильтр по имени
ui-runs-compare = Сравнить ({ $count })
ui-runs-none = Запусков пока нет. Начните с команды `headway train RECIPE`.
ui-runs-choose = Выбрать для сравнения
ui-compare = Сравнение запусков
ui-column-name = Имя
ui-column-status = Состояние
ui-column-progress = Прогресс
ui-column-loss = Loss
ui-column-validation = Loss на валидации
ui-column-speed = Скорость
ui-column-changed = Последняя активность

## Один запуск

ui-charts = Графики
ui-charts-none = Ни одного шага ещё не выполнено.
ui-axis = Горизонтальная ось
ui-axis-step = Шаги
ui-axis-tokens = Токены
ui-axis-time = Время
ui-logarithmic = Логарифмическая
ui-zoom-out = Показать всё
ui-ledger = Прогноз и факт
ui-column-resource = Ресурс
ui-column-quantity = Величина
ui-column-predicted = Прогноз
ui-column-measured = Факт
ui-column-error = Отклонение
ui-estimated = { $value } (оценка)
ui-events = Что произошло
ui-why = Почему запуск остановился

## Метрики

ui-metric-gradient_norm = норма градиента
ui-metric-learning_rate = скорость обучения
ui-metric-resident_bytes = память процесса
ui-metric-data_seconds = ожидание данных на шаг
ui-metric-loss_scale = масштаб loss
ui-metric-is_skipped = пропущен

ui-tokens-per-second = { $count } токенов/с

## План

ui-plan = План
ui-plan-model = Модель
ui-plan-accelerator = Ускоритель
ui-plan-devices = Устройства
ui-plan-tokens = Токены
ui-plan-fits = Памяти хватает.
ui-plan-memory = Память на устройство
ui-plan-step = Время шага
ui-plan-days = Общее время
ui-plan-mfu = Утилизация FLOPs модели (MFU)
ui-plan-power = Мощность площадки
ui-plan-energy = Энергия
ui-plan-carbon = Углеродный след
ui-plan-cost = Стоимость
ui-plan-goodput = Goodput
ui-part-parameters = Параметры
ui-part-gradients = Градиенты
ui-part-optimizer = Оптимизатор
ui-part-activations = Активации
ui-part-logits = Логиты
ui-part-communication = Коммуникация
ui-part-reserve = Резерв

## Диагностика

ui-diagnose = Диагностика
ui-diagnose-drop = Перетащите сюда лог или выберите файл: любой фреймворк, можно в архиве
ui-diagnose-private = Лог читается на той же машине, где работает этот сервер, и никуда не передаётся.
ui-diagnose-first = Первый сбой: ранг { $rank }, хост { $host }
ui-diagnose-remedies = Что делать
ui-diagnose-evidence = На что это указывает

## Сервер

ui-server = Сервер
ui-server-processor = Процессор
ui-server-cores = Ядра для вычислений
ui-server-memory = Память
ui-server-disk = Свободно на диске
ui-server-accelerators = Ускорители
ui-server-advice = Советы
ui-server-fine = Менять ничего не нужно.
