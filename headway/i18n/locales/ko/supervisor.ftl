### 작업의 슈퍼바이저가 알리는 내용

supervisor-attempt-started = { $attempt }번째 시작.
supervisor-attempt-finished = { DURATION($seconds) } 만에 완료했습니다.
supervisor-attempt-stopped = 시그널 { $signal }에 따라 멈췄습니다.
supervisor-attempt-failed = { $cause } (확신도 { PERCENT($confidence) })
supervisor-hang = { DURATION($silent_seconds) } 동안 진행된 스텝이 없습니다: 멈춘 상태이므로 종료합니다.
supervisor-retrying = { DURATION($wait_seconds) } 뒤에 다시 시작합니다.
supervisor-gave-up = { $reason ->
    [lasting] 다시 시작하지 않습니다: 다음 시작에서도 같은 원인이 남아 있습니다.
    [repeated] 다시 시작하지 않습니다: 같은 스텝에서 같은 일이 두 번 일어났습니다.
   *[retries] 다시 시작하지 않습니다: 허용된 시작 횟수를 모두 썼습니다.
}
supervisor-explained = 자세한 내용: headway diagnose { $path }
supervisor-no-command = 실행할 명령이 있어야 하는데 옵션 뒤에 없습니다.
    .next = 하이픈 두 개 뒤에 쓰세요. 예: headway run -- torchrun train.py
