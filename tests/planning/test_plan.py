import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import HeadwayError
from headway.i18n import Translator
from headway.machine import Machine
from headway.machine.accelerators import Accelerator
from headway.planning import Plan, plan
from headway.recipe import Recipe, resolve_recipe
from tests.planning.conftest import operation_points

MakeRecipe = Callable[..., Recipe]

KEYS = {
    "layout": (
        *("data_parallel_degree", "tensor_parallel_degree", "pipeline_parallel_degree", "context_parallel_degree"),
        *("expert_parallel_degree", "shard", "micro_batch_size", "recompute"),
    ),
    "memory": ("device_peak_bytes", "device_capacity_bytes", "fits", "parts"),
    "time": (
        *("step_seconds", "step_seconds_low", "step_seconds_high", "tokens_per_second_per_device"),
        *("model_flops_utilization", "parts", "total_days", "tokens_per_second", "total_seconds"),
    ),
    "storage": ("dataset_bytes", "checkpoint_bytes", "total_bytes", "read_bytes_per_second"),
    "network": ("scale_up_bytes_per_step", "scale_out_bytes_per_step", "exposed_seconds", "required_bytes_per_second"),
    "power": ("device_watts", "node_watts", "facility_watts"),
    "energy": ("facility_joules",),
    "carbon": ("operational_kg_co2e", "embodied_kg_co2e"),
    "water": ("litres",),
    "cooling": ("heat_watts", "refrigeration_tons", "airflow_m3_per_hour", "method"),
    "cost": ("total_usd", "energy_usd", "hardware_usd"),
    "reliability": ("mtbf_hours", "expected_interruptions"),
    "software": ("engine", "engine_version", "precision"),
}
"""What DESIGN.md promises to others, where everything is known."""

MEMORY_PARTS = {"parameters", "gradients", "optimizer", "activations", "logits", "communication", "reserve"}


def cluster(make_recipe: MakeRecipe) -> Recipe:
    return make_recipe(
        model={"preset": "llama-3.1-8b"},
        data={"dataset_tokens": "1T"},
        training={"steps": 10_000, "global_batch_size": 256, "sequence_length": 4096},
        hardware={"accelerator": "h100", "devices": 64, "network": "infiniband-ndr400"},
        site={"grid": "germany", "power_usage_effectiveness": 1.2, "electricity_usd_per_kilowatt_hour": 0.1},
    )


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value)


def test_a_plan_has_the_keys_that_others_rely_on(make_recipe: MakeRecipe) -> None:
    found = plan(cluster(make_recipe)).to_dict()
    for section, keys in KEYS.items():
        assert set(keys) <= set(found[section]), section
    assert set(found["memory"]["parts"]) == {f"{part}_bytes" for part in MEMORY_PARTS}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_parts_sum_to_the_step(make_recipe: MakeRecipe, machine: Machine) -> None:
    for found in (plan(cluster(make_recipe)), plan(make_recipe(), machine)):
        assert sum(found.time.parts.values()) == pytest.approx(found.time.step_seconds)
        assert found.time.step_seconds_low < found.time.step_seconds < found.time.step_seconds_high
        assert 0 < found.time.model_flops_utilization < 1


def test_a_plan_for_this_processor(make_recipe: MakeRecipe, machine: Machine) -> None:
    found = plan(make_recipe(), machine)
    assert found.reliability is None
    assert "reliability" not in found.to_dict()
    assert found.software.engine_version == "torch 2.13.0"
    assert found.storage.checkpoint_write_seconds == found.storage.checkpoint_bytes / 1e9
    assert found.hardware.accelerator == "cpu"
    assert found.network.scale_up_bytes_per_step == 0
    # The run ends with an evaluation and a checkpoint.
    assert found.time.total_seconds > found.time.training_seconds == 100 * found.time.step_seconds
    assert found.is_feasible


def test_what_is_not_known_is_absent(make_recipe: MakeRecipe, machine: Machine) -> None:
    measurements = machine.measurements
    assert measurements is not None
    unnamed = replace(
        machine,
        inventory=replace(machine.inventory, processor=replace(machine.inventory.processor, model_name="no such")),
        measurements=replace(measurements, disk=None),
    )
    found = plan(make_recipe(), unnamed).to_dict()
    for section in ("power", "energy", "cooling", "carbon", "water", "cost"):
        assert section not in found
    assert "checkpoint_write_seconds" not in found["storage"]
    assert "dataset_bytes" not in found["storage"]
    assert "epochs" not in found["run"]


def test_evaluations_take_time(make_recipe: MakeRecipe, machine: Machine) -> None:
    rare = plan(make_recipe(), machine)
    often = plan(make_recipe(training={"evaluate_every_steps": 10}), machine)
    assert often.time.total_seconds > rare.time.total_seconds
    assert often.time.step_seconds == rare.time.step_seconds


def ids(messages: Any) -> set[str]:
    return {message.id for message in messages}


def test_obstacles(make_recipe: MakeRecipe, machine: Machine) -> None:
    large = plan(make_recipe(model={"preset": "llama-3.1-405b"}, hardware={"accelerator": "h100"}))
    assert ids(large.infeasible) == {"plan-infeasible-memory"}
    assert large.infeasible[0].arguments["largest_part"] == "optimizer"
    assert not large.is_feasible
    full = replace(machine, inventory=replace(machine.inventory, disk=replace(machine.inventory.disk, free_bytes=10)))
    assert ids(plan(make_recipe(), full).infeasible) == {"plan-infeasible-disk"}


def with_h100(machine: Machine) -> Machine:
    found = Accelerator(index=0, kind="cuda", name="NVIDIA H100 80GB HBM3")
    return replace(machine, inventory=replace(machine.inventory, accelerators=(found,)))


def test_the_disk_counts_only_where_this_machine_trains(make_recipe: MakeRecipe, machine: Machine) -> None:
    here = plan(make_recipe(hardware={"accelerator": "auto"}), with_h100(machine))
    assert here.storage.checkpoint_write_seconds == here.storage.checkpoint_bytes / 1e9
    assert here.storage.free_bytes == 100 * 10**9
    elsewhere = plan(make_recipe(hardware={"accelerator": "h100"}), machine)
    assert elsewhere.storage.checkpoint_write_seconds is elsewhere.storage.free_bytes is None
    assert elsewhere.reliability is not None
    assert elsewhere.reliability.goodput is None


def test_evaluations_take_time_under_failures_too(make_recipe: MakeRecipe, machine: Machine) -> None:
    rare, often = (
        plan(make_recipe(hardware={"accelerator": "auto"}, training=training), with_h100(machine))
        for training in ({}, {"evaluate_every_steps": 10})
    )
    assert rare.reliability is not None
    assert rare.reliability.goodput is not None
    assert rare.time.total_seconds is not None
    assert often.time.total_seconds is not None
    assert rare.time.training_seconds / rare.reliability.goodput < rare.time.total_seconds < often.time.total_seconds


def never_ending(make_recipe: MakeRecipe, machine: Machine) -> Plan:
    recipe = make_recipe(
        hardware={"accelerator": "auto", "devices": 10**6},
        training={"global_batch_size": 10**6},
        budget={"max_usd": 1.0, "max_duration": "1s", "max_kg_co2e": 1.0},
        site={"grid": "germany"},
    )
    return plan(recipe, with_slow_disk(with_h100(machine), write_bytes_per_second=1e3))


def test_a_run_that_never_ends_is_an_obstacle(make_recipe: MakeRecipe, machine: Machine) -> None:
    found = never_ending(make_recipe, machine)
    assert found.reliability is not None
    assert found.reliability.goodput == 0
    assert "plan-infeasible-goodput" in ids(found.infeasible)
    assert ids(found.warnings) & {"plan-warning-budget-usd-unknown", "plan-warning-budget-carbon-unknown"} == set()
    assert "plan-warning-budget-duration-unknown" in ids(found.warnings)
    content = found.to_dict()
    assert "total_seconds" not in content["time"]
    assert "total_days" not in content["time"]
    assert not list(numbers([content.get(name) for name in ("energy", "water", "cost")]))
    assert not {"operational_kg_co2e", "embodied_kg_co2e"} & set(content["carbon"])


def with_slow_disk(machine: Machine, write_bytes_per_second: float = 1e7) -> Machine:
    measurements = machine.measurements
    assert measurements is not None
    assert measurements.disk is not None
    slow = replace(measurements.disk, write_bytes_per_second=write_bytes_per_second)
    return replace(machine, measurements=replace(measurements, disk=slow))


def test_warnings(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe(layout={"micro_batch_size": 16})
    needed_bytes = round(plan(recipe, machine).memory.device_peak_bytes)
    memory = replace(machine.inventory.memory, total_bytes=needed_bytes)
    tight = replace(machine, inventory=replace(machine.inventory, memory=memory))
    assert "plan-warning-memory-tight" in ids(plan(recipe, tight).warnings)
    often = plan(make_recipe(resilience={"checkpoint_every_steps": 1}), with_slow_disk(machine))
    assert "plan-warning-checkpoint-slow" in ids(often.warnings)
    repeated = plan(make_recipe(data={"dataset_tokens": 1000}), machine)
    assert "plan-warning-many-epochs" in ids(repeated.warnings)
    unnamed = make_recipe(hardware={"accelerator": "h100", "devices": 16})
    assert "plan-warning-network-assumed" in ids(plan(unnamed).warnings)
    one_server = make_recipe(hardware={"accelerator": "h100", "devices": 8})
    assert "plan-warning-network-assumed" not in ids(plan(one_server).warnings)
    slow = make_recipe(
        model={"preset": "llama-3.1-8b"},
        training={"global_batch_size": 16},
        hardware={"accelerator": "h100", "devices": 16, "devices_per_node": 1, "network": "infiniband-edr"},
        layout={"data_parallel_degree": 16, "shard": "parameters"},
    )
    assert "plan-warning-network-exposed" in ids(plan(slow).warnings)


def test_budgets(make_recipe: MakeRecipe, machine: Machine) -> None:
    budget = {"max_usd": 0.01, "max_duration": "1s", "max_kg_co2e": 1e-9}
    unknown = plan(make_recipe(budget=budget), machine)
    assert {"plan-warning-budget-usd-unknown", "plan-warning-budget-duration"} <= ids(unknown.warnings)
    assert "plan-warning-budget-carbon-unknown" in ids(unknown.warnings)
    known = plan(make_recipe(budget=budget, site={"grid": "germany", "device_usd_per_hour": 100.0}), machine)
    assert {"plan-warning-budget-usd", "plan-warning-budget-carbon"} <= ids(known.warnings)
    generous = plan(make_recipe(budget={"max_duration": "100y"}), machine)
    assert not ids(generous.warnings)


def test_every_message_has_a_text(make_recipe: MakeRecipe, machine: Machine) -> None:
    translator = Translator("en")
    budget = {"max_usd": 1e-9, "max_duration": "1s", "max_kg_co2e": 1e-9}
    plans = [
        never_ending(make_recipe, machine),
        plan(cluster(make_recipe)),
        plan(make_recipe(model={"preset": "llama-3.1-405b"}, hardware={"accelerator": "h100"}, budget=budget)),
        plan(
            make_recipe(budget=budget, data={"dataset_tokens": 10}, resilience={"checkpoint_every_steps": 1}), machine
        ),
    ]
    for found in plans:
        for message in (*found.warnings, *found.infeasible, *found.watching):
            assert translator.has(message.id)
            # A variable that is not given stays in the text in braces.
            assert "{" not in translator.text(message.id, **message.arguments)


def test_every_quantity_has_a_label(make_recipe: MakeRecipe, machine: Machine) -> None:
    translator = Translator("en")
    for found in (plan(cluster(make_recipe)).to_dict(), plan(make_recipe(), machine).to_dict()):
        for section, content in found.items():
            if section in ("name", "verdict"):
                # The verdict is a message, and shown as its text.
                continue
            assert translator.has(f"plan-label-{section}")
            if not isinstance(content, dict):
                continue
            for name in (*content, *content.get("parts", {})):
                if name in ("parts", "basis", "source") or name.endswith(("_low", "_high")):
                    continue
                assert translator.has(f"plan-label-{name.replace('_', '-')}"), name


SIZES = st.sampled_from([1, 2, 64, 4096, 10**6, 10**12, 10**18])


@given(
    hidden=SIZES, inner=SIZES, layers=SIZES, vocabulary=SIZES, batch=SIZES, length=SIZES, steps=SIZES,
    accelerator=st.sampled_from(["cpu", "h100"]), precision=st.sampled_from(["fp32", "bf16"]),
)  # fmt: skip
@settings(deadline=None)
def test_absurd_recipes_end_in_numbers_or_in_an_error_of_ours(
    hidden: int, inner: int, layers: int, vocabulary: int, batch: int, length: int, steps: int, accelerator: str,
    precision: str,
) -> None:  # fmt: skip
    content = {
        "model": {
            "hidden_size": hidden,
            "intermediate_size": inner,
            "num_hidden_layers": layers,
            "num_attention_heads": 1,
            "head_dim": 2 * hidden if hidden < 10**18 else hidden,
            "vocab_size": vocabulary,
            "max_position_embeddings": length,
        },
        "training": {
            "steps": steps,
            "global_batch_size": batch,
            "sequence_length": length,
            "precision": precision,
        },
        "hardware": {"accelerator": accelerator},
        "resilience": {"checkpoint_every_steps": 10**18},
    }
    try:
        found = plan(resolve_recipe(content), absurd_machine()).to_dict()
    except HeadwayError as error:
        assert Translator("en").has(error.message_id)
        return
    assert all(math.isfinite(number) for number in numbers(found))
    json.dumps(found, allow_nan=False)


def absurd_machine() -> Machine:
    from headway.machine import Inventory, Measurements
    from headway.machine.cpu import Processor
    from headway.machine.disks import Disk
    from headway.machine.limits import Limits
    from headway.machine.measurements import Matmul, matmul_point
    from headway.machine.memory import Memory
    from headway.machine.software import Software

    points = tuple(matmul_point(dtype, (8, 8, 8), "torch.mm", [1e-6]) for dtype in ("fp32", "bf16"))
    return Machine(
        inventory=Inventory(
            processor=Processor(),
            memory=Memory(),
            disk=Disk(folder="."),
            network=(),
            accelerators=(),
            limits=Limits(),
            software=Software(),
        ),
        measurements=Measurements(
            measured_at="",
            elapsed_seconds=0.0,
            matmul=Matmul(method="torch", threads=1, points=points),
            operations=operation_points(),
        ),
    )


def test_adapters_alone_are_saved_and_cost_a_third_less(make_recipe: MakeRecipe) -> None:
    sections: dict[str, Any] = {"model": {"preset": "llama-3.1-8b"}, "hardware": {"accelerator": "h100", "devices": 8}}
    full_recipe = make_recipe(training={"global_batch_size": 64}, **sections)
    full = plan(full_recipe)
    adapted = plan(make_recipe(training={"global_batch_size": 64, "method": "lora", "adapter_rank": 8}, **sections))
    # Rank 8 times inputs and outputs of seven projections in 32 layers: 21 million weights, three fp32 arrays of each.
    widths = (4096 + 4096) * 2 + (4096 + 1024) * 2 + (4096 + 14336) * 3
    assert adapted.storage.checkpoint_bytes == pytest.approx(3 * 4 * 8 * 32 * widths, rel=1e-4)
    # Scores and values have no weights that could be frozen: 12 x 32 layers x 4,096 x 1,024 tokens.
    scores = 12 * 32 * 4096 * full_recipe.training.sequence_length
    spared = (full.model.model_flops_per_token - scores) / 3
    assert adapted.model.model_flops_per_token == pytest.approx(full.model.model_flops_per_token - spared)
    assert adapted.memory.device_peak_bytes < full.memory.device_peak_bytes
    assert adapted.software.engine_version == "torch 2.13.0"


def test_a_plan_takes_less_than_20_milliseconds(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(model={"preset": "llama-3.1-8b"}, hardware={"accelerator": "h100"})
    times = []
    for _ in range(5):
        start = time.process_time()
        plan(recipe)
        times.append(time.process_time() - start)
    assert min(times) < 0.02


def test_importing_the_planner_is_light() -> None:
    program = (
        "import sys, headway.planning; print([name for name in ('torch', 'numpy', 'babel') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_plan_is_frozen(make_recipe: MakeRecipe) -> None:
    found: Plan = plan(make_recipe(hardware={"accelerator": "h100"}))
    with pytest.raises(AttributeError):
        found.time.step_seconds = 0.0  # type: ignore[misc]


def test_without_a_rate_of_the_storage_restarts_are_still_charged(make_recipe: MakeRecipe) -> None:
    """Useful is M e^(-R/M) / (M + D): with M = 10 h, D = 1 h and R = 2 h it is e^(-0.2) 10 / 11 = 74.4 %."""
    resilience = {
        "failures_per_1000_devices_per_day": 24 / 10 * 1000 / 16,
        "detection_time": "1 h",
        "restart_time": "2 h",
        "warm_up_time": 0,
    }
    found = plan(make_recipe(hardware={"accelerator": "h100", "devices": 16}, resilience=resilience))
    assert found.reliability is not None
    assert found.reliability.goodput is None
    assert found.time.total_seconds == pytest.approx(
        (found.time.training_seconds + found.time.evaluation_seconds) / 0.74430, rel=1e-4
    )
    (told,) = [one for one in found.warnings if one.id == "plan-warning-storage-unknown"]
    assert told.arguments["share"] == pytest.approx(0.2557, abs=1e-4)
