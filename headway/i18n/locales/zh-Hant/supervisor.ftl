supervisor-attempt-started = 第 { $attempt } 次啟動。
supervisor-attempt-finished = 費時 { DURATION($seconds) }，已完成。
supervisor-attempt-stopped = 收到訊號 { $signal }，已停止。
supervisor-attempt-failed = { $cause }（把握 { PERCENT($confidence) }）
supervisor-hang = 已有 { DURATION($silent_seconds) } 沒有進展：判定為卡住，將其終止。
supervisor-retrying = { DURATION($wait_seconds) } 後重新啟動。
supervisor-gave-up = { $reason ->
    [lasting] 不再重新啟動：下次啟動還會遇到同樣的問題。
    [repeated] 不再重新啟動：同一步兩次發生了同樣的問題。
   *[retries] 不再重新啟動：允許的啟動次數已用完。
}
supervisor-explained = 完整經過：headway diagnose { $path }
supervisor-no-command = 必須有要執行的命令，但選項後面沒有。
    .next = 請寫在兩個連字號之後，例如：headway run -- torchrun train.py
