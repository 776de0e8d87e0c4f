import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway import catalog
from headway.catalog.reliability import failure_trace, recovery
from headway.errors import CatalogError
from headway.planning.reliability.rates import (
    component_rates,
    failure_rate,
    failures_per_hour_of_parts,
    interruptions,
    job_mtbf_seconds,
    poisson_distribution,
    pooled_rate,
    published_fleets,
    rate_interval,
    stated_rate,
)
from tests.planning.reliability.worked import MTTF_HOURS

LLAMA_3 = "llama-3-405b-unexpected"
DAYS_54 = 54 * 86400.0


def test_llama_3_lies_in_the_interval_that_the_other_fleets_foretell() -> None:
    found = interruptions(pooled_rate(leave_out=LLAMA_3), devices=16384, seconds=DAYS_54)
    assert (found.low, found.high) == (100, 1159)
    assert found.low <= 419 <= found.high
    assert found.expected == pytest.approx(341, abs=1)
    with_it = interruptions(pooled_rate(), devices=16384, seconds=DAYS_54)
    assert found.low < with_it.low < 419 < with_it.high < found.high


def test_four_of_five_fleets_lie_in_the_interval_of_the_others() -> None:
    inside = []
    for fleet in published_fleets():
        low, high = rate_interval(pooled_rate(leave_out=fleet.id))
        assert fleet.rate_per_device_hour is not None
        if low.per_device_hour <= fleet.rate_per_device_hour <= high.per_device_hour:
            inside.append(fleet.id)
    assert len(published_fleets()) == 5
    assert len(inside) == 4


@pytest.mark.parametrize("name", MTTF_HOURS)
def test_the_times_between_failures_of_kokolis(name: str) -> None:
    for devices, hours in MTTF_HOURS[name].items():
        assert job_mtbf_seconds(failure_rate(name), devices) / 3600 == pytest.approx(hours)


def test_llama_3_was_interrupted_every_three_hours() -> None:
    rate = failure_rate(LLAMA_3)
    assert job_mtbf_seconds(rate, 16384) / 3600 == pytest.approx(3.0930787589498805)
    assert rate.per_device_hour * 8 * 24 * 1000 == pytest.approx(3.788700810185185)
    assert interruptions(rate, devices=16384, seconds=DAYS_54).expected == pytest.approx(419)
    everything = failure_rate("llama-3-405b-all")
    assert job_mtbf_seconds(everything, 16384) / 3600 == pytest.approx(2.781115879828326)


def test_a_thousand_cards_of_dlrover_hardly_get_through_a_day() -> None:
    per_day = failure_rate("dlrover-card").per_device_hour * 24
    assert 1 - (1 - per_day) ** 1000 == pytest.approx(0.9330394456702766)


def test_the_servers_of_opt() -> None:
    # 2 of 124 servers a day. Source: facebookresearch/metaseq, projects/OPT/chronicles.
    stated = stated_rate(2 / 24 / (124 * 8))
    assert stated.per_device_hour * 8 * 24 * 1000 == pytest.approx(16.129032258064516)
    # The restarts that were counted say more, since not each one took a server.
    assert failure_rate("opt-175b-restarts").per_device_hour > stated.per_device_hour


def test_the_components_add_up_to_the_run() -> None:
    parts = component_rates("llama-3-405b")
    assert parts[0].component == "Faulty GPU"
    assert parts[0].share == pytest.approx(148 / 419)
    assert sum(part.share for part in parts) == pytest.approx(1)
    assert sum(part.per_device_hour for part in parts) == pytest.approx(failure_rate(LLAMA_3).per_device_hour)
    assert component_rates("nobody") == ()


def test_a_job_of_parts() -> None:
    # 1,024 machines and 3,072 cables: 0.08 % and 0.005 % of them a day.
    parts = {"tpu-v4-machine": 1024, "tpu-v4-ici-cable": 3072}
    assert failures_per_hour_of_parts(parts) * 24 == pytest.approx(1024 * 0.0008 + 3072 * 0.00005)
    assert failures_per_hour_of_parts({LLAMA_3: 16384}) * 54 * 24 == pytest.approx(419)


def test_an_unknown_basis_names_the_closest() -> None:
    with pytest.raises(CatalogError) as caught:
        failure_rate("llama-3-405b-unexpectd")
    assert caught.value.arguments["closest"] == LLAMA_3
    with pytest.raises(CatalogError):
        failure_rate("bloom-176b-gpu")  # the number of devices is not known
    with pytest.raises(CatalogError):
        failures_per_hour_of_parts({"gpu": 1})
    with pytest.raises(CatalogError):
        failure_trace("nobody")


def test_the_same_hardware() -> None:
    assert failure_rate("same-hardware", "h100-pcie-80gb").source == LLAMA_3
    of_a100 = failure_rate("same-hardware", "a100-sxm-80gb")
    assert of_a100.source == "kokolis-rsc-1, kokolis-rsc-2"
    assert of_a100.per_device_hour * 8 * 24 * 1000 == pytest.approx(math.sqrt(6.50 * 2.34))
    assert failure_rate("same-hardware", "tpu-v5p").per_device_hour * 24 * 4 == pytest.approx(0.0008)
    assert failure_rate("same-hardware", "mi300x") == failure_rate("same-hardware") == pooled_rate()


def test_a_stated_rate_varies_less_than_one_of_other_clusters() -> None:
    stated = stated_rate(2e-5)
    assert stated.log_deviation < pooled_rate().log_deviation
    found = interruptions(stated, devices=16384, seconds=DAYS_54)
    assert 0.55 < found.low / found.expected < 0.6
    assert 1.65 < found.high / found.expected < 1.75


def test_the_variation_over_time_is_that_of_the_trace() -> None:
    days = np.array([fault.start_seconds for fault in failure_trace("infinitehbd").events]) / 86400
    counts, _ = np.histogram(days, np.arange(0, 349, 54))
    assert len(counts) == 6
    excess = (counts.var(ddof=1) - counts.mean()) / counts.mean() ** 2
    assert recovery()["count-relative-variance"].value == pytest.approx(excess, abs=5e-4)


def test_a_small_job_has_whole_counts() -> None:
    found = interruptions(pooled_rate(), devices=8, seconds=86400.0)
    assert (found.low, found.high) == (0, 0)
    assert 0 < found.expected < 0.01


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_more_devices_never_live_longer(one: int, other: int) -> None:
    rate = pooled_rate()
    few, many = sorted((one, other))
    assert job_mtbf_seconds(rate, many) <= job_mtbf_seconds(rate, few)


@given(st.integers(1, 10**6), st.floats(1, 1e8))
def test_the_interval_holds_the_expected_number(devices: int, seconds: float) -> None:
    found = interruptions(pooled_rate(), devices=devices, seconds=seconds)
    assert found.low <= found.expected + 1
    assert found.high >= found.expected - 1


@pytest.mark.parametrize("mean", [0.1, 3.0, 50.0, 80.0, 1000.0])
def test_the_distribution_is_poissons(mean: float) -> None:
    total = 0.0
    for count in range(int(mean + 8 * math.sqrt(mean) + 8)):
        total += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
        assert poisson_distribution(mean, count) == pytest.approx(total, abs=1e-3)
    assert poisson_distribution(mean, -1) == 0


def test_the_quantiles_are_students() -> None:
    # Published tables: 90 % of Student's t lie below 1.638 with 3 degrees, and below 1.533 with 4.
    for leave_out, quantile in ((LLAMA_3, 1.638), (None, 1.533)):
        rate = pooled_rate(leave_out)
        _, high = rate_interval(rate)
        found = math.log(high.per_device_hour / rate.per_device_hour) / rate.log_deviation
        assert found == pytest.approx(quantile, rel=0.01)


def test_every_fleet_is_large_and_counted_once() -> None:
    fleets = published_fleets()
    assert len({fleet.run for fleet in fleets}) == len(fleets)
    assert all(fleet.devices is None or fleet.devices >= 2000 for fleet in fleets)
    assert set(fleets) < set(catalog.failures())
