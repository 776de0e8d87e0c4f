"""Power, energy, carbon, cooling and cost: everything that follows from the time of a run."""

import pytest

from headway import catalog
from headway.machine import Machine
from headway.planning.carbon import plan_carbon
from headway.planning.cooling import airflow_m3_per_hour, plan_cooling, tons_of_refrigeration
from headway.planning.cost import plan_cost
from headway.planning.energy import Power, plan_energy, plan_power
from headway.recipe.sections import SiteConfig

H100 = catalog.accelerator("h100")


def power(**changes: object) -> Power:
    arguments = {
        "entry": H100,
        "machine": None,
        "devices": 16,
        "per_node": 8,
        "node_watts": None,
        "effectiveness": 1.1,
    }
    return plan_power(**{**arguments, **changes})  # type: ignore[arg-type]


def test_design_power_of_a_cluster() -> None:
    found = power()
    assert found.device_watts == 700
    # The rest of a server of eight takes 1,200 W.
    assert found.node_watts == 8 * 700 + 1200
    assert found.facility_watts == pytest.approx(2 * 6800 * 1.1)
    assert found.basis == "catalogue"


def test_the_site_knows_better() -> None:
    found = power(node_watts=5000.0)
    assert (found.node_watts, found.facility_watts, found.basis) == (5000, 2 * 5000 * 1.1, "site")


def test_a_processor_draws_the_share_of_its_cores(machine: Machine) -> None:
    found = power(entry=None, machine=machine, devices=1, per_node=1)
    assert found.device_watts == pytest.approx(350 * 2 / 56)


def test_what_nobody_knows_is_not_invented() -> None:
    assert power(entry=None) == Power()
    unknown = next(entry for entry in catalog.accelerators.entries().values() if entry.power_watts is None)
    assert power(entry=unknown) == Power()
    assert plan_energy(Power(), seconds=10, effectiveness=1.2).facility_joules is None
    assert plan_cooling(equipment_watts=None, node_watts=None).method is None


def test_energy_is_power_times_time() -> None:
    found = plan_energy(Power(facility_watts=1100.0), seconds=10, effectiveness=1.1)
    assert found.facility_joules == 11_000
    assert found.equipment_joules == pytest.approx(10_000)


def test_emissions_of_llama_3_8b() -> None:
    """1.46 M hours of 700 W: 420 t at 0.411 kg/kWh. Source: the model card of Llama 3.1 8B."""
    joules = 1.46e6 * 3600 * 700
    site = SiteConfig(grid_kg_co2e_per_kilowatt_hour=0.411)
    carbon, water = plan_carbon(site, joules, entry=None, device_seconds=1.0)
    assert carbon.operational_kg_co2e == pytest.approx(420e3, rel=0.01)
    assert carbon.embodied_kg_co2e is None
    assert water.litres is None


def test_grid_and_embodied_share() -> None:
    carbon, water = plan_carbon(SiteConfig(grid="germany"), 3.6e6, entry=H100, device_seconds=26280 * 3600)
    grid = catalog.grid("germany")
    assert carbon.operational_kg_co2e == grid.carbon_kg_co2e_per_kilowatt_hour
    assert water.litres == grid.water_litres_per_kilowatt_hour
    # A whole service life: the die's 14.65 kg and 0.4 kg for each decimal gigabyte.
    assert carbon.embodied_kg_co2e == pytest.approx(14.65 + 0.4 * H100.memory_bytes / 1e9)  # type: ignore[operator]


def test_unknown_energy_has_no_emissions() -> None:
    carbon, water = plan_carbon(SiteConfig(grid="germany"), None, entry=None, device_seconds=1.0)
    assert carbon.operational_kg_co2e is water.litres is None


def test_heat_by_hand() -> None:
    assert tons_of_refrigeration(3516.85) == pytest.approx(1.0, rel=1e-4)
    # 1 kW over 12 K: 1000 / (1.2 x 1005 x 12) m3/s.
    assert airflow_m3_per_hour(1000.0) == pytest.approx(3600 * 1000 / 14472)


def test_dense_servers_want_liquid() -> None:
    air = plan_cooling(equipment_watts=13_600.0, node_watts=6_800.0)
    assert air.method == "air"
    assert air.liquid_litres_per_minute is None
    liquid = plan_cooling(equipment_watts=120_000.0, node_watts=120_000.0)
    assert liquid.method == "liquid"
    assert liquid.liquid_litres_per_minute == pytest.approx(180)


def test_costs_by_hand() -> None:
    site = SiteConfig(device_usd_per_hour=2.0, electricity_usd_per_kilowatt_hour=0.1)
    found = plan_cost(site, H100, devices=8, seconds=7200, facility_joules=3.6e7)
    assert (found.hardware_usd, found.energy_usd, found.total_usd) == (32.0, pytest.approx(1.0), pytest.approx(33.0))
    assert found.basis == "recipe"


def test_catalogue_prices_span_a_range() -> None:
    found = plan_cost(SiteConfig(), H100, devices=1, seconds=3600, facility_joules=None)
    assert found.total_usd_low < found.total_usd < found.total_usd_high  # type: ignore[operator]
    assert found.basis == "catalogue"


def test_electricity_alone_and_nothing_at_all() -> None:
    site = SiteConfig(electricity_usd_per_kilowatt_hour=0.2)
    found = plan_cost(site, None, devices=1, seconds=10, facility_joules=3.6e6)
    assert (found.total_usd, found.hardware_usd, found.basis) == (0.2, None, None)
    assert plan_cost(SiteConfig(), None, devices=1, seconds=10, facility_joules=3.6e6).total_usd is None
