"""What a published row's column of peak memory counts."""

from __future__ import annotations

import re

from benchmarks.plan_accuracy.words import Row


def has_known_lengths(row: Row) -> bool:
    """Return whether samples are as long as the stated length, which unpacked ones are not."""
    if "ms-swift" in row["source"]:
        return "packing" in row["notes"]
    return "torchtune" not in row["source"] or "unpacked" not in row["notes"]


def counts_context(row: Row) -> bool:
    """Return whether the stated memory is what the driver shows, and not what the allocator counts."""
    metric = row["mem_metric"].lower()
    return not re.search(r"alloc|active|reserved|torchtune", f"{metric} {row['source'].lower()}")


def counts_reserve(row: Row) -> bool:
    """Return whether the stated memory holds the allocator's holes too."""
    metric = row["mem_metric"].lower()
    if "torchtune" in row["source"] and "reserved" not in metric:
        return False
    return counts_context(row) or "reserved" in metric or "in log" in metric
