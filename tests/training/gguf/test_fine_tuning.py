"""A real model learns to write real code: SmolLM2-135M, adapters, functions of the standard library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.recipe import Recipe, resolve_recipe
from headway.runs import RunFolder
from headway.training.data import Corpus, prepare
from headway.training.engines import build_engine
from headway.training.exporting import export_run
from headway.training.initial_weights import load_initial_weights
from headway.training.reading import read_model
from headway.training.session import Session, open_run

LENGTH, STEPS = 192, 10


def recipe_of(imported: Path, data: dict[str, Any], cache: Path, **training: Any) -> Recipe:
    return resolve_recipe(
        {
            "name": "smol",
            "model": {"config": str(imported / "config.json")},
            "data": {**data, "tokenizer": str(imported), "cache": str(cache), "validation_fraction": 0.1},
            "training": {
                "phase": "finetune",
                "method": "lora",
                "adapter_rank": 16,
                "learning_rate": 1e-3,
                "warmup_steps": 2,
                "init_from": str(imported),
                "steps": STEPS,
                "sequence_length": LENGTH,
                "global_batch_size": 4,
                "evaluate_batches": 4,
                "evaluate_every_steps": STEPS,
                **training,
            },
            "layout": {"micro_batch_size": 2},
            "hardware": {"accelerator": "cpu", "threads": 2},
        }
    )


def corpus_of(recipe: Recipe) -> Corpus:
    return prepare(recipe.data, vocab_size=recipe.model.vocab_size, seed=recipe.training.seed)


def loss_of(weights: Any, recipe: Recipe) -> float:
    """Return the loss of a whole model on a recipe's validation text."""
    whole = recipe.model_copy(update={"training": recipe.training.model_copy(update={"method": "full"})})
    engine = build_engine(whole)
    engine.load_weights(weights)
    return float(engine.evaluate(corpus_of(recipe).validation_batches(LENGTH, 2, 8)))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def tuned(imported: Path, chat_file: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    recipe = recipe_of(imported, {"paths": [str(chat_file)], "format": "chat"}, cache)
    run = open_run(recipe, {}, root=tmp_path_factory.mktemp("runs"))
    assert Session(run).wait() == 0
    return run


def test_the_loss_on_answers_falls(tuned: RunFolder, imported: Path) -> None:
    """Before the first step the adapters add nothing: the loss is that of the model as it came."""
    recipe = tuned.recipe()
    engine = build_engine(recipe)
    load_initial_weights(engine, recipe)
    before = float(engine.evaluate(corpus_of(recipe).validation_batches(LENGTH, 2, 8)))
    after = [event["loss"] for event in tuned.events() if event["event"] == "evaluated"][-1]
    assert before < 2.5, "an instructed model is far from random (10.8)"
    assert after < before - 0.1


def test_what_it_knew_before_is_not_lost(tuned: RunFolder, imported: Path, text_folder: Path, cache: Path) -> None:
    """On plain text, which it was not tuned on, the loss stays what it was."""
    from headway.training.weight_files import weights_in

    recipe = recipe_of(imported, {"paths": [str(text_folder)]}, cache, phase="pretrain")
    before, after = loss_of(weights_in(imported), recipe), loss_of(read_model(tuned), recipe)
    assert after < before + 0.3


def test_the_adapter_is_one_that_peft_would_load(tuned: RunFolder, imported: Path, tmp_path: Path) -> None:
    folder = export_run(tuned, tmp_path / "adapter", merges=False)
    config = json.loads((folder / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == str(imported)
    assert (folder / "chat_template.jinja").read_text() == (imported / "chat_template.jinja").read_text()


def test_it_answers_as_it_was_taught(tuned: RunFolder, tmp_path: Path) -> None:
    """The merged model, in transformers, goes on from the prompt of the template with a function."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = export_run(tuned, tmp_path / "merged", merges=True)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    asked = [{"role": "user", "content": "Return the absolute value of x."}]
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    written = model.generate(**prompt, max_new_tokens=8, do_sample=False)[0, prompt["input_ids"].shape[1] :]
    assert tokenizer.decode(torch.as_tensor(written)).startswith("def ")
    assert np.isfinite(model(**prompt).logits.detach().numpy()).all()
