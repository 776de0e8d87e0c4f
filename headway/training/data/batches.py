"""Batches of samples as NumPy arrays: shuffled and endless for training, fixed for validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from headway.training.data.packing import count_samples, read_document_ids, read_samples
from headway.training.data.sampler import Sampler
from headway.training.data.shards import Split


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of a global batch; B rows of sequence length T."""

    tokens: npt.NDArray[np.int64]
    """[B, T + 1]: the inputs are ``tokens[:, :-1]``, the targets ``tokens[:, 1:]``."""
    document_ids: npt.NDArray[np.int32] | None = None
    """[B, T], from 0 in each row: which document each input belongs to; None where attention may cross documents."""
    is_target: npt.NDArray[np.bool_] | None = None
    """[B, T]: which targets count in the loss; None where all do."""
    num_targets_in_step: int | None = None
    """Targets that count in the whole global batch, which this batch may be a part of; told in training, where
    ``is_target`` is given."""

    @property
    def num_targets(self) -> int:
        """Targets of this batch that count."""
        return self.tokens[:, 1:].size if self.is_target is None else int(np.count_nonzero(self.is_target))


@final
class BatchStream:
    """The training batches of a split, by step.

    Args:
        split: the tokens.
        sequence_length: T.
        global_batch_size: rows in the batch of one optimizer step, over all ranks.
        seed: key of the shuffle.
        with_document_ids: let batches carry `Batch.document_ids`.

    Raises:
        DataError: ``data-too-few-tokens``.
    """

    def __init__(
        self, split: Split, sequence_length: int, global_batch_size: int, seed: int, *, with_document_ids: bool = False
    ) -> None:
        self._split = split
        self._sequence_length = sequence_length
        self._global_batch_size = global_batch_size
        self._with_document_ids = with_document_ids
        self.samples_per_epoch = count_samples(split, sequence_length)
        self._sampler = Sampler(self.samples_per_epoch, seed)

    def batch(self, step: int, start: int = 0, count: int | None = None) -> Batch:
        """Return rows ``start`` to ``start + count - 1`` of the global batch of a step.

        Args:
            step: the optimizer step, from 0; the same step always has the same batch.
            start: the first row.
            count: number of rows; all the rest by default.
        """
        rows = self._global_batch_size - start if count is None else count
        indices = self._sampler.rows(step, self._global_batch_size, start, rows)
        return _read_batch(self._split, indices, self._sequence_length, self._with_document_ids)


def validation_batches(
    split: Split, sequence_length: int, batch_size: int, max_sequences: int, *, with_document_ids: bool = False
) -> list[Batch]:
    """Return the same batches at every call: the first samples of a split in their order.

    Args:
        split: the tokens.
        sequence_length: T.
        batch_size: rows in a batch; the last one may have fewer. How the text is cut does not change which it is.
        max_sequences: rows in all batches together, at most.
        with_document_ids: let batches carry `Batch.document_ids`.

    Raises:
        DataError: ``data-too-few-tokens``.
    """
    count = min(count_samples(split, sequence_length), max_sequences)
    return [
        _read_batch(split, np.arange(start, min(start + batch_size, count)), sequence_length, with_document_ids)
        for start in range(0, count, batch_size)
    ]


def _read_batch(split: Split, indices: npt.NDArray[np.int64], sequence_length: int, with_document_ids: bool) -> Batch:
    document_ids = read_document_ids(split, indices, sequence_length) if with_document_ids else None
    return Batch(read_samples(split, indices, sequence_length), document_ids)
