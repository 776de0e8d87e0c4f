"""Reads published rows, and names the source of each."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from benchmarks.plan_accuracy.words import Row

DATA = Path(__file__).parent / "data"
THROUGHPUT = DATA / "published_throughput.csv"
MEMORY = DATA / "published_memory.csv"

COLUMNS = (
    "id", "source", "model", "params", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "seq_len", "hardware",
    "interconnect", "devices", "tp", "pp", "virtual_pp", "cp", "ep", "dp", "zero_stage_or_fsdp", "micro_batch",
    "global_batch", "grad_accum", "precision", "recompute", "compile", "tokens_per_s_per_device", "step_time_s",
    "peak_mem_gib", "notes", "method", "optimizer", "attention", "mem_metric", "mem_raw", "accel", "kind",
    "tflops_per_device",
)  # fmt: skip
"""What the benchmark reads; a column that a file lacks is taken as empty."""


def read_rows(file: Path) -> list[Row]:
    """Return the rows of a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no CSV with a header.
    """
    with file.open(encoding="utf-8", newline="") as opened:
        reader = csv.DictReader(opened)
        if not reader.fieldnames or "id" not in reader.fieldnames:
            raise ValueError(f"{file}: no column named id")
        return [{name: (row.get(name) or "").strip() for name in COLUMNS} for row in reader]


def source_of(row: Row) -> str:
    """Return who published a row: the repository or site that its source begins with."""
    text = row["source"].strip()
    repository = re.match(r"([A-Za-z0-9_.\-]+/[A-Za-z0-9_.\-]+)", text)
    if text.startswith("http"):
        return text.split()[0].rstrip(",;")
    if repository:
        return re.sub(r"_v\d+\.\d+$", "", repository[1].split("@")[0])
    return " ".join(re.split(r"[\s,(\u00a7]+", text)[:3])
