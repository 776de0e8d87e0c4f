import time

import numpy as np
import pytest

from headway.catalog.reliability import failure_trace
from headway.planning.reliability.goodput import Checkpointing, exact_goodput
from headway.planning.reliability.simulation import Ageing, FailureProcess, Poisson, Replay, Weibull, simulate
from tests.planning.reliability.worked import SIMULATED

DAYS_54 = 54 * 86400.0
MTBF = DAYS_54 / 419
WAY = Checkpointing(work_seconds=1800, stall_seconds=30, detection_seconds=60, restart_seconds=600)


@pytest.mark.parametrize("row", SIMULATED)
def test_chance_agrees_with_the_exact_formula(row: tuple[float, ...]) -> None:
    mtbf, work, write, detection, restart, _, _, exact, _ = row
    way = Checkpointing(work_seconds=work, stall_seconds=write, detection_seconds=detection, restart_seconds=restart)
    found = simulate(Poisson(mtbf_seconds=mtbf), way, seconds=200 * 24 * 60, replicas=1000, seed=1)
    error = found.goodputs.std() / np.sqrt(len(found.goodputs))
    assert abs(found.mean_goodput - exact) < 4 * error + 5e-4
    low, high = found.goodput_interval()
    assert low < exact < high


def test_chance_agrees_for_checkpoints_in_the_background() -> None:
    way = Checkpointing(work_seconds=600, stall_seconds=5, write_behind_seconds=500, restart_seconds=300)
    found = simulate(Poisson(mtbf_seconds=10_000), way, seconds=1e7, replicas=400, seed=2)
    assert found.mean_goodput == pytest.approx(exact_goodput(10_000, way), rel=1e-3)


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, same, other = (
        simulate(Poisson(mtbf_seconds=MTBF), WAY, seconds=DAYS_54, replicas=20, seed=seed) for seed in (3, 3, 4)
    )
    assert np.array_equal(one.goodputs, same.goodputs)
    assert not np.array_equal(one.goodputs, other.goodputs)


@pytest.mark.parametrize(
    "process",
    [
        Poisson(mtbf_seconds=MTBF),
        Weibull(mtbf_seconds=MTBF, shape=0.7),
        Weibull(mtbf_seconds=MTBF, shape=1.5),
        Ageing(mtbf_seconds=MTBF, shape=0.7),
        Ageing(mtbf_seconds=MTBF, shape=2.0),
    ],
    ids=str,
)
def test_every_process_keeps_its_mean_rate(process: FailureProcess) -> None:
    found = simulate(process, Checkpointing(work_seconds=1800, stall_seconds=30), seconds=DAYS_54, replicas=500)
    assert found.interruptions.mean() == pytest.approx(419, rel=0.02)
    assert ((found.goodputs > 0) & (found.goodputs <= 1)).all()


def test_a_shape_of_one_is_poisson() -> None:
    exact = exact_goodput(MTBF, WAY)
    for process in (Weibull(mtbf_seconds=MTBF, shape=1.0), Ageing(mtbf_seconds=MTBF, shape=1.0)):
        assert simulate(process, WAY, seconds=DAYS_54).mean_goodput == pytest.approx(exact, rel=2e-3)


def test_bursts_cost_less_than_even_failures() -> None:
    shapes = (0.5, 1.0, 2.0)
    found = [simulate(Weibull(mtbf_seconds=MTBF, shape=shape), WAY, seconds=DAYS_54) for shape in shapes]
    assert [one.mean_goodput for one in found] == sorted((one.mean_goodput for one in found), reverse=True)
    spreads = [np.ptp(one.interruptions_interval()) for one in found]
    assert spreads == sorted(spreads, reverse=True)


def test_infant_mortality_comes_early() -> None:
    way = Checkpointing(work_seconds=60, stall_seconds=0)
    random = np.random.default_rng(0)
    for shape, later in ((0.5, 0.29), (2.0, 0.75)):
        times = Ageing(mtbf_seconds=MTBF, shape=shape).starts(random, 200, DAYS_54, way.detection_seconds)
        inside = times[times < DAYS_54]
        assert (inside > DAYS_54 / 2).mean() == pytest.approx(later, abs=0.02)


def test_the_trace_is_replayed_at_its_own_rate() -> None:
    trace = failure_trace("infinitehbd")
    assert len(trace.events) == 584
    for nodes in (100, 400, 1000):
        found = simulate(Replay(trace=trace, nodes=nodes), WAY, seconds=DAYS_54, replicas=400)
        assert found.interruptions.mean() == pytest.approx(584 / 348 * 54 * nodes / 400, rel=0.06)
        # Faults come in bursts, so that the number varies far more than Poisson's.
        assert found.interruptions.var() > 3 * found.interruptions.mean()


def test_a_whole_trace_has_all_its_faults() -> None:
    trace = failure_trace("infinitehbd")
    found = simulate(Replay(trace=trace, nodes=400), WAY, seconds=trace.duration_seconds, replicas=3)
    assert found.interruptions.tolist() == [584, 584, 584]
    twice = simulate(Replay(trace=trace, nodes=400), WAY, seconds=2 * trace.duration_seconds, replicas=3)
    assert twice.interruptions.tolist() == [1168, 1168, 1168]


def test_no_failure_in_sight() -> None:
    found = simulate(Poisson(mtbf_seconds=1e15), WAY, seconds=1830.0 * 10, replicas=3)
    assert found.goodputs.tolist() == pytest.approx([1800 / 1830] * 3)
    short = simulate(Poisson(mtbf_seconds=1e15), WAY, seconds=900.0, replicas=3)
    assert short.goodputs.tolist() == [1, 1, 1]


def test_a_replay_without_a_fault() -> None:
    found = simulate(Replay(trace=failure_trace("infinitehbd"), nodes=1), WAY, seconds=60.0, replicas=5)
    assert found.interruptions.sum() == 0


def test_more_gaps_are_drawn_where_the_first_do_not_reach_the_end() -> None:
    # Of a heavy-tailed distribution the first guess of how many gaps are needed is often too small.
    times = Weibull(mtbf_seconds=1.0, shape=0.15).starts(np.random.default_rng(5), 200, 1e4, 0.0)
    assert times[:, -1].min() >= 1e4
    assert (np.diff(times, axis=1) >= 0).all()


def test_a_thousand_replicas_take_well_under_a_second() -> None:
    begin = time.process_time()
    simulate(Poisson(mtbf_seconds=MTBF), WAY, seconds=DAYS_54, replicas=1000)
    assert time.process_time() - begin < 1
