supervisor-attempt-started = 第 { $attempt } 次启动。
supervisor-attempt-finished = 用时 { DURATION($seconds) }，已完成。
supervisor-attempt-stopped = 收到信号 { $signal }，已停止。
supervisor-attempt-failed = { $cause }（把握 { PERCENT($confidence) }）
supervisor-hang = 已有 { DURATION($silent_seconds) } 没有进展：判定为卡死，将其终止。
supervisor-retrying = { DURATION($wait_seconds) } 后重新启动。
supervisor-gave-up = { $reason ->
    [lasting] 不再重启：下次启动还会遇到同样的问题。
    [repeated] 不再重启：同一步两次发生了同样的问题。
   *[retries] 不再重启：允许的启动次数已用完。
}
supervisor-explained = 完整经过：headway diagnose { $path }
supervisor-no-command = 必须给出要运行的命令，但选项后面没有。
    .next = 请写在两个连字符之后，例如：headway run -- torchrun train.py
