"""Figures that logs hold: what an accelerator's memory was asked for, the work lost, who waited for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headway.diagnosis.collectives import Waited
from headway.diagnosis.line import compiled
from headway.diagnosis.sighting import LogReport, Sighting
from headway.diagnosis.survival import last_progress

UNITS = {
    "b": 1,
    "bytes": 1,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "tib": 1 << 40,
    "kb": 1000,
    "mb": 10**6,
    "gb": 10**9,
}

FRAGMENTED_SHARE = 0.08
"""Memory that the allocator holds and does not use: above this share of the device, and enough for what was asked, its
pieces were too small. Below, an allocator that works well holds as much. Source: the message itself, which says when to
try expandable segments ("if reserved but unallocated memory is large")."""

OTHERS_SHARE = 0.1
"""Memory of the device that is neither free nor this process's, above which others hold a part that matters; the
contexts of other libraries stay below."""

CHECKPOINT = "checkpoint-saved"


def bytes_of(text: str | None) -> float | None:
    """Return a size such as ``1.96 GiB`` in bytes; None where there is none."""
    found = compiled(r"([\d.]+) ?([KMGTkmgt]?i?[Bb](?:ytes)?)").search(text) if text else None
    if not found:
        return None
    try:
        return float(found.group(1)) * UNITS[found.group(2).lower()]
    except (KeyError, ValueError):
        return None


def memory_figures(caught: Mapping[str, str]) -> dict[str, float]:
    """Return what the message of an accelerator without memory says, in bytes."""
    names = {
        "tried": "device_tried_bytes",
        "capacity": "device_capacity_bytes",
        "free": "device_free_bytes",
        "process": "device_process_bytes",
        "allocated": "device_allocated_bytes",
        "unallocated": "device_unallocated_bytes",
    }
    read = {name: bytes_of(caught.get(group)) for group, name in names.items()}
    reserved, allocated = bytes_of(caught.get("reserved")), read["device_allocated_bytes"]
    if reserved is not None and allocated is not None and read["device_unallocated_bytes"] is None:
        read["device_unallocated_bytes"] = reserved - allocated
        # Older messages do not say what the process holds in all: what it reserved, and its context beside.
        read["device_process_bytes"] = read["device_process_bytes"] or reserved
    return {name: value for name, value in read.items() if value is not None}


def finer_memory_cause(figures: Mapping[str, float]) -> str | None:
    """Return the id of what the figures show beyond a lack of memory: fragments, or another process."""
    capacity, tried = figures.get("device_capacity_bytes"), figures.get("device_tried_bytes")
    if not capacity or not tried:
        return None
    unallocated = figures.get("device_unallocated_bytes", 0.0) + figures.get("device_free_bytes", 0.0)
    if unallocated >= tried and figures.get("device_unallocated_bytes", 0.0) > FRAGMENTED_SHARE * capacity:
        return "device-memory-fragmentation"
    process = figures.get("device_process_bytes")
    if process is not None:
        others = capacity - figures.get("device_free_bytes", 0.0) - process
        if others > OTHERS_SHARE * capacity:
            return "device-memory-others"
    return None


def work_lost(reports: Sequence[LogReport], sightings: Sequence[Sighting]) -> dict[str, int]:
    """Return the last step, the last checkpoint and the steps between, as far as the logs say."""
    last = last_progress(reports)
    saved = [
        int(one.caught["step"])
        for one in sightings
        if one.signature == CHECKPOINT and one.caught.get("step", "").isdigit() and len(one.caught["step"]) < 13
    ]
    found: dict[str, int] = {}
    if last is not None and last.step is not None:
        found["last_step"] = last.step
    if saved:
        found["last_checkpoint_step"] = max(saved)
    if len(found) == 2 and found["last_step"] >= found["last_checkpoint_step"]:
        found["steps_lost"] = found["last_step"] - found["last_checkpoint_step"]
    return found


def waiting_figures(waited: Waited | None, timeouts: Sequence[Sighting]) -> dict[str, Any]:
    """Return who waited in a collective operation, and for whom."""
    ranks = sorted({one.rank for one in timeouts if one.rank is not None})
    if not ranks:
        return {}
    found: dict[str, Any] = {"waiting_ranks": ranks[:64]}
    if waited is not None and waited.ranks:
        found["missing_ranks"] = list(waited.ranks)
    if waited is not None and waited.operation:
        found["operation"] = waited.operation
    return found
