run-name-invalid = ラン名は英数字で始まり、英数字、ドット、ハイフン、アンダースコアだけを含む必要があります: 「{ $name }」は使えません。
    .next = --name で別の名前を指定してください。
run-exists = ラン名は新しいものでなければなりません: { $root } にはすでに「{ $name }」があります。
    .next = --resume で続けるか、--name で別の名前を指定してください。
run-unknown = 存在するランしか開けません: { $root } に「{ $name }」はありません。
    .next = { $known ->
        [none] `headway train RECIPE` で開始してください。
       *[other] { $closest ->
            [none] 既存のラン: { $known }。
           *[other] もしかして「{ $closest }」ですか？ 既存のラン: { $known }。
        }
    }
run-unwritable = ランのフォルダーは書き込み可能でなければなりません: { $path } に書き込めませんでした ({ $reason })。
    .next = 権限と空き容量を確認するか、--runs で別のフォルダーを指定してください。
run-locked = 1 つのランを扱えるのは同時に 1 プロセスだけです: 「{ $name }」は別のプロセスが学習中です。
    .next = 終わるのを待つか、停止するか、別の名前でランを開始してください。
run-file-damaged = ランのファイルは読み取れなければなりません: { $path } を読み取れません ({ $reason })。
    .next = コピーから復元するか、新しいランを開始してください。
run-recipe-changed = 再開するランは開始時と同じレシピでなければなりません: 「{ $name }」の開始後に { $sections } が変更されています。
    .next = 変更を元に戻すか、--resume なしで新しいランを開始してください。
run-steps-done = 実行済みのステップより前で終わるようには再開できません: 「{ $name }」は { $done } ステップ実行済みですが、レシピは { $steps } を指定しています。
    .next = training.steps を { $done } 以上にするか、--resume なしで新しいランを開始してください。
run-data-changed = 再開するランは開始時と同じテキストでなければなりません: 「{ $name }」の開始後に [data] のファイルの内容が変わっています。
    .next = テキストを元に戻すか、--resume なしで新しいランを開始してください。
run-nothing-to-resume = 存在するランしか再開できません: { $root } にはレシピ「{ $name }」のランがありません。
    .next = --resume なしで開始してください。
run-base-changed = ランは開始時と同じ重みで続ける必要があります: { $folder } の重みは、「{ $name }」のアダプターの元になった重みではありません。
    .next = 元の重みをそこに戻すか、新しいランを開始してください。
run-output-exists = 上書きを防ぐため、モデルは新しいフォルダーに書き出します: { $path } はすでに存在します。
    .next = --output で別のフォルダーを指定するか、既存のものを移動してください。
run-output-unwritable = モデルの出力フォルダーは作成できる場所でなければなりません: { $path } を作成できませんでした ({ $reason })。
    .next = --output で別のフォルダーを指定するか、空きを作ってください。
run-no-checkpoint = ランにはチェックポイントが必要です: 「{ $name }」にはまだありません。
    .next = 最初のチェックポイントを待つか、--resume で学習を続けてください。
run-no-best = 最良のチェックポイントとは検証損失が最小のものですが、{ $name } には評価済みのものがありません。
    .next = 最新のものを使うか、training.evaluate_every_steps と resilience.keep_best を設定して学習してください。
run-step-twice = チェックポイントの指定は 1 つだけです: ステップ { $step } か最良のもの、どちらかを選んでください。
    .next = --step か --best のどちらかを外してください。
run-no-such-step = ランにあるチェックポイントを指定してください: 「{ $name }」にステップ { NUMBER($step, useGrouping: 0) } のものはありません。
    .next = { $known ->
        [none] まだ 1 つもありません。最初のものを待つか、--resume で学習を続けてください。
       *[other] あるのはステップ { $known } のものです。
    }
run-checkpoints-gone = ランにはチェックポイントが必要です: 「{ $name }」が保存したものはもう残っていません。
    .next = コピーから戻すか、--resume で最初から学習し直してください。
run-no-metrics = ランは 1 ステップ以上の学習が必要です: 「{ $name }」はまだ学習していません。
    .next = 先にランを開始または再開してください。
run-plot-format = 画像のファイル名は { $known } のいずれかで終わる必要があります: { $path } は該当しません。
    .next = loss.png のような名前を指定してください。
run-plot-missing = 画像の作成にはパッケージ { $package } が必要ですが、インストールされていません。
    .next = Headway のソースフォルダーで `pip install ".[torch]"` を実行してください。
run-plot-loss = 損失 (nat/トークン)
run-plot-speed = トークン/秒
run-plot-step = オプティマイザーのステップ
run-plot-validation = { $name } (検証)
run-no-scheduler = ジョブはスケジューラーのプログラムで投入しますが、{ $program } を起動できませんでした ({ $reason })。
    .next = --output でジョブを書き出し、{ $program } がある環境で投入してください。
