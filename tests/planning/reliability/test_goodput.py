import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.catalog.reliability import entries
from headway.planning.reliability.goodput import (
    Checkpointing,
    exact_goodput,
    first_order_goodput,
    kokolis_goodput,
    longest_interval_seconds,
    losses,
    restarts_goodput,
    wasted_seconds_per_failure,
)
from tests.planning.reliability.worked import COMPARED, ETTR, LONGEST_INTERVAL_MINUTES, SIMULATED

DAY_MINUTES = 24 * 60
KOKOLIS_MTBF = 108.17307692307693


def mtbf_minutes(nodes: float, rate: float) -> float:
    return DAY_MINUTES * 1000 / (nodes * rate)


@pytest.mark.parametrize(("nodes", "rate", "restart", "interval", "write", "ettr"), ETTR)
def test_ettr_of_kokolis(nodes: float, rate: float, restart: float, interval: float, write: float, ettr: float) -> None:
    assert kokolis_goodput(mtbf_minutes(nodes, rate), interval, write, restart) == pytest.approx(ettr, rel=1e-9)


@pytest.mark.parametrize(("interval", "write", "kokolis", "first", "exact"), COMPARED)
def test_closed_forms_beside_the_exact_one(
    interval: float, write: float, kokolis: float, first: float, exact: float
) -> None:
    assert mtbf_minutes(2048, 6.5) == pytest.approx(KOKOLIS_MTBF)
    assert kokolis_goodput(KOKOLIS_MTBF, interval, write, 5) == pytest.approx(kokolis, rel=1e-9)
    assert first_order_goodput(KOKOLIS_MTBF, interval, write, 5) == pytest.approx(first, rel=1e-9)
    way = Checkpointing(work_seconds=interval, stall_seconds=write, restart_seconds=5)
    assert exact_goodput(KOKOLIS_MTBF, way) == pytest.approx(exact, rel=1e-9)
    assert first < exact


@pytest.mark.parametrize("row", SIMULATED)
def test_the_exact_value_is_the_one_that_was_simulated(row: tuple[float, ...]) -> None:
    mtbf, work, write, detection, restart, mean, deviation, exact, first = row
    way = Checkpointing(work_seconds=work, stall_seconds=write, detection_seconds=detection, restart_seconds=restart)
    assert exact_goodput(mtbf, way) == pytest.approx(exact, rel=1e-9)
    assert first_order_goodput(mtbf, work, write, detection + restart) == pytest.approx(first, rel=1e-9)
    assert abs(mean - exact) < deviation


@pytest.mark.parametrize(("nodes", "rate", "restart", "minutes"), LONGEST_INTERVAL_MINUTES)
def test_the_longest_interval_for_an_ettr(nodes: float, rate: float, restart: float, minutes: float | None) -> None:
    found = longest_interval_seconds(mtbf_minutes(nodes, rate), 0.9, restart)
    assert found is None if minutes is None else found == pytest.approx(minutes, abs=0.01)


NAMES = ("unexpected", "all")


def test_the_loss_that_llama_3_can_have_had() -> None:
    # More than 90 % effective: a tenth of the time between two interruptions at most was lost to each.
    lost_minutes = [0.1 * 54 * DAY_MINUTES / entries()[f"llama-3-405b-{name}"].interruptions for name in NAMES]
    assert lost_minutes == pytest.approx([18.558472553699286, 16.68669527896996])


def test_the_time_that_a_failure_wastes() -> None:
    assert wasted_seconds_per_failure(40, 10_800, 100) == 40 + 5_400 + 100


ways = st.builds(
    Checkpointing,
    work_seconds=st.floats(1, 1e5),
    stall_seconds=st.floats(0, 1e4),
    write_behind_seconds=st.floats(0, 1),
    detection_seconds=st.floats(0, 1e4),
    restart_seconds=st.floats(0, 1e4),
)


@given(st.floats(1e4, 1e9), ways)
def test_goodput_is_a_share(mtbf: float, way: Checkpointing) -> None:
    assert 0 < exact_goodput(mtbf, way) <= 1
    assert 0 <= kokolis_goodput(mtbf, way.work_seconds, way.stall_seconds, way.restart_seconds) <= 1


@given(st.floats(1e4, 1e9), st.floats(1.01, 100), ways)
def test_fewer_failures_never_cost_more(mtbf: float, factor: float, way: Checkpointing) -> None:
    assert exact_goodput(factor * mtbf, way) >= exact_goodput(mtbf, way)


@given(st.floats(1e4, 1e9), ways)
def test_the_shares_add_up(mtbf: float, way: Checkpointing) -> None:
    found = losses(mtbf, way)
    shares = [found.useful, found.stalls, found.detection, found.restart, found.lost_work]
    assert all(share >= 0 for share in shares)
    assert sum(shares) == pytest.approx(1, abs=1e-9)


@given(st.floats(1e4, 1e9), ways)
def test_the_closed_form_is_the_pessimistic_one(mtbf: float, way: Checkpointing) -> None:
    downtime = way.detection_seconds + way.restart_seconds
    synchronous = Checkpointing(
        work_seconds=way.work_seconds,
        stall_seconds=way.stall_seconds,
        detection_seconds=way.detection_seconds,
        restart_seconds=way.restart_seconds,
    )
    first = first_order_goodput(mtbf, way.work_seconds, way.stall_seconds, downtime)
    assert first <= exact_goodput(mtbf, synchronous) + 1e-12


def test_a_background_write_costs_work_at_failures_only() -> None:
    waits = Checkpointing(work_seconds=600, stall_seconds=60, restart_seconds=300)
    writes_behind = Checkpointing(work_seconds=600, stall_seconds=1, write_behind_seconds=60, restart_seconds=300)
    free = Checkpointing(work_seconds=600, stall_seconds=1, restart_seconds=300)
    shares = [exact_goodput(10_000, way) for way in (waits, writes_behind, free)]
    assert shares == sorted(shares)
    assert shares[1] == pytest.approx(shares[2] * math.exp(-60 / 10_000))


def test_a_job_that_never_gets_on() -> None:
    assert exact_goodput(1.0, Checkpointing(work_seconds=1000.0, stall_seconds=1.0)) == 0.0
    assert first_order_goodput(1.0, 1000.0, 1.0, 0.0) == 0.0


def test_restarts_alone_are_the_limit_of_checkpoints_that_cost_nothing() -> None:
    way = Checkpointing(work_seconds=1e-3, stall_seconds=0.0, detection_seconds=600.0, restart_seconds=1800.0)
    assert restarts_goodput(36_000.0, 600.0, 1800.0) == pytest.approx(exact_goodput(36_000.0, way))
    # e^(-0.05) 60 / 61.
    assert restarts_goodput(36_000.0, 600.0, 1800.0) == pytest.approx(0.935635, rel=1e-5)
