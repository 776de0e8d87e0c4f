"""Training tokens per second beside other trainers: ``python -m benchmarks.train_speed``.

Headway, Hugging Face's ``Trainer``, litgpt (in an environment of its own) and a minimal loop in the manner of nanoGPT:
same model shape, same batches, same number format, same processor. Each side trains in a process of its own, started
as it is started in real use; they take turns, so that a change of the machine's speed meets all of them. The ratio of a
round is of its medians, to the fastest of the others. Aims: at least 1.5 times the best in fp32 and 1.15 in bf16. Where
there is a GPU, larger shapes are measured as well.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line
from benchmarks.train_speed.cases import LEARNING_RATE, SIDES, STEPS, WARM_UP, recipe_of, write_batches
from benchmarks.train_speed.environment import litgpt_python


def run_side(side: str, precision: str, batches: Path, python: Path | None) -> dict[str, Any]:
    """Time one side in a process of its own."""
    from headway.machine.tuned_environment import tuned_environment

    if side == "litgpt":
        script = str(Path(__file__).with_name("litgpt_side.py"))
        shape = json.dumps(litgpt_shape(precision))
        options = (str(WARM_UP), str(STEPS), str(LEARNING_RATE))
        command = [str(python), script, shape, precision, str(batches), *options]
    else:
        command = [sys.executable, "-m", "benchmarks.train_speed.sides", side, precision, str(batches)]
    environment = tuned_environment() if side == "headway" else None
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{side} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def litgpt_shape(precision: str) -> dict[str, Any]:
    """Return the shape in litgpt's words. Source: litgpt 0.5.13, ``config.py``, the entries of Llama."""
    recipe = recipe_of(precision)
    model = recipe.model
    return {
        "block_size": recipe.training.sequence_length,
        "vocab_size": model.vocab_size,
        "padded_vocab_size": model.vocab_size,
        "n_layer": model.num_hidden_layers,
        "n_head": model.num_attention_heads,
        "n_query_groups": model.num_key_value_heads,
        "head_size": model.head_dim,
        "n_embd": model.hidden_size,
        "intermediate_size": model.intermediate_size,
        "rotary_percentage": 1.0,
        "parallel_residual": False,
        "bias": False,
        "norm_class_name": "RMSNorm",
        "mlp_class_name": "LLaMAMLP",
        "norm_eps": model.rms_norm_eps,
        "rope_base": int(model.rope_theta),
    }


def gemm_peak(precision: str) -> float | None:
    """Return the best matrix-product rate that the probe measured."""
    from headway.machine import probe

    measured = probe(Path.cwd()).measurements
    return measured.matmul.best_flops_per_second(precision) if measured and measured.matmul else None


def compare(precision: str, sides: Sequence[str], batches: Path, rounds: int, python: Path | None) -> None:
    """Print the speed of all sides, and the ratio to the best of the others."""
    medians: dict[str, list[float]] = {side: [] for side in sides}
    fastest = dict.fromkeys(sides, float("inf"))
    losses: dict[str, float] = {}
    for number in range(rounds):
        # Each round begins with another side.
        for side in (*sides[number % len(sides) :], *sides[: number % len(sides)]):
            found = run_side(side, precision, batches, python)
            medians[side].append(statistics.median(found["times"]))
            fastest[side] = min(fastest[side], *found["times"])
            losses[side] = statistics.mean(found["losses"])
    tokens = recipe_of(precision).tokens_per_step
    print(f"{precision}:")
    for side, times in medians.items():
        rates = (
            f"{tokens / min(times):,.0f} tokens/s in its best round, {tokens / fastest[side]:,.0f} in its fastest step"
        )
        print(f"  {side}: {rates}; mean loss {losses[side]:.3f}")
    for side in sides[1:]:
        ratios = sorted(other / ours for ours, other in zip(medians["headway"], medians[side], strict=True))
        print(f"  {_ratio(f'headway over {side}', ratios)}")
    # Other work on the machine only makes steps longer: the fastest ones are those that it did not meet.
    ratio = min(fastest[side] for side in sides[1:]) / fastest["headway"]
    print(f"  headway over the best of them, fastest steps: {ratio:.2f}")
    best = [min(medians[side][number] for side in sides[1:]) for number in range(rounds)]
    ratios = sorted(other / ours for ours, other in zip(medians["headway"], best, strict=True))
    print(f"  {_ratio('headway over the best of them in each round', ratios)}", flush=True)


def _ratio(label: str, ratios: Sequence[float]) -> str:
    return f"{label}: median {statistics.median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})"


def explain(precision: str, batches: Path) -> None:
    """Print where the step's time goes, and what its matrix products would take at the peak."""
    from headway.machine.tuned_environment import tuned_environment
    from headway.planning.flops import model_flops_per_token

    command = [sys.executable, "-m", "benchmarks.train_speed.breakdown", precision, str(batches)]
    done = subprocess.run(command, capture_output=True, text=True, env=tuned_environment(), check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    step = found.pop("step")
    parts = sorted(found.items(), key=lambda part: -part[1])
    print(f"  profile of a step of {step:.3f} s: " + ", ".join(f"{kind} {part:.3f} s" for kind, part in parts))
    recipe, peak = recipe_of(precision), gemm_peak(precision)
    if peak is None:
        print("  no probed peak")
        return
    least = recipe.tokens_per_step * model_flops_per_token(recipe.model, recipe.training.sequence_length) / peak
    print(f"  at the probed peak of {peak / 1e9:,.0f} GFLOP/s its FLOPs take {least:.3f} s, {least / step:.1%} of it")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", choices=("fp32", "bf16"))
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--without", action="append", default=[], choices=SIDES[1:], help="leave a side out")
    options = parser.parse_args()
    python = None if "litgpt" in options.without else litgpt_python()
    sides = [side for side in SIDES if side not in options.without and (side != "litgpt" or python is not None)]
    print(machine_line())
    with tempfile.TemporaryDirectory() as folder:
        batches = Path(folder) / "batches.npy"
        write_batches(batches)
        for precision in (options.precision,) if options.precision else ("fp32", "bf16"):
            compare(precision, sides, batches, options.rounds, python)
            explain(precision, batches)
    subprocess.run([sys.executable, "-m", "benchmarks.train_speed.gpu"], check=True)


if __name__ == "__main__":
    main()
