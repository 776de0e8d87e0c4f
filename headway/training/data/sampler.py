"""The order of the samples: a shuffle that has no state.

The samples of all epochs form one endless sequence, each epoch in its own random order; optimizer step ``s`` takes the
samples ``s*B`` to ``s*B + B - 1`` of it. The position in the data is therefore two integers, the seed and the step,
and a run continues exactly where it stopped, on any number of ranks.

The order of an epoch is a Feistel network over a power of four, walked until it falls inside the range; it needs no
memory and any position of it can be asked for at once.
Source: Luby and Rackoff 1988 (permutations from round functions); Black and Rogaway 2002, section 3 (cycle walking).
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

import numpy as np
import numpy.typing as npt

_ROUNDS = 8
_MIN_HALF_BITS = 2

# The finalizer of SplitMix64. Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@final
class Sampler:
    """Says which samples each step takes.

    Args:
        num_samples: samples in an epoch, at least 1.
        seed: key of the shuffle, at least 0.
    """

    def __init__(self, num_samples: int, seed: int) -> None:
        assert num_samples >= 1 and seed >= 0
        self.num_samples = num_samples
        self.seed = seed

    def indices(self, step: int, batch_size: int, rank: int = 0, world: int = 1) -> npt.NDArray[np.int64]:
        """Return the samples of one rank for one step, int64 [about batch_size / world].

        The ranks take consecutive parts of the same global batch, so the batch does not depend on their number.

        Args:
            step: the optimizer step, from 0.
            batch_size: B, samples in the global batch.
            rank: from 0.
            world: number of ranks; where it does not divide B, parts differ by one sample.
        """
        assert 0 <= rank < world
        start, stop = rank * batch_size // world, (rank + 1) * batch_size // world
        return self.rows(step, batch_size, start, stop - start)

    def rows(self, step: int, batch_size: int, start: int, count: int) -> npt.NDArray[np.int64]:
        """Return the samples in rows ``start`` to ``start + count - 1`` of a step's global batch, int64 [count]."""
        assert step >= 0 and start >= 0 and count >= 0 and start + count <= batch_size
        epoch, first = divmod(step * batch_size + start, self.num_samples)
        parts = [np.empty(0, dtype=np.int64)]
        while count:
            taken = min(count, self.num_samples - first)
            parts.append(permute(np.arange(first, first + taken), self.num_samples, self.seed, epoch))
            count -= taken
            epoch, first = epoch + 1, 0
        return np.concatenate(parts)

    def at(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the samples at positions of the endless sequence, int64 [n]."""
        epochs, places = np.divmod(positions, self.num_samples)
        samples = np.empty_like(places)
        for epoch in np.unique(epochs).tolist():
            here = epochs == epoch
            samples[here] = permute(places[here], self.num_samples, self.seed, epoch)
        return samples


def permute(positions: npt.NDArray[np.int64], size: int, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    """Map positions to samples: a permutation of ``range(size)`` keyed by seed and epoch.

    Args:
        positions: int64 [n], each in ``range(size)``.
        size: 1 to 2^62.
        seed: at least 0.
        epoch: at least 0.

    Returns:
        int64 [n], each in ``range(size)``; different positions give different samples.
    """
    half_bits = max(_MIN_HALF_BITS, ((size - 1).bit_length() + 1) // 2)
    keys = _round_keys(seed, epoch)
    values = _feistel(positions.astype(np.uint64), half_bits, keys)
    outside = np.flatnonzero(values >= size)
    while outside.size:
        values[outside] = _feistel(values[outside], half_bits, keys)
        outside = outside[values[outside] >= size]
    return values.astype(np.int64)


@lru_cache(maxsize=16)
def _round_keys(seed: int, epoch: int) -> tuple[np.uint64, ...]:
    return tuple(np.random.SeedSequence([seed, epoch]).generate_state(_ROUNDS, np.uint64))


def _feistel(values: npt.NDArray[np.uint64], half_bits: int, keys: tuple[np.uint64, ...]) -> npt.NDArray[np.uint64]:
    shift = np.uint64(half_bits)
    mask = np.uint64((1 << half_bits) - 1)
    left, right = values >> shift, values & mask
    for key in keys:
        left, right = right, left ^ (_mix(right ^ key) & mask)
    return (left << shift) | right


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    values = (values ^ (values >> _SHIFT_1)) * _MIX_1
    values = (values ^ (values >> _SHIFT_2)) * _MIX_2
    return values ^ (values >> _SHIFT_3)
