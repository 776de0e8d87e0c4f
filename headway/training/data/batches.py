"""Batches of samples as NumPy arrays: shuffled and endless for training, fixed for validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from headway.training.data.conversations import PackedConversations
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
        packs: the documents are conversations, which are packed whole; batches carry all that `Batch` has.

    Raises:
        DataError: ``data-too-few-tokens``.
    """

    def __init__(
        self,
        split: Split,
        sequence_length: int,
        global_batch_size: int,
        seed: int,
        *,
        with_document_ids: bool = False,
        packs: bool = False,
    ) -> None:
        self._samples = _samples(split, sequence_length, with_document_ids=with_document_ids, packs=packs)
        self._global_batch_size = global_batch_size
        self.samples_per_epoch = self._samples.count
        self._sampler = Sampler(self.samples_per_epoch, seed)
        self._counted = (-1, 0)

    @property
    def num_cut(self) -> int:
        """Conversations of the split that are longer than a sequence, and were cut."""
        return self._samples.num_cut

    def batch(self, step: int, start: int = 0, count: int | None = None) -> Batch:
        """Return rows ``start`` to ``start + count - 1`` of the global batch of a step.

        Args:
            step: the optimizer step, from 0; the same step always has the same batch.
            start: the first row.
            count: number of rows; all the rest by default.
        """
        rows = self._global_batch_size - start if count is None else count
        indices = self._sampler.rows(step, self._global_batch_size, start, rows)
        return replace(self._samples.read(indices), num_targets_in_step=self._num_targets(step))

    def _num_targets(self, step: int) -> int | None:
        """Return how many targets of a step's global batch count; None where all do."""
        if self._samples.all_count:
            return None
        if self._counted[0] != step:
            whole = self._sampler.rows(step, self._global_batch_size, 0, self._global_batch_size)
            self._counted = step, self._samples.num_targets(whole)
        return self._counted[1]


def validation_batches(
    split: Split,
    sequence_length: int,
    batch_size: int,
    max_sequences: int,
    *,
    with_document_ids: bool = False,
    packs: bool = False,
) -> list[Batch]:
    """Return the same batches at every call: the first samples of a split in their order.

    Args:
        split: the tokens.
        sequence_length: T.
        batch_size: rows in a batch; the last one may have fewer. How the text is cut does not change which it is.
        max_sequences: rows in all batches together, at most.
        with_document_ids: let batches carry `Batch.document_ids`.
        packs: the documents are conversations, which are packed whole.

    Raises:
        DataError: ``data-too-few-tokens``.
    """
    samples = _samples(split, sequence_length, with_document_ids=with_document_ids, packs=packs)
    count = min(samples.count, max_sequences)
    return [samples.read(np.arange(start, min(start + batch_size, count))) for start in range(0, count, batch_size)]


class _Samples(Protocol):
    """The samples of a split, by number."""

    count: int
    num_cut: int
    all_count: bool
    """Whether every target counts."""

    def read(self, indices: npt.NDArray[np.int64]) -> Batch:
        """Return samples as rows of a batch."""

    def num_targets(self, indices: npt.NDArray[np.int64]) -> int:
        """Return how many targets of some samples count."""


def _samples(split: Split, sequence_length: int, *, with_document_ids: bool, packs: bool) -> _Samples:
    if packs:
        return _ConversationSamples(split, sequence_length)
    return _TextSamples(split, sequence_length, with_document_ids=with_document_ids)


@final
class _TextSamples:
    num_cut, all_count = 0, True

    def __init__(self, split: Split, sequence_length: int, *, with_document_ids: bool) -> None:
        self.count = count_samples(split, sequence_length)
        self._split, self._sequence_length = split, sequence_length
        self._with_document_ids = with_document_ids

    def read(self, indices: npt.NDArray[np.int64]) -> Batch:
        ids = read_document_ids(self._split, indices, self._sequence_length) if self._with_document_ids else None
        return Batch(read_samples(self._split, indices, self._sequence_length), ids)

    def num_targets(self, indices: npt.NDArray[np.int64]) -> int:
        return len(indices) * self._sequence_length


@final
class _ConversationSamples:
    all_count = False

    def __init__(self, split: Split, sequence_length: int) -> None:
        self._packed = PackedConversations(split, sequence_length)
        self.count, self.num_cut = self._packed.count, self._packed.num_cut

    def read(self, indices: npt.NDArray[np.int64]) -> Batch:
        return Batch(*self._packed.read(indices))

    def num_targets(self, indices: npt.NDArray[np.int64]) -> int:
        return self._packed.num_targets(indices)
