"""What is far beyond all that was ever tried ends in an error that names field, value and limit, never in a number."""

from typing import Any

import pytest

from headway.errors import HeadwayError, PlanError, RecipeError
from headway.planning import plan
from headway.planning.limits import MAX_PARAMETERS, is_within, require_possible
from headway.recipe import resolve_recipe

SHAPE = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "head_dim": 128,
    "vocab_size": 32000,
    "max_position_embeddings": 4096,
}


def content(section: str, setting: str, value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "model": dict(SHAPE),
        "training": {"steps": 10, "sequence_length": 1024},
        "hardware": {"accelerator": "h100", "devices": 8},
    }
    found.setdefault(section, {})[setting] = value
    if setting == "tokens":
        del found["training"]["steps"]
    return found


@pytest.mark.parametrize(
    ("section", "setting", "limit"),
    [
        ("model", "hidden_size", 1e7),
        ("model", "intermediate_size", 1e7),
        ("model", "num_hidden_layers", 1e5),
        ("model", "num_attention_heads", 1e5),
        ("model", "vocab_size", 1e8),
        ("model", "max_position_embeddings", 1e9),
        ("model", "num_experts", 1e7),
        ("training", "steps", 1e10),
        ("training", "tokens", 1e17),
        ("training", "sequence_length", 1e9),
        ("training", "global_batch_size", 1e9),
        ("training", "adapter_rank", 1e7),
        ("hardware", "devices", 1e7),
        ("hardware", "devices_per_node", 1e7),
        ("hardware", "network_bytes_per_second", 1e16),
        ("layout", "tensor_parallel_degree", 1e7),
        ("layout", "virtual_pipeline_stages", 1e5),
        ("layout", "micro_batch_size", 1e9),
        ("data", "dataset_tokens", 1e17),
        ("site", "device_usd_per_hour", 1e6),
        ("site", "electricity_usd_per_kilowatt_hour", 1e6),
        ("site", "grid_kg_co2e_per_kilowatt_hour", 1e6),
        ("resilience", "storage_write_bytes_per_second", 1e16),
        ("resilience", "failures_per_1000_devices_per_day", 1e6),
        ("resilience", "spare_nodes", 1e7),
    ],
)
def test_absurd_values_name_the_field_the_value_and_the_limit(section: str, setting: str, limit: float) -> None:
    whole = setting not in ("device_usd_per_hour", "electricity_usd_per_kilowatt_hour", "failures_per_1000_devices_"
                            "per_day", "grid_kg_co2e_per_kilowatt_hour")  # fmt: skip
    absurd = 10 * int(limit) if whole else 1e300
    with pytest.raises(RecipeError) as raised:
        resolve_recipe(content(section, setting, absurd))
    problems = raised.value.problems or (raised.value,)
    found = {error.arguments.get("field"): error.arguments for error in problems}[f"{section}.{setting}"]
    assert found["bound"] == limit
    assert str(absurd) in found["value"]


def test_a_model_that_no_field_alone_makes_too_large() -> None:
    shape = {**SHAPE, "hidden_size": 10**6, "intermediate_size": 10**7, "num_hidden_layers": 10**5}
    recipe = resolve_recipe({**content("model", "vocab_size", 32000), "model": shape})
    with pytest.raises(PlanError) as raised:
        plan(recipe)
    assert raised.value.message_id == "plan-model-too-large"
    assert raised.value.arguments["limit"] == MAX_PARAMETERS
    # The MLP's 3 h i of each layer, more than all attention, norms and tables.
    assert raised.value.arguments["parameters"] == pytest.approx(1e5 * 3 * 1e13, rel=1e-3)


def test_the_largest_models_that_were_tried_are_planned() -> None:
    """BaGuaLu's 174 x 10^12 parameters are below the limit."""
    shape = {**SHAPE, "hidden_size": 200_000, "intermediate_size": 800_000, "num_hidden_layers": 250}
    require_possible(resolve_recipe({**content("model", "vocab_size", 32000), "model": shape}))


def test_every_error_of_an_absurd_value_is_one_of_ours() -> None:
    with pytest.raises(HeadwayError):
        resolve_recipe(content("hardware", "devices", 10**400))


def test_only_the_rounding_of_a_sum_may_pass_a_limit() -> None:
    assert is_within(18 * 7500.000000000002, 135_000.0)
    assert is_within(135_000.0, 135_000.0)
    assert not is_within(135_000.01, 135_000.0)
