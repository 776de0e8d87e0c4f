run-name-invalid = 런 이름은 글자나 숫자로 시작하고 글자, 숫자, 점, 하이픈, 밑줄만 쓸 수 있습니다: "{ $name }"은(는) 사용할 수 없습니다.
    .next = --name으로 다른 이름을 지정하세요.
run-exists = 런 이름은 새로운 것이어야 합니다: { $root }에 이미 런 "{ $name }"이(가) 있습니다.
    .next = --resume으로 이어 가거나 --name으로 다른 이름을 지정하세요.
run-unknown = 존재하는 런만 열 수 있습니다: { $root }에 "{ $name }"이(가) 없습니다.
    .next = { $known ->
        [none] `headway train RECIPE`로 시작하세요.
       *[other] { $closest ->
            [none] 있는 런: { $known }.
           *[other] 혹시 "{ $closest }"인가요? 있는 런: { $known }.
        }
    }
run-unwritable = 런 폴더는 쓰기가 가능해야 합니다: { $path }에 쓸 수 없었습니다({ $reason }).
    .next = 권한과 여유 공간을 확인하거나 --runs로 다른 폴더를 지정하세요.
run-locked = 런은 한 번에 한 프로세스만 다룰 수 있습니다: 다른 프로세스가 "{ $name }"을(를) 학습하고 있습니다.
    .next = 끝나기를 기다리거나, 멈추거나, 다른 이름으로 런을 시작하세요.
run-file-damaged = 런의 파일은 읽을 수 있어야 합니다: { $path }을(를) 읽을 수 없습니다({ $reason }).
    .next = 사본에서 파일을 복원하거나 새 런을 시작하세요.
run-recipe-changed = 재개하는 런은 시작할 때의 레시피를 유지해야 합니다: "{ $name }"을(를) 시작한 뒤 { $sections }이(가) 바뀌었습니다.
    .next = 변경을 되돌리거나 --resume 없이 새 런을 시작하세요.
run-steps-done = 재개하는 런은 이미 수행한 스텝보다 먼저 끝날 수 없습니다: "{ $name }"은(는) { $done }스텝을 수행했는데 레시피는 { $steps }스텝을 요구합니다.
    .next = training.steps를 { $done } 이상으로 설정하거나 --resume 없이 새 런을 시작하세요.
run-data-changed = 재개하는 런은 시작할 때의 텍스트를 유지해야 합니다: "{ $name }"을(를) 시작한 뒤 [data] 파일의 내용이 바뀌었습니다.
    .next = 텍스트를 복원하거나 --resume 없이 새 런을 시작하세요.
run-nothing-to-resume = 존재하는 런만 재개할 수 있습니다: { $root }에 레시피 "{ $name }"의 런이 없습니다.
    .next = --resume 없이 시작하세요.
run-base-changed = 런은 시작할 때의 가중치로 이어 가야 합니다: { $folder }의 가중치는 "{ $name }"의 어댑터가 학습된 기반 가중치가 아닙니다.
    .next = 이전 가중치를 그 자리에 되돌려 놓거나 새 런을 시작하세요.
run-output-exists = 덮어쓰지 않도록 모델은 새 폴더에 씁니다: { $path }이(가) 이미 있습니다.
    .next = --output으로 다른 폴더를 지정하거나 기존 폴더를 옮기세요.
run-output-unwritable = 모델을 쓸 폴더를 만들 수 있어야 합니다: { $path }을(를) 만들 수 없었습니다({ $reason }).
    .next = --output으로 다른 폴더를 지정하거나 공간을 확보하세요.
run-no-checkpoint = 런에는 체크포인트가 있어야 합니다: "{ $name }"에는 아직 없습니다.
    .next = 첫 체크포인트를 기다리거나 --resume으로 학습을 이어 가세요.
run-no-best = 최적 체크포인트는 검증 손실이 가장 낮은 것인데, { $name }에는 평가된 체크포인트가 없습니다.
    .next = 최신 체크포인트를 쓰거나 training.evaluate_every_steps와 resilience.keep_best를 설정해 학습하세요.
run-step-twice = 체크포인트는 하나만 고를 수 있습니다: 스텝 { $step }이거나 최적 체크포인트입니다.
    .next = --step과 --best 중 하나를 빼세요.
run-no-such-step = 런에 있는 체크포인트를 골라야 합니다: "{ $name }"에는 스텝 { NUMBER($step, useGrouping: 0) }의 체크포인트가 없습니다.
    .next = { $known ->
        [none] 아직 하나도 없습니다. 첫 체크포인트를 기다리거나 --resume으로 학습을 이어 가세요.
       *[other] 있는 체크포인트의 스텝: { $known }.
    }
run-checkpoints-gone = 런에는 체크포인트가 있어야 합니다: "{ $name }"이(가) 저장한 체크포인트가 더는 없습니다.
    .next = 사본에서 되돌려 놓거나 --resume으로 처음부터 다시 학습하세요.
run-no-metrics = 런은 한 스텝 이상 학습했어야 합니다: "{ $name }"은(는) 아직 학습하지 않았습니다.
    .next = 먼저 런을 시작하거나 재개하세요.
run-plot-format = 그림 파일 이름은 { $known } 중 하나로 끝나야 합니다: { $path }은(는) 그렇지 않습니다.
    .next = loss.png 같은 이름을 지정하세요.
run-plot-missing = 그림을 만들려면 { $package } 패키지가 필요하지만 설치되어 있지 않습니다.
    .next = Headway 소스 폴더에서 `pip install ".[torch]"`를 실행하세요.
run-plot-loss = 손실(토큰당 nat)
run-plot-speed = 초당 토큰
run-plot-step = 옵티마이저 스텝
run-plot-validation = { $name }, 검증
run-no-scheduler = 작업은 스케줄러의 프로그램으로 제출합니다: { $program }을(를) 시작할 수 없었습니다({ $reason }).
    .next = --output으로 작업을 파일에 쓰고, { $program }이(가) 설치된 곳에서 제출하세요.
