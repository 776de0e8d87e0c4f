# 学習中にガードが知らせる内容。続けて、どう対処するかが表示される。

guard-not-finite = ステップ { $step } の値が有限ではありません: 損失は { $loss }、勾配ノルムは { $gradient_norm } です。このステップの更新は行いません。
guard-loss-spike = ステップ { $step } で損失のスパイクが起きました: 中央値 { DECIMAL($median, 4) } に対して { DECIMAL($loss, 4) } で、偏差の { DECIMAL($deviations) } 倍上回っています。
guard-scale-collapse = ステップ { $step } で fp16 の損失スケールが急落しました: { $skipped ->
        [1] 1 ステップがオーバーフローし
       *[other] { $skipped } ステップ連続でオーバーフローし
    }、最後のスケールは { $loss_scale } でした。

guard-memory-creep = メモリが毎秒 { BYTES($bytes_per_second) } ずつ増えています: ステップ { $step } の時点でプロセスは { BYTES($used_bytes) } を使用しており、あと { DURATION($left_seconds) } で空きがなくなります。
    .next = 増え続けている箇所を調べてください。再起動すれば解放されます。
guard-disk = ディスクの空きが減っています: ステップ { $step } の時点で残り { BYTES($free_bytes) }、チェックポイント 1 つに { BYTES($checkpoint_bytes) } 必要です。
    .next = 次のチェックポイントまでに空きを作るか、resilience.keep_last を小さくしてください。
guard-throughput = ステップが遅くなっています: ステップ { $step } までの 1 ステップは { DURATION($step_seconds) } で、{ $beside ->
        [plan] 計画の { DURATION($expected_seconds) } 
       *[best] 最速時の { DURATION($expected_seconds) } 
    } に対して { PERCENT($share) } の速度です。
    .next = マシンの温度、電力、ほかのプログラム、ネットワークを確認してください。
guard-straggler = プロセス { $rank } がほかのプロセスを待たせています: ステップ { $step } で、同じ処理に普段の { DECIMAL($ratio) } 倍の { DURATION($seconds) } かかっています。
    .next = そのマシンの温度、電力、ほかのプログラムを確認するか、次回の起動から外してください。
guard-data-stall = ステップがデータを待っています: ステップ { $step } までの時間の { PERCENT($share) } を占めています。
    .next = データをより速いディスクに置くか、このプロセスに CPU コアをもっと割り当ててください。

guard-corruption = { $what ->
        [copies] ステップ { $step } の後、同じ重みのコピーがプロセス間で食い違っています
       *[replay] ステップ { $step } を同じ状態から 2 回実行しましたが、結果が異なります
    }{ $rank ->
        [-1] 。
       *[other] : プロセス { $rank } だけがほかと異なります。
    }
guard-device-events = { $kind ->
        [uncorrectable] ステップ { $step } の前に、デバイス { $device } が{ $code ->
            [0] 訂正不能なメモリエラー
           *[other] {" "}Xid { $code }{" "}
        }を報告しました。
        [xid] ステップ { $step } の前に、デバイス { $device } が Xid { $code } を報告しました。
        [corrected] ステップ { $step } の前に、デバイス { $device } が{ $count ->
           *[other] {" "}{ $count } 件のメモリエラー
        }を訂正しました。
        [power] ステップ { $step } で、デバイス { $device } が電力不足のため減速しています。
       *[thermal] ステップ { $step } で、デバイス { $device } が高温のため減速しています。
    }
    .next = { $kind ->
        [thermal] 冷却を確認してください。
        [power] 電源を確認してください。
       *[other] ランの終了後に点検してください。
    }

guard-action-warn = ランは続行します。
guard-action-skip = 次のバッチからランを続行します。
guard-action-roll-back = ステップ { $to_step } に戻り、該当データを飛ばして続行します。
guard-action-pause = ランを一時停止します。保存して終了しますので、原因を解消してから --resume で再開してください。
guard-action-stop = ランを停止します。
