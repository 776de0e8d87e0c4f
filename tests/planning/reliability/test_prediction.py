import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.errors import CatalogError
from headway.planning.reliability import Reliability, plan_reliability
from headway.planning.reliability.explain import explain
from headway.planning.reliability.prediction import best_interval_seconds
from headway.recipe.sections import ResilienceConfig

LLAMA_3 = {"failure_basis": "llama-3-405b-unexpected"}


def planned(**settings: object) -> Reliability:
    return plan_reliability(
        devices=16384,
        work_seconds=54 * 86400,
        write_seconds=30,
        interval_seconds=900,
        resilience=ResilienceConfig(**settings),  # type: ignore[arg-type]
    )


def test_unknown_storage_leaves_goodput_open() -> None:
    found = plan_reliability(
        devices=16384,
        work_seconds=54 * 86400,
        write_seconds=None,
        interval_seconds=600,
        resilience=ResilienceConfig(**LLAMA_3),
    )
    # 419 in the time of the work alone; restarts, which are known, make it longer.
    assert found.expected_interruptions == pytest.approx(419 / found.charged_share)
    assert 0.9 < found.charged_share < 1
    assert found.goodput is found.checkpoint_interval_seconds is found.best_goodput is None
    assert found.goodput_low is found.goodput_high is found.checkpointing is found.losses is None
    assert found.restart_seconds == 768


def test_without_a_word_all_fleets_count() -> None:
    found = plan_reliability(devices=16384, work_seconds=54 * 86400, write_seconds=None, interval_seconds=600)
    assert found.source == "published-fleets"
    assert found.expected_interruptions_low <= 419 <= found.expected_interruptions_high
    assert found.failures_per_1000_devices_per_day == pytest.approx(0.4015, abs=1e-4)


def test_a_job_that_never_gets_on_has_a_finite_plan() -> None:
    found = plan_reliability(devices=10**9, work_seconds=1e6, write_seconds=1e5, interval_seconds=1e6)
    assert found.goodput == 0
    assert math.isfinite(found.expected_interruptions)


def test_goodput_falls_with_size() -> None:
    shares = [
        plan_reliability(devices=devices, work_seconds=1e6, write_seconds=30, interval_seconds=900).goodput
        for devices in (8, 1024, 4096, 16384)
    ]
    assert shares == sorted(shares, reverse=True)
    assert all(share is not None and 0 < share < 1 for share in shares)


def test_the_interval_holds_the_goodput() -> None:
    found = planned()
    assert found.goodput_low is not None
    assert found.goodput is not None
    assert found.goodput_high is not None
    assert found.best_goodput is not None
    assert found.goodput_low < found.goodput < found.goodput_high
    assert found.goodput <= found.best_goodput
    assert found.losses is not None
    assert found.losses.useful == found.goodput


def test_what_the_recipe_states_counts() -> None:
    default = planned()
    assert (default.detection_seconds, default.restart_seconds) == (60, 768)
    stated = planned(detection_time="10 min", restart_time="5 min", warm_up_time="1 min")
    assert (stated.detection_seconds, stated.restart_seconds) == (600, 360)
    often = planned(failures_per_1000_devices_per_day=2.7)
    assert often.source == "recipe"
    assert often.mtbf_hours == pytest.approx(24 / (2.7 * 16.384))
    assert often.goodput is not None
    assert default.goodput is not None
    assert often.goodput < default.goodput


def test_an_unknown_basis_is_refused() -> None:
    with pytest.raises(CatalogError):
        planned(failure_basis="kokolis-rsc-3")


def test_writing_in_the_background_pays() -> None:
    waits, behind = planned(), planned(asynchronous_checkpoints=True)
    assert waits.checkpointing is not None
    assert behind.checkpointing is not None
    assert behind.checkpointing.stall_seconds == pytest.approx(30 * 0.18 / 12.98)
    assert behind.checkpointing.write_behind_seconds == 30
    assert waits.best_goodput is not None
    assert behind.best_goodput is not None
    assert behind.best_goodput > waits.best_goodput
    half = planned(asynchronous_checkpoints=True, asynchronous_stall_share=0.5)
    assert half.checkpointing is not None
    assert half.checkpointing.stall_seconds == 15


def test_a_background_write_that_takes_longer_than_the_interval() -> None:
    found = plan_reliability(
        devices=1024,
        work_seconds=1e6,
        write_seconds=600,
        interval_seconds=60,
        resilience=ResilienceConfig(asynchronous_checkpoints=True),
    )
    assert found.checkpointing is not None
    assert found.checkpointing.period_seconds == pytest.approx(600)


def test_the_best_interval_of_a_recipe() -> None:
    found = planned(**LLAMA_3)
    best = best_interval_seconds(ResilienceConfig(**LLAMA_3), devices=16384, write_seconds=30)
    assert found.checkpoint_interval_seconds == best
    # 13.79 minutes from checkpoint to checkpoint, by the worked numbers.
    assert best + 30 == pytest.approx(13.79167424551973 * 60)


def test_spares() -> None:
    none, some = planned(**LLAMA_3), planned(**LLAMA_3, spare_nodes=60, repair_time="1d")
    assert none.spares.sufficient_probability < 0.05
    assert some.spares.mean_nodes_away == pytest.approx(7.7592592592592595)
    assert some.spares.sufficient_probability > 0.99
    assert some.spares.recommended_nodes <= 60
    assert none.spares.recommended_nodes > some.spares.recommended_nodes


@given(
    devices=st.integers(1, 10**18),
    work_seconds=st.floats(1e-6, 1e30),
    write_seconds=st.none() | st.floats(0, 1e12),
    interval_seconds=st.floats(1e-6, 1e30),
    asynchronous=st.booleans(),
    spares=st.integers(0, 10**7),
)
def test_every_number_is_a_number(
    devices: int,
    work_seconds: float,
    write_seconds: float | None,
    interval_seconds: float,
    asynchronous: bool,
    spares: int,
) -> None:
    found = plan_reliability(
        devices=devices,
        work_seconds=work_seconds,
        write_seconds=write_seconds,
        interval_seconds=interval_seconds,
        resilience=ResilienceConfig(asynchronous_checkpoints=asynchronous, spare_nodes=spares),
    )
    values = [value for value in dataclasses.asdict(found).values() if isinstance(value, float)]
    assert all(math.isfinite(value) and value >= 0 for value in values)
    shares = [found.goodput_low, found.goodput, found.goodput_high, found.best_goodput]
    assert all(share is None or 0 <= share <= 1 for share in shares)
    assert found.expected_interruptions_low <= found.expected_interruptions + 1
    if found.goodput is not None and found.best_goodput is not None:
        assert found.best_goodput >= found.goodput * (1 - 1e-9)
    assert explain(found)


def test_a_job_that_makes_no_progress_has_numbers_all_the_same() -> None:
    found = plan_reliability(devices=189_844_550, work_seconds=4e6, write_seconds=None, interval_seconds=1.0)
    assert not found.makes_progress
    assert math.isfinite(found.wall_seconds)
    assert math.isfinite(found.expected_interruptions_high)


def test_auto_is_the_best_interval_where_it_is_known() -> None:
    automatic = ResilienceConfig(checkpoint_every="auto")
    assert automatic.interval_seconds(123.0) == 123.0
    assert automatic.interval_seconds(None) == ResilienceConfig().interval_seconds(123.0) == 60.0


def test_neither_interval_is_longer_than_the_run() -> None:
    """An hour of work on eight devices: the best interval is a day or more, and the stated one a year."""
    found = plan_reliability(devices=8, work_seconds=3600, write_seconds=30, interval_seconds=3e7)
    assert found.checkpointing is not None
    assert found.checkpointing.work_seconds == found.checkpoint_interval_seconds == 3600
    assert found.goodput == found.best_goodput
