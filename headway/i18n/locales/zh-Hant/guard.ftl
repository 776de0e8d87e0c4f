guard-not-finite = 第 { $step } 步的結果不是有效數字：損失為 { $loss }，梯度範數為 { $gradient_norm }。這一步不會更新權重。
guard-loss-spike = 第 { $step } 步的損失突然飆高：{ DECIMAL($loss, 4) }，而中位數是 { DECIMAL($median, 4) }，高出 { DECIMAL($deviations) } 個偏差。
guard-scale-collapse = fp16 的損失縮放係數在第 { $step } 步崩潰：{ $skipped ->
        [1] 有 1 步溢位，當時的
       *[other] 連續 { $skipped } 步溢位，最後一步的
    }係數為 { $loss_scale }。
guard-memory-creep = 記憶體每秒增加 { BYTES($bytes_per_second) }：第 { $step } 步後行程占用 { BYTES($used_bytes) }，照此 { DURATION($left_seconds) } 後就會用完。
    .next = 請找出是什麼在增加；重新啟動可以釋放記憶體。
guard-disk = 磁碟快滿了：第 { $step } 步後剩下 { BYTES($free_bytes) }，而一個檢查點要占 { BYTES($checkpoint_bytes) }。
    .next = 請在儲存後續檢查點之前騰出空間，或調低 resilience.keep_last。
guard-throughput = 訓練變慢：到第 { $step } 步為止，每步費時 { DURATION($step_seconds) }，{ $beside ->
        [plan] 超過計畫的 { DURATION($expected_seconds) }
       *[best] 而最快時只需 { DURATION($expected_seconds) }
    }，速度只有其 { PERCENT($share) }。
    .next = 請檢查溫度、供電、機器上的其他程式以及網路。
guard-straggler = 行程 { $rank } 拖慢了其他行程：第 { $step } 步同樣的工作它花了 { DURATION($seconds) }，是平常的 { DECIMAL($ratio) } 倍。
    .next = 請檢查它所在的機器：溫度、供電、其他程式；或在下次啟動時排除它。
guard-data-stall = 訓練在等資料：到第 { $step } 步為止，等待占 { PERCENT($share) } 的時間。
    .next = 請把資料放到更快的磁碟上，或給這個行程更多處理器。
guard-corruption = { $what ->
        [copies] 第 { $step } 步後，同一份權重在不同行程中的副本不一致
       *[replay] 第 { $step } 步從同一狀態執行了兩次，結果卻不同
    }{ $rank ->
        [-1] 。
       *[other] ：行程 { $rank } 的與其他行程不同。
    }
guard-device-events = { $kind ->
        [uncorrectable] 第 { $step } 步之前，裝置 { $device } 回報了{ $code ->
            [0] 一個無法更正的記憶體錯誤
           *[other] {" "}Xid { $code }
        }。
        [xid] 第 { $step } 步之前，裝置 { $device } 回報了 Xid { $code }。
        [corrected] 第 { $step } 步之前，裝置 { $device } 更正了 { $count } 個記憶體錯誤。
        [power] 第 { $step } 步時，裝置 { $device } 因供電不足而降速。
       *[thermal] 第 { $step } 步時，裝置 { $device } 因過熱而降速。
    }
    .next = { $kind ->
        [thermal] 請檢查它的散熱。
        [power] 請檢查它的供電。
       *[other] 請在執行結束後安排檢修。
    }
guard-action-warn = 執行繼續。
guard-action-skip = 執行從下一個批次繼續。
guard-action-roll-back = 執行回復到第 { $to_step } 步，並略過這段資料。
guard-action-pause = 執行暫停：儲存後結束。原因排除後，請用 --resume 繼續。
guard-action-stop = 執行停止。
