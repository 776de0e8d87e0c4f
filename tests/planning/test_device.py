import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from headway.errors import CatalogError, PlanError
from headway.machine import Machine
from headway.machine.accelerators import Accelerator
from headway.machine.memory import Memory
from headway.planning.device import accelerator_name, processors, require_planned
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def test_a_named_accelerator_comes_from_the_catalogue(make_recipe: MakeRecipe) -> None:
    assert accelerator_name(make_recipe(hardware={"accelerator": "H100"}), None) == "h100-sxm-80gb"
    with pytest.raises(CatalogError):
        accelerator_name(make_recipe(hardware={"accelerator": "h1000"}), None)


def test_a_measured_processor(make_recipe: MakeRecipe, machine: Machine) -> None:
    assert accelerator_name(make_recipe(), machine) == "cpu"
    found = processors(make_recipe(), machine)
    assert found.capacity_bytes == 8 * 2**30
    assert found.peak_flops_per_second == pytest.approx(2 * 512**3 / 1e-3)


def test_the_control_group_bounds_the_memory(make_recipe: MakeRecipe, machine: Machine) -> None:
    memory = Memory(total_bytes=8 * 2**30, cgroup_limit_bytes=2**30)
    limited = replace(machine, inventory=replace(machine.inventory, memory=memory))
    assert processors(make_recipe(), limited).capacity_bytes == 2**30
    unknown = replace(machine, inventory=replace(machine.inventory, memory=Memory()))
    assert processors(make_recipe(), unknown).capacity_bytes is None


def test_auto_takes_the_accelerator_of_the_machine(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe(hardware={"accelerator": "auto"})
    assert accelerator_name(recipe, machine) == "cpu"
    found = (
        Accelerator(index=0, kind="cuda", name="unheard of"),
        Accelerator(index=1, kind="cuda", name="NVIDIA H100 80GB HBM3"),
    )
    with_gpu = replace(machine, inventory=replace(machine.inventory, accelerators=found))
    assert accelerator_name(recipe, with_gpu) == "h100-sxm-80gb"


@pytest.mark.parametrize(
    ("found", "named", "closest"),
    [
        (Accelerator(index=0, kind="cuda", name="NVIDIA H1000"), "NVIDIA H1000", r"nvidia-h100|h100.*|none"),
        (Accelerator(index=0, kind="rocm"), "rocm", "none"),
    ],
)
def test_an_accelerator_that_nobody_knows_is_not_taken_for_a_processor(
    make_recipe: MakeRecipe, machine: Machine, found: Accelerator, named: str, closest: str
) -> None:
    with_gpu = replace(machine, inventory=replace(machine.inventory, accelerators=(found,)))
    with pytest.raises(PlanError) as caught:
        accelerator_name(make_recipe(hardware={"accelerator": "auto"}), with_gpu)
    error = caught.value
    assert (error.message_id, error.arguments["name"]) == ("plan-accelerator-unknown", named)
    assert re.fullmatch(closest, str(error.arguments["closest"]))
    assert "h100-sxm-80gb" in str(error.arguments["known"]).split(", ")
    assert accelerator_name(make_recipe(), with_gpu) == "cpu"


def test_a_processor_must_be_measured(make_recipe: MakeRecipe, machine: Machine) -> None:
    measurements = machine.measurements
    assert measurements is not None
    for unmeasured in (
        None,
        replace(machine, measurements=None),
        replace(machine, measurements=replace(measurements, operations=())),
        replace(machine, measurements=replace(measurements, matmul=None)),
    ):
        with pytest.raises(PlanError) as caught:
            processors(make_recipe(), unmeasured)
        assert caught.value.message_id == "plan-cpu-not-measured"


@pytest.mark.parametrize(
    ("accelerator", "setting", "value"),
    [
        ("cpu", "precision", "int8"), ("cpu", "precision", "fp16"), ("cpu", "optimizer", "adamw8bit"),
        ("cpu", "optimizer", "muon"), ("h100-sxm-80gb", "optimizer", "muon"),
    ],
)  # fmt: skip
def test_what_nobody_measured_is_not_planned(
    accelerator: str, setting: str, value: str, make_recipe: MakeRecipe
) -> None:
    with pytest.raises(PlanError) as caught:
        require_planned(make_recipe(training={setting: value}), accelerator)
    assert caught.value.message_id == "plan-setting-unsupported"
    assert (caught.value.arguments["field"], caught.value.arguments["value"]) == (f"training.{setting}", value)
    require_planned(make_recipe(training={"optimizer": "adamw8bit", "precision": "int8"}), "h100-sxm-80gb")
