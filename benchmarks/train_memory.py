"""How near the plan's peak of memory comes to what runs really take on this machine, over many kinds of layouts.

    python -m benchmarks.train_memory [--json] [--only NAME ...]

Each layout is a run as a user starts it: planned, trained for some steps in processes of its own, and read back from
its ledger. The measured peak is the largest peak resident set of its processes. Beside it stand the parts that can be
measured apart: weights, gradients and moments, as the tensors of the engine add up to.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headway.machine import Machine, probe
from headway.planning import plan
from headway.recipe import resolve_recipe
from headway.runs import RunFolder
from headway.training.accounting import measure_run
from headway.training.session import Session, open_run

SMALL = {"hidden_size": 384, "intermediate_size": 1024, "num_hidden_layers": 6, "num_attention_heads": 6}
LARGE = {"hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 12}
TWO = {"hardware": {"devices": 2, "devices_per_node": 2}}
LORA = {"method": "lora", "learning_rate": 1e-4}

LAYOUTS: dict[str, dict[str, dict[str, Any]]] = {
    "fp32": {"training": {"precision": "fp32"}},
    "bf16": {},
    "fp32, whole batch at once": {"training": {"precision": "fp32"}, "layout": {"micro_batch_size": 8}},
    "bf16, whole batch at once": {"layout": {"micro_batch_size": 8}},
    "bf16, one sequence at a time": {"layout": {"micro_batch_size": 1}},
    "bf16, long sequences": {"training": {"sequence_length": 1024, "global_batch_size": 4}},
    "bf16, within documents": {"data": {"attention_within_documents": True}},
    "large, fp32": {"model": LARGE, "training": {"precision": "fp32"}},
    "large, bf16": {"model": LARGE},
    "large, bf16, one sequence": {"model": LARGE, "layout": {"micro_batch_size": 1}},
    "bf16, recompute full": {"layout": {"recompute": "full", "micro_batch_size": 8}},
    "bf16, recompute selective": {"layout": {"recompute": "selective", "micro_batch_size": 8}},
    "fp32, recompute full": {
        "layout": {"recompute": "full", "micro_batch_size": 8},
        "training": {"precision": "fp32"},
    },
    "large, bf16, recompute full": {"model": LARGE, "layout": {"recompute": "full", "micro_batch_size": 4}},
    "lora, fp32": {"training": {**LORA, "precision": "fp32"}},
    "lora, bf16": {"training": LORA},
    "lora, bf16, queries and values": {"training": {**LORA, "adapter_targets": "query-value"}},
    "large, lora, bf16": {"model": LARGE, "training": LORA},
    "large, lora, bf16, recompute full": {"model": LARGE, "training": LORA, "layout": {"recompute": "full"}},
    "qlora, bf16": {"training": {**LORA, "method": "qlora"}},
    "large, qlora, bf16": {"model": LARGE, "training": {**LORA, "method": "qlora"}},
    "two processes": TWO,
    "two processes, optimizer divided": {**TWO, "layout": {"shard": "optimizer"}},
    "two processes, weights divided": {**TWO, "layout": {"shard": "parameters"}},
    "large, two processes, weights divided": {**TWO, "model": LARGE, "layout": {"shard": "parameters"}},
}


def recipe_data(changes: dict[str, dict[str, Any]], text: Path, cache: Path) -> dict[str, Any]:
    """Return the recipe of a layout as plain data."""
    raw: dict[str, dict[str, Any]] = {
        "model": {**SMALL, "vocab_size": 4096, "max_position_embeddings": 1024, "tie_word_embeddings": True},
        "data": {"paths": [str(text)], "cache": str(cache)},
        "training": {"steps": 12, "sequence_length": 256, "global_batch_size": 8, "precision": "bf16"},
        "layout": {"micro_batch_size": 2},
        "hardware": {"accelerator": "cpu"},
        "resilience": {"checkpoint_every_steps": 12},
    }
    for section, values in changes.items():
        raw[section] = {**raw.get(section, {}), **values}
    raw["model"]["num_key_value_heads"] = raw["model"]["num_attention_heads"] // 3
    return raw


class Measuring:
    """Trains each layout in a folder that is gone afterwards.

    Args:
        folder: for runs and caches.
        machine: as probed.
    """

    def __init__(self, folder: Path, machine: Machine) -> None:
        self._folder = folder
        self._machine = machine
        self._text = folder / "text"
        self._text.mkdir()
        for module in ("argparse", "ast", "inspect", "typing", "tarfile", "subprocess"):
            source = Path(sysconfig.get_path("stdlib")) / f"{module}.py"
            (self._text / source.name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        self._bases: dict[int, RunFolder] = {}

    def compare(self, name: str) -> dict[str, Any]:
        """Return predicted and measured figures of one layout."""
        raw = recipe_data(LAYOUTS[name], self._text, self._folder / "cache")
        if "method" in raw["training"]:
            base = self._base(raw["model"])
            raw["data"]["tokenizer"] = str(base.tokenizer_path)
            raw["training"]["init_from"] = str(sorted(base.checkpoints_folder.glob("step-*"))[-1])
        recipe = resolve_recipe(raw)
        planned = plan(recipe, self._machine)
        run = open_run(recipe, planned.to_dict(), root=self._folder / "runs")
        if Session(run, processes=recipe.hardware.devices).wait() != 0:
            raise SystemExit(f"{name}: the run failed, see {run.path}")
        rows = {row.quantity: row for row in measure_run(run).rows}
        peak, step = rows["peak_bytes"].measured, rows["step_seconds"].measured
        return {
            "layout": name,
            "predicted_peak_bytes": planned.memory.device_peak_bytes,
            "measured_peak_bytes": peak,
            "peak_error": planned.memory.device_peak_bytes / float(peak) - 1,
            "predicted_step_seconds": planned.time.step_seconds,
            "measured_step_seconds": step,
            "step_error": planned.time.step_seconds / float(step) - 1,
            "parts": planned.to_dict()["memory"]["parts"],
        }

    def _base(self, model: dict[str, Any]) -> RunFolder:
        size = model["hidden_size"]
        if size not in self._bases:
            raw = recipe_data({"training": {"steps": 2}}, self._text, self._folder / "cache")
            run = open_run(resolve_recipe({**raw, "model": model}), {}, root=self._folder / f"base-{size}")
            if Session(run).wait() != 0:
                raise SystemExit(f"the run of the base failed, see {run.path}")
            self._bases[size] = run
        return self._bases[size]


def line_of(row: dict[str, Any]) -> str:
    """Return one row as a line of the table."""
    return (
        f"{row['layout']:40} peak {row['predicted_peak_bytes'] / 2**20:6.0f} MiB, "
        f"measured {row['measured_peak_bytes'] / 2**20:6.0f} {row['peak_error']:+6.1%}   "
        f"step {row['predicted_step_seconds']:6.3f} s, measured {row['measured_step_seconds']:6.3f} "
        f"{row['step_error']:+6.1%}"
    )


def main() -> None:
    """Compare all layouts and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", nargs="+", choices=LAYOUTS, metavar="NAME", help="only these layouts")
    options = parser.parse_args()
    rows = []
    with TemporaryDirectory() as folder:
        measuring = Measuring(Path(folder), probe())
        for name in options.only or LAYOUTS:
            rows.append(measuring.compare(name))
            if not options.json:
                print(line_of(rows[-1]), flush=True)
    errors = {key: [abs(row[key]) for row in rows] for key in ("peak_error", "step_error")}
    summary = {
        f"{key}_{kind}": function(values)
        for key, values in errors.items()
        for kind, function in (("median", statistics.median), ("largest", max))
    }
    if options.json:
        json.dump({"rows": rows, "summary": summary}, sys.stdout, indent=1)
    else:
        print(", ".join(f"{name} {value:.1%}" for name, value in summary.items()))


if __name__ == "__main__":
    main()
