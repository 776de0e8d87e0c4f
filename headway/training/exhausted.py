"""Memory that ran out: what was planned beside what was allocated, and the change of the recipe that would fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from headway.errors import HeadwayError, TrainingError
from headway.machine import Machine
from headway.machine.probing import known_machine
from headway.planning.memory import MemoryParts
from headway.planning.plan import plan
from headway.planning.processors import RECOMPUTATIONS, SHARDS
from headway.recipe import Recipe
from headway.runs import RunFolder

_HOST_ALLOCATOR = "DefaultCPUAllocator: can't allocate memory"
"""What PyTorch's allocator for the host's memory says. Source: PyTorch, ``c10/core/impl/alloc_cpu.cpp``."""


class _Change(NamedTuple):
    """Another layout, with what it is planned to take."""

    settings: dict[str, Any]
    peak_bytes: float
    step_seconds: float


def is_exhaustion(error: BaseException) -> bool:
    """Say whether an error means that memory ran out: the host's, or an accelerator's (``torch.OutOfMemoryError``)."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or _HOST_ALLOCATOR in str(error)


def exhausted(run: RunFolder, allocated_bytes: float) -> TrainingError:
    """Return the error of a run whose memory ran out.

    Args:
        run: with its plan, if one could be made.
        allocated_bytes: the peak of the process that failed, which is what there was to have.
    """
    memory = run.last_plan().get("memory", {})
    parts, peak_bytes = memory.get("parts", {}), float(memory.get("device_peak_bytes", 0.0))
    found = _fitting_change(run, peak_bytes, allocated_bytes) if peak_bytes else None
    return TrainingError(
        "training-out-of-memory",
        allocated_bytes=allocated_bytes,
        is_planned="yes" if peak_bytes else "no",
        peak_bytes=peak_bytes,
        **{field.name: float(parts.get(field.name, 0.0)) for field in fields(MemoryParts)},
        change="none" if found is None else _text_of(found.settings),
        change_bytes=0.0 if found is None else found.peak_bytes,
    )


def _fitting_change(run: RunFolder, planned_bytes: float, allocated_bytes: float) -> _Change | None:
    """Return the fastest other layout that needs less than there was; None where no plan knows of one.

    What the run took beyond its plan, others are taken to take too, in proportion.
    """
    recipe = run.recipe()
    excess = max(1.0, allocated_bytes / planned_bytes)
    try:
        others = list(_others(recipe, run.last_plan()["layout"], known_machine(run.path)))
    except HeadwayError:
        return None
    fitting = [other for other in others if excess * other.peak_bytes < min(allocated_bytes, planned_bytes * excess)]
    return min(fitting, key=lambda other: other.step_seconds, default=None)


def _others(recipe: Recipe, layout: dict[str, Any], machine: Machine) -> Iterator[_Change]:
    size, shards = layout["micro_batch_size"], SHARDS[SHARDS.index(layout["shard"]) :]
    for micro_batch_size in (divisor for divisor in range(size, 0, -1) if size % divisor == 0):
        for recompute in RECOMPUTATIONS:
            for shard in shards if layout["data_parallel_degree"] > 1 else shards[:1]:
                wanted = {"micro_batch_size": micro_batch_size, "recompute": recompute, "shard": shard}
                changed = {name: value for name, value in wanted.items() if value != layout[name]}
                if not changed:
                    continue
                wish = recipe.layout.model_copy(update=wanted)
                try:
                    planned = plan(recipe.model_copy(update={"layout": wish}), machine)
                except HeadwayError:
                    continue
                yield _Change(changed, planned.memory.device_peak_bytes, planned.time.step_seconds)


def _text_of(settings: dict[str, Any]) -> str:
    return ", ".join(
        f'layout.{name} = "{value}"' if isinstance(value, str) else f"layout.{name} = {value}"
        for name, value in settings.items()
    )
