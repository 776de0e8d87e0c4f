run-name-invalid = 執行名稱必須以字母或數字開頭，且只能包含字母、數字、句點、連字號和底線：「{ $name }」不符合。
    .next = 請用 --name 換一個名稱。
run-exists = 執行名稱不能重複：{ $root } 裡已有執行「{ $name }」。
    .next = 請用 --resume 繼續它，或用 --name 換一個名稱。
run-unknown = 只能開啟已存在的執行：{ $root } 裡沒有名為「{ $name }」的執行。
    .next = { $known ->
        [none] 請用 `headway train RECIPE` 開始一個。
       *[other] { $closest ->
            [none] 現有的執行：{ $known }。
           *[other] 您是指「{ $closest }」嗎？現有的執行：{ $known }。
        }
    }
run-unwritable = 執行資料夾必須可以寫入：無法寫入 { $path }（{ $reason }）。
    .next = 請檢查權限和剩餘空間，或用 --runs 選擇其他資料夾。
run-locked = 一個執行同一時間只能屬於一個行程：另一個行程正在訓練「{ $name }」。
    .next = 請等它結束或將它停止，或換個名稱開始執行。
run-file-damaged = 執行的檔案必須可以讀取：無法讀取 { $path }（{ $reason }）。
    .next = 請從備份還原該檔案，或開始新的執行。
run-recipe-changed = 接續執行時配方不能改變：自「{ $name }」開始以來，{ $sections } 有更動。
    .next = 請復原更動，或不加 --resume 開始新的執行。
run-steps-done = 接續的執行不能在已完成的步數之前結束：「{ $name }」已完成 { $done } 步，而配方只要求 { $steps } 步。
    .next = 請將 training.steps 設為 { $done } 或更大，或不加 --resume 開始新的執行。
run-data-changed = 接續執行時文字資料不能改變：自「{ $name }」開始以來，[data] 的檔案內容有變。
    .next = 請還原原來的文字，或不加 --resume 開始新的執行。
run-nothing-to-resume = 只能接續已存在的執行：{ $root } 裡沒有配方「{ $name }」的執行。
    .next = 請拿掉 --resume 再開始。
run-base-changed = 執行必須沿用開始時的基礎權重：{ $folder } 裡的權重不是「{ $name }」的 adapter 所對應的。
    .next = 請把原來的權重放回去，或開始新的執行。
run-output-exists = 模型只寫入新資料夾，以免覆寫既有內容：{ $path } 已存在。
    .next = 請用 --output 指定其他資料夾，或把現有的移走。
run-output-unwritable = 模型必須寫入能夠建立的資料夾：無法建立 { $path }（{ $reason }）。
    .next = 請用 --output 指定其他資料夾，或在那裡騰出空間。
run-no-checkpoint = 執行必須有檢查點：「{ $name }」還沒有。
    .next = 請等待第一個檢查點，或用 --resume 繼續訓練。
run-no-best = 最佳檢查點是驗證損失最低的那個，而 { $name } 沒有評估過的檢查點。
    .next = 請使用最新的檢查點，或在訓練時設定 training.evaluate_every_steps 和 resilience.keep_best。
run-step-twice = 檢查點只能選一個：第 { $step } 步的，或最佳的。
    .next = 請拿掉 --step 或 --best。
run-no-such-step = 只能選擇執行已有的檢查點：「{ $name }」沒有第 { NUMBER($step, useGrouping: 0) } 步的檢查點。
    .next = { $known ->
        [none] 它還沒有任何檢查點；請等待第一個，或用 --resume 繼續訓練。
       *[other] 它有這些步的檢查點：{ $known }。
    }
run-checkpoints-gone = 執行必須有檢查點：「{ $name }」儲存過的檢查點已經不在了。
    .next = 請從備份還原，或用 --resume 從頭重新訓練。
run-no-metrics = 執行必須至少訓練過一步：「{ $name }」還沒有。
    .next = 請先開始或接續它。
run-plot-format = 圖片檔名必須以下列其中之一結尾：{ $known }；{ $path } 不符合。
    .next = 請使用像 loss.png 這樣的名稱。
run-plot-missing = 繪圖需要套件 { $package }，但尚未安裝。
    .next = 請在 Headway 原始碼資料夾中執行 `pip install ".[torch]"`。
run-plot-loss = 損失（nats/token）
run-plot-speed = 每秒 token 數
run-plot-step = 最佳化器步數
run-plot-validation = { $name }，驗證
run-no-scheduler = 工作要由排程系統自己的程式提交：無法啟動 { $program }（{ $reason }）。
    .next = 請用 --output 寫出工作，再到裝有 { $program } 的機器上提交。
