from typing import Any

import pytest

from headway.errors import PlanError
from headway.planning import plan
from headway.planning.comparison import compare
from headway.planning.sweep import MAX_POINTS, best_measures, parse_sweep, sweep
from headway.recipe import Recipe, resolve_recipe


@pytest.fixture
def recipe() -> Recipe:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"steps": 100, "global_batch_size": 64},
            "hardware": {"accelerator": "h100", "devices": 8, "network": "infiniband-ndr400"},
            "site": {"grid": "germany"},
        }
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("devices=64..512", (64, 128, 256, 512)),
        ("devices=64..500", (64, 128, 256, 500)),
        ("devices=1k..4k", (1000, 2000, 4000)),
        ("devices=64..320..5", (64, 128, 192, 256, 320)),
        ("devices=8, 16,16", (8, 16)),
        ("devices=8..8", (8,)),
        ("devices=4,8..32", (4, 8, 16, 32)),
        ("site.power_usage_effectiveness=1.0..1.5..3", (1.0, 1.25, 1.5)),
        ("training.tokens=15.6T", (15_600_000_000_000,)),
        ("resilience.checkpoint_every=30min", ("30min",)),
    ],
)
def test_values_are_read_as_people_write_them(text: str, values: tuple[Any, ...]) -> None:
    assert (
        parse_sweep(text).values == pytest.approx(values) if text.endswith("3") else parse_sweep(text).values == values
    )


@pytest.mark.parametrize(
    ("text", "message_id"),
    [
        ("devices", "plan-sweep-shape"),
        ("devices=", "plan-sweep-shape"),
        ("devices=8,,16", "plan-sweep-shape"),
        ("devices=8..x", "plan-sweep-shape"),
        ("devices=8..16..2..3", "plan-sweep-shape"),
        ("devices=nan..8", "plan-sweep-shape"),
        ("devices=16..8", "plan-sweep-range"),
        ("devices=0..8", "plan-sweep-range"),
        ("devices=1..1e300", "plan-sweep-points"),
        ("devices=8..16..1", "plan-sweep-points"),
        ("devices=8..16..1000000000", "plan-sweep-points"),
        ("devices=" + ",".join(map(str, range(1, MAX_POINTS + 2))), "plan-sweep-points"),
        ("gpus=8", "plan-sweep-setting"),
    ],
)
def test_what_is_no_sweep_is_refused(text: str, message_id: str) -> None:
    with pytest.raises(PlanError) as raised:
        parse_sweep(text)
    assert raised.value.message_id == message_id


def test_a_sweep_plans_every_value(recipe: Recipe) -> None:
    points = sweep(recipe, parse_sweep("devices=32,8..16,97,0"), plan)
    assert [point.value for point in points] == [0, 8, 16, 32, 97]
    refused, *planned, indivisible = points
    assert refused.error is not None
    assert indivisible.error is not None
    assert indivisible.plan is None
    assert [point.plan.hardware.devices for point in planned if point.plan is not None] == [8, 16, 32]
    assert planned[0].scaling_efficiency == 1.0
    for point in planned:
        assert point.plan is not None
        each = point.plan.time.tokens_per_second / point.plan.hardware.devices
        first = planned[0].plan
        assert first is not None
        assert point.scaling_efficiency == pytest.approx(each / first.time.tokens_per_second_per_device)
    best = best_measures(points)
    assert points[best["fastest"]].value == 32
    assert {"error", "value"} == set(points[0].to_dict())
    assert {"plan", "value", "scaling_efficiency", "is_on_front"} == set(points[1].to_dict())


def test_what_does_not_fit_is_no_base_of_the_efficiency(recipe: Recipe) -> None:
    points = sweep(recipe, parse_sweep("devices=1,8"), plan)
    assert points[0].plan is not None
    assert not points[0].plan.is_feasible
    assert [point.scaling_efficiency for point in points] == [None, 1.0]
    assert best_measures(points[:1]) == {}


def test_a_setting_that_is_no_number_is_refused(recipe: Recipe) -> None:
    with pytest.raises(PlanError) as raised:
        sweep(recipe, parse_sweep("training.precision=bf16,fp8"), plan)
    assert raised.value.message_id == "plan-sweep-not-numeric"


def test_a_comparison_plans_what_it_can(recipe: Recipe) -> None:
    found = compare(recipe, ("a100-sxm-80gb", "h100", "v100"), plan)
    assert [one.accelerator for one in found] == ["a100-sxm-80gb", "h100", "v100"]
    slow, fast, unknown = found
    assert slow.plan is not None
    assert fast.plan is not None
    assert slow.plan.time.step_seconds > fast.plan.time.step_seconds
    assert unknown.error is not None
    assert unknown.error.message_id == "plan-rate-unknown"
    assert unknown.to_dict()["error"]["id"] == "plan-rate-unknown"
    assert fast.to_dict()["plan"]["hardware"]["accelerator"] == "h100-sxm-80gb"
