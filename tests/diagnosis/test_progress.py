"""Lines of progress in the formats of the field's trainers."""

from __future__ import annotations

import pytest

from headway.diagnosis.progress import step_of


@pytest.mark.parametrize(
    ("text", "step"),
    [
        (" [2026-11-30 12:00:00] iteration     1200/  500000 | lm loss: 2.9E+00 | grad norm: 0.3", 1200),
        ("[rank0]:[titan] 2026-11-30 12:00:00,1 - root - INFO - step:    12  loss: 7.9  tps: 7,021", 12),
        ("[INFO] [Rank 0] step=30, skipped=0, lr=[2e-05], mom=[(0.9, 0.95)]", 30),
        (" 60%|###### | 1200/2000 [40:00<1:05:12,  2.01s/it]", 1200),
        ("{'loss': 1.9, 'grad_norm': 0.8, 'learning_rate': 1.2e-05}", -1),
        ("completed step: 7, seconds: 5.2, TFLOP/s/device: 231.4, loss: 3.1", 7),
        ('{"step": 41, "time": 1.0, "loss": 2.0}', 41),
        ("  12/1875 [>.............................] - ETA: 5:12 - loss: 9.1", 12),
    ],
)
def test_progress_is_seen(text: str, step: int) -> None:
    assert step_of(text) == step


@pytest.mark.parametrize(
    "text",
    [
        "Loading checkpoint shards:  57%|#####  | 4/7 [00:37<00:28,  9.42s/it]",
        "Map (num_proc=8):  10%|#   | 100/1000 [00:10<01:30, 10.0 examples/s]",
        "Downloading: 100%|####| 10/10 [00:10<00:00]",
        "saving checkpoint at iteration 1500 took 33 ms",
        "the loss of step one",
        "step by step",
        "",
    ],
)
def test_other_work_is_no_progress(text: str) -> None:
    assert step_of(text) is None
