"""How near the plan's step time and peak memory come to real training steps on this machine's processors.

    python benchmarks/plan_accuracy_cpu.py [--json] [--refresh] [--seconds 6] [--only N]

Each shape trains in a process of its own, started as a training run starts it, so that its peak resident set is its
own. Step times are medians after warm-up; the best step is shown too, since other work on the machine only ever adds
time. No shape is one that the probe measures as a whole: the probe times single operations.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SHAPES = (
    # hidden, intermediate, layers, heads, key-value heads, vocabulary, sequence, global batch, micro-batch, precision
    (384, 1024, 6, 6, 2, 4096, 256, 16, 8, "bf16"),
    (384, 1024, 6, 6, 2, 4096, 256, 16, 8, "fp32"),
    (384, 1024, 6, 6, 2, 4096, 256, 32, 16, "bf16"),
    (384, 1024, 6, 6, 2, 4096, 256, 16, 16, "fp32"),
    (128, 384, 2, 2, 2, 512, 128, 16, 16, "fp32"),
    (128, 384, 4, 2, 1, 260, 128, 32, 16, "bf16"),
    (256, 704, 4, 4, 2, 2048, 256, 16, 8, "bf16"),
    (384, 1024, 6, 6, 6, 4096, 512, 8, 4, "fp32"),
    (512, 1408, 8, 8, 4, 8192, 256, 8, 8, "bf16"),
    (512, 1408, 8, 8, 4, 8192, 256, 4, 2, "fp32"),
    (768, 2048, 12, 12, 12, 8192, 512, 2, 2, "bf16"),
    (768, 2048, 12, 12, 4, 4096, 256, 4, 4, "fp32"),
)
HEAD_DIM = 64


def recipe_of(shape: tuple[Any, ...]) -> dict[str, Any]:
    """Return the recipe of a shape as plain data."""
    hidden, intermediate, layers, heads, groups, vocabulary, sequence, batch, micro, precision = shape
    return {
        "model": {
            "hidden_size": hidden,
            "intermediate_size": intermediate,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "num_key_value_heads": groups,
            "head_dim": HEAD_DIM,
            "vocab_size": vocabulary,
            "max_position_embeddings": sequence,
            "tie_word_embeddings": True,
        },
        "training": {"steps": 1000, "sequence_length": sequence, "global_batch_size": batch, "precision": precision},
        "layout": {"micro_batch_size": micro},
        "data": {"tokenizer": "byte"},
        "hardware": {"accelerator": "cpu"},
    }


def train(content: dict[str, Any], seconds: float) -> None:
    """Train in this process and print the times of the steps and the peak resident set."""
    import numpy as np

    import headway.training.worker  # noqa: F401  (a run's process imports all of it)
    from headway.recipe import resolve_recipe
    from headway.telemetry.process import peak_resident_bytes
    from headway.training.data import Batch
    from headway.training.engines import build_engine

    recipe = resolve_recipe(content)
    engine = build_engine(recipe)
    random = np.random.default_rng(0)
    batch, micro = recipe.training.global_batch_size, content["layout"]["micro_batch_size"]
    shape = (micro, recipe.training.sequence_length + 1)
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < 6 or time.perf_counter() - begin < seconds:
        batches = [Batch(tokens=random.integers(0, recipe.model.vocab_size, shape)) for _ in range(batch // micro)]
        start = time.perf_counter()
        engine.step(batches, 1e-4)
        times.append(time.perf_counter() - start)
    print(json.dumps({"times": times[2:], "peak_bytes": peak_resident_bytes()}))


def measure(content: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Train in a child that is started as a run's worker is."""
    from headway.resilience.launchers.local import start_worker

    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = [
            sys.executable,
            str(Path(__file__).resolve()),
            "--train",
            json.dumps(content),
            "--seconds",
            str(seconds),
        ]
        if start_worker(command, log).wait() != 0:
            raise subprocess.SubprocessError(log.read_text())
        found: dict[str, Any] = json.loads(log.read_text().splitlines()[-1])
    return found


def compare(shape: tuple[Any, ...], machine: Any, seconds: float) -> dict[str, Any]:
    """Return predicted and measured figures of one shape."""
    from headway.planning import plan
    from headway.recipe import resolve_recipe

    content = recipe_of(shape)
    planned = plan(resolve_recipe(content), machine)
    found = measure(content, seconds)
    median_seconds = statistics.median(found["times"])
    return {
        "shape": list(shape),
        "predicted_step_seconds": planned.time.step_seconds,
        "measured_step_seconds": median_seconds,
        "best_step_seconds": min(found["times"]),
        "step_error": planned.time.step_seconds / median_seconds - 1,
        "predicted_peak_bytes": planned.memory.device_peak_bytes,
        "measured_peak_bytes": found["peak_bytes"],
        "peak_error": planned.memory.device_peak_bytes / found["peak_bytes"] - 1,
        "parts": planned.to_dict()["memory"]["parts"],
    }


def line_of(row: dict[str, Any]) -> str:
    """Return one row as a line of the table."""
    return (
        f"{' '.join(str(value) for value in row['shape']):44} "
        f"step {row['predicted_step_seconds']:7.3f} s, measured {row['measured_step_seconds']:7.3f} "
        f"(best {row['best_step_seconds']:7.3f}) {row['step_error']:+6.1%}   "
        f"peak {row['predicted_peak_bytes'] / 2**20:5.0f} MiB, measured {row['measured_peak_bytes'] / 2**20:5.0f} "
        f"{row['peak_error']:+6.1%}"
    )


def main() -> None:
    """Compare all shapes and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--refresh", action="store_true", help="measure the machine anew first")
    parser.add_argument("--seconds", type=float, default=6.0, help="training time for each shape")
    parser.add_argument("--only", type=int, help="only the first N shapes")
    parser.add_argument("--train", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train(json.loads(options.train), options.seconds)
        return
    from headway.machine import probe

    machine = probe(refresh=options.refresh)
    rows = []
    for shape in SHAPES[: options.only]:
        row = compare(shape, machine, options.seconds)
        rows.append(row)
        if not options.json:
            print(line_of(row), flush=True)
    summary = {
        f"{name}_{kind}": function(abs(row[name]) for row in rows)
        for name in ("step_error", "peak_error")
        for kind, function in (("median", statistics.median), ("largest", max))
    }
    if options.json:
        print(json.dumps({"rows": rows, "summary": summary}, indent=1))
    else:
        print(", ".join(f"{name} {value:.1%}" for name, value in summary.items()))


if __name__ == "__main__":
    main()
