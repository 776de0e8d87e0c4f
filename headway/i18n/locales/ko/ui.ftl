### 대시보드 문구

## 모든 페이지

ui-skip = 본문으로 이동
ui-language = 언어
ui-dark = 어둡게
ui-light = 밝게
ui-loading = 불러오는 중…
ui-no-page = 페이지를 찾을 수 없습니다.
ui-disconnected = 연결이 끊겨 다시 연결하는 중
ui-error-page = 이 페이지에서 오류가 발생했습니다: { $reason }
ui-error-server = 서버가 응답하지 않습니다. `headway watch`가 실행 중인가요?
ui-error-status = 서버가 상태 { $status }(으)로 응답했습니다.

## 런 목록

ui-runs = 런
ui-runs-filter = 이름으로 필터링
ui-runs-compare = 비교 ({ $count })
ui-runs-none = 아직 런이 없습니다. `headway train RECIPE`로 시작하세요.
ui-runs-choose = 비교 대상으로 선택
ui-compare = 런 비교
ui-column-name = 이름
ui-column-status = 상태
ui-column-progress = 진행률
ui-column-loss = 손실
ui-column-validation = 검증 손실
ui-column-speed = 속도
ui-column-changed = 마지막 활동

## 개별 런

ui-charts = 차트
ui-charts-none = 아직 완료된 스텝이 없습니다.
ui-axis = 가로축
ui-axis-step = 스텝
ui-axis-tokens = 토큰
ui-axis-time = 시간
ui-logarithmic = 로그 스케일
ui-zoom-out = 전체 보기
ui-ledger = 예측과 실측
ui-column-resource = 리소스
ui-column-quantity = 항목
ui-column-predicted = 예측
ui-column-measured = 실측
ui-column-error = 오차
ui-estimated = { $value } (추정)
ui-events = 이벤트 기록
ui-why = 중단된 이유

## 지표

ui-metric-gradient_norm = 그래디언트 노름
ui-metric-learning_rate = 학습률
ui-metric-resident_bytes = 프로세스 메모리
ui-metric-data_seconds = 스텝당 데이터 대기
ui-metric-loss_scale = 손실 스케일
ui-metric-is_skipped = 건너뜀

ui-tokens-per-second = { $count } 토큰/초

## 계획

ui-plan = 계획
ui-plan-model = 모델
ui-plan-accelerator = 가속기
ui-plan-devices = 디바이스 수
ui-plan-tokens = 토큰 수
ui-plan-fits = 메모리에 들어갑니다.
ui-plan-memory = 디바이스당 메모리
ui-plan-step = 스텝 시간
ui-plan-days = 전체 시간
ui-plan-mfu = 모델 FLOPs 활용률(MFU)
ui-plan-power = 시설 전체 전력
ui-plan-energy = 에너지
ui-plan-carbon = 탄소 배출량
ui-plan-cost = 비용
ui-plan-goodput = 굿풋
ui-part-parameters = 파라미터
ui-part-gradients = 그래디언트
ui-part-optimizer = 옵티마이저
ui-part-activations = 활성값
ui-part-logits = 로짓
ui-part-communication = 통신
ui-part-reserve = 여유분

## 진단

ui-diagnose = 진단
ui-diagnose-drop = 로그를 여기에 끌어다 놓거나 파일을 선택하세요. 어떤 프레임워크든, 압축 파일도 됩니다
ui-diagnose-private = 로그는 이 서버가 실행되는 머신에서만 읽으며 외부로 전송하지 않습니다.
ui-diagnose-first = 최초 장애: 랭크 { $rank }, 호스트 { $host }
ui-diagnose-remedies = 조치 방법
ui-diagnose-evidence = 근거

## 서버

ui-server = 서버
ui-server-processor = 프로세서
ui-server-cores = 계산에 쓸 수 있는 코어
ui-server-memory = 메모리
ui-server-disk = 디스크 여유 공간
ui-server-accelerators = 가속기
ui-server-advice = 권장 사항
ui-server-fine = 바꿀 것이 없습니다.
