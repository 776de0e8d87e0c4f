guard-not-finite = 第 { $step } 步的结果不是有效数字：损失为 { $loss }，梯度范数为 { $gradient_norm }。这一步不更新权重。
guard-loss-spike = 第 { $step } 步损失出现尖峰：{ DECIMAL($loss, 4) }，而中位数为 { DECIMAL($median, 4) }，高出 { DECIMAL($deviations) } 个偏差。
guard-scale-collapse = fp16 的损失缩放系数在第 { $step } 步崩溃：{ $skipped ->
        [1] 有 1 步溢出，当时的
       *[other] 连续 { $skipped } 步溢出，最后一步的
    }系数为 { $loss_scale }。
guard-memory-creep = 内存每秒增长 { BYTES($bytes_per_second) }：第 { $step } 步后进程占用 { BYTES($used_bytes) }，照此 { DURATION($left_seconds) } 后将耗尽。
    .next = 请找出是什么在增长；重启可以释放内存。
guard-disk = 磁盘快满了：第 { $step } 步后剩余 { BYTES($free_bytes) }，而一个检查点要占 { BYTES($checkpoint_bytes) }。
    .next = 请在保存后续检查点之前腾出空间，或调低 resilience.keep_last。
guard-throughput = 训练变慢：截至第 { $step } 步，每步用时 { DURATION($step_seconds) }，{ $beside ->
        [plan] 超过计划的 { DURATION($expected_seconds) }
       *[best] 而最快时只需 { DURATION($expected_seconds) }
    }，速度仅为其 { PERCENT($share) }。
    .next = 请检查温度、供电、机器上的其他程序以及网络。
guard-straggler = 进程 { $rank } 拖慢了其他进程：第 { $step } 步同样的工作它用了 { DURATION($seconds) }，是平时的 { DECIMAL($ratio) } 倍。
    .next = 请检查它所在的机器：温度、供电、其他程序；或在下次启动时排除它。
guard-data-stall = 训练在等数据：截至第 { $step } 步，等待占 { PERCENT($share) } 的时间。
    .next = 请把数据放到更快的磁盘上，或给这个进程更多处理器。
guard-corruption = { $what ->
        [copies] 第 { $step } 步后，同一份权重在不同进程中的副本不一致
       *[replay] 第 { $step } 步从同一状态执行了两次，结果却不同
    }{ $rank ->
        [-1] 。
       *[other] ：进程 { $rank } 的与其他进程不同。
    }
guard-device-events = { $kind ->
        [uncorrectable] 第 { $step } 步之前，设备 { $device } 报告了{ $code ->
            [0] 一个无法纠正的内存错误
           *[other] {" "}Xid { $code }
        }。
        [xid] 第 { $step } 步之前，设备 { $device } 报告了 Xid { $code }。
        [corrected] 第 { $step } 步之前，设备 { $device } 纠正了 { $count } 个内存错误。
        [power] 第 { $step } 步时，设备 { $device } 因供电不足而降速。
       *[thermal] 第 { $step } 步时，设备 { $device } 因过热而降速。
    }
    .next = { $kind ->
        [thermal] 请检查它的散热。
        [power] 请检查它的供电。
       *[other] 请在运行结束后安排检修。
    }
guard-action-warn = 运行继续。
guard-action-skip = 运行从下一个批次继续。
guard-action-roll-back = 运行回滚到第 { $to_step } 步，并跳过这段数据。
guard-action-pause = 运行暂停：保存后结束。原因排除后，请用 --resume 继续。
guard-action-stop = 运行停止。
