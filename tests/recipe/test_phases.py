from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from headway.errors import RecipeError
from headway.recipe import RecipeProblems, load_recipe, resolve_phases, resolve_recipe

BASE: dict[str, Any] = {
    "name": "chain",
    "model": {"preset": "llama-3.1-8b"},
    "training": {"tokens": "1T", "global_batch_size": 512},
    "hardware": {"accelerator": "h100", "devices": 64},
}
LONG = {"name": "long", "training": {"tokens": "20B", "sequence_length": 131072, "global_batch_size": 32}}
TUNED = {
    "name": "tuned",
    "training": {"steps": 100, "method": "lora"},
    "hardware": {"devices": 8},
    "data": {"paths": "t"},
}


def test_a_phase_differs_in_what_it_says_only() -> None:
    recipe = resolve_recipe({**BASE, "phases": [LONG, TUNED]})
    long, tuned = resolve_phases(recipe)
    assert (long.name, tuned.name) == ("chain: long", "chain: tuned")
    assert (long.training.sequence_length, long.hardware.devices) == (131072, 64)
    assert long.num_tokens == pytest.approx(20e9, rel=0.01)
    assert (tuned.training.steps, tuned.training.tokens, tuned.training.method) == (100, None, "lora")
    assert (tuned.hardware.devices, tuned.training.global_batch_size) == (8, 512)
    assert tuned.data.source is None
    assert long.model == tuned.model == recipe.model
    assert long.phases == ()


def test_a_phase_with_another_optimizer_clips_as_that_does() -> None:
    backward = {"name": "lean", "training": {"steps": 10, "optimizer": "adamw-in-backward"}}
    (lean,) = resolve_phases(resolve_recipe({**BASE, "phases": [backward]}))
    assert lean.training.gradient_clip_norm is None


def test_phases_are_read_back_and_change_no_digest(tmp_path: Path) -> None:
    plain, chained = resolve_recipe(BASE), resolve_recipe({**BASE, "phases": [LONG, TUNED]})
    assert plain.digest() == chained.digest()
    assert "phases" not in plain.to_dict()
    file = tmp_path / "chain.toml"
    file.write_text(chained.to_toml())
    assert load_recipe(file).to_dict() == chained.to_dict()


def test_the_paths_of_a_phase_start_from_the_recipe(tmp_path: Path) -> None:
    file = tmp_path / "chain.toml"
    file.write_text(resolve_recipe(BASE).to_toml() + '[[phases]]\nname = "tuned"\ndata = { paths = ["text"] }\n')
    (tuned,) = resolve_phases(load_recipe(file))
    assert tuned.data.paths == (str(tmp_path / "text"),)


@pytest.mark.parametrize(
    ("phases", "message_id"),
    [
        ([{"name": "a", "training": {"tokenz": 1}}], "recipe-phase-problems"),
        ([{"name": "a", "training": {"tokens": -1, "precision": "fp7"}}], "recipe-phase-problems"),
        ([{"name": "a", "hardware": {"devices": 0}}], "recipe-phase-problems"),
        ([{"name": "a"}, {"name": "a"}], "recipe-phase-twice"),
        ([{"label": "a"}], "recipe-problems"),
        ([{"name": "a", "model": {}}], "recipe-unknown-key"),
        ("a", "recipe-field-type"),
    ],
)
def test_what_is_no_phase_is_refused(phases: Any, message_id: str) -> None:
    with pytest.raises(RecipeError) as raised:
        resolve_recipe({**BASE, "phases": phases})
    assert raised.value.message_id == message_id


def test_the_problems_of_a_phase_survive_pickling() -> None:
    with pytest.raises(RecipeProblems) as raised:
        resolve_recipe({**BASE, "phases": [{"name": "a", "training": {"tokens": -1, "precision": "fp7"}}]})
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.arguments == raised.value.arguments == {"phase": "a", "count": 2}
    assert len(again.problems) == 2
