import pytest

from headway.errors import CatalogError, PlanError, RecipeError
from headway.planning.variation import (
    find_setting,
    own_accelerator,
    stated_own_settings,
    with_accelerator,
    with_setting,
)
from headway.recipe import Recipe, resolve_recipe


@pytest.fixture
def recipe() -> Recipe:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"tokens": "1B"},
            "hardware": {"accelerator": "h100", "devices": 64, "devices_per_node": 8, "network": "infiniband-ndr400"},
            "site": {"device_usd_per_hour": 2, "grid": "germany"},
        }
    )


def test_another_accelerator_does_not_inherit_what_was_said_of_the_own(recipe: Recipe) -> None:
    other = with_accelerator(recipe, "mi300x")
    assert other.hardware.accelerator == "mi300x"
    assert (other.hardware.devices_per_node, other.site.device_usd_per_hour) == (None, None)
    assert (other.site.grid, other.hardware.network) == ("germany", "infiniband-ndr400")
    assert other.training == recipe.training
    assert stated_own_settings(recipe) == ("hardware.devices_per_node", "site.device_usd_per_hour")
    assert stated_own_settings(other) == ()


def test_the_own_accelerator_keeps_everything_by_any_of_its_names(recipe: Recipe) -> None:
    assert with_accelerator(recipe, "h100-sxm-80gb") is recipe
    assert own_accelerator(recipe) == "h100-sxm-80gb"
    assert own_accelerator(with_accelerator(recipe, "cpu")) == "cpu"


def test_an_unknown_accelerator_is_refused(recipe: Recipe) -> None:
    with pytest.raises(CatalogError, match="h100"):
        with_accelerator(recipe, "h1000")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("devices", ("hardware", "devices")),
        ("hardware.devices", ("hardware", "devices")),
        ("training.global_batch_size", ("training", "global_batch_size")),
        ("num_hidden_layers", ("model", "num_hidden_layers")),
    ],
)
def test_a_setting_is_found_by_its_name(name: str, found: tuple[str, str]) -> None:
    assert find_setting(name) == found


@pytest.mark.parametrize(
    ("name", "closest"), [("device", "devices"), ("training.stepz", "training.steps"), ("", "none")]
)
def test_an_unknown_setting_names_the_closest(name: str, closest: str) -> None:
    with pytest.raises(PlanError) as raised:
        find_setting(name)
    assert raised.value.arguments["closest"] == closest


def test_a_changed_setting_is_checked(recipe: Recipe) -> None:
    assert with_setting(recipe, "training", "global_batch_size", 64).training.global_batch_size == 64
    steps = with_setting(recipe, "training", "steps", 10)
    assert (steps.training.steps, steps.training.tokens) == (10, None)
    assert with_setting(steps, "training", "tokens", "2B").training.steps is None
    with pytest.raises(RecipeError):
        with_setting(recipe, "hardware", "devices", 0)


def test_another_optimizer_brings_its_own_clipping(recipe: Recipe) -> None:
    """An update in the backward pass can limit no norm; a norm that the recipe states is a contradiction, and stays."""
    changed = with_setting(recipe, "training", "optimizer", "adamw-in-backward")
    assert changed.training.gradient_clip_norm is None
    assert with_setting(changed, "training", "optimizer", "adamw").training.gradient_clip_norm == 1.0
    stated = with_setting(recipe, "training", "gradient_clip_norm", 0.5)
    with pytest.raises(RecipeError) as raised:
        with_setting(stated, "training", "optimizer", "adamw-in-backward")
    assert raised.value.message_id == "recipe-backward-clips"
