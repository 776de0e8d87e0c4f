from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headway.i18n import Translator
from headway.machine import Machine
from headway.planning import Plan, plan
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


@pytest.fixture
def planned(make_recipe: MakeRecipe) -> Callable[..., Plan]:
    """Plan a small training on 16 H100; settings of the site and the budget may be given, and spare servers."""

    def make(budget: dict[str, Any] | None = None, spare_nodes: int = 0, **site: Any) -> Plan:
        return plan(
            make_recipe(
                hardware={"accelerator": "h100", "devices": 16, "network": "infiniband-ndr400"},
                site=site,
                resilience={"spare_nodes": spare_nodes},
                budget=budget or {},
            )
        )

    return make


def said(found: Plan) -> dict[str, dict[str, Any]]:
    """Return the messages of warnings and obstacles, each rendered once to see that nothing is missing."""
    translator = Translator("en")
    messages = (*found.warnings, *found.infeasible)
    for message in messages:
        assert "{" not in translator.text(message.id, **message.arguments)
        assert "{" not in translator.next_step(message.id, **message.arguments)
    return {message.id: dict(message.arguments) for message in messages}


def test_a_site_with_too_little_power(planned: Callable[..., Plan]) -> None:
    # Two servers of 10.2 kW and a tenth for fabric and storage: 22.7 kW.
    found = planned(power_capacity="20 kW", cooling_capacity="20 kW")
    assert {"plan-infeasible-site-power", "plan-infeasible-site-cooling"} <= set(said(found))
    assert not found.is_feasible
    # 20 of 22.7 kW bear 14 of 16 devices, but servers are full.
    assert said(found)["plan-infeasible-site-power"]["devices"] == 8
    assert planned(power_capacity="14 kW", power_usage_effectiveness=1.2).is_feasible is False


def test_a_site_with_just_enough(planned: Callable[..., Plan]) -> None:
    found = planned(power_capacity="24 kW", cooling_capacity="24 kW")
    assert {"plan-warning-site-power-tight", "plan-warning-site-cooling-tight"} <= set(said(found))
    assert found.is_feasible
    assert not {name for name in said(planned(power_capacity="1 MW", cooling_capacity="1 MW")) if "site" in name}


def test_a_server_that_takes_less_than_its_accelerators_at_work(planned: Callable[..., Plan]) -> None:
    # Eight of 700 W at 85 %.
    assert said(planned(node_watts="3 kW"))["plan-warning-node-power"]["accelerators_watts"] == pytest.approx(4760)
    assert "plan-warning-node-power" not in said(planned(node_watts="5 kW"))


def test_a_capacity_that_cannot_be_compared(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe(
        hardware={"accelerator": "tpu-v5p", "devices": 1},
        site={"power_capacity": "1 MW", "cooling_capacity": "1 MW"},
        budget={"max_kilowatt_hours": 1, "max_litres": 1},
    )
    assert {
        "plan-warning-site-power-unknown",
        "plan-warning-site-cooling-unknown",
        "plan-warning-budget-energy-unknown",
        "plan-warning-budget-water-unknown",
    } <= set(said(plan(recipe)))


def test_racks_that_are_too_dense(planned: Callable[..., Plan]) -> None:
    dense = said(planned(nodes_per_rack=20, spare_nodes=18))["plan-infeasible-rack"]
    assert (dense["method"], dense["nodes_per_rack"]) == ("none", 20)
    # Two servers fill no more than their places of a rack.
    assert "plan-infeasible-rack" not in said(planned(nodes_per_rack=20))
    chosen = said(planned(nodes_per_rack=4, spare_nodes=2, cooling="air"))["plan-infeasible-rack"]
    assert (chosen["method"], chosen["methods"], chosen["limit_watts"]) == ("air", "rear-door, direct-to-chip", 30_000)
    assert planned(nodes_per_rack=4, spare_nodes=2).cooling.method == "rear-door"
    assert "plan-warning-rack-power" in said(planned(nodes_per_rack=4, spare_nodes=2, rack_capacity="40 kW"))


def test_a_purchase_needs_a_price(planned: Callable[..., Plan]) -> None:
    found = planned(ownership="buy")
    assert "plan-warning-cost-partial" in said(found)
    assert (found.cost.total_usd, found.cost.missing) == (None, ("hardware", "electricity"))
    priced = planned(ownership="buy", node_usd=1e5, electricity_usd_per_kilowatt_hour=0.1)
    assert "plan-warning-cost-partial" not in said(priced)
    assert priced.cost.missing is None


def test_data_that_comes_too_slowly(make_recipe: MakeRecipe, machine: Machine) -> None:
    assert machine.measurements is not None
    assert machine.measurements.disk is not None
    disk = replace(machine.measurements.disk, read_bytes_per_second=1.0)
    slow = replace(machine, measurements=replace(machine.measurements, disk=disk))
    assert "plan-warning-data-slow" in said(plan(make_recipe(), slow))
    assert "plan-warning-data-slow" not in said(plan(make_recipe(), machine))


def test_budgets_of_energy_and_water(planned: Callable[..., Plan]) -> None:
    tight = {"max_kilowatt_hours": 1e-6, "max_litres": 1e-6}
    assert {"plan-warning-budget-energy", "plan-warning-budget-water"} <= set(said(planned(tight, grid="germany")))


def test_a_better_hour_to_start(planned: Callable[..., Plan], tmp_path: Path) -> None:
    file = tmp_path / "hours.csv"
    file.write_text("0,0.3\n1,0.1\n2,0.2\n")
    found = planned(electricity_price_series=str(file), grid_intensity_series=str(file))
    assert {"plan-warning-start-price", "plan-warning-start-carbon"} <= set(said(found))
    assert said(found)["plan-warning-start-price"]["hour"] == 1
    best = planned(electricity_price_series=str(file), grid_intensity_series=str(file), start_hour=1)
    assert not {name for name in said(best) if "start" in name}


@pytest.mark.parametrize("spares", [0, 1, 2])
@pytest.mark.parametrize("name", ["power", "cooling"])
@pytest.mark.parametrize("kilowatts", [0.2, 2, 5, 15, 30, 45, 60])
def test_the_devices_that_a_site_bears_can_be_planned_there(
    make_recipe: MakeRecipe, name: str, kilowatts: float, spares: int
) -> None:
    """What the next step names is followed: the same training on so many devices is no longer refused."""

    def planned(devices: int) -> Plan:
        return plan(
            make_recipe(
                hardware={"accelerator": "h100", "devices": devices},
                training={"global_batch_size": 96},
                site={f"{name}_capacity": f"{kilowatts} kW"},
                resilience={"spare_nodes": spares},
            )
        )

    found = planned(48)
    devices = int(said(found)[f"plan-infeasible-site-{name}"]["devices"])
    assert 0 <= devices < 48
    message = next(one for one in found.infeasible if one.id == f"plan-infeasible-site-{name}")
    step = Translator("en").next_step(message.id, **message.arguments)
    assert step is not None
    assert (f"at most {devices} " in step) == (devices > 0)
    if devices:
        assert planned(devices).is_feasible
