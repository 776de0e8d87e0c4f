"""From the conversations of a split to samples of one length: several whole ones in each, none cut where it fits.

A sample of length T holds pieces of T + 1 tokens together, attends within each, and is padded at its end. A
conversation of n <= T + 1 tokens is one piece. A longer one is cut as text is: pieces share one token, so that every
token but the first is a target exactly once. Pieces of which no target counts are left out, since nothing is learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from headway.errors import DataError

if TYPE_CHECKING:
    from headway.training.data.shards import Split

PADDING_TOKEN = 0
"""What fills a sample. Which it is does not matter: nothing attends to it, and it is no target."""

_CHUNK_TOKENS = 2**22


@final
class PackedConversations:
    """The samples of a split of conversations.

    Pieces go, the longest first, into the fullest sample that has room: best-fit decreasing. Samples stand in the order
    of their longest pieces' places in the split.

    Args:
        split: the tokens.
        sequence_length: T, at least 1.

    Raises:
        DataError: ``data-too-few-tokens``, where no conversation has two tokens; ``data-no-targets``, where some have,
            and none of them counts.

    Source: Ding et al. 2024 (arXiv:2404.10830), section 3.
    """

    def __init__(self, split: Split, sequence_length: int) -> None:
        self._split = split
        self._sequence_length = sequence_length
        starts = split.document_starts(0, split.num_tokens)
        lengths = np.diff(starts, append=split.num_tokens)
        self.num_cut = int(np.count_nonzero(lengths > sequence_length + 1))
        starts, lengths = _pieces(starts, lengths, sequence_length)
        needed = {"split": split.name, "tokens": split.num_tokens, "needed_tokens": 2}
        if not len(starts):
            raise DataError("data-too-few-tokens", **needed)
        targets = _count_targets(split, starts, lengths)
        starts, lengths, targets = starts[targets > 0], lengths[targets > 0], targets[targets > 0]
        if not len(starts):
            raise DataError("data-no-targets", **needed)
        samples = best_fit(lengths, sequence_length + 1)
        order = np.argsort(samples, kind="stable")
        self._starts, self._lengths = starts[order], lengths[order]
        self._first = np.searchsorted(samples[order], np.arange(samples.max() + 2))
        self._targets = np.bincount(samples, weights=targets).astype(np.int64)
        self.count = len(self._targets)

    def read(
        self, indices: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Return tokens [n, T + 1], document ids [n, T] and which targets count [n, T] of samples."""
        shape = len(indices), self._sequence_length
        tokens = np.full((shape[0], shape[1] + 1), PADDING_TOKEN, dtype=np.int64)
        documents = np.zeros((shape[0], shape[1] + 1), dtype=np.int32)
        is_target = np.zeros(shape, dtype=np.bool_)
        for row, index in enumerate(indices.tolist()):
            place = 0
            for number, (start, length) in enumerate(self._pieces_of(index)):
                self._split.read(start, tokens[row, place : place + length])
                self._split.read_marks(start + 1, is_target[row, place : place + length - 1])
                documents[row, place : place + length] = number
                # What comes after is a document of its own, until the next one says otherwise.
                documents[row, place + length :] = number + 1
                place += length
        return tokens, documents[:, :-1], is_target

    def num_targets(self, indices: npt.NDArray[np.int64]) -> int:
        """Return how many targets of some samples count."""
        return int(self._targets[indices].sum())

    def _pieces_of(self, index: int) -> list[tuple[int, int]]:
        pieces = slice(self._first[index], self._first[index + 1])
        return list(zip(self._starts[pieces].tolist(), self._lengths[pieces].tolist(), strict=True))


def _pieces(
    starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], sequence_length: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Cut conversations into pieces of at most T + 1 tokens, each of which has at least one target."""
    counts = -(-(lengths - 1) // sequence_length)
    numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    offsets = numbers * sequence_length
    rest = np.repeat(lengths, counts) - offsets
    return np.repeat(starts, counts) + offsets, np.minimum(rest, sequence_length + 1)


def _count_targets(
    split: Split, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return how many targets of each piece count, int64 [n]; pieces are in their order."""
    counts = np.empty(len(starts), dtype=np.int64)
    first = 0
    while first < len(starts):
        begin = starts[first]
        # At least one piece at a time, however long it is.
        last = max(first + 1, int(np.searchsorted(starts, begin + _CHUNK_TOKENS)))
        marks = np.empty(starts[last - 1] + lengths[last - 1] - begin, dtype=np.bool_)
        split.read_marks(int(begin), marks)
        before = np.concatenate(([0], np.cumsum(marks)))
        offsets = starts[first:last] - begin
        counts[first:last] = before[offsets + lengths[first:last]] - before[offsets + 1]
        first = last
    return counts


def best_fit(lengths: npt.NDArray[np.int64], capacity: int) -> npt.NDArray[np.int64]:
    """Return the number of the bin that each piece goes into, int64 [n]; bins are numbered by their first pieces.

    Args:
        lengths: int64 [n], each 1 to ``capacity``.
        capacity: of a bin.
    """
    bins = np.empty(len(lengths), dtype=np.int64)
    openers: list[int] = []
    with_room: list[list[int]] = [[] for _ in range(capacity + 1)]
    # Bit r says whether a bin has room for exactly r more: the fullest that fits is the lowest bit from the length on.
    rooms = 0
    for piece in np.argsort(-lengths, kind="stable").tolist():
        length = int(lengths[piece])
        fitting = rooms >> length
        if fitting:
            room = length + (fitting & -fitting).bit_length() - 1
            chosen = with_room[room].pop()
            if not with_room[room]:
                rooms ^= 1 << room
        else:
            room, chosen = capacity, len(openers)
            openers.append(piece)
        left = room - length
        with_room[left].append(chosen)
        # Nothing fits into no room.
        rooms |= (1 << left) if left else 0
        bins[piece] = chosen
    numbers = np.empty(len(openers), dtype=np.int64)
    numbers[np.argsort(openers, kind="stable")] = np.arange(len(openers))
    return numbers[bins]
