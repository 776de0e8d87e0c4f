"""The programs of the catalogue: every habit is one that the planner knows, read from the program itself."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from headway.catalog import programs
from headway.errors import CatalogError
from headway.planning.analytic.keeping import Keeping
from headway.recipe import resolve_recipe
from headway.recipe.loading import program_settings, resolve_phases
from headway.recipe.sections import Software, TrainingConfig

KINDS = {field.name: field.type for field in fields(Keeping)}


def test_a_recipe_may_name_every_program() -> None:
    assert set(get_args(Software)) == set(programs.entries())
    assert TrainingConfig.model_fields["software"].default == programs.OWN


@pytest.mark.parametrize("name", programs.entries())
def test_habits_are_what_the_planner_knows(name: str) -> None:
    for habit in programs.entries()[name].habits:
        assert habit.field in KINDS
        if KINDS[habit.field] == "bool":
            assert habit.value in (0, 1)
        assert len(habit.source) > 20


@pytest.mark.parametrize("name", programs.entries())
def test_what_a_program_lacks_is_known_to_the_search(name: str) -> None:
    lacks = programs.entries()[name].lacks
    assert {lack.split for lack in lacks} <= set(get_args(programs.Split))
    assert len({lack.split for lack in lacks}) == len(lacks)
    assert all(len(lack.source) > 20 for lack in lacks)


def test_the_own_program_is_planned_as_it_trains() -> None:
    """`headway train` refuses both: a plan has them only where the recipe asks what others would take."""
    lacks = {(lack.split, lack.yields) for lack in programs.program(programs.OWN).lacks}
    assert lacks == {("context", True), ("heads between devices", True)}


def test_the_own_program_has_the_settings_of_a_recipe_that_says_nothing() -> None:
    own = programs.program(programs.OWN)
    defaults = {name: TrainingConfig.model_fields[name].default for name in ("weights", "attention", "loss")}
    assert own.settings("full", compiled=False) == own.settings("lora", compiled=True) == defaults


def test_a_named_program_brings_its_settings_and_what_is_stated_wins() -> None:
    assert program_settings({"software": "megatron"}) == {
        "software": "megatron", "weights": "master", "attention": "tuned", "loss": "sharded"
    }  # fmt: skip
    assert program_settings({"software": "megatron", "loss": "whole"})["loss"] == "whole"
    assert program_settings({"software": "torchtitan", "compile": True})["loss"] == "compiled"
    assert program_settings({"software": "transformers", "method": "lora"})["weights"] == "fp32"
    assert program_settings({"software": "transformers"})["weights"] == "pure"


@pytest.mark.parametrize("name", ["headway", "Megatronn", 3])
def test_other_names_bring_nothing(name: object) -> None:
    assert program_settings({"software": name}) == {"software": name}


def test_a_resolved_recipe_states_the_programs_settings() -> None:
    recipe = resolve_recipe({"model": {"preset": "llama-3.1-8b"}, "training": {"software": "megatron"}})
    assert (recipe.training.weights, recipe.training.loss) == ("master", "sharded")
    assert resolve_recipe(recipe.to_dict()) == recipe


def test_a_phase_of_another_program_or_method_has_its_settings() -> None:
    raw = {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"software": "megatron", "loss": "whole"},
        "phases": [
            {"name": "more", "training": {"tokens": "1B"}},
            {"name": "adapters", "training": {"tokens": "1B", "software": "transformers", "method": "lora"}},
        ],
    }
    recipe = resolve_recipe(raw)
    more, adapters = resolve_phases(recipe)
    assert (more.training.weights, more.training.attention, more.training.loss) == ("master", "tuned", "whole")
    # What the recipe itself states stays.
    assert (adapters.training.weights, adapters.training.attention, adapters.training.loss) == (
        "fp32", "fused", "whole",
    )  # fmt: skip


def test_an_alias_is_found_and_an_unknown_name_is_told() -> None:
    assert programs.program("Megatron-LM").id == "megatron"
    with pytest.raises(CatalogError) as caught:
        programs.program("megatron-x")
    assert caught.value.arguments["closest"] == "megatron"
