### ランで起きたこと (1 行ずつ)

event-started = 学習を開始します。
event-resumed = ステップ { $step } の続きから学習を再開します。
event-data-ready = データ: { COUNT($documents) } 文書、テキスト { BYTES($text_bytes) }、{ COUNT($tokens) } トークン (1 トークンあたり { DECIMAL($bytes_per_token) } バイト)。
event-checkpoint-saved = ステップ { $step } のチェックポイント: { BYTES($bytes) }、所要時間 { DURATION($seconds) }。
event-evaluated-answers = ステップ { $step } の検証: 損失 { DECIMAL($loss, 4) }、パープレキシティ { DECIMAL($perplexity) }。
event-evaluated = ステップ { $step } の検証: 損失 { DECIMAL($loss, 4) }、パープレキシティ { DECIMAL($perplexity) }、1 バイトあたり { DECIMAL($bits_per_byte) } ビット。
event-step-skipped = ステップ { $step } をスキップします: 損失スケール { $loss_scale } で fp16 の勾配がオーバーフローしたため、スケールを半分にします。
event-finished = 完了しました。
event-stopped-early = 改善が見られないため、ステップ { $step } で早期終了しました。最小の検証損失はステップ { $best_step } の { DECIMAL($loss, 4) } で、そのチェックポイントは残してあります。--best で利用できます。
event-step-abandoned = 停止の指示を受けたため、ステップ { $step } を { DURATION($seconds) } で打ち切りました。ランの再開時にやり直します。
event-checkpoint-interval = チェックポイントの間隔を { DURATION($before_seconds) } から { DURATION($seconds) } に変更しました。故障は { DURATION($mtbf_seconds) } に 1 回の見込みで、チェックポイント 1 回につき処理が { DURATION($stall_seconds) } 止まります。
event-stopped = 停止しました。
event-failed = 失敗しました。
