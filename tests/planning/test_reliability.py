import math

import pytest

from headway.planning.reliability import (
    daly_interval_seconds,
    failure_rate_per_device_hour,
    goodput,
    plan_reliability,
    young_interval_seconds,
)

# A write of 600 s and a mean time between failures of 125 years over the nodes: the time from one checkpoint to the
# next, write included, by Young's formula (published by Aupy et al., rounded) and by Daly's higher order.
PERIODS = [
    (3_849_609, 68_567, 68_167.7188108175),
    (240_601, 17_592, 17_194.152098344835),
    (7_519, 3_604, 3_217.1140728427),
]


@pytest.mark.parametrize(("mtbf_seconds", "young", "daly"), PERIODS)
def test_published_intervals(mtbf_seconds: float, young: float, daly: float) -> None:
    write_seconds = 600
    assert young_interval_seconds(mtbf_seconds, write_seconds) + write_seconds == pytest.approx(young, rel=1e-4)
    assert daly_interval_seconds(mtbf_seconds, write_seconds) + write_seconds == pytest.approx(daly, rel=1e-9)


@pytest.mark.parametrize(
    ("interval_minutes", "write_minutes", "useful"),
    [(5, 0.5, 0.8461468635837726), (15, 0.5, 0.8594077146442332), (60, 5, 0.6429368043104325)],
)
def test_goodput_of_a_job_of_16384_gpus(interval_minutes: float, write_minutes: float, useful: float) -> None:
    """Rate of 6.5 failures in 1,000 node days, restart of 5 minutes. Source: Kokolis et al. 2024 (arXiv:2410.21680)."""
    found = goodput(108.17307692307693, interval_minutes, write_minutes, 5)
    assert found == pytest.approx(useful, rel=1e-9)


def test_llama_3_was_interrupted_every_three_hours() -> None:
    assert 1 / (failure_rate_per_device_hour() * 16384) == pytest.approx(3.0930787589498805)


def test_both_orders_agree_for_short_writes() -> None:
    assert daly_interval_seconds(1e9, 1e-3) == pytest.approx(young_interval_seconds(1e9, 1e-3), rel=1e-3)


def test_the_best_interval_is_the_best() -> None:
    best = daly_interval_seconds(10_000, 60)
    best_useful = goodput(10_000, best, 60, 300)
    for factor in (0.8, 0.95, 1.05, 1.2):
        assert goodput(10_000, factor * best, 60, 300) <= best_useful + 1e-6


def test_a_write_longer_than_the_life_of_a_job() -> None:
    assert daly_interval_seconds(100, 300) == 100
    assert goodput(1.0, 1000.0, 1.0, 0.0) == 0.0


def test_unknown_storage_leaves_goodput_open() -> None:
    found = plan_reliability(devices=16384, training_seconds=54 * 86400, write_seconds=None, interval_seconds=600)
    assert found.expected_interruptions == pytest.approx(419)
    assert found.goodput is found.checkpoint_interval_seconds is found.best_goodput is None
    assert found.restart_seconds == 768


def test_a_job_that_never_gets_on_has_a_finite_plan() -> None:
    found = plan_reliability(devices=10**9, training_seconds=1e6, write_seconds=1e5, interval_seconds=1e6)
    assert found.goodput == 0
    assert math.isfinite(found.expected_interruptions)


def test_goodput_falls_with_size() -> None:
    shares = [
        plan_reliability(devices=devices, training_seconds=1e6, write_seconds=30, interval_seconds=900).goodput
        for devices in (8, 1024, 4096, 16384)
    ]
    assert shares == sorted(shares, reverse=True)
    assert all(share is not None and 0 < share < 1 for share in shares)
