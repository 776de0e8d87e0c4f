"""Weights go to Hugging Face and back byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import transformers

from headway.errors import CheckpointError
from headway.recipe import to_hf_config
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.training.engines import build_engine
from headway.training.initial_weights import load_initial_weights
from headway.training.weight_files import weights_in
from tests.training.engines.contract import assert_equal, copy_of, make_recipe


@pytest.mark.parametrize("tied", [False, True])
def test_the_round_trip_is_exact(tied: bool, tmp_path: Path) -> None:
    recipe = make_recipe("torch", tie_word_embeddings=tied)
    before = copy_of(build_engine(recipe).snapshot(), step=1)
    config = json.dumps(to_hf_config(recipe.model)).encode()
    saved = CheckpointStore(tmp_path / "ours").save(
        Snapshot(parameters=before.parameters, optimizer={}, state=before.state, files={"config.json": config})
    )
    theirs = transformers.AutoModelForCausalLM.from_pretrained(saved)
    assert theirs.config.tie_word_embeddings == tied
    theirs.save_pretrained(tmp_path / "theirs")
    for name, array in weights_in(tmp_path / "theirs").items():
        assert array.tobytes() == np.asarray(before.parameters[name]).tobytes(), name
    other = build_engine(make_recipe("torch", tie_word_embeddings=tied, seed=7))
    training = recipe.training.model_copy(update={"init_from": str(tmp_path / "theirs")})
    load_initial_weights(other, recipe.model_copy(update={"training": training}))
    assert_equal(before, copy_of(other.snapshot()))


def test_without_init_from_nothing_changes() -> None:
    recipe = make_recipe("torch")
    engine = build_engine(recipe)
    before = copy_of(engine.snapshot())
    load_initial_weights(engine, recipe)
    assert_equal(before, engine.snapshot())


def test_bad_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="training-no-weights"):
        weights_in(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"this is no safetensors file")
    with pytest.raises(CheckpointError, match="training-weights-unreadable"):
        weights_in(tmp_path)
