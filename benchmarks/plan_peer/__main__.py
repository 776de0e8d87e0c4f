"""The published rows through ``llm-analysis`` (PyPI), where it can express them, beside ours.

    python -m benchmarks.plan_peer [--throughput FILE] [--memory FILE] [--environment FOLDER] [--json]

The peer runs in a virtual environment of its own, which is made on the first call. It has one efficiency for all
arithmetic, which its user must give: it is shown with the value that suits these very rows best, found by trying all
from 0.20 to 0.95, so that the comparison favours it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine_line import machine_line
from benchmarks.plan_accuracy.rows import MEMORY, THROUGHPUT, read_rows
from benchmarks.plan_accuracy.score import Score, choose, score_memories, score_times

REQUIREMENT = "llm-analysis==0.2.2"
GPUS = {
    "a100-sxm-80gb": "a100-sxm-80gb",
    "a100-sxm-40gb": "a100-sxm-40gb",
    "h100-sxm-80gb": "h100-sxm-80gb",
    "v100-sxm2-32gb": "v100-sxm-32gb",
}
"""Our accelerators by the peer's names."""

EFFICIENCIES = [round(0.2 + 0.05 * step, 2) for step in range(16)]


def environment(folder: Path) -> Path:
    """Return the interpreter of the peer's environment; it is made where there is none."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", REQUIREMENT], check=True)
    return python


def job_of(score: Score) -> dict[str, Any] | None:
    """Return a row as the peer can express it, or None: dense models, 16-bit products, no context parallelism."""
    found = score.found
    row = {name: float(getattr(found.splits, name)[choose(found).best]) for name in _COLUMNS}
    shape = found.job.shape
    gpu = GPUS.get(found.hardware.entry.id)
    if gpu is None or shape.experts or shape.is_latent or found.job.adapter or row["context"] > 1:
        return None
    if found.job.numerics.product not in ("bf16", "fp16") or row["recompute_share"] != 1:
        return None
    recompute = ("none", "selective", "selective", "full")[int(row["recompute"])]
    return {
        "model": {
            "name": "row",
            "num_layers": shape.layers,
            "n_head": shape.heads,
            "hidden_dim": shape.hidden,
            "vocab_size": shape.vocabulary,
            "max_seq_len": found.job.sequence_length,
            "num_key_value_heads": shape.key_value_heads,
            "ffn_embed_dim": shape.inner,
            "expansion_ratio": shape.inner / shape.hidden,
        },
        "gpu": gpu,
        "parallelism": {
            "tp_size": int(row["tensor"]),
            "pp_size": int(row["pipeline"]),
            "dp_size": int(row["data"]),
            "sp_size": int(row["tensor"]) if row["sequence_parallel"] else 1,
        },
        "micro_batch": int(row["micro_batch"]),
        "micro_batches": int(row["micro_batches"]),
        "sequence_length": found.job.sequence_length,
        "recompute": recompute,
        "zero": int(row["shard"]),
        "flash": found.job.attention != "unfused",
        "gated": shape.gated,
    }


_COLUMNS = (
    "tensor", "pipeline", "data", "context", "micro_batch", "micro_batches", "shard", "recompute", "recompute_share",
    "sequence_parallel",
)  # fmt: skip


def ask(python: Path, jobs: Sequence[dict[str, Any]], efficiency: float) -> list[dict[str, Any]]:
    """Return the peer's answers."""
    lines = "".join(json.dumps({**job, "efficiency": efficiency}) + "\n" for job in jobs)
    program = Path(__file__).with_name("peer.py")
    done = subprocess.run([python, program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def errors(predicted: Sequence[float], measured: Sequence[float]) -> dict[str, float]:
    """Return median, 90th percentile and bias of relative errors."""
    found = np.asarray(predicted) / np.asarray(measured) - 1
    return {
        "median_abs_error": float(np.median(np.abs(found))),
        "p90_abs_error": float(np.percentile(np.abs(found), 90)),
        "bias": float(np.median(found)),
        "rows": len(found),
    }


def compare(python: Path, scores: Sequence[Score], quantity: str) -> dict[str, Any]:
    """Return the errors of both planners on the rows that both express."""
    pairs = [(score, job) for score in scores if (job := job_of(score)) is not None]
    jobs = [job for _, job in pairs]
    best: dict[str, Any] = {}
    for efficiency in EFFICIENCIES if quantity == "step_seconds" else [0.5]:
        answers = ask(python, jobs, efficiency)
        both = [
            (score, answer[quantity] / (1.0 if quantity == "step_seconds" else 2**30))
            for (score, _), answer in zip(pairs, answers, strict=True)
            if answer.get(quantity)
        ]
        if not both:
            return {"rows": 0, "first_error": next((answer.get("error") for answer in answers), None)}
        peer = errors([value for _, value in both], [score.measured for score, _ in both])
        if not best or peer["median_abs_error"] < best["peer"]["median_abs_error"]:
            ours = errors([score.predicted for score, _ in both], [score.measured for score, _ in both])
            refused = len(pairs) - len(both)
            best = {"efficiency": efficiency, "peer": peer, "headway": ours, "refused": refused}
    return best


def main() -> int:
    """Print both planners' errors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan_peer", description=__doc__)
    parser.add_argument("--throughput", type=Path, default=THROUGHPUT)
    parser.add_argument("--memory", type=Path, default=MEMORY)
    parser.add_argument("--environment", type=Path, default=Path.home() / ".cache" / "headway-benchmarks" / "peer")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    python = environment(options.environment)
    times, _ = score_times(read_rows(options.throughput))
    peaks, _ = score_memories(read_rows(options.memory))
    found = {
        "step_time": compare(python, times, "step_seconds"),
        "memory": compare(python, peaks, "memory_bytes"),
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    print(machine_line())
    for name, figures in found.items():
        if "peer" not in figures:
            print(f"{name}: the peer expresses none ({figures.get('first_error')})")
            continue
        print(f"\n{name}: {figures['peer']['rows']} rows that both express; the peer refused {figures['refused']} more")
        for planner in ("headway", "peer"):
            one = figures[planner]
            label = planner if planner == "headway" else f"{REQUIREMENT}, efficiency {figures['efficiency']}"
            print(
                f"  {label:40s} median {one['median_abs_error']:6.1%}  p90 {one['p90_abs_error']:6.1%}"
                f"  bias {one['bias']:+6.1%}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
