# 학습 중에 가드가 알리는 내용. 이어서 어떤 조치를 하는지 표시된다.

guard-not-finite = 스텝 { $step }의 값이 유한하지 않습니다: 손실은 { $loss }, 그래디언트 노름은 { $gradient_norm }입니다. 이 스텝의 업데이트는 적용하지 않습니다.
guard-loss-spike = 스텝 { $step }에서 손실이 치솟았습니다: 중앙값 { DECIMAL($median, 4) }에 비해 { DECIMAL($loss, 4) }(으)로, 편차의 { DECIMAL($deviations) }배만큼 높습니다.
guard-scale-collapse = 스텝 { $step }에서 fp16 손실 스케일이 무너졌습니다: { $skipped ->
        [1] 스텝 1개가
       *[other] 스텝 { $skipped }개가 연속으로
    } 오버플로되었고, 마지막 스케일은 { $loss_scale }입니다.

guard-memory-creep = 메모리가 매초 { BYTES($bytes_per_second) }씩 늘고 있습니다: 스텝 { $step } 이후 프로세스가 { BYTES($used_bytes) }을(를) 쓰고 있으며 { DURATION($left_seconds) } 뒤에는 남는 메모리가 없습니다.
    .next = 무엇이 늘어나는지 찾아보세요. 재시작하면 메모리가 해제됩니다.
guard-disk = 디스크가 차고 있습니다: 스텝 { $step } 이후 여유 공간은 { BYTES($free_bytes) }이고 체크포인트 하나에 { BYTES($checkpoint_bytes) }이(가) 필요합니다.
    .next = 다음 체크포인트 전에 공간을 확보하거나 resilience.keep_last를 낮추세요.
guard-throughput = 스텝이 느립니다: 스텝 { $step }까지 스텝 시간은 { DURATION($step_seconds) }(으)로, { $beside ->
        [plan] 계획한 { DURATION($expected_seconds) }
       *[best] 가장 빨랐던 { DURATION($expected_seconds) }
    } 대비 { PERCENT($share) } 속도입니다.
    .next = 머신의 온도, 전력, 다른 프로그램, 네트워크를 확인하세요.
guard-straggler = 프로세스 { $rank }이(가) 다른 프로세스를 지연시키고 있습니다: 스텝 { $step }에서 같은 작업에 평소의 { DECIMAL($ratio) }배인 { DURATION($seconds) }이(가) 걸립니다.
    .next = 해당 머신의 온도, 전력, 다른 프로그램을 확인하거나 다음 시작에서 제외하세요.
guard-data-stall = 스텝이 데이터를 기다리고 있습니다: 스텝 { $step }까지 걸린 시간의 { PERCENT($share) }입니다.
    .next = 데이터를 더 빠른 디스크에 두거나 이 프로세스에 CPU 코어를 더 할당하세요.

guard-corruption = { $what ->
        [copies] 스텝 { $step } 이후 같은 가중치의 사본이 프로세스마다 다릅니다
       *[replay] 스텝 { $step }을(를) 같은 상태에서 두 번 수행했는데 결과가 다릅니다
    }{ $rank ->
        [-1] .
       *[other] : 프로세스 { $rank }만 나머지와 다릅니다.
    }
guard-device-events = { $kind ->
        [uncorrectable] 스텝 { $step } 전에 디바이스 { $device }이(가) { $code ->
            [0] 정정할 수 없는 메모리 오류를
           *[other] Xid { $code }을(를)
        } 보고했습니다.
        [xid] 스텝 { $step } 전에 디바이스 { $device }이(가) Xid { $code }을(를) 보고했습니다.
        [corrected] 스텝 { $step } 전에 디바이스 { $device }이(가) 메모리 오류 { $count ->
           *[other] { $count }개
        }를 정정했습니다.
        [power] 스텝 { $step }에서 디바이스 { $device }이(가) 전력 부족으로 느려졌습니다.
       *[thermal] 스텝 { $step }에서 디바이스 { $device }이(가) 열 때문에 느려졌습니다.
    }
    .next = { $kind ->
        [thermal] 냉각 상태를 확인하세요.
        [power] 전원 공급을 확인하세요.
       *[other] 런이 끝나면 점검을 맡기세요.
    }

guard-action-warn = 런을 계속합니다.
guard-action-skip = 다음 배치로 런을 계속합니다.
guard-action-roll-back = 스텝 { $to_step }(으)로 되돌아가 그 데이터를 건너뜁니다.
guard-action-pause = 런을 일시 중지합니다. 저장하고 종료하니, 원인을 해결한 뒤 --resume으로 재개하세요.
guard-action-stop = 런을 멈춥니다.
