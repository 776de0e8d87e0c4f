"""The recipe that can run and is the nearest to one that cannot: other values of its layout, or more room."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headway import catalog
from headway.errors import HeadwayError, PlanError
from headway.planning.comparison import MakePlan
from headway.planning.device import CPU
from headway.planning.message import Message
from headway.planning.variation import own_accelerator, with_accelerator, with_setting
from headway.recipe import Recipe, resolve_recipe

if TYPE_CHECKING:
    from headway.planning.analytic.hardware import Hardware
    from headway.planning.analytic.job import Job
    from headway.planning.analytic.wishes import Wishes
    from headway.planning.plan import Plan

MAX_FACTOR = 256
"""A recipe that needs this many times its devices is no near one any more."""

_SIZES = (
    ("training", "sequence_length", 128),
    ("model", "vocab_size", 256),
    ("model", "num_hidden_layers", 1),
)
"""What makes a training large beside its devices, and the least that is worth a word."""

_NEAR_ENOUGH = 1.05
"""So near the largest value that fits is told."""

_FIELDS = {
    "data": "data_parallel_degree",
    "tensor": "tensor_parallel_degree",
    "pipeline": "pipeline_parallel_degree",
    "virtual": "virtual_pipeline_stages",
    "context": "context_parallel_degree",
    "expert": "expert_parallel_degree",
    "expert_tensor": "expert_tensor_parallel_degree",
    "shard_group": "shard_group_size",
    "micro_batch": "micro_batch_size",
}
"""What a recipe may fix to a number, by its name among the wishes: the setting of ``[layout]``."""

_CHOICES = {"shard": "shard", "sequence_parallel": "sequence_parallel"}
"""What it may fix to a name, alike."""

_RULES = {
    "data": ("batch", "data"),
    "tensor": ("refused", "heads", "width", "split", "tokens", "devices"),
    "pipeline": ("refused", "devices", "layers", "schedule"),
    "virtual": ("refused", "layers", "schedule"),
    "context": ("refused", "sequence", "devices"),
    "expert": ("refused", "experts"),
    "expert_tensor": ("experts",),
    "micro_batch": ("update", "batch"),
    "sequence_parallel": ("split", "tokens"),
    "shard": ("refused", "group"),
}
"""Which rules a wish can break, the one first that is only looked at where the others hold; states' is ``group``."""


class LayoutError(PlanError):
    """No layout keeps all that a recipe asks for; ``problems`` holds each field that alone could make it possible."""

    def __init__(self, problems: tuple[PlanError, ...], **arguments: Any) -> None:
        self.problems = problems
        super().__init__("plan-layout-impossible", **arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.problems, self.arguments)


def _rebuild(problems: tuple[PlanError, ...], arguments: dict[str, Any]) -> LayoutError:
    return LayoutError(problems, **arguments)


def failing_fields(recipe: Recipe, job: Job, machines: Hardware, wishes: Wishes) -> tuple[PlanError, ...]:
    """Return an error for each field that, changed alone, makes the recipe possible, with the nearest such values.

    Args:
        recipe: whose wishes no layout can grant.
        job: that it trains.
        machines: on which.
        wishes: what it fixes.
    """
    return (
        *_degrees(job, machines, wishes),
        *_devices(recipe, job, machines, wishes),
        *_batch(recipe, job, machines, wishes),
    )


def _problem(field: str, value: int | str, nearest: list[Any], rule: str) -> PlanError:
    listed = ", ".join(str(one) for one in nearest)
    return PlanError("plan-field-impossible", field=field, value=str(value), nearest=listed, rule=rule)


def _rule(name: str, removed: Mapping[str, int]) -> str:
    """Return the rule that a wish breaks."""
    rules = _RULES.get(name, ("group",))
    return next((rule for rule in rules if removed.get(rule)), rules[-1])


def _degrees(job: Job, machines: Hardware, wishes: Wishes) -> Iterator[PlanError]:
    from headway.planning.analytic.layouts import SHARDS
    from headway.planning.analytic.legal import legal_layouts

    removed = legal_layouts(job, machines, wishes).removed
    for name, setting in {**_FIELDS, **_CHOICES}.items():
        value = getattr(wishes, name)
        if value is None:
            continue
        without: dict[str, Any] = {name: None}
        free = legal_layouts(job, machines, replace(wishes, **without))
        if free.splits is None:
            continue
        possible: list[Any] = sorted({int(number) for number in getattr(free.splits, name)})
        if name == "shard":
            nearest: list[Any] = [SHARDS[number] for number in possible]
        elif name == "sequence_parallel":
            value, nearest = str(value).lower(), [str(bool(number)).lower() for number in possible]
        else:
            nearest = _nearest(value, possible)
        yield _problem(f"layout.{setting}", value, nearest, _rule(name, removed))


def _nearest(value: int, possible: list[int]) -> list[int]:
    """Return the next smaller and the next larger of the possible values."""
    smaller = [number for number in possible if number < value][-1:]
    return smaller + [number for number in possible if number > value][:1]


def _devices(recipe: Recipe, job: Job, machines: Hardware, wishes: Wishes) -> Iterator[PlanError]:
    """Yield numbers of devices that the fixed degrees divide, as far as they are possible."""
    from headway.planning.analytic.legal import legal_layouts

    group = (wishes.tensor or 1) * (wishes.pipeline or 1) * (wishes.context or 1)
    devices = recipe.hardware.devices
    if wishes.data is not None:
        candidates = [group * wishes.data]
    else:
        candidates = [devices // group * group, (devices // group + 1) * group]
    # All servers are full.
    per_node = machines.devices_per_node
    possible = [
        count
        for count in candidates
        if 0 < count != devices
        and (count <= per_node or count % per_node == 0)
        and legal_layouts(job, dataclasses.replace(machines, devices=count), wishes).splits is not None
    ]
    if possible:
        yield _problem("hardware.devices", devices, possible, "devices")


def _batch(recipe: Recipe, job: Job, machines: Hardware, wishes: Wishes) -> Iterator[PlanError]:
    """Yield batches that the data-parallel devices divide, as far as they are possible."""
    from headway.planning.analytic.legal import legal_layouts

    group = (wishes.tensor or 1) * (wishes.pipeline or 1) * (wishes.context or 1)
    whole = (wishes.data or max(recipe.hardware.devices // group, 1)) * (wishes.micro_batch or 1)
    batch = recipe.training.global_batch_size
    possible = [
        size
        for size in (batch // whole * whole, (batch // whole + 1) * whole)
        if 0 < size != batch
        and legal_layouts(dataclasses.replace(job, global_batch_size=size), machines, wishes).splits is not None
    ]
    if possible:
        yield _problem("training.global_batch_size", batch, possible, "batch")


def nearest_fits(recipe: Recipe, made: Plan, make_plan: MakePlan) -> tuple[Message, ...]:
    """Return what makes a training fit that does not: each a change that suffices alone, the smallest one first.

    Args:
        recipe: the resolved recipe.
        made: its plan.
        make_plan: plans a recipe.
    """
    return () if made.memory.fits is not False else tuple(_fits(recipe, make_plan))


def _fits(recipe: Recipe, make_plan: MakePlan) -> Iterator[Message]:
    free = {name: value for name, value in recipe.to_dict().items() if name not in ("layout", "phases")}
    if recipe.to_dict()["layout"] != resolve_recipe(free).to_dict()["layout"]:
        found = _fitting(resolve_recipe(free), make_plan)
        if found is not None:
            yield Message(id="plan-nearest-layout", arguments={"bytes": found.memory.device_peak_bytes})
    if not recipe.layout.offload_optimizer:
        found = _fitting(with_setting(recipe, "layout", "offload_optimizer", True), make_plan)
        if found is not None:
            yield Message(id="plan-nearest-offload", arguments={"seconds": found.time.step_seconds})
    devices = _enough_devices(recipe, free, make_plan)
    if devices is not None:
        yield Message(id="plan-nearest-devices", arguments={"devices": devices})
        return
    alone = (*_more_memory(recipe, make_plan), *_smaller(resolve_recipe(free), make_plan))
    yield from alone or _both(recipe, free, make_plan)


def _both(recipe: Recipe, free: Mapping[str, Any], make_plan: MakePlan) -> Iterator[Message]:
    """Yield the fewest devices, by doubling, on which a smaller size fits, where neither suffices alone."""
    devices = 2 * recipe.hardware.devices
    while devices <= MAX_FACTOR * recipe.hardware.devices:
        try:
            more = resolve_recipe({**free, "hardware": {**free["hardware"], "devices": devices}})
        except HeadwayError:
            return
        found = next(_smaller(more, make_plan), None)
        if found is not None:
            yield Message(id="plan-nearest-both", arguments={"devices": devices, **found.arguments})
            return
        devices *= 2


def _enough_devices(recipe: Recipe, free: Mapping[str, Any], make_plan: MakePlan) -> int | None:
    """Return the least doubling of the devices on which it fits; None where none of up to `MAX_FACTOR` does."""
    factor = 2
    while factor <= MAX_FACTOR:
        devices = factor * recipe.hardware.devices
        try:
            more = resolve_recipe({**free, "hardware": {**free["hardware"], "devices": devices}})
        except HeadwayError:
            return None
        if _fitting(more, make_plan) is not None:
            return devices
        factor *= 2
    return None


def _more_memory(recipe: Recipe, make_plan: MakePlan) -> Iterator[Message]:
    """Yield the accelerator of the least memory on which it fits, of those that can be planned and have more."""
    own = own_accelerator(recipe)
    if own in (CPU, "auto"):
        return
    least = catalog.accelerator(own).memory_bytes or 0
    known = [entry for entry in catalog.accelerators.entries().values() if catalog.efficiency_of(entry.id) is not None]
    larger = sorted((entry.memory_bytes, entry.id) for entry in known if (entry.memory_bytes or 0) > least)
    for _, name in larger:
        try:
            found = _fitting(with_accelerator(recipe, name), make_plan)
        except HeadwayError:
            continue
        if found is not None:
            yield Message(id="plan-nearest-accelerator", arguments={"accelerator": name})
            return


def _smaller(recipe: Recipe, make_plan: MakePlan) -> Iterator[Message]:
    """Yield for each size of the training the largest one that fits, all else being as it is."""
    for section, setting, least in _SIZES:
        asked = getattr(getattr(recipe, section), setting)
        value = _largest(recipe, (section, setting), (least, asked), make_plan)
        if value is not None:
            yield Message(id="plan-nearest-size", arguments={"field": f"{section}.{setting}", "value": value})


def _largest(recipe: Recipe, field: tuple[str, str], ends: tuple[int, int], make_plan: MakePlan) -> int | None:
    """Return the largest value of a field that fits, to a few percent; None where the least does not."""

    def fits(value: int) -> bool:
        try:
            return _fitting(with_setting(recipe, *field, value), make_plan) is not None
        except HeadwayError:
            return False

    low, high = ends
    if low >= high or not fits(low):
        return None
    while high > low + 1 and high > low * _NEAR_ENOUGH:
        middle = min(max(_three_digits(math.sqrt(low * high)), low + 1), high - 1)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _three_digits(value: float) -> int:
    """Return a number as people write it: its first three digits, and noughts."""
    step = 10 ** max(int(math.log10(value)) - 2, 0)
    return int(value // step * step)


def _fitting(recipe: Recipe, make_plan: MakePlan) -> Plan | None:
    try:
        made = make_plan(recipe)
    except HeadwayError:
        return None
    return made if made.memory.fits else None
