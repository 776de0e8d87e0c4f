"""Several sources in one stream of samples: which source each row of a batch is from, and which sample of it.

The rows of all steps form one endless sequence of slots. Slots are dealt to the sources in blocks of `BLOCK`: in each
block every source has its exact share, spread evenly, at places within its parts of the block that follow from seed and
block. So any run of slots, however short, has each source's share to within a slot or two. A source counts its own
slots, and they are the positions in its own endless order (see `sampler`). The position in the data is still two
integers, the seed and the step, whatever the number of sources and of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from headway.training.data.sampler import Sampler, permute

BLOCK = 2**16
"""Slots in which each source has its exact share, rounded to a whole number and at least one."""

_MIXTURE_KEY = 2**32
"""Tells the order of the sources from the orders of their samples, which have the same seed."""


class Rows(NamedTuple):
    """Rows of a batch."""

    sources: npt.NDArray[np.int64]
    """[n]: number of each row's source."""
    samples: npt.NDArray[np.int64]
    """[n]: number of each row's sample in that source."""


class _Block(NamedTuple):
    sources: npt.NDArray[np.int64]
    """[BLOCK]: source of each slot."""
    ranks: npt.NDArray[np.int64]
    """[BLOCK]: how many slots of the same source are before it in the block."""


@final
class Mixer:
    """Says which source, and which sample of it, each row of each step is.

    Args:
        samples: samples in an epoch of each source, each at least 1.
        weights: of the sources, each above 0.
        seed: key of all orders, at least 0.
    """

    def __init__(self, samples: Sequence[int], weights: Sequence[float], seed: int) -> None:
        assert len(samples) == len(weights) >= 1
        self._quotas = quotas(weights, BLOCK)
        self._seed = seed
        self._blocks: dict[int, _Block] = {}
        keys = np.random.SeedSequence([seed, _MIXTURE_KEY]).generate_state(1 + len(samples), np.uint64)
        self._block_seed = int(keys[0])
        # Equal sources of one seed would have equal orders.
        self._samplers = [Sampler(count, int(key)) for count, key in zip(samples, keys[1:], strict=True)]

    def rows(self, step: int, batch_size: int, start: int, count: int) -> Rows:
        """Return rows ``start`` to ``start + count - 1`` of a step's global batch."""
        assert step >= 0 and start >= 0 and count >= 0 and start + count <= batch_size
        first = step * batch_size + start
        sources, positions = self._dealt(np.arange(first, first + count))
        samples = np.empty(count, dtype=np.int64)
        for number, sampler in enumerate(self._samplers):
            here = sources == number
            samples[here] = sampler.at(positions[here])
        return Rows(sources, samples)

    def counts(self, num_slots: int) -> npt.NDArray[np.int64]:
        """Return how many of the first slots each source has, int64 [sources]."""
        blocks, rest = divmod(num_slots, BLOCK)
        begun = self._block(blocks).sources[:rest]
        return blocks * self._quotas + np.bincount(begun, minlength=len(self._quotas))

    def _dealt(self, slots: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the source of each slot, and its position in the order of that source."""
        blocks, places = np.divmod(slots, BLOCK)
        sources, positions = np.empty_like(places), np.empty_like(places)
        for number in np.unique(blocks).tolist():
            here, block = blocks == number, self._block(number)
            sources[here] = block.sources[places[here]]
            positions[here] = number * self._quotas[sources[here]] + block.ranks[places[here]]
        return sources, positions

    def _block(self, number: int) -> _Block:
        block = self._blocks.get(number)
        if block is None:
            block = self._deal(number)
            # A batch touches one block, or two neighbours; more are not kept. Other threads may ask at the same time.
            near = {known: one for known, one in self._blocks.items() if abs(known - number) <= 1}
            self._blocks = {**near, number: block}
        return block

    def _deal(self, number: int) -> _Block:
        jitter = permute(np.arange(BLOCK), BLOCK, self._block_seed, number) / BLOCK
        ranks = np.concatenate([np.arange(quota) for quota in self._quotas])
        owners = np.repeat(np.arange(len(self._quotas)), self._quotas)
        # The k-th of q slots lies somewhere in the k-th of q equal parts of the block.
        order = np.argsort((ranks + jitter) / self._quotas[owners], kind="stable")
        return _Block(owners[order], ranks[order])


def quotas(weights: Sequence[float], total: int) -> npt.NDArray[np.int64]:
    """Divide a number by weights: whole parts of at least one that add up to it, each nearest to its share.

    Source: the largest-remainder method (Hamilton).
    """
    shares = np.asarray(weights, dtype=np.float64) / sum(weights) * total
    parts = np.maximum(np.floor(shares), 1).astype(np.int64)
    remainders = shares - parts
    while (missing := total - int(parts.sum())) != 0:
        # A part of one was rounded up, and another gives it back: the one that has most above its share.
        chosen = int(remainders.argmax() if missing > 0 else np.where(parts > 1, remainders, np.inf).argmin())
        parts[chosen] += 1 if missing > 0 else -1
        remainders[chosen] -= 1 if missing > 0 else -1
    return parts
