from __future__ import annotations

from typing import Any

import pytest

from headway import catalog
from headway.planning import Plan, plan
from headway.planning.trades import charges_of
from headway.recipe import Recipe, resolve_recipe


def recipe(**sections: dict[str, Any]) -> Recipe:
    content: dict[str, Any] = {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"global_batch_size": 64},
        "hardware": {"accelerator": "h100", "devices": 8},
    }
    return resolve_recipe({**content, **{name: {**content.get(name, {}), **each} for name, each in sections.items()}})


def usd_of(found: Plan) -> list[float]:
    return [one.total_usd for one in found.front if one.total_usd is not None]


def test_the_chosen_layout_takes_what_the_plan_says() -> None:
    found = plan(recipe(site={"electricity_usd_per_kilowatt_hour": 0.2}))
    (own,) = [one for one in found.front if one.is_chosen]
    assert own.step_seconds == pytest.approx(found.time.step_seconds)
    assert own.total_seconds == pytest.approx(found.time.total_seconds)
    assert own.total_usd == pytest.approx(found.cost.total_usd)
    assert own.facility_joules == pytest.approx(found.energy.facility_joules)
    assert own.headroom_share == pytest.approx(1 - found.memory.device_peak_bytes / 80 / 2**30)


def test_nothing_of_a_front_beats_another_in_all() -> None:
    found = plan(recipe(site={"electricity_usd_per_kilowatt_hour": 0.2}, training={"software": "megatron"}))
    rows = [(one.step_seconds, one.device_peak_bytes, one.total_usd or 0.0) for one in found.front if one.is_on_front]
    assert len(rows) > 2
    assert rows == sorted(rows)
    for one in rows:
        assert not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in rows)


def test_a_price_that_holds_for_everything_follows_the_time_and_energy_does_not() -> None:
    found = plan(recipe())
    assert found.search.cost_axis == "joules"
    per_second = [one.total_usd / one.total_seconds for one in found.front if one.total_usd is not None]
    assert per_second == pytest.approx([per_second[0]] * len(per_second))


def test_charges_by_hand() -> None:
    """Eight H100 rented at 2 USD; a device that waits takes 0.15 and one that works 0.85 of 700 W."""
    site = {"device_usd_per_hour": 2.0, "electricity_usd_per_kilowatt_hour": 0.1, "power_usage_effectiveness": 1.0}
    found = charges_of(recipe(site=site), catalog.accelerator("h100"), 8)
    assert found.axis == "usd"
    # 0.7 x 5.6 kW more, from supplies that pass on so much of what they take, for an hour at 0.1 USD.
    assert found.computing_second == pytest.approx(0.1 * 0.7 * 5.6 / catalog.power()["power-supply-efficiency"].value)
    assert found.second > 8 * 2.0
    stated = charges_of(recipe(site={**site, "node_watts": 8000.0}), catalog.accelerator("h100"), 8)
    # A server that draws the same all the time costs what the time costs.
    assert (stated.axis, stated.follow_time) == ("time", True)


def test_where_nothing_fits_nothing_is_traded() -> None:
    assert plan(recipe(hardware={"devices": 1}, training={"global_batch_size": 8})).front == ()
