import numpy as np
import pytest

from headway.planning.analytic.hardware import hardware
from headway.planning.analytic.layouts import layouts
from headway.planning.analytic.memory import memory
from headway.planning.analytic.search import HEADROOM, NEARLY_BEST, choose, evaluate, row_of, search
from headway.planning.analytic.step import step_times
from headway.planning.analytic.wishes import Wishes
from tests.planning.analytic.invented import array, job, llama, machines

LARGE = llama(hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32)


def test_the_best_fits_and_is_about_the_fastest_that_does() -> None:
    machine = hardware("a100", devices=8)
    found = search(job(LARGE), machine, Wishes())
    assert found is not None
    assert found.fits
    assert machine.capacity_bytes is not None
    assert found.peak_bytes[found.best] <= HEADROOM * machine.capacity_bytes
    assert found.seconds[found.best] <= NEARLY_BEST * np.min(found.seconds)
    assert np.all(np.isinf(found.seconds) == (found.peak_bytes > HEADROOM * machine.capacity_bytes))
    assert found.removed["memory"] == np.count_nonzero(np.isinf(found.seconds)) > 0


def test_the_front_trades_time_for_memory() -> None:
    found = search(job(LARGE), hardware("a100", devices=8), Wishes())
    assert found is not None
    front = np.asarray(found.front)
    assert len(front) > 2
    assert np.all(np.diff(found.seconds[front]) >= 0)
    assert np.all(np.diff(found.peak_bytes[front]) < 0)
    for index in front:
        is_better = (found.seconds <= found.seconds[index]) & (found.peak_bytes < found.peak_bytes[index])
        assert not np.any(is_better)


def test_the_others_differ_from_the_best_and_from_each_other() -> None:
    found = search(job(LARGE), hardware("a100", devices=8), Wishes(), num_others=3)
    assert found is not None
    assert len(found.others) == 3
    names = ("tensor", "pipeline", "context", "expert", "shard", "micro_batch", "recompute")
    kinds = {tuple(row_of(found.splits, index)[name] for name in names) for index in (found.best, *found.others)}
    assert len(kinds) == 4
    assert list(found.seconds[list(found.others)]) == sorted(found.seconds[list(found.others)])


def test_where_nothing_fits_the_leanest_is_told() -> None:
    huge = llama(hidden_size=16384, intermediate_size=53248, num_hidden_layers=126, num_attention_heads=128)
    found = search(job(huge), hardware("a100", devices=8), Wishes())
    assert found is not None
    assert not found.fits
    assert found.front == (found.best,)
    assert found.best == np.argmin(found.peak_bytes)
    assert found.removed["memory"] == len(found.splits)


def test_what_fills_the_last_percent_fits_where_nothing_else_does() -> None:
    """One layout at 98 % of the memory: it fits; beside one at 90 %, that one is taken though it is slower."""
    machine = hardware("a100", devices=1)
    assert machine.capacity_bytes is not None
    splits = layouts(micro_batch=[1, 2])
    capacity = float(machine.capacity_bytes)
    both = choose(job(), machine, splits, array(0.90 * capacity, 0.98 * capacity), array(2.0, 1.0))
    assert (both.best, list(both.fitting)) == (0, [True, False])
    alone = choose(job(), machine, layouts(), array(0.98 * capacity), array(1.0))
    assert alone.fits
    none = choose(job(), machine, splits, array(1.2 * capacity, 1.1 * capacity), array(2.0, 1.0))
    assert (none.best, none.fits) == (1, False)


def test_no_legal_layout_is_none() -> None:
    assert search(job(), machines(8), Wishes(tensor=3)) is None


def test_chunks_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    splits = layouts(data=[1, 2, 4, 8, 8], micro_batches=[64, 32, 16, 8, 8], shard=[0, 1, 2, 3, 0])
    monkeypatch.setattr("headway.planning.analytic.search.CHUNK", 2)
    found, times = evaluate(job(), machines(8), splits), step_times(job(), machines(8), splits)
    assert np.array_equal(found.peak_bytes, memory(job(), machines(8), splits).total_bytes)
    assert np.allclose(found.seconds, times.seconds)
    assert np.allclose(found.computing_seconds, times.computing_seconds)


def test_what_cannot_fit_is_not_timed() -> None:
    splits = layouts(data=[8, 8, 8], micro_batches=[8, 8, 8], micro_batch=[1, 1, 1], shard=[0, 1, 3])
    peaks = memory(job(), machines(8), splits).total_bytes
    most = float(np.sort(peaks)[1])
    found = evaluate(job(), machines(8), splits, most_bytes=most)
    assert list(np.isfinite(found.seconds)) == list(peaks <= most)
    assert np.allclose(found.seconds[peaks <= most], step_times(job(), machines(8), splits).seconds[peaks <= most])
    none = evaluate(job(), machines(8), splits, most_bytes=0.0)
    assert np.all(np.isinf(none.seconds))
    assert np.array_equal(none.peak_bytes, peaks)
