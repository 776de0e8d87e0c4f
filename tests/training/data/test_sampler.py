from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.training.data.sampler import Sampler, permute

seeds = st.integers(0, 2**63)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 3000), seeds, st.integers(0, 10**6))
def test_an_epoch_is_a_permutation(size: int, seed: int, epoch: int) -> None:
    assert np.array_equal(np.sort(permute(np.arange(size), size, seed, epoch)), np.arange(size))


@settings(max_examples=50, deadline=None)
@given(st.integers(2**20, 2**62), seeds, st.integers(0, 10**6))
def test_any_position_of_a_huge_epoch_can_be_asked_for(size: int, seed: int, start: int) -> None:
    positions = np.array([0, size - 1, start, size // 2])
    found = permute(positions, size, seed, 0)
    assert len(set(found.tolist())) == len(set(positions.tolist()))
    assert found.min() >= 0 and found.max() < size
    assert [permute(positions[i : i + 1], size, seed, 0)[0] for i in range(4)] == found.tolist()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 500), st.integers(1, 40), st.integers(1, 9), seeds, st.integers(0, 200))
def test_the_ranks_share_the_batch_that_one_rank_has(
    samples: int, batch: int, world: int, seed: int, step: int
) -> None:
    sampler = Sampler(samples, seed)
    parts = [sampler.indices(step, batch, rank, world) for rank in range(world)]
    assert np.array_equal(np.concatenate(parts), sampler.indices(step, batch))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 300), st.integers(1, 50), seeds)
def test_every_epoch_has_every_sample_once(samples: int, batch: int, seed: int) -> None:
    sampler = Sampler(samples, seed)
    steps = -(-3 * samples // batch)
    taken = np.concatenate([sampler.indices(step, batch) for step in range(steps)])
    for epoch in range(3):
        assert np.array_equal(np.sort(taken[epoch * samples : (epoch + 1) * samples]), np.arange(samples))


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 300), st.integers(1, 50), seeds, st.integers(0, 100), st.data())
def test_rows_are_rows_of_the_global_batch(samples: int, batch: int, seed: int, step: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, batch))
    count = data.draw(st.integers(0, batch - start))
    sampler = Sampler(samples, seed)
    rows = sampler.rows(step, batch, start, count)
    assert rows.dtype == np.int64
    assert np.array_equal(rows, sampler.indices(step, batch)[start : start + count])


def test_the_order_is_part_of_the_format() -> None:
    # A run that continues after an upgrade must meet the same samples: these numbers may never change.
    assert Sampler(10, 0).indices(0, 10).tolist() == [5, 7, 6, 3, 0, 4, 1, 9, 2, 8]
    assert Sampler(10**12, 1234).indices(10**9, 3).tolist() == [711739256973, 367875040749, 940416826667]


def test_epochs_and_seeds_have_different_orders() -> None:
    orders = {tuple(permute(np.arange(50), 50, seed, epoch).tolist()) for seed in range(10) for epoch in range(10)}
    assert len(orders) == 100


@pytest.mark.parametrize("size", [2, 3, 7, 16, 100, 1000])
def test_every_place_is_equally_likely(size: int) -> None:
    trials = 2000
    first = np.array([permute(np.array([size // 3]), size, seed, 5)[0] for seed in range(trials)])
    bins = min(size, 20)
    observed = np.bincount(first * bins // size, minlength=bins)
    weights = np.bincount(np.arange(size) * bins // size, minlength=bins)
    expected = trials * weights / size
    chi_square = ((observed - expected) ** 2 / expected).sum()
    # Far beyond the 99.9 % point of the distribution with 19 degrees of freedom, 43.8; the seeds are fixed.
    assert chi_square < 44


def test_neighbours_do_not_stay_together() -> None:
    order = permute(np.arange(10_000), 10_000, 3, 0)
    assert (np.abs(np.diff(order)) == 1).sum() < 20
    assert abs(np.corrcoef(order[:-1], order[1:])[0, 1]) < 0.05
    assert abs(np.corrcoef(np.arange(10_000), order)[0, 1]) < 0.05
