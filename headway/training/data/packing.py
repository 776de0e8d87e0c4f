"""From the stream of tokens of a split to samples of one length.

A split is one stream: its documents in order, each followed by the end-of-document token. Sample ``i`` of length ``T``
is ``tokens[i*T : i*T + T + 1]``: its first T tokens are the input, its last T the targets, so that neighbours share one
token and every token but the first is a target exactly once. What is left at the end and fills no sample is not used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from headway.errors import DataError

if TYPE_CHECKING:
    from headway.training.data.shards import Split


def count_samples(split: Split, sequence_length: int) -> int:
    """Return how many samples a split has.

    Args:
        split: the tokens.
        sequence_length: T, at least 1.

    Raises:
        DataError: ``data-too-few-tokens``, for fewer than T + 1 tokens.
    """
    if split.num_tokens <= sequence_length:
        raise DataError(
            "data-too-few-tokens", split=split.name, tokens=split.num_tokens, needed_tokens=sequence_length + 1
        )
    return (split.num_tokens - 1) // sequence_length


def read_samples(split: Split, indices: npt.NDArray[np.int64], sequence_length: int) -> npt.NDArray[np.int64]:
    """Return the tokens of samples, int64 [len(indices), T + 1]."""
    tokens = np.empty((len(indices), sequence_length + 1), dtype=np.int64)
    for row, index in enumerate(indices.tolist()):
        split.read(index * sequence_length, tokens[row])
    return tokens


def read_document_ids(split: Split, indices: npt.NDArray[np.int64], sequence_length: int) -> npt.NDArray[np.int32]:
    """Return which document each input token belongs to, int32 [len(indices), T].

    The ids count from 0 within each sample. The end-of-document token belongs to the document that it ends.
    """
    ids = np.zeros((len(indices), sequence_length), dtype=np.int32)
    for row, index in enumerate(indices.tolist()):
        start = index * sequence_length
        # A document that starts with the sample is its number 0 already.
        ids[row, split.document_starts(start + 1, start + sequence_length) - start] = 1
    return np.cumsum(ids, axis=1, dtype=np.int32)
