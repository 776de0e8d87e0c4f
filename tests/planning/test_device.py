import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from headway.errors import CatalogError, PlanError
from headway.machine import Machine
from headway.machine.accelerators import Accelerator
from headway.machine.memory import Memory
from headway.planning.device import resolve_device
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def test_a_named_accelerator_comes_from_the_catalogue(make_recipe: MakeRecipe) -> None:
    found = resolve_device(make_recipe(hardware={"accelerator": "H100"}), None)
    assert (found.name, found.is_cpu) == ("h100-sxm-80gb", False)
    assert found.peak_flops_per_second == 989e12
    fp32 = resolve_device(make_recipe(hardware={"accelerator": "h100"}, training={"precision": "fp32"}), None)
    assert fp32.peak_flops_per_second < 100e12


def test_a_measured_processor(make_recipe: MakeRecipe, machine: Machine) -> None:
    found = resolve_device(make_recipe(), machine)
    assert (found.name, found.is_cpu, found.capacity_bytes) == ("cpu", True, 8 * 2**30)
    assert found.peak_flops_per_second == pytest.approx(2 * 512**3 / 1e-3)


def test_the_control_group_bounds_the_memory(make_recipe: MakeRecipe, machine: Machine) -> None:
    memory = Memory(total_bytes=8 * 2**30, cgroup_limit_bytes=2**30)
    limited = replace(machine, inventory=replace(machine.inventory, memory=memory))
    assert resolve_device(make_recipe(), limited).capacity_bytes == 2**30
    unknown = replace(machine, inventory=replace(machine.inventory, memory=Memory()))
    assert resolve_device(make_recipe(), unknown).capacity_bytes is None


def test_auto_takes_the_accelerator_of_the_machine(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe(hardware={"accelerator": "auto"})
    assert resolve_device(recipe, machine).is_cpu
    found = (
        Accelerator(index=0, kind="cuda", name="unheard of"),
        Accelerator(index=1, kind="cuda", name="NVIDIA H100 80GB HBM3"),
    )
    with_gpu = replace(machine, inventory=replace(machine.inventory, accelerators=found))
    assert resolve_device(recipe, with_gpu).name == "h100-sxm-80gb"


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
        resolve_device(make_recipe(hardware={"accelerator": "auto"}), with_gpu)
    error = caught.value
    assert (error.message_id, error.arguments["name"]) == ("plan-accelerator-unknown", named)
    assert re.fullmatch(closest, str(error.arguments["closest"]))
    assert "h100-sxm-80gb" in str(error.arguments["known"]).split(", ")
    assert resolve_device(make_recipe(), with_gpu).is_cpu


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
            resolve_device(make_recipe(), unmeasured)
        assert caught.value.message_id == "plan-cpu-not-measured"


def test_unknown_names_and_rates(make_recipe: MakeRecipe) -> None:
    with pytest.raises(CatalogError):
        resolve_device(make_recipe(hardware={"accelerator": "h1000"}), None)
    with pytest.raises(PlanError) as caught:
        resolve_device(make_recipe(hardware={"accelerator": "tpu-v5e"}, training={"precision": "fp32"}), None)
    assert caught.value.message_id == "plan-rate-unknown"


def test_unknown_bandwidth(make_recipe: MakeRecipe) -> None:
    from headway import catalog

    name = next(
        entry.id
        for entry in catalog.accelerators.entries().values()
        if entry.memory_bytes_per_second is None and entry.bf16_dense_flops_per_second is not None
    )
    with pytest.raises(PlanError) as caught:
        resolve_device(make_recipe(hardware={"accelerator": name}), None)
    assert caught.value.message_id == "plan-bandwidth-unknown"
