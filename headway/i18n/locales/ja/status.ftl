### ランの状態

status-created = 作成済み
status-running = 実行中
status-finished = 完了
status-failed = 失敗
status-interrupted = 中断
status-damaged = 破損
