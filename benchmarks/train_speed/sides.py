"""One side of the comparison, in a process of its own: it prints the seconds of each step and the losses as JSON.

python -m benchmarks.train_speed.sides SIDE PRECISION BATCHES
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.train_speed.cases import BATCH, LEARNING_RATE, STEPS, WARM_UP, recipe_of

Result = tuple[list[float], list[float]]
"""Seconds and losses of the steps that count."""


def headway(precision: str, batches: Any) -> Result:
    """Time our engine, with the reading of each batch."""
    from headway.training.data import Batch
    from headway.training.engines import build_engine

    engine = build_engine(recipe_of(precision))
    return timed(lambda step: engine.step([Batch(batches[step])], LEARNING_RATE).loss)


def nano(precision: str, batches: Any) -> Result:
    """Time the minimal loop."""
    from benchmarks.train_speed.nano import Loop

    return timed(Loop(recipe_of(precision).model, precision, batches).step)


def trainer(precision: str, batches: Any) -> Result:
    """Time ``transformers.Trainer``, from the end of one step to the end of the next."""
    import torch
    import transformers

    from headway.recipe import to_hf_config

    config = transformers.LlamaConfig(**to_hf_config(recipe_of(precision).model))
    model = transformers.LlamaForCausalLM(config)
    # The model shifts the labels by itself; T tokens have T - 1 targets, and one fewer than the other sides'.
    rows = [
        {"input_ids": torch.from_numpy(row[:-1]), "labels": torch.from_numpy(row[:-1])}
        for row in batches.reshape(-1, batches.shape[-1])
    ]
    ends: list[float] = []

    class Clock(transformers.TrainerCallback):
        def on_step_end(self, *_arguments: Any, **_keywords: Any) -> None:
            ends.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=BATCH,
            max_steps=WARM_UP + STEPS + 1,
            bf16=precision == "bf16",
            use_cpu=True,
            weight_decay=0.1,
            learning_rate=LEARNING_RATE,
            report_to=[],
            save_strategy="no",
            logging_steps=1,
            disable_tqdm=True,
        )
        ours = transformers.Trainer(model=model, args=arguments, train_dataset=rows, callbacks=[Clock()])
        ours.train()
    losses = [entry["loss"] for entry in ours.state.log_history if "loss" in entry]
    times = [after - before for before, after in zip(ends[WARM_UP:], ends[WARM_UP + 1 :], strict=False)]
    return times[:STEPS], losses[WARM_UP : WARM_UP + STEPS]


def timed(step: Callable[[int], float]) -> Result:
    """Time the steps that follow the warm-up."""
    times, losses = [], []
    for number in range(WARM_UP + STEPS):
        started = time.perf_counter()
        losses.append(float(step(number)))
        times.append(time.perf_counter() - started)
    return times[WARM_UP:], losses[WARM_UP:]


SIDES = {"headway": headway, "nano": nano, "transformers.Trainer": trainer}


def main(side: str, precision: str, batches: str) -> None:
    """Time one side."""
    times, losses = SIDES[side](precision, np.load(Path(batches)))
    print(json.dumps({"times": times, "losses": losses}))


if __name__ == "__main__":
    main(*sys.argv[1:])
