### ジョブのスーパーバイザーの文言

supervisor-attempt-started = { $attempt } 回目の起動です。
supervisor-attempt-finished = { DURATION($seconds) } で完了しました。
supervisor-attempt-stopped = シグナル { $signal } により停止しました。
supervisor-attempt-failed = { $cause } (確度 { PERCENT($confidence) })
supervisor-hang = { DURATION($silent_seconds) } の間ステップが進んでいません: ハングしているため終了させます。
supervisor-retrying = { DURATION($wait_seconds) } 後に再起動します。
supervisor-gave-up = { $reason ->
    [lasting] 再起動しません: 次の起動でも同じ原因が残ります。
    [repeated] 再起動しません: 同じステップで同じことが 2 回起きました。
   *[retries] 再起動しません: 許可された起動回数を使い切りました。
}
supervisor-explained = 詳しい経緯: headway diagnose { $path }
supervisor-no-command = 実行するコマンドが必要ですが、オプションの後に指定されていません。
    .next = ハイフン 2 つの後に書いてください。例: headway run -- torchrun train.py
