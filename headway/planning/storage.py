"""What a run writes and reads: the dataset, the checkpoints, and the rates that they need."""

from __future__ import annotations

from dataclasses import dataclass

from headway.machine.measurements import DiskSpeed
from headway.planning.operations import FP32_BYTES
from headway.planning.parameters import count_parameters, tensor_groups
from headway.recipe import Recipe
from headway.recipe.model import ModelConfig

ARRAYS_PER_WEIGHT = 3
"""The weight and AdamW's two moments, all fp32."""

_HEADER_ENTRY_BYTES = 70
"""Of one array in a safetensors header beside its name: type, shape, offsets and punctuation."""
_INDEX_ENTRY_BYTES = 48
"""Of one weight in the index beside its name: the file's name and punctuation."""
_SMALL_FILES_BYTES = 3000
"""State, configuration and manifest."""


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Disk space and rates.

    Attributes:
        dataset_bytes: the tokens on disk; None where nobody knows how many there are.
        checkpoint_bytes: one checkpoint.
        checkpoints_bytes: all that are kept, and the one that is being written.
        total_bytes: dataset and checkpoints, as far as they are known.
        checkpoint_write_seconds: how long the training stands still for one; None where the disk was not measured.
        checkpoint_write_bytes_per_second: the rate that keeps this below 5 % of the time.
        checkpoint_time_share: share of the wall time that checkpoints take; None where the disk was not measured.
        read_bytes_per_second: tokens that the training reads.
        free_bytes: of the disk where the run will be stored; None where it is not known.
    """

    dataset_bytes: int | None
    checkpoint_bytes: int
    checkpoints_bytes: int
    total_bytes: int
    checkpoint_write_seconds: float | None
    checkpoint_write_bytes_per_second: float
    checkpoint_time_share: float | None
    read_bytes_per_second: float
    free_bytes: int | None = None


WRITE_TIME_SHARE = 0.05
"""Of the time between two checkpoints that one may take; the required write rate follows from it."""


def bytes_per_token(vocab_size: int) -> int:
    """Return the bytes of one stored token: 2 where all ids fit, else 4 (``training/data/shards.py``)."""
    return 2 if vocab_size <= 2**16 else 4


def dataset_bytes(recipe: Recipe) -> int | None:
    """Return the size of the tokens on disk, or None where the recipe does not say how many there are.

    Leaves out: document positions, the tokenizer, and the validation split.
    """
    tokens = recipe.data.dataset_tokens
    return None if tokens is None else tokens * bytes_per_token(recipe.model.vocab_size)


def checkpoint_bytes(model: ModelConfig) -> int:
    """Return the size of one checkpoint: exact in its arrays, about in its headers.

    Source: ``headway/resilience/checkpoint``.
    """
    arrays = ARRAYS_PER_WEIGHT * FP32_BYTES * count_parameters(model)
    headers = 0
    for group in tensor_groups(model):
        name_bytes = len(group.name) + sum(len(f"{dimension}, ") for dimension in group.shape)
        headers += group.copies * (
            ARRAYS_PER_WEIGHT * (name_bytes + _HEADER_ENTRY_BYTES) + name_bytes + _INDEX_ENTRY_BYTES
        )
    return arrays + headers + _SMALL_FILES_BYTES


def checkpoint_interval_seconds(recipe: Recipe, step_seconds: float) -> float:
    """Return the time between two checkpoints that the recipe asks for; never less than a step."""
    every = recipe.resilience.checkpoint_every_steps
    wanted = every * step_seconds if every is not None else recipe.resilience.checkpoint_every
    return max(wanted, step_seconds)


def plan_storage(recipe: Recipe, disk: DiskSpeed | None, *, step_seconds: float) -> Storage:
    """Return disk space and rates.

    Args:
        recipe: the resolved recipe.
        disk: the measured disk; None where it was not.
        step_seconds: of one optimizer step.
    """
    one = checkpoint_bytes(recipe.model)
    kept = min(recipe.resilience.keep_last + 1, recipe.num_steps + 1)
    interval_seconds = checkpoint_interval_seconds(recipe, step_seconds)
    write_seconds = None if disk is None else one / disk.write_bytes_per_second
    data = dataset_bytes(recipe)
    return Storage(
        dataset_bytes=data,
        checkpoint_bytes=one,
        checkpoints_bytes=kept * one,
        total_bytes=kept * one + (data or 0),
        checkpoint_write_seconds=write_seconds,
        checkpoint_write_bytes_per_second=one / (WRITE_TIME_SHARE * interval_seconds),
        checkpoint_time_share=None if write_seconds is None else write_seconds / (interval_seconds + write_seconds),
        read_bytes_per_second=recipe.tokens_per_step * bytes_per_token(recipe.model.vocab_size) / step_seconds,
    )
