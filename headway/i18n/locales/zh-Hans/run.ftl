run-name-invalid = 运行名称必须以字母或数字开头，且只能包含字母、数字、点、连字符和下划线：“{ $name }”不符合。
    .next = 请用 --name 换一个名称。
run-exists = 运行名称不能重复：{ $root } 中已有运行“{ $name }”。
    .next = 请用 --resume 继续它，或用 --name 换一个名称。
run-unknown = 只能打开已存在的运行：{ $root } 中没有名为“{ $name }”的运行。
    .next = { $known ->
        [none] 请用 `headway train RECIPE` 启动一个。
       *[other] { $closest ->
            [none] 已有的运行：{ $known }。
           *[other] 您是指“{ $closest }”吗？已有的运行：{ $known }。
        }
    }
run-unwritable = 运行文件夹必须可写：无法写入 { $path }（{ $reason }）。
    .next = 请检查权限和剩余空间，或用 --runs 选择其他文件夹。
run-locked = 一个运行同一时间只能属于一个进程：另一个进程正在训练“{ $name }”。
    .next = 请等它结束或将它停止，或换个名称启动运行。
run-file-damaged = 运行的文件必须可读：无法读取 { $path }（{ $reason }）。
    .next = 请从备份恢复该文件，或启动新的运行。
run-recipe-changed = 恢复运行时配方不能改变：自“{ $name }”启动以来，{ $sections } 有改动。
    .next = 请撤销改动，或不带 --resume 启动新的运行。
run-steps-done = 恢复的运行不能在已完成的步数之前结束：“{ $name }”已完成 { $done } 步，而配方只要求 { $steps } 步。
    .next = 请将 training.steps 设为 { $done } 或更大，或不带 --resume 启动新的运行。
run-data-changed = 恢复运行时文本不能改变：自“{ $name }”启动以来，[data] 中的文件内容有变。
    .next = 请恢复原来的文本，或不带 --resume 启动新的运行。
run-nothing-to-resume = 只能恢复已存在的运行：{ $root } 中没有配方“{ $name }”的运行。
    .next = 请去掉 --resume 再启动。
run-base-changed = 运行必须沿用开始时的基础权重：{ $folder } 中的权重不是“{ $name }”的适配器所对应的。
    .next = 请把原来的权重放回去，或启动新的运行。
run-output-exists = 模型只写入新文件夹，以免覆盖已有内容：{ $path } 已存在。
    .next = 请用 --output 指定其他文件夹，或把现有的移走。
run-output-unwritable = 模型必须写入能够创建的文件夹：无法创建 { $path }（{ $reason }）。
    .next = 请用 --output 指定其他文件夹，或在那里腾出空间。
run-no-checkpoint = 运行必须有检查点：“{ $name }”还没有。
    .next = 请等待第一个检查点，或用 --resume 继续训练。
run-no-best = 最佳检查点是验证损失最低的那个，而 { $name } 没有评估过的检查点。
    .next = 请使用最新的检查点，或在训练时设置 training.evaluate_every_steps 和 resilience.keep_best。
run-step-twice = 检查点只能选一个：第 { $step } 步的，或最佳的。
    .next = 请去掉 --step 或 --best。
run-no-such-step = 只能选择运行已有的检查点：“{ $name }”没有第 { NUMBER($step, useGrouping: 0) } 步的检查点。
    .next = { $known ->
        [none] 它还没有任何检查点；请等待第一个，或用 --resume 继续训练。
       *[other] 它有这些步的检查点：{ $known }。
    }
run-checkpoints-gone = 运行必须有检查点：“{ $name }”保存过的检查点已不在了。
    .next = 请从备份恢复，或用 --resume 从头重新训练。
run-no-metrics = 运行必须至少训练过一步：“{ $name }”还没有。
    .next = 请先启动或恢复它。
run-plot-format = 图片文件名必须以下列之一结尾：{ $known }；{ $path } 不符合。
    .next = 请使用 loss.png 这样的名称。
run-plot-missing = 绘图需要软件包 { $package }，但尚未安装。
    .next = 请在 Headway 源码文件夹中运行 `pip install ".[torch]"`。
run-plot-loss = 损失（nats/token）
run-plot-speed = 每秒 token 数
run-plot-step = 优化器步数
run-plot-validation = { $name }，验证
run-no-scheduler = 作业要由调度系统自己的程序提交：无法启动 { $program }（{ $reason }）。
    .next = 请用 --output 写出作业，再到装有 { $program } 的机器上提交。
