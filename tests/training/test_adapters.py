"""A run trains adapters on another run's model; what it exports is what Hugging Face's peft and transformers load."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import CheckpointError, RunError
from headway.machine.inventory import take_inventory
from headway.recipe import Recipe
from headway.runs import RunFolder
from headway.training.adapters import Merged, read_peft
from headway.training.data import Tokenizer
from headway.training.exporting import export_run
from headway.training.reading import read_model, read_trained
from headway.training.session import Session, open_run
from headway.training.support import obstacles
from headway.training.weight_files import weights_in

Make = Callable[..., Recipe]


@pytest.fixture(scope="module")
def base(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A model to fine-tune, and the text that it was trained on."""
    recipe = make_small_recipe(training={"steps": 20, "precision": "fp32"})
    run = open_run(recipe, {}, root=tmp_path_factory.mktemp("base"))
    assert Session(run).wait() == 0
    return run


def newest(run: RunFolder) -> Path:
    return sorted(run.checkpoints_folder.glob("step-*"))[-1]


def adapted(make: Make, base: RunFolder, **training: Any) -> Recipe:
    settings = {"steps": 10, "precision": "fp32", "method": "lora", "adapter_rank": 4, "init_from": str(newest(base))}
    return make(training={**settings, **training}, data={"tokenizer": str(base.tokenizer_path)})


@pytest.fixture(scope="module")
def tuned(make_small_recipe: Make, base: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    run = open_run(adapted(make_small_recipe, base), {}, root=tmp_path_factory.mktemp("tuned"))
    assert Session(run).wait() == 0
    return run


def test_a_checkpoint_holds_the_adapters_alone(tuned: RunFolder, base: RunFolder) -> None:
    trained = read_trained(tuned)
    assert all("lora_" in name for name in trained)
    whole = sum(array.nbytes for array in read_trained(base).values())
    assert sum(array.nbytes for array in trained.values()) < 0.2 * whole


def test_training_goes_on_from_the_model(tuned: RunFolder, base: RunFolder) -> None:
    started = [event["loss"] for event in base.events() if event["event"] == "evaluated"][-1]
    ended = [event["loss"] for event in tuned.events() if event["event"] == "evaluated"][-1]
    assert ended < started
    assert tuned.metrics()[0]["loss"] == pytest.approx(base.metrics()[-1]["loss"], abs=0.5)


def test_a_run_that_is_stopped_goes_on(
    make_small_recipe: Make, base: RunFolder, tuned: RunFolder, tmp_path: Path
) -> None:
    run = open_run(adapted(make_small_recipe, base, steps=10), {}, root=tmp_path)
    session = Session(run)
    while not run.metrics():
        assert session.process.poll() is None
    session.stop()
    again = open_run(adapted(make_small_recipe, base, steps=10), {}, root=tmp_path, resume=True)
    assert Session(again).wait() == 0
    ours, theirs = read_trained(again), read_trained(tuned)
    for name, array in theirs.items():
        np.testing.assert_array_equal(ours[name], array, err_msg=name)


def test_another_base_is_refused(make_small_recipe: Make, base: RunFolder, tmp_path: Path) -> None:
    """Before anything of the run is touched; and nothing is merged into it either."""
    folder = tmp_path / "weights"
    shutil.copytree(newest(base), folder)
    recipe = adapted(make_small_recipe, base, steps=2, init_from=str(folder))
    run = open_run(recipe, {}, root=tmp_path)
    assert Session(run).wait() == 0
    (file,) = folder.glob("model*.safetensors")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    before = {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file()}
    longer = adapted(make_small_recipe, base, steps=4, init_from=str(folder))
    with pytest.raises(RunError, match="run-base-changed"):
        open_run(longer, {}, root=tmp_path, resume=True)
    with pytest.raises(RunError, match="run-base-changed"):
        export_run(run, tmp_path / "merged", merges=True)
    assert {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file()} == before
    assert not (tmp_path / "merged").exists()
    elsewhere = adapted(make_small_recipe, base, steps=4)
    assert open_run(elsewhere, {}, root=tmp_path, resume=True).path == run.path, "the same weights in another place"


def test_an_exported_adapter_is_what_peft_reads(tuned: RunFolder, base: RunFolder, tmp_path: Path) -> None:
    folder = export_run(tuned, tmp_path / "adapter", merges=False)
    config = json.loads((folder / "adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"]) == ("LORA", 4, 8.0)
    assert config["base_model_name_or_path"] == str(newest(base))
    assert set(config["target_modules"]) == {
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    }  # fmt: skip
    read = read_peft(folder)
    for name, array in read_trained(tuned).items():
        np.testing.assert_array_equal(read[name], array)


def test_a_merged_model_is_what_transformers_loads(tuned: RunFolder, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    folder = export_run(tuned, tmp_path / "whole", merges=True)
    model = AutoModelForCausalLM.from_pretrained(folder)
    expected = read_model(tuned)
    theirs = dict(model.named_parameters())
    name = "model.layers.0.mlp.down_proj.weight"
    np.testing.assert_array_equal(theirs[name].detach().numpy(), expected[name])
    assert np.isfinite(model(torch.tensor([[1, 2, 3]])).logits.detach().numpy()).all()
    base = weights_in(Path(str(tuned.recipe().training.init_from)))
    assert not np.array_equal(base[name], expected[name])


def test_a_base_in_4_bits(make_small_recipe: Make, base: RunFolder, tmp_path: Path) -> None:
    """Trained, gone on with, and merged into the base as it was held: not the original one."""
    recipe = adapted(make_small_recipe, base, method="qlora", steps=4)
    straight = open_run(recipe, {}, root=tmp_path / "straight")
    assert Session(straight).wait() == 0
    first = open_run(adapted(make_small_recipe, base, method="qlora", steps=2), {}, root=tmp_path / "again")
    assert Session(first).wait() == 0
    again = open_run(recipe, {}, root=tmp_path / "again", resume=True)
    assert Session(again).wait() == 0
    read = read_model(straight)
    original = weights_in(newest(base))
    for name, array in read.items():
        is_changed = name.endswith("_proj.weight")
        assert np.array_equal(array, original[name]) != is_changed, name
    name = "model.layers.0.mlp.gate_proj"
    trained = read_trained(straight)
    without = read[f"{name}.weight"] - 2 * trained[f"{name}.lora_B.weight"] @ trained[f"{name}.lora_A.weight"]
    assert len({round(float(value), 5) for value in without[0]}) <= 3 * 16, "sixteen levels for each block of a row"
    assert set(export_run(straight, tmp_path / "adapter", merges=False).iterdir())


def test_a_base_with_what_is_no_number_is_told(make_small_recipe: Make, base: RunFolder, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "weights"
    shutil.copytree(newest(base), folder)
    (file,) = folder.glob("model*.safetensors")
    arrays = load_file(file)
    arrays["model.layers.1.mlp.up_proj.weight"][3, 4:6] = np.nan
    save_file(arrays, file)
    run = open_run(adapted(make_small_recipe, base, steps=2, init_from=str(folder)), {}, root=tmp_path)
    with pytest.raises(CheckpointError, match="training-weights-not-finite") as told:
        Session(run).wait()
    assert told.value.arguments == {"name": "model.layers.1.mlp.up_proj.weight", "count": 2}


def test_what_generation_ends_with_is_exported(tuned: RunFolder, tmp_path: Path) -> None:
    from transformers import GenerationConfig

    folder = export_run(tuned, tmp_path / "whole", merges=True)
    end = json.loads((folder / "config.json").read_text())["eos_token_id"]
    assert end == Tokenizer.load(folder).end_of_document_id
    assert GenerationConfig.from_pretrained(folder).eos_token_id == end


def test_merging_by_hand() -> None:
    """W + 2 B A, with rank 1."""
    weights = {"p.weight": np.zeros((2, 3), np.float32)}
    adapters = {
        "p.lora_A.weight": np.array([[1.0, 2.0, 3.0]], np.float32),
        "p.lora_B.weight": np.array([[1.0], [10.0]], np.float32),
    }
    np.testing.assert_array_equal(Merged(weights, adapters, 2.0)["p.weight"], [[2, 4, 6], [20, 40, 60]])
    with pytest.raises(CheckpointError, match="checkpoint-mismatch"):
        Merged({}, adapters, 2.0)
    with pytest.raises(CheckpointError, match="checkpoint-mismatch"):
        Merged({"p.weight": np.zeros((3, 3), np.float32)}, adapters, 2.0)


def test_nothing_is_overwritten(tuned: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(RunError, match="run-output-exists"):
        export_run(tuned, tmp_path / "mine", merges=False)


def test_an_adapter_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="training-weights-unreadable"):
        read_peft(tmp_path)
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "IA3"}')
    with pytest.raises(CheckpointError, match="training-adapter-kind"):
        read_peft(tmp_path)


def test_weights_that_cannot_be_started_from_are_told_before_a_run_is_made(
    make_small_recipe: Make, base: RunFolder, tuned: RunFolder
) -> None:
    inventory = take_inventory(Path())
    (adapters,) = obstacles(adapted(make_small_recipe, base, init_from=str(newest(tuned))), inventory)
    assert adapters.message_id == "training-weights-adapters"
    recipe = adapted(make_small_recipe, base)
    other = recipe.model_copy(update={"model": recipe.model.model_copy(update={"intermediate_size": 96})})
    (shape,) = obstacles(other, inventory)
    assert shape.message_id == "training-weights-shape"
    assert shape.arguments["found"] == "(64, 160)"
    assert shape.arguments["expected"] == "(64, 96)"
    assert not list(obstacles(recipe, inventory))
