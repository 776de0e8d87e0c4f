### ダッシュボードの文言

## 全ページ共通

ui-skip = 本文へ移動
ui-language = 言語
ui-dark = ダーク
ui-light = ライト
ui-loading = 読み込み中…
ui-no-page = ページが見つかりません。
ui-disconnected = 接続が切れました。再接続しています
ui-error-page = このページでエラーが発生しました: { $reason }
ui-error-server = サーバーが応答しません。`headway watch` は動作していますか？
ui-error-status = サーバーがステータス { $status } を返しました。

## ラン一覧

ui-runs = ラン
ui-runs-filter = 名前で絞り込み
ui-runs-compare = 比較 ({ $count })
ui-runs-none = ランはまだありません。`headway train RECIPE` で開始できます。
ui-runs-choose = 比較対象に選択
ui-compare = ランの比較
ui-column-name = 名前
ui-column-status = 状態
ui-column-progress = 進捗
ui-column-loss = 損失
ui-column-validation = 検証損失
ui-column-speed = 速度
ui-column-changed = 最終更新

## 個別のラン

ui-charts = グラフ
ui-charts-none = 完了したステップはまだありません。
ui-axis = 横軸
ui-axis-step = ステップ
ui-axis-tokens = トークン
ui-axis-time = 時間
ui-logarithmic = 対数表示
ui-zoom-out = 全体を表示
ui-ledger = 予測と実測
ui-column-resource = リソース
ui-column-quantity = 項目
ui-column-predicted = 予測
ui-column-measured = 実測
ui-column-error = 誤差
ui-estimated = { $value } (推定)
ui-events = イベント履歴
ui-why = 停止した原因

## メトリクス

ui-metric-gradient_norm = 勾配ノルム
ui-metric-learning_rate = 学習率
ui-metric-resident_bytes = プロセスのメモリ
ui-metric-data_seconds = ステップごとのデータ待ち
ui-metric-loss_scale = 損失スケール
ui-metric-is_skipped = スキップ

ui-tokens-per-second = { $count } トークン/秒

## 計画

ui-plan = 計画
ui-plan-model = モデル
ui-plan-accelerator = アクセラレーター
ui-plan-devices = デバイス数
ui-plan-tokens = トークン数
ui-plan-fits = メモリに収まります。
ui-plan-memory = デバイスあたりのメモリ
ui-plan-step = 1 ステップの時間
ui-plan-days = 合計時間
ui-plan-mfu = モデル FLOPs 使用率 (MFU)
ui-plan-power = 施設全体の電力
ui-plan-energy = 電力量
ui-plan-carbon = 炭素排出量
ui-plan-cost = 費用
ui-plan-goodput = グッドプット
ui-part-parameters = パラメーター
ui-part-gradients = 勾配
ui-part-optimizer = オプティマイザー
ui-part-activations = アクティベーション
ui-part-logits = ロジット
ui-part-communication = 通信
ui-part-reserve = 予備

## 診断

ui-diagnose = 診断
ui-diagnose-drop = ログをここにドロップ、またはファイルを選択してください (フレームワーク不問、圧縮ファイルも可)
ui-diagnose-private = ログはこのサーバーが動くマシン上で読み取られ、外部には送信されません。
ui-diagnose-first = 最初の障害: ランク { $rank }、ホスト { $host }
ui-diagnose-remedies = 対処方法
ui-diagnose-evidence = 根拠

## サーバー

ui-server = サーバー
ui-server-processor = プロセッサー
ui-server-cores = 計算に使えるコア数
ui-server-memory = メモリ
ui-server-disk = ディスクの空き容量
ui-server-accelerators = アクセラレーター
ui-server-advice = アドバイス
ui-server-fine = 変更の必要はありません。
