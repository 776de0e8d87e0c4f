"""Batches of samples as NumPy arrays: shuffled and endless for training, fixed for validation, from any sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from headway.training.data.conversations import PackedConversations
from headway.training.data.mixture import Mixer, Rows, quotas
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


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What samples are made of tokens: length T, and what batches carry beside tokens."""

    sequence_length: int
    with_document_ids: bool = False
    """Let batches carry `Batch.document_ids`."""
    packs: bool = False
    """The documents are conversations, which are packed whole; batches carry all that `Batch` has."""


@final
class BatchStream:
    """The training batches of a split, or of several that are mixed, by step.

    Args:
        split: the tokens; of several sources, that of each.
        sequence_length: T.
        global_batch_size: rows in the batch of one optimizer step, over all ranks.
        seed: key of the shuffle.
        with_document_ids: let batches carry `Batch.document_ids`.
        packs: the documents are conversations, which are packed whole; batches carry all that `Batch` has.
        weights: of several sources, one for each.

    Raises:
        DataError: ``data-too-few-tokens``.
    """

    def __init__(
        self,
        split: Split | Sequence[Split],
        sequence_length: int,
        global_batch_size: int,
        seed: int,
        *,
        with_document_ids: bool = False,
        packs: bool = False,
        weights: Sequence[float] = (1.0,),
    ) -> None:
        splits = (split,) if isinstance(split, Split) else tuple(split)
        shape = Shape(sequence_length=sequence_length, with_document_ids=with_document_ids, packs=packs)
        self._sources = [_samples(one, shape) for one in splits]
        self._global_batch_size = global_batch_size
        self.samples_per_epoch = sum(source.count for source in self._sources)
        self._order = _order([source.count for source in self._sources], weights, seed)
        self._counted = (-1, 0)

    @property
    def num_cut(self) -> int:
        """Conversations of the split that are longer than a sequence, and were cut."""
        return sum(source.num_cut for source in self._sources)

    def batch(self, step: int, start: int = 0, count: int | None = None) -> Batch:
        """Return rows ``start`` to ``start + count - 1`` of the global batch of a step.

        Args:
            step: the optimizer step, from 0; the same step always has the same batch.
            start: the first row.
            count: number of rows; all the rest by default.
        """
        rows = self._global_batch_size - start if count is None else count
        batch = _read(self._sources, self._order.rows(step, self._global_batch_size, start, rows))
        return replace(batch, num_targets_in_step=self._num_targets(step))

    def rows_of_sources(self, steps: int) -> list[int]:
        """Return how many rows of the first steps are from each source."""
        return [int(rows) for rows in self._order.counts(steps * self._global_batch_size)]

    def _num_targets(self, step: int) -> int | None:
        """Return how many targets of a step's global batch count; None where all do."""
        if self._sources[0].all_count:
            return None
        if self._counted[0] != step:
            whole = self._order.rows(step, self._global_batch_size, 0, self._global_batch_size)
            numbers = enumerate(self._sources)
            found = sum(source.num_targets(whole.samples[whole.sources == number]) for number, source in numbers)
            self._counted = step, found
        return self._counted[1]


def validation_batches(
    split: Split | Sequence[Split],
    sequence_length: int,
    batch_size: int,
    max_sequences: int,
    *,
    with_document_ids: bool = False,
    packs: bool = False,
    weights: Sequence[float] = (1.0,),
) -> list[Batch]:
    """Return the same batches at every call: the first samples of a split in their order.

    Args:
        split: the tokens; of several sources, that of each, which follow each other, with its share of the sequences.
        sequence_length: T.
        batch_size: rows in a batch; the last one may have fewer. How the text is cut does not change which it is.
        max_sequences: rows in all batches together, at most, or one of each source.
        with_document_ids: let batches carry `Batch.document_ids`.
        packs: the documents are conversations, which are packed whole.
        weights: of several sources, one for each.

    Raises:
        DataError: ``data-too-few-tokens``.
    """
    splits = (split,) if isinstance(split, Split) else tuple(split)
    shape = Shape(sequence_length=sequence_length, with_document_ids=with_document_ids, packs=packs)
    sources = [_samples(one, shape) for one in splits]
    shares = quotas(weights, max(max_sequences, len(sources)))
    counts = [min(source.count, int(share)) for source, share in zip(sources, shares, strict=True)]
    rows = Rows(np.repeat(np.arange(len(sources)), counts), np.concatenate([np.arange(count) for count in counts]))
    return [
        _read(sources, Rows(rows.sources[start : start + batch_size], rows.samples[start : start + batch_size]))
        for start in range(0, sum(counts), batch_size)
    ]


class _Order(Protocol):
    """Which samples each step takes."""

    def rows(self, step: int, batch_size: int, start: int, count: int) -> Rows:
        """Return rows of a step's global batch."""

    def counts(self, num_slots: int) -> npt.NDArray[np.int64]:
        """Return how many of the first rows of all steps each source has."""


@final
class _One:
    """The order of a single source."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def rows(self, step: int, batch_size: int, start: int, count: int) -> Rows:
        return Rows(np.zeros(count, dtype=np.int64), self._sampler.rows(step, batch_size, start, count))

    def counts(self, num_slots: int) -> npt.NDArray[np.int64]:
        return np.array([num_slots])


def _order(counts: Sequence[int], weights: Sequence[float], seed: int) -> _Order:
    return _One(Sampler(counts[0], seed)) if len(counts) == 1 else Mixer(counts, weights, seed)


def _read(sources: Sequence[_Samples], rows: Rows) -> Batch:
    """Read rows, each from its source; all sources have the same shape."""
    numbers = np.unique(rows.sources).tolist()
    if len(numbers) == 1:
        only: Batch = sources[numbers[0]].read(rows.samples)
        return only
    parts = [(rows.sources == number, sources[number].read(rows.samples[rows.sources == number])) for number in numbers]

    def joined(name: str) -> Any:
        arrays = [(here, getattr(part, name)) for here, part in parts]
        if arrays[0][1] is None:
            return None
        whole = np.empty((len(rows.sources), *arrays[0][1].shape[1:]), arrays[0][1].dtype)
        for here, array in arrays:
            whole[here] = array
        return whole

    return Batch(joined("tokens"), joined("document_ids"), joined("is_target"))


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


def _samples(split: Split, shape: Shape) -> _Samples:
    if shape.packs:
        return _ConversationSamples(split, shape.sequence_length)
    return _TextSamples(split, shape.sequence_length, with_document_ids=shape.with_document_ids)


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
