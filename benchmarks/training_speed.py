"""Training tokens per second beside a plain Hugging Face ``Trainer``: ``python -m benchmarks.training_speed``.

Same model shape, same data, same batch, same processor. Each side trains in a process of its own; the two take turns,
so that a change of the machine's speed meets both. Steps are timed from the end of one to the end of the next.
Aims: at least 1.5 times in fp32 and 1.15 times in bf16.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line

PRESET = "headway-tiny-11m"
BATCH, WARM_UP, STEPS = 8, 3, 8


def recipe_of(precision: str) -> Any:
    """Return the recipe that both sides train."""
    from headway.recipe import resolve_recipe

    return resolve_recipe(
        {
            "model": {"preset": PRESET},
            "training": {"steps": 1000, "global_batch_size": BATCH, "precision": precision, "learning_rate": 1e-3},
            "hardware": {"accelerator": "cpu"},
        }
    )


def batches(recipe: Any) -> Iterator[Any]:
    """Yield the batches of the Python standard library's sources, in the run's own order."""
    from headway.training.data import prepare

    corpus = prepare(recipe.data, vocab_size=recipe.model.vocab_size, seed=recipe.training.seed)
    stream = corpus.train_stream(recipe.training.sequence_length, BATCH)
    step = 0
    while True:
        yield stream.batch(step)
        step += 1


def time_headway(precision: str) -> list[float]:
    """Return the seconds of each step of our engine."""
    from headway.training.engines import build_engine

    recipe = recipe_of(precision)
    engine = build_engine(recipe)
    times = []
    stream = batches(recipe)
    for _ in range(WARM_UP + STEPS):
        started = time.perf_counter()
        engine.step([next(stream)], 1e-3)
        times.append(time.perf_counter() - started)
    return times[WARM_UP:]


def time_trainer(precision: str) -> list[float]:
    """Return the seconds of each step of ``transformers.Trainer``."""
    import torch
    import transformers

    from headway.recipe import to_hf_config

    recipe = recipe_of(precision)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**to_hf_config(recipe.model)))
    stream = batches(recipe)
    rows = [row[:-1] for _ in range(WARM_UP + STEPS + 1) for row in next(stream).tokens]
    dataset = [{"input_ids": torch.tensor(row), "labels": torch.tensor(row)} for row in rows]
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
            learning_rate=1e-3,
            report_to=[],
            save_strategy="no",
            logging_steps=10_000,
            disable_tqdm=True,
        )
        transformers.Trainer(model=model, args=arguments, train_dataset=dataset, callbacks=[Clock()]).train()
    return [after - before for before, after in zip(ends[WARM_UP:], ends[WARM_UP + 1 :], strict=False)]


def run_side(side: str, precision: str) -> list[float]:
    """Time one side in a process of its own, started as each is started in real use."""
    from headway.machine.tuned_environment import tuned_environment

    command = [sys.executable, "-m", "benchmarks.training_speed", "--side", side, "--precision", precision]
    environment = tuned_environment() if side == "headway" else None
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return list(json.loads(output.splitlines()[-1]))


def gemm_peak(precision: str) -> float | None:
    """Return the best matrix-product rate that the probe measured."""
    from headway.machine import probe

    measured = probe(Path.cwd()).measurements
    return measured.matmul.best_flops_per_second(precision) if measured and measured.matmul else None


def main() -> None:
    """Print the table, or time one side for the parent process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=("headway", "trainer"))
    parser.add_argument("--precision", choices=("fp32", "bf16"))
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    if options.side:
        times = (time_headway if options.side == "headway" else time_trainer)(options.precision)
        print(json.dumps(times))
        return
    from headway.planning.flops import model_flops_per_token

    print(machine_line())
    for precision in (options.precision,) if options.precision else ("fp32", "bf16"):
        recipe = recipe_of(precision)
        tokens = recipe.tokens_per_step
        peak = gemm_peak(precision)
        medians: dict[str, list[float]] = {"headway": [], "trainer": []}
        for _ in range(options.rounds):
            for side, found in medians.items():
                found.append(statistics.median(run_side(side, precision)))
        ratios = sorted(theirs / ours for ours, theirs in zip(medians["headway"], medians["trainer"], strict=True))
        rate = tokens / min(medians["headway"])
        flops = model_flops_per_token(recipe.model, recipe.training.sequence_length)
        share = f"{rate * flops / peak:.1%} of the probed matrix-product peak" if peak else "no probed peak"
        print(
            f"{precision}: headway {rate:,.0f} tokens/s, trainer {tokens / min(medians['trainer']):,.0f} tokens/s, "
            f"ratio of medians by round {', '.join(f'{ratio:.2f}' for ratio in ratios)} "
            f"(median {statistics.median(ratios):.2f}); {share}",
            flush=True,
        )


if __name__ == "__main__":
    main()
