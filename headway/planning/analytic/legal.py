"""Every legal way to split a training over devices, and what made the others illegal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import (
    FULL,
    GRADIENTS,
    PARAMETERS,
    RECOMPUTE,
    SHARDS,
    Floats,
    Layouts,
    layouts,
)

MAX_DEGREE = 4096
MAX_MICRO_BATCH = 64
MAX_VIRTUAL = 32
MAX_UNEVEN_LAYERS = 2
"""A pipeline may lack so many layers of an even division: its first and last stage have embedding and head instead."""

FULL_SHARES = (0.25, 0.5, 1.0)
"""Shares of the layers that recomputation of whole layers is tried for."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the recipe fixes; None leaves it to the search."""

    data: int | None = None
    tensor: int | None = None
    pipeline: int | None = None
    virtual: int | None = None
    context: int | None = None
    expert: int | None = None
    expert_tensor: int | None = None
    shard: str | None = None
    shard_group: int | None = None
    reshards: bool | None = None
    micro_batch: int | None = None
    recompute: str | None = None
    sequence_parallel: bool | None = None
    offload_optimizer: bool = False
    offload_activations: bool = False


@dataclass(kw_only=True)
class Legal:
    """The layouts that break no rule.

    Attributes:
        splits: the layouts; None where there is none.
        removed: how many choices each rule removed, by its name.
    """

    splits: Layouts | None = None
    removed: Counter[str] = field(default_factory=Counter)


def legal_layouts(job: Job, hardware: Hardware, wishes: Wishes) -> Legal:
    """Return every layout that keeps all rules.

    The rules, by name: ``devices`` (the degrees divide the devices), ``data`` (what is left of them is the degree that
    is asked for), ``heads`` (tensor parallelism divides the heads), ``width`` (and the inner widths of MLPs), ``link``
    (it stays inside the fast link, unless it is asked for), ``split`` (activations between products are divided only
    among devices that share matrices), ``tokens`` (that division leaves each the same number of tokens), ``layers``
    (a stage has at least one layer, and chunks of equal size),
    ``sequence`` (context parallelism divides the sequence into two parts a device), ``experts`` (expert parallelism
    divides the experts and has the devices), ``group`` (states are divided among whole groups of several devices),
    ``batch`` (every step is made of whole micro-batches), ``schedule`` (interleaved stages take as many micro-batches
    as there are stages at a time), ``update`` (an update in the backward pass takes the gradients of one micro-batch,
    which is then the whole step of a device), ``program`` (the program that trains can split a model so), ``refused``
    (it can split it as is asked for). A wish keeps all of them but ``link``.

    Source: Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2 and 2.3 (stages, chunks, micro-batches, matrices);
    Megatron-LM, ``megatron/training/arguments.py``, which refuses the same; torchtune,
    ``recipes/full_finetune_distributed.py`` ("Gradient accumulation is not supported with optimizer in bwd").
    """
    found = Legal()
    blocks = []
    for tensor, pipeline, context in _degrees(job, hardware, wishes, found.removed):
        data = hardware.devices // (tensor * pipeline * context)
        if wishes.data is not None and data != wishes.data:
            found.removed["data"] += 1
            continue
        if job.global_batch_size % data:
            found.removed["batch"] += 1
            continue
        if job.numerics.frees_gradients and wishes.micro_batch not in (None, job.global_batch_size // data):
            found.removed["update"] += 1
            continue
        block = _block(job, hardware, wishes, (data, tensor, pipeline, context), found.removed)
        if block is not None:
            blocks.append(block)
    if blocks:
        splits = layouts(**{name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})
        found.splits = _sharded_as_wished(splits, wishes, found.removed)
    return found


def _sharded_as_wished(splits: Layouts, wishes: Wishes, removed: Counter[str]) -> Layouts:
    """Leave out layouts in which no two devices hold the same weights, where the recipe wants states divided.

    Where there are only such layouts, the wish is without effect, and the plan says so.
    """
    if wishes.shard is None:
        return splits
    granted = splits.shard == SHARDS.index(wishes.shard)
    if np.all(granted) or not np.any(granted):
        return splits
    removed["group"] += int(np.count_nonzero(~granted))
    return splits.take(granted)


def _degrees(job: Job, hardware: Hardware, wishes: Wishes, removed: Counter[str]) -> Iterable[tuple[int, int, int]]:
    devices, shape = hardware.devices, job.shape
    tensors = _choices(wishes.tensor, _divisors(devices, shape.heads))
    for tensor in _able(job, "tensor", wishes.tensor, tensors, removed):
        if shape.heads % tensor or (shape.key_value_heads % tensor and tensor % shape.key_value_heads):
            removed["heads"] += 1
            continue
        if shape.inner % tensor or shape.shared_inner % tensor:
            removed["width"] += 1
            continue
        if wishes.sequence_parallel and tensor == 1:
            removed["split"] += 1
            continue
        if wishes.tensor is None and tensor > max(hardware.domain_devices, 1):
            removed["link"] += 1
            continue
        if devices % tensor:
            removed["devices"] += 1
            continue
        pipelines = _choices(wishes.pipeline, _divisors(devices // tensor, shape.layers))
        for pipeline in _able(job, "pipeline", wishes.pipeline, pipelines, removed):
            if pipeline > shape.layers or (devices // tensor) % pipeline:
                removed["layers" if pipeline > shape.layers else "devices"] += 1
                continue
            rest = devices // tensor // pipeline
            halving = [
                size
                for size in _divisors(rest, job.sequence_length)
                if job.sequence_length % (2 * size) == 0 or size == 1
            ]
            contexts = _choices(wishes.context, halving)
            for context in _able(job, "context", wishes.context, contexts, removed):
                if rest % context:
                    removed["devices"] += 1
                elif context > 1 and job.sequence_length % (2 * context):
                    removed["sequence"] += 1
                elif _sequence_parallel(wishes, tensor) and job.sequence_length % (context * tensor):
                    removed["tokens"] += 1
                else:
                    yield tensor, pipeline, context


def _block(
    job: Job,
    hardware: Hardware,
    wishes: Wishes,
    degrees: tuple[int, int, int, int],
    removed: Counter[str],
) -> Mapping[str, Floats] | None:
    """Return all layouts with the given degrees, as columns."""
    data, tensor, pipeline, context = degrees
    axes: dict[str, list[tuple[float, ...]]] = {
        "batches": _batches(job, wishes, data),
        "virtual": _virtual(job, wishes, pipeline, removed),
        "expert": _experts(job, wishes, data * tensor * context, tensor, removed),
        "states": _states(job, hardware, wishes, data * context, (tensor, pipeline), removed),
        "recompute": _recompute(wishes),
    }
    if any(not values for values in axes.values()):
        empty = next(name for name, values in axes.items() if not values)
        removed[_RULE_OF_AXIS[empty]] += 1
        return None
    sizes = [len(values) for values in axes.values()]
    grid = np.indices(sizes).reshape(len(sizes), -1)
    tables = {name: np.asarray(values, dtype=np.float64) for name, values in axes.items()}
    picked = {name: tables[name][grid[index]] for index, name in enumerate(axes)}
    micro, rounds = picked["batches"].T
    virtual = picked["virtual"][:, 0]
    legal = (virtual == 1) | (rounds % pipeline == 0)
    removed["schedule"] += int(np.count_nonzero(~legal))
    if not np.any(legal):
        return None
    shard, group, reshards = picked["states"].T
    level, share = picked["recompute"].T
    ones = np.ones_like(micro)
    columns = {
        "data": data * ones, "tensor": tensor * ones, "pipeline": pipeline * ones, "context": context * ones,
        "virtual": virtual, "expert": picked["expert"][:, 0], "shard": shard, "shard_group": group,
        "reshards": reshards, "micro_batch": micro, "micro_batches": rounds, "recompute": level,
        "recompute_share": share, "sequence_parallel": _sequence_parallel(wishes, tensor) * ones,
        "offload_optimizer": float(wishes.offload_optimizer) * ones,
        "offload_activations": float(wishes.offload_activations) * ones,
    }  # fmt: skip
    if wishes.expert_tensor is not None:
        columns["expert_tensor"] = wishes.expert_tensor * ones
    return {name: values[legal] for name, values in columns.items()}


_RULE_OF_AXIS = {"batches": "batch", "virtual": "layers", "expert": "experts", "states": "group"}


def _batches(job: Job, wishes: Wishes, data: int) -> list[tuple[float, ...]]:
    share = job.global_batch_size // data
    sizes: Sequence[int]
    if wishes.micro_batch is not None:
        sizes = [wishes.micro_batch] if share % wishes.micro_batch == 0 else []
    elif job.numerics.frees_gradients:
        sizes = [share]
    else:
        sizes = _divisors(share, MAX_MICRO_BATCH)
    return [(float(size), float(share // size)) for size in sizes]


def _virtual(job: Job, wishes: Wishes, pipeline: int, removed: Counter[str]) -> list[tuple[float, ...]]:
    """Return into how many chunks a stage may be cut: they are equal, but for a few layers that the last ones lack."""
    layers = job.shape.layers
    if pipeline == 1:
        return [(1.0,)] if wishes.virtual in (None, 1) else []
    # The last chunk may be the one that lacks a layer: 126 layers on 16 stages are 8 chunks of one layer each.
    most = -(-layers // pipeline)
    wanted = [wishes.virtual] if wishes.virtual is not None else list(range(1, min(most, MAX_VIRTUAL) + 1))
    fitting = [
        chunks
        for chunks in wanted
        if chunks == 1 or (chunks <= most and -layers % (pipeline * chunks) <= MAX_UNEVEN_LAYERS)
    ]
    removed["layers"] += len(wanted) - len(fitting)
    return [(float(chunks),) for chunks in _able(job, "chunks", wishes.virtual, fitting, removed)]


def _experts(job: Job, wishes: Wishes, devices: int, tensor: int, removed: Counter[str]) -> list[tuple[float, ...]]:
    """Return among how many devices experts may be divided; undivided ones are cut like all other matrices."""
    experts = job.shape.experts
    if not experts:
        return [(1.0,)] if wishes.expert in (None, 1) else []
    wanted = [wishes.expert] if wishes.expert is not None else _divisors(experts, devices)
    fitting = []
    for size in wanted:
        cut = wishes.expert_tensor or (1 if size > 1 else tensor)
        if experts % size == 0 and devices % (size * cut) == 0 and job.shape.expert_inner % cut == 0:
            fitting.append(size)
    removed["experts"] += len(wanted) - len(fitting)
    return [(float(size),) for size in _able(job, "experts", wishes.expert, fitting, removed)]


def _states(
    job: Job, hardware: Hardware, wishes: Wishes, replicas: int, degrees: tuple[int, int], removed: Counter[str]
) -> list[tuple[float, ...]]:
    """Return the ways to divide states: what, among how many devices, and whether gathered weights are dropped."""
    tensor, pipeline = degrees
    kinds = _kinds(wishes)
    if pipeline > 1 and replicas > 1 and "stages with gradients" in job.refused:
        able = [kind for kind in kinds if kind < GRADIENTS]
        removed["program" if wishes.shard is None else "refused"] += len(kinds) - len(able)
        kinds = able
    if not kinds or (wishes.shard_group is not None and replicas % wishes.shard_group):
        return []
    if replicas == 1:
        return [(0.0, 1.0, 1.0)]
    near = max(hardware.domain_devices // tensor, 1)
    groups = [replicas, near] if 1 < near < replicas and replicas % near == 0 else [replicas]
    if wishes.shard_group is not None:
        groups = [wishes.shard_group]
    found: list[tuple[float, ...]] = []
    for kind in kinds:
        for group in groups if kind else [replicas]:
            keeps = (True, False) if kind == PARAMETERS and wishes.reshards is None else (wishes.reshards is not False,)
            found += [(float(kind), float(group), float(drops)) for drops in keeps]
    return found


def _kinds(wishes: Wishes) -> list[int]:
    """Return what may be divided: something, where a group of several devices is asked for; nothing, in one of one."""
    kinds = list(range(len(SHARDS))) if wishes.shard is None else [SHARDS.index(wishes.shard)]
    if wishes.shard_group is None:
        return kinds
    return [kind for kind in kinds if (kind > 0) == (wishes.shard_group > 1)]


def _recompute(wishes: Wishes) -> list[tuple[float, ...]]:
    levels = [RECOMPUTE.index(wishes.recompute)] if wishes.recompute is not None else range(len(RECOMPUTE))
    found: list[tuple[float, ...]] = []
    for level in levels:
        shares = FULL_SHARES if level == FULL and wishes.recompute is None else (1.0,)
        found += [(float(level), share) for share in shares]
    return found


def _sequence_parallel(wishes: Wishes, tensor: int) -> float:
    return float(tensor > 1 and wishes.sequence_parallel is not False)


def _able(job: Job, split: str, wish: int | None, degrees: Sequence[int], removed: Counter[str]) -> Sequence[int]:
    """Return the degrees of a split that the program can do: one, where it has no such split."""
    if not job.lacks(split, wish):
        return degrees
    able = [degree for degree in degrees if degree == 1]
    removed["program" if wish is None else "refused"] += len(degrees) - len(able)
    return able


def _choices(wish: int | None, values: Sequence[int]) -> Sequence[int]:
    return values if wish is None else (wish,)


def _divisors(number: int, limit: int) -> list[int]:
    """Return the divisors of a number up to a limit; no degree beyond `MAX_DEGREE` is ever looked at."""
    return [size for size in range(1, min(number, limit, MAX_DEGREE) + 1) if number % size == 0]
