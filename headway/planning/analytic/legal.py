"""Every legal way to split a training over devices, and what made the others illegal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from headway.planning.analytic.axes import Axes, Degrees, Question, axes_of, divisors, keeps_schedule
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import SHARDS, Floats, Layouts, layouts
from headway.planning.analytic.wishes import Wishes

MAX_LAYOUTS = 500_000
"""So many layouts are evaluated at most: about a second's work, and some hundred megabytes.

Llama 3.1 405B on 16,384 devices has 285,000. More come of batches and devices with many divisors only, whose sizes lie
so near to each other that leaving out some loses little."""

APART = 1.25
"""Sizes that are tried lie this factor apart where there are too many, then its square apart, and so on: a quarter more
or less of a degree or a micro-batch is less than predictions tell apart."""

_Block = tuple[Degrees, Axes]


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
    as there are stages at a time, and so do those that make the weights' gradients in passes of their own, which divide
    no gradients and compute nothing or whole layers again; stages in a V are two a rank), ``update`` (an update in the
    backward pass takes the gradients of one micro-batch, which is then the whole step of a device), ``program``
    (the program that trains can split a model so), ``refused``
    (it can split it as is asked for). A wish keeps all of them but ``link``.

    Where more than `MAX_LAYOUTS` keep all rules, the sizes that are tried lie further apart, as `APART` says, until
    they do not; what is left out is counted as ``many``. Degrees that are asked for are tried all the same.

    Source: Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2 and 2.3 (stages, chunks, micro-batches, matrices);
    Megatron-LM, ``megatron/training/arguments.py``, which refuses the same; torchtune,
    ``recipes/full_finetune_distributed.py`` ("Gradient accumulation is not supported with optimizer in bwd").
    Leaves out: rules of a program's own settings beside its kinds of parallelism.
    """
    asked = Question(job=job, hardware=hardware, wishes=wishes)
    blocks = _blocks(asked)
    removed, all_of_them = asked.removed, _size(job, blocks)
    for power in count(1):
        if _size(job, blocks) <= MAX_LAYOUTS:
            break
        blocks = _blocks(Question(job=job, hardware=hardware, wishes=wishes, apart=APART**power))
    removed["many"] += all_of_them - _size(job, blocks)
    found = Legal(removed=+removed)
    columns = [_columns(job, wishes, degrees, axes) for degrees, axes in blocks]
    if columns:
        splits = layouts(**{name: np.concatenate([block[name] for block in columns]) for name in columns[0]})
        found.splits = _sharded_as_wished(splits, wishes, found.removed)
    return found


def _blocks(asked: Question) -> list[_Block]:
    """Return all combinations of degrees of which some layout keeps all rules, and what these may choose."""
    found = []
    for degrees in _all_degrees(asked):
        axes = axes_of(asked, degrees)
        if axes.empty is not None:
            asked.removed[axes.empty] += 1
            continue
        legal, illegal = axes.count(asked.job, degrees[2])
        asked.removed["schedule"] += illegal
        if legal:
            found.append((degrees, axes))
    return found


def _size(job: Job, blocks: Iterable[_Block]) -> int:
    return sum(axes.count(job, degrees[2])[0] for degrees, axes in blocks)


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


def _all_degrees(asked: Question) -> Iterable[Degrees]:
    job, wishes, removed = asked.job, asked.wishes, asked.removed
    for tensor in _tensors(asked):
        for pipeline in _pipelines(asked, tensor):
            for context in _contexts(asked, tensor, pipeline):
                data = asked.hardware.devices // (tensor * pipeline * context)
                if wishes.data is not None and data != wishes.data:
                    removed["data"] += 1
                elif job.global_batch_size % data:
                    removed["batch"] += 1
                elif job.numerics.frees_gradients and wishes.micro_batch not in (None, job.global_batch_size // data):
                    removed["update"] += 1
                else:
                    yield data, tensor, pipeline, context


def _tensors(asked: Question) -> Iterable[int]:
    shape, wishes, devices = asked.job.shape, asked.wishes, asked.hardware.devices
    tried = asked.sizes(wishes.tensor, divisors(devices, shape.heads))
    for tensor in asked.able("tensor", wishes.tensor, tried):
        rule = None
        if shape.heads % tensor or (shape.key_value_heads % tensor and tensor % shape.key_value_heads):
            rule = "heads"
        elif shape.key_value_heads % tensor and asked.job.lacks("heads between devices", wishes.tensor):
            rule = "program" if wishes.tensor is None else "refused"
        elif shape.inner % tensor or shape.shared_inner % tensor:
            rule = "width"
        elif wishes.sequence_parallel and tensor == 1:
            rule = "split"
        elif wishes.tensor is None and tensor > max(asked.hardware.domain_devices, 1):
            rule = "link"
        elif devices % tensor:
            rule = "devices"
        if rule is None:
            yield tensor
        else:
            asked.removed[rule] += 1


def _pipelines(asked: Question, tensor: int) -> Iterable[int]:
    layers, wished = asked.job.shape.layers, asked.wishes.pipeline
    rest = asked.hardware.devices // tensor
    for pipeline in asked.able("pipeline", wished, asked.sizes(wished, divisors(rest, layers))):
        if pipeline > layers or rest % pipeline:
            asked.removed["layers" if pipeline > layers else "devices"] += 1
        else:
            yield pipeline


def _contexts(asked: Question, tensor: int, pipeline: int) -> Iterable[int]:
    length, wished = asked.job.sequence_length, asked.wishes.context
    rest = asked.hardware.devices // tensor // pipeline
    halving = [size for size in divisors(rest, length) if length % (2 * size) == 0 or size == 1]
    for context in asked.able("context", wished, asked.sizes(wished, halving)):
        if rest % context:
            asked.removed["devices"] += 1
        elif context > 1 and length % (2 * context):
            asked.removed["sequence"] += 1
        elif _sequence_parallel(asked.wishes, tensor) and length % (context * tensor):
            asked.removed["tokens"] += 1
        else:
            yield context


def _columns(job: Job, wishes: Wishes, degrees: Degrees, axes: Axes) -> Mapping[str, Floats]:
    """Return all layouts with the given degrees that keep the schedule's rule, as columns."""
    data, tensor, pipeline, context = degrees
    columns = axes.columns()
    ones = np.ones_like(columns["micro_batch"])
    columns |= {
        "data": data * ones, "tensor": tensor * ones, "pipeline": pipeline * ones, "context": context * ones,
        "sequence_parallel": _sequence_parallel(wishes, tensor) * ones,
        "offload_optimizer": float(wishes.offload_optimizer) * ones,
        "offload_activations": float(wishes.offload_activations) * ones,
    }  # fmt: skip
    if wishes.expert_tensor is not None:
        columns["expert_tensor"] = wishes.expert_tensor * ones
    legal = keeps_schedule(job, pipeline, columns["virtual"], columns["micro_batches"])
    return {name: values[legal] for name, values in columns.items()}


def _sequence_parallel(wishes: Wishes, tensor: int) -> float:
    return float(tensor > 1 and wishes.sequence_parallel is not False)
