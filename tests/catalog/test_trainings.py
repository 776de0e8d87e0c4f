import pytest

from headway.catalog import trainings
from headway.catalog.trainings import PublishedTraining, published_training
from headway.errors import CatalogError
from headway.planning.parameters import count_parameters
from headway.recipe import resolve_recipe

EVERY = list(trainings.entries().values())


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.id)
def test_every_training_is_a_recipe(entry: PublishedTraining) -> None:
    recipe = resolve_recipe(entry.to_recipe())
    assert recipe.num_tokens == pytest.approx(entry.tokens, rel=0.01)
    assert (entry.preset is None) != (entry.shape is None)
    assert set(entry.assumed) <= set(PublishedTraining.__dataclass_fields__)
    assert all(getattr(entry, name) is not None for name in entry.assumed)
    assert entry.device_hours or entry.days
    assert (entry.energy_kilowatt_hours is None) == (entry.energy_basis is None)
    assert (entry.kg_co2e is None) == (entry.kg_co2e_basis is None)
    assert "unverified" not in f"{entry.source} {entry.note}"


def test_the_shape_of_bloom_has_the_published_weights() -> None:
    recipe = resolve_recipe(published_training("bloom-176b").to_recipe())
    assert count_parameters(recipe.model) == pytest.approx(176_247e6, rel=0.001)


@pytest.mark.parametrize(
    ("name", "devices_hours_and_days"),
    [("falcon-40b", (552_960, 60, 384)), ("falcon-7b", (129_024, 14, 384)), ("smollm3-3b", (221_184, 24, 384))],
)
def test_hours_and_days_agree(name: str, devices_hours_and_days: tuple[int, int, int]) -> None:
    hours, days, devices = devices_hours_and_days
    entry = published_training(name)
    assert (entry.device_hours, entry.days, entry.devices) == (hours, days, devices)
    assert hours == days * 24 * devices


def test_an_unknown_training_names_the_closest() -> None:
    with pytest.raises(CatalogError, match="bloom-176b"):
        published_training("bloom-167b")
