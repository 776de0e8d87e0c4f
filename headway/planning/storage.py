"""What a run writes and reads: the dataset, the checkpoints, and the rates that they need.

Source: ``headway/training/data/shards.py`` (tokens), ``headway/resilience/checkpoint`` (checkpoints); the rates are
sizes over times that the recipe allows.
Leaves out: logs and metrics, which are small, and the file system's own overhead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from headway import catalog
from headway.catalog.programs import OWN
from headway.machine.measurements import DiskSpeed
from headway.planning.adapters import adapters_of, count_trained
from headway.planning.analytic.numerics import numerics
from headway.planning.network import devices_per_node
from headway.planning.operations import FP32_BYTES
from headway.planning.parameters import count_parameters, tensor_groups
from headway.planning.reliability.prediction import best_interval_seconds
from headway.recipe import Recipe
from headway.recipe.model import ModelConfig
from headway.recipe.sections import TrainingConfig

ARRAYS_PER_WEIGHT = 3
"""The weight and AdamW's two moments."""

_HEADER_ENTRY_BYTES = 70
"""Of one array in a safetensors header beside its name: type, shape, offsets and punctuation."""
_INDEX_ENTRY_BYTES = 48
"""Of one weight in the index beside its name: the file's name and punctuation."""
_SMALL_FILES_BYTES = 3000
"""State, configuration and manifest."""

_ROUNDING = 1e-9
"""Of an interval, by which a run that is a whole number of intervals may seem longer, since floats are rounded."""


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Disk space and rates.

    Attributes:
        dataset_bytes: the tokens on disk; None where nobody knows how many there are.
        checkpoint_bytes: one checkpoint.
        checkpoints_bytes: all that are kept, and the one that is being written.
        total_bytes: dataset and checkpoints, as far as they are known.
        checkpoint_write_seconds: how long the training stands still for one; None where the disk was not measured.
        checkpoint_write_bytes_per_second: the rate, of all servers together, that keeps this below the share of the
            time that the recipe allows (``site.max_stall_share``).
        node_write_bytes_per_second: the same for one server, each of which writes its share of the states.
        restart_read_bytes_per_second: the rate, of all servers together, at which a restart reads the checkpoint in
            the time that is allowed for writing one.
        checkpoint_time_share: share of the wall time for which checkpoints stop the work; None where it is not known.
        written_bytes: all checkpoints of the whole run.
        read_bytes: all tokens of the whole run, as often as they are read.
        read_bytes_per_second: tokens that the training reads.
        burst_read_bytes_per_second: the rate at which the tokens of a step arrive within the share of it that the
            recipe allows, were nothing read ahead.
        read_time_share: share of the time that reading them takes, beside the computation; None where the disk was not
            measured.
        free_bytes: of the disk where the run will be stored; None where it is not known.
    """

    dataset_bytes: int | None
    checkpoint_bytes: int
    checkpoints_bytes: int
    total_bytes: int
    checkpoint_write_seconds: float | None
    checkpoint_write_bytes_per_second: float
    node_write_bytes_per_second: float
    restart_read_bytes_per_second: float
    checkpoint_time_share: float | None
    written_bytes: int
    read_bytes: int
    read_bytes_per_second: float
    burst_read_bytes_per_second: float
    read_time_share: float | None = None
    free_bytes: int | None = None


def bytes_per_token(vocab_size: int) -> int:
    """Return the bytes of one stored token: 2 where all ids fit, else 4 (``training/data/shards.py``)."""
    return 2 if vocab_size <= 2**16 else 4


def dataset_bytes(recipe: Recipe) -> int | None:
    """Return the size of the tokens on disk, or None where the recipe does not say how many there are.

    Leaves out: document positions, the tokenizer, and the validation split.
    """
    tokens = recipe.data.known_tokens
    return None if tokens is None else tokens * bytes_per_token(recipe.model.vocab_size)


def saved_bytes(recipe: Recipe) -> int:
    """Return the size of one checkpoint of a recipe's training: of the adapters alone where only they are trained."""
    each = saved_bytes_per_weight(recipe.training)
    if recipe.training.method == "full":
        return checkpoint_bytes(recipe.model, each)
    return int(each * count_trained(recipe.model, adapters_of(recipe.training))) + _SMALL_FILES_BYTES


def kept_checkpoints(recipe: Recipe, step_seconds: float) -> int:
    """Return how many checkpoints stay at the end: the last ones, and one for every so long a time.

    Leaves out: the best one, which may be one of these.
    """
    resilience = recipe.resilience
    kept = resilience.keep_last
    if resilience.keep_every is not None:
        kept += int(recipe.num_steps * step_seconds / resilience.keep_every) + 1
    return min(kept, recipe.num_steps)


def saved_bytes_per_weight(training: TrainingConfig) -> float:
    """Return what a checkpoint holds for one trained weight: the weight where it is precise, and the moments.

    Headway writes each weight once: 4 + 8 bytes of fp32 weights or master copies; 2 + 4 where nothing is fp32. Other
    programs write the rounded weights of the model beside the master copies of the optimizer: 2 + 4 + 8.

    Source: ``headway/resilience/checkpoint/snapshot.py``; model card of BLOOM: 2.3 TB with the optimizer's states, of
    176 billion weights.
    Leaves out: scales of 8-bit moments, one fp32 number for each block of them.
    """
    numbers = numerics(training.precision, training.weights, training.optimizer)
    if training.software == OWN:
        return (numbers.master_bytes or numbers.weight_bytes) + numbers.moment_bytes
    return numbers.weight_bytes + numbers.optimizer_bytes


def checkpoint_bytes(model: ModelConfig, each_bytes: float = ARRAYS_PER_WEIGHT * FP32_BYTES) -> int:
    """Return the size of one checkpoint: exact in its arrays, about in its headers.

    Args:
        model: what is trained.
        each_bytes: of one weight with its moments.

    Source: ``headway/resilience/checkpoint``.
    """
    arrays = int(each_bytes * count_parameters(model))
    headers = 0
    for group in tensor_groups(model):
        name_bytes = len(group.name) + sum(len(f"{dimension}, ") for dimension in group.shape)
        headers += group.copies * (
            ARRAYS_PER_WEIGHT * (name_bytes + _HEADER_ENTRY_BYTES) + name_bytes + _INDEX_ENTRY_BYTES
        )
    return arrays + headers + _SMALL_FILES_BYTES


def checkpoint_interval_seconds(recipe: Recipe, step_seconds: float, write_seconds: float | None = None) -> float:
    """Return the time between two checkpoints that the recipe asks for; never less than a step, nor more than the run.

    The end of a run is saved in any case, so that an interval beyond it is that of the run.

    Args:
        recipe: the resolved recipe.
        step_seconds: of one optimizer step.
        write_seconds: of one checkpoint on accelerators, from which "auto" follows; None where it is not known.
    """
    every = recipe.resilience.checkpoint_every_steps
    if every is not None:
        return min(every, recipe.num_steps) * step_seconds
    best = None
    if write_seconds is not None:
        best = best_interval_seconds(
            recipe.resilience,
            devices=recipe.hardware.devices,
            write_seconds=write_seconds,
            accelerator=recipe.hardware.accelerator,
        )
    return min(max(recipe.resilience.interval_seconds(best), step_seconds), recipe.num_steps * step_seconds)


def count_writes(run_seconds: float, interval_seconds: float) -> int:
    """Return how many checkpoints a run writes: one after each interval, and one at the end unless both fall together.

    Args:
        run_seconds: of work.
        interval_seconds: of work between two checkpoints, no longer than the run.

    Source: ``headway/training/loop.py``.
    Leaves out: checkpoints that are kept since they are the best.
    """
    return max(1, math.ceil(run_seconds / interval_seconds - _ROUNDING))


def plan_storage(recipe: Recipe, disk: DiskSpeed | None, *, step_seconds: float) -> Storage:
    """Return disk space and rates.

    Args:
        recipe: the resolved recipe.
        disk: the measured disk; None where it was not.
        step_seconds: of one optimizer step.
    """
    one = saved_bytes(recipe)
    kept = kept_checkpoints(recipe, step_seconds) + 1
    rate = recipe.resilience.storage_write_bytes_per_second or (disk.write_bytes_per_second if disk else None)
    write_seconds = None if rate is None else one / rate
    fails = recipe.hardware.accelerator not in ("cpu", "auto")
    interval_seconds = checkpoint_interval_seconds(recipe, step_seconds, write_seconds if fails else None)
    data = dataset_bytes(recipe)
    share = recipe.site.max_stall_share
    # What is written while the work goes on must only end before the next one begins.
    write_rate = one / interval_seconds
    if not recipe.resilience.asynchronous_checkpoints:
        write_rate = required_bytes_per_second(one, interval_seconds=interval_seconds, share=share)
    step_bytes = recipe.tokens_per_step * bytes_per_token(recipe.model.vocab_size)
    writes = count_writes(recipe.num_steps * step_seconds, interval_seconds)
    return Storage(
        dataset_bytes=data,
        checkpoint_bytes=one,
        checkpoints_bytes=kept * one,
        total_bytes=kept * one + (data or 0),
        checkpoint_write_seconds=write_seconds,
        checkpoint_write_bytes_per_second=write_rate,
        node_write_bytes_per_second=write_rate / _nodes(recipe),
        restart_read_bytes_per_second=write_rate,
        checkpoint_time_share=_time_share(recipe, write_seconds, interval_seconds),
        written_bytes=writes * one,
        read_bytes=recipe.num_steps * step_bytes,
        read_bytes_per_second=step_bytes / step_seconds,
        burst_read_bytes_per_second=step_bytes / (share * step_seconds),
        read_time_share=None if disk is None else step_bytes / step_seconds / disk.read_bytes_per_second,
    )


def required_bytes_per_second(size_bytes: float, *, interval_seconds: float, share: float) -> float:
    """Return the rate at which a checkpoint stops the work for no more than a share of the time.

    Work of T and a stop of C follow each other, so that C / (T + C) <= s, and C <= T s / (1 - s).

    Args:
        size_bytes: of one checkpoint, all shards together.
        interval_seconds: T, work between two checkpoints.
        share: s, of the wall time.

    Leaves out: that the storage serves others too, and writing while the work goes on.
    """
    return size_bytes * (1 - share) / (interval_seconds * share)


def _time_share(recipe: Recipe, write_seconds: float | None, interval_seconds: float) -> float | None:
    """Return the share of the wall time for which checkpoints stop the work."""
    if write_seconds is None:
        return None
    stall_seconds = write_seconds
    if recipe.resilience.asynchronous_checkpoints:
        if recipe.resilience.asynchronous_stall_share is None:
            return None
        stall_seconds *= recipe.resilience.asynchronous_stall_share
    return stall_seconds / (interval_seconds + stall_seconds)


def _nodes(recipe: Recipe) -> int:
    """Return the servers among which the states are shared out; all of them write."""
    name = recipe.hardware.accelerator
    entry = None if name in ("cpu", "auto") else catalog.accelerator(name)
    return -(-recipe.hardware.devices // devices_per_node(recipe, entry))
