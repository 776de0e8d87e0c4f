### 런에서 일어난 일, 한 줄씩

event-started = 학습을 시작합니다.
event-resumed = 스텝 { $step } 이후부터 학습을 이어 갑니다.
event-data-ready = 데이터: 문서 { COUNT($documents) }개, 텍스트 { BYTES($text_bytes) }, 토큰 { COUNT($tokens) }개(토큰당 { DECIMAL($bytes_per_token) }바이트).
event-checkpoint-saved = 스텝 { $step } 체크포인트: { BYTES($bytes) }, { DURATION($seconds) } 소요.
event-evaluated-answers = 스텝 { $step } 검증: 손실 { DECIMAL($loss, 4) }, 퍼플렉서티 { DECIMAL($perplexity) }.
event-evaluated = 스텝 { $step } 검증: 손실 { DECIMAL($loss, 4) }, 퍼플렉서티 { DECIMAL($perplexity) }, 바이트당 { DECIMAL($bits_per_byte) }비트.
event-step-skipped = 스텝 { $step }을(를) 건너뜁니다: 손실 스케일 { $loss_scale }에서 fp16 그래디언트가 오버플로되어 스케일을 절반으로 줄입니다.
event-finished = 완료했습니다.
event-stopped-early = 더 나아지지 않아 스텝 { $step }에서 조기 종료했습니다. 가장 낮은 검증 손실은 스텝 { $best_step }의 { DECIMAL($loss, 4) }이며 그 체크포인트를 보관했습니다. --best로 사용할 수 있습니다.
event-step-abandoned = 런을 멈추라는 요청에 따라 스텝 { $step }을(를) { DURATION($seconds) } 만에 중단했습니다. 런을 재개하면 다시 수행합니다.
event-checkpoint-interval = 체크포인트 간격을 { DURATION($before_seconds) }에서 { DURATION($seconds) }(으)로 바꿉니다: 장애는 { DURATION($mtbf_seconds) }마다 한 번 예상되고, 체크포인트 한 번에 작업이 { DURATION($stall_seconds) } 멈춥니다.
event-stopped = 멈췄습니다.
event-failed = 실패했습니다.
