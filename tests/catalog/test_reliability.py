import pytest

from headway.catalog import failures, names
from headway.catalog.reliability import entries


def test_the_interruptions_of_llama_3_add_up():
    found = entries()
    assert found["llama-3-405b-all"].interruptions == 466
    assert found["llama-3-405b-unexpected"].interruptions == 419
    assert found["llama-3-405b-planned"].interruptions == 47
    parts = [entry for entry in failures("llama-3-405b") if entry.category is not None]
    assert sum(entry.interruptions for entry in parts) == 419
    assert found["llama-3-405b-faulty-gpu"].interruptions == 148


def test_a_rate_follows_from_counts():
    # 419 interruptions in 54 days: 3.0931 hours between two, 3.7887 per 1,000 node-days of 8 GPUs.
    rate = entries()["llama-3-405b-unexpected"].rate_per_device_hour
    assert 1 / (rate * 16384) == pytest.approx(3.0931, abs=1e-4)
    assert rate * 8 * 24 * 1000 == pytest.approx(3.7887, abs=1e-4)


def test_a_stated_rate_wins():
    assert entries()["kokolis-rsc-1"].rate_per_device_hour * 8 * 24 * 1000 == pytest.approx(6.50)
    assert entries()["kokolis-rsc-2"].rate_per_device_hour * 8 * 24 * 1000 == pytest.approx(2.34)
    assert entries()["dlrover-card"].rate_per_device_hour * 24 == pytest.approx(0.0027)


def test_a_rate_follows_from_the_time_between_failures():
    assert entries()["kokolis-1024-gpus"].rate_per_device_hour == pytest.approx(1 / (7.9 * 1024))


@pytest.mark.parametrize("name", ["byterobust-cuda-error", "bloom-176b-gpu", "tpu-v4-ici-cable"])
def test_no_rate_is_made_up(name):
    assert entries()[name].rate_per_device_hour is None


def test_a_rate_follows_from_that_of_a_machine():
    assert entries()["tpu-v4-machine"].rate_per_device_hour * 24 * 4 == pytest.approx(0.0008)


def test_devices_without_a_count_give_no_rate():
    from dataclasses import replace

    assert replace(entries()["llama-3-405b-all"], interruptions=None).rate_per_device_hour is None


def test_the_rate_of_a_part_is_of_that_part():
    assert entries()["tpu-v4-ici-cable"].failures_per_part_hour * 24 == pytest.approx(0.00005)


def test_the_symptoms_of_byterobust_add_up():
    assert sum(entry.interruptions for entry in failures("byterobust")) == 55_365


def test_the_faults_of_the_public_trace_add_up():
    assert sum(entry.interruptions for entry in failures("infinitehbd")) == 584
    assert entries()["infinitehbd-all"].rate_per_device_hour * 8 * 24 * 1000 == pytest.approx(4.195, abs=1e-3)


def test_an_unknown_run_has_no_facts():
    assert failures("nobody") == ()
    assert len(failures()) == len(names("failure"))


def test_what_nobody_verified_is_left_out():
    assert not [name for name in names("failure") if name.startswith(("megascale", "c4"))]
