"""What a layout of given degrees may still choose: micro-batches, chunks, experts, states and recomputation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import FULL, GRADIENTS, NONE, PARAMETERS, RECOMPUTE, SHARDS
from headway.planning.analytic.schedules import V_SHAPED
from headway.planning.analytic.wishes import Wishes

MAX_DEGREE = 4096
MAX_MICRO_BATCH = 64
MAX_VIRTUAL = 32
CHUNKS_OF_V = 2
"""Stages of a rank where they lie in a V: one on the way down, and one on the way up."""

MAX_UNEVEN_LAYERS = 2
"""A pipeline may lack so many layers of an even division: its first and last stage have embedding and head instead."""

FULL_SHARES = (0.25, 0.5, 1.0)
"""Shares of the layers that recomputation of whole layers is tried for."""

Degrees = tuple[int, int, int, int]
"""Data, tensor, pipeline and context."""

Choices = list[tuple[float, ...]]


@dataclass(kw_only=True)
class Question:
    """What is asked of the rules, and what they removed so far.

    Attributes:
        job: the training.
        hardware: what it runs on.
        wishes: what the recipe fixes.
        apart: how many times the one before a size that is tried must be; 1 tries all.
        removed: choices by the rule that removed them.
    """

    job: Job
    hardware: Hardware
    wishes: Wishes
    apart: float = 1.0
    removed: Counter[str] = field(default_factory=Counter)

    def sizes(self, wish: int | None, values: Sequence[int]) -> Sequence[int]:
        """Return what is tried: the wish, or the values, from the smallest on as far apart as is asked for."""
        if wish is not None:
            return (wish,)
        if self.apart <= 1:
            return values
        kept = list(values[:1])
        for value in values[1:]:
            if value >= self.apart * kept[-1]:
                kept.append(value)
        return kept

    def able(self, split: str, wish: int | None, degrees: Sequence[int]) -> Sequence[int]:
        """Return the degrees of a split that the program can do: one, where it has no such split."""
        if not self.job.lacks(split, wish):
            return degrees
        able = [degree for degree in degrees if degree == 1]
        self.removed["program" if wish is None else "refused"] += len(degrees) - len(able)
        return able


@dataclass(frozen=True, kw_only=True)
class Axes:
    """The choices of a layout of given degrees: their product is every layout but for the schedule's rule.

    Attributes:
        batches: sequences of a micro-batch, and micro-batches of a step.
        virtual: chunks of layers of a stage.
        expert: devices that share the experts.
        states: what is divided, among how many devices, and whether gathered weights are dropped.
        recompute: level, and share of the layers.
    """

    batches: Choices
    virtual: Choices
    expert: Choices
    states: Choices
    recompute: Choices

    @property
    def empty(self) -> str | None:
        """The rule that leaves nothing to choose; None where there is something."""
        rules = {
            "batches": "batch",
            "virtual": "layers",
            "expert": "experts",
            "states": "group",
            "recompute": "schedule",
        }
        return next((rule for name, rule in rules.items() if not getattr(self, name)), None)

    def count(self, job: Job, pipeline: int) -> tuple[int, int]:
        """Return how many layouts keep the schedule's rule, and how many do not."""
        rounds = np.asarray([rounds for _, rounds in self.batches])
        chunks = np.asarray([chunks for (chunks,) in self.virtual])
        kept = keeps_schedule(job, pipeline, chunks[:, None], rounds[None, :])
        legal = int(np.count_nonzero(kept))
        others = len(self.expert) * len(self.states) * len(self.recompute)
        return legal * others, (kept.size - legal) * others

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return all combinations, one array for each field."""
        axes = (self.batches, self.virtual, self.expert, self.states, self.recompute)
        grid = np.indices([len(values) for values in axes]).reshape(len(axes), -1)
        picked = [np.asarray(values, dtype=np.float64)[grid[index]] for index, values in enumerate(axes)]
        shard, group, reshards = picked[3].T
        return {
            "micro_batch": picked[0][:, 0],
            "micro_batches": picked[0][:, 1],
            "virtual": picked[1][:, 0],
            "expert": picked[2][:, 0],
            "shard": shard,
            "shard_group": group,
            "reshards": reshards,
            "recompute": picked[4][:, 0],
            "recompute_share": picked[4][:, 1],
        }


def keeps_schedule(
    job: Job, pipeline: int, chunks: NDArray[np.float64], rounds: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Say whether steps have as many micro-batches as the schedule takes at a time.

    Args:
        job: the training, whose schedule it is.
        pipeline: stages.
        chunks: of layers, of each stage.
        rounds: micro-batches of a step.
    """
    is_plain = (chunks == 1) & (not job.splits_backward)
    return np.asarray(is_plain | (rounds % pipeline == 0))


def axes_of(asked: Question, degrees: Degrees) -> Axes:
    """Return what a layout of these degrees may choose."""
    data, tensor, pipeline, context = degrees
    return Axes(
        batches=_batches(asked, data),
        virtual=_virtual(asked, pipeline),
        expert=_experts(asked, data * tensor * context, tensor),
        states=_states(asked, data * context, (tensor, pipeline)),
        recompute=_recompute(asked, pipeline),
    )


def _batches(asked: Question, data: int) -> Choices:
    job, wished = asked.job, asked.wishes.micro_batch
    share = job.global_batch_size // data
    sizes: Sequence[int]
    if wished is not None:
        sizes = [wished] if share % wished == 0 else []
    elif job.numerics.frees_gradients:
        sizes = [share]
    else:
        sizes = asked.sizes(None, divisors(share, MAX_MICRO_BATCH))
    return [(float(size), float(share // size)) for size in sizes]


def _virtual(asked: Question, pipeline: int) -> Choices:
    """Return into how many chunks a stage may be cut: they are equal, but for a few layers that the last ones lack."""
    layers, wished = asked.job.shape.layers, asked.wishes.virtual
    if pipeline == 1:
        return [(1.0,)] if wished in (None, 1) else []
    # The last chunk may be the one that lacks a layer: 126 layers on 16 stages are 8 chunks of one layer each.
    most = -(-layers // pipeline)
    wanted = [wished] if wished is not None else list(range(1, min(most, MAX_VIRTUAL) + 1))
    if asked.job.schedule == V_SHAPED:
        asked.removed["schedule"] += sum(chunks != CHUNKS_OF_V for chunks in wanted)
        wanted = [chunks for chunks in wanted if chunks == CHUNKS_OF_V]
    fitting = [
        chunks
        for chunks in wanted
        if chunks == 1 or (chunks <= most and -layers % (pipeline * chunks) <= MAX_UNEVEN_LAYERS)
    ]
    asked.removed["layers"] += len(wanted) - len(fitting)
    tried = asked.sizes(None, fitting)
    return [(float(chunks),) for chunks in asked.able("chunks", wished, tried)]


def _experts(asked: Question, devices: int, tensor: int) -> Choices:
    """Return among how many devices experts may be divided; undivided ones are cut like all other matrices."""
    shape, wishes = asked.job.shape, asked.wishes
    experts = shape.experts
    if not experts:
        return [(1.0,)] if wishes.expert in (None, 1) else []
    wanted = [wishes.expert] if wishes.expert is not None else divisors(experts, devices)
    fitting = []
    for size in wanted:
        cut = wishes.expert_tensor or (1 if size > 1 else tensor)
        if experts % size == 0 and devices % (size * cut) == 0 and shape.expert_inner % cut == 0:
            fitting.append(size)
    asked.removed["experts"] += len(wanted) - len(fitting)
    tried = asked.sizes(None, fitting)
    return [(float(size),) for size in asked.able("experts", wishes.expert, tried)]


def _states(asked: Question, replicas: int, degrees: tuple[int, int]) -> Choices:
    """Return the ways to divide states: what, among how many devices, and whether gathered weights are dropped."""
    tensor, pipeline = degrees
    wishes = asked.wishes
    kinds = _kinds(wishes)
    if asked.job.splits_backward and pipeline > 1:
        # Gradients are divided when the pass of the inputs ends, and those of the weights come later.
        able = [kind for kind in kinds if kind < GRADIENTS or replicas == 1]
        asked.removed["schedule"] += len(kinds) - len(able)
        kinds = able
    if pipeline > 1 and replicas > 1 and "stages with gradients" in asked.job.refused:
        able = [kind for kind in kinds if kind < GRADIENTS]
        asked.removed["program" if wishes.shard is None else "refused"] += len(kinds) - len(able)
        kinds = able
    if not kinds or (wishes.shard_group is not None and replicas % wishes.shard_group):
        return []
    if replicas == 1:
        return [(0.0, 1.0, 1.0)]
    near = max(asked.hardware.domain_devices // tensor, 1)
    groups = [replicas, near] if 1 < near < replicas and replicas % near == 0 else [replicas]
    if wishes.shard_group is not None:
        groups = [wishes.shard_group]
    found: Choices = []
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


def _recompute(asked: Question, pipeline: int) -> Choices:
    wishes = asked.wishes
    levels = [RECOMPUTE.index(wishes.recompute)] if wishes.recompute is not None else list(range(len(RECOMPUTE)))
    if asked.job.splits_backward and pipeline > 1:
        # Whole layers may be computed again for each of the two passes; what is kept of a layer serves one.
        able = [level for level in levels if level in (NONE, FULL)]
        asked.removed["schedule"] += len(levels) - len(able)
        levels = able
    found: Choices = []
    for level in levels:
        shares = FULL_SHARES if level == FULL and wishes.recompute is None else (1.0,)
        found += [(float(level), share) for share in shares]
    return found


@cache
def divisors(number: int, limit: int) -> Sequence[int]:
    """Return the divisors of a number up to a limit; no degree beyond `MAX_DEGREE` is ever looked at."""
    return tuple(size for size in range(1, min(number, limit, MAX_DEGREE) + 1) if number % size == 0)
