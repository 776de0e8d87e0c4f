"""What cannot be trained is refused before anything is made."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headway.cli.localized import error_lines
from headway.errors import RecipeError
from headway.machine.accelerators import Accelerator
from headway.machine.inventory import Inventory, take_inventory
from headway.recipe import Recipe, resolve_recipe
from headway.training import support
from headway.training.data import Tokenizer
from headway.training.data.templates import OWN_TEMPLATE
from headway.training.support import SUPPORTED, ObstaclesError, for_training, obstacles, require_trainable

Make = Callable[..., Recipe]


@pytest.fixture(scope="module")
def here() -> Inventory:
    return replace(take_inventory(Path.cwd()), accelerators=())


def ids(recipe: Recipe, inventory: Inventory) -> list[str]:
    return [error.message_id for error in obstacles(recipe, inventory)]


def test_what_trains_meets_no_obstacle(make_small_recipe: Make, here: Inventory) -> None:
    require_trainable(make_small_recipe(hardware={"threads": 1}), here)


REFUSED = {
    "training.adapter_targets": "fused-qkv",
    "training.software": "megatron",
    "training.precision": "mxfp8",
    "training.weights": "master",
    "training.gradients": "rounded",
    "training.dropout": 0.1,
    "training.low_precision_gather": True,
    "training.attention": "unfused",
    "training.capture_graphs": True,
    "training.loss": "whole",
    "training.optimizer": "adamw-in-backward",
    "layout.context_parallel_degree": 2,
    "layout.expert_parallel_degree": 2,
    "layout.expert_tensor_parallel_degree": 2,
    "layout.count_tables_as_layers": True,
    "layout.offload_activations": True,
    "layout.overlap_tensor_communication": True,
    "layout.overlap_expert_communication": True,
}


TRAINED = {
    "training": """engine steps tokens sequence_length global_batch_size compile seed init_from learning_rate beta1
        beta2 epsilon weight_decay gradient_clip_norm schedule warmup_steps decay_fraction min_learning_rate_ratio
        evaluate_every_steps evaluate_batches early_stopping_patience adapter_rank adapter_alpha phase
        method""",
    "layout": """data_parallel_degree tensor_parallel_degree pipeline_parallel_degree virtual_pipeline_stages
        pipeline_schedule offload_optimizer shard shard_group_size reshard_after_forward sequence_parallel
        micro_batch_size recompute""",
}
"""What training does as the recipe says, whatever it says."""
WITHOUT_EFFECT = {"training": "", "layout": "overlap_communication"}
"""What matters only with a setting that training refuses."""


def test_every_setting_with_limits_is_tried() -> None:
    assert set(REFUSED) == set(SUPPORTED)


@pytest.mark.parametrize("section", ["training", "layout"])
def test_every_setting_is_trained_or_refused(section: str, make_small_recipe: Make) -> None:
    """A setting that only plans know must not be passed over in silence: a new one belongs in one of the three."""
    limited = {name.split(".")[1] for name in SUPPORTED if name.startswith(f"{section}.")}
    known = limited | set(TRAINED[section].split()) | set(WITHOUT_EFFECT[section].split())
    assert set(type(getattr(make_small_recipe(), section)).model_fields) == known


@pytest.mark.parametrize("name", REFUSED)
def test_a_setting_that_only_plans_know_is_named(name: str, make_small_recipe: Make, here: Inventory) -> None:
    section, field = name.split(".")
    recipe = make_small_recipe()
    changed = getattr(recipe, section).model_copy(update={field: REFUSED[name]})
    (error,) = obstacles(
        recipe.model_copy(
            update={
                section: changed,
                "hardware": recipe.hardware.model_copy(
                    update={"threads": None, **({field: REFUSED[name]} if section == "hardware" else {})}
                ),
            }
        ),
        here,
    )
    assert error.message_id == "training-setting"
    assert error.arguments["field"] == name
    text = "\n".join(error_lines(error))
    assert str(error.arguments["value"]) in text
    assert name in text


@pytest.mark.parametrize(
    ("changes", "message_id"),
    [
        ({"model": {"num_experts": 4, "num_experts_per_tok": 1}}, "training-architecture"),
        ({"hardware": {"accelerator": "h100-sxm-80gb"}}, "training-no-accelerator"),
        ({"hardware": {"threads": 100_000}}, "training-too-many-threads"),
        ({"hardware": {"threads": 1, "devices": 2}}, "training-too-few-devices"),
        (
            {
                "hardware": {"devices": 2, "devices_per_node": 2, "threads": None},
                "training": {"compile": True},
                "layout": {"tensor_parallel_degree": 2},
            },
            "training-compile-layout",
        ),
        (
            {
                "hardware": {"devices": 2, "devices_per_node": 2, "threads": None},
                "training": {"compile": True},
                "layout": {"pipeline_schedule": "zero-bubble"},
            },
            "training-compile-layout",
        ),
        ({"layout": {"tensor_parallel_degree": 4}}, "training-tensor-parallel"),
        ({"training": {"method": "lora"}}, "training-adapter-base"),
        (
            {"hardware": {"devices": 2, "devices_per_node": 2, "threads": None}, "training": {"precision": "int8"}},
            "training-needs-plan",
        ),
        ({"training": {"init_from": "/nowhere"}}, "training-no-weights"),
        ({"training": {"init_from": "/" + "x" * 5000}}, "training-no-weights"),
        ({"data": {"paths": ["/nowhere/at/all.txt"]}}, "data-path-missing"),
        ({"model": {"vocab_size": 100}}, "data-vocabulary-too-small"),
        ({"model": {"vocab_size": 257}, "data": {"tokenizer": "byte"}}, "data-vocabulary-too-large"),
        ({"data": {"tokenizer": "/nowhere/tokenizer.json"}}, "data-unknown-tokenizer"),
        ({"data": {"format": "chat"}}, "data-chat-file-kind"),
        ({"data": {"format": "chat", "paths": ["/nowhere/at/all.txt"]}}, "data-path-missing"),
    ],
)
def test_what_is_not_here_is_named(
    changes: dict[str, Any], message_id: str, make_small_recipe: Make, here: Inventory
) -> None:
    recipe = make_small_recipe(**{"hardware": {"threads": None}, **changes})
    assert ids(recipe, here) == [message_id]


def test_conversations_need_the_template_of_the_tokenizer(
    make_small_recipe: Make, here: Inventory, chat_file: Path, tmp_path: Path
) -> None:
    saved = Tokenizer.byte().to_bytes().decode().replace("<|bos|>", "<|im_start|>")
    (tmp_path / "tokenizer.json").write_text(saved)
    data = {"paths": [str(chat_file)], "format": "chat", "tokenizer": str(tmp_path)}
    recipe = make_small_recipe(data=data, hardware={"threads": None}, training={"phase": "finetune"})
    assert ids(recipe, here) == ["data-chat-template-missing"]
    (tmp_path / "chat_template.jinja").write_text("{% for %}")
    assert ids(recipe, here) == ["data-chat-template-invalid"]
    (tmp_path / "chat_template.jinja").write_text(OWN_TEMPLATE)
    assert ids(recipe, here) == []
    (tmp_path / "tokenizer.json").write_text("no tokenizer")
    assert ids(recipe, here) == ["data-tokenizer-invalid"]


def test_adapters_are_not_for_muon(make_small_recipe: Make, here: Inventory, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    training = {"method": "lora", "optimizer": "muon", "init_from": str(tmp_path)}
    found = ids(make_small_recipe(training=training, hardware={"threads": None}), here)
    other = ids(make_small_recipe(training={**training, "optimizer": "adamw8bit"}, hardware={"threads": None}), here)
    assert set(found) - set(other) == {"training-adapter-optimizer"}


def test_phases_are_not_passed_over(make_small_recipe: Make, here: Inventory) -> None:
    recipe = make_small_recipe(hardware={"threads": None})
    raw = {**recipe.to_dict(), "phases": [{"name": "long context"}]}
    (error,) = obstacles(resolve_recipe(raw), here)
    assert error.message_id == "training-phases"
    assert "long context" in "\n".join(error_lines(error))


def test_another_accelerator_than_the_recipe_names_is_refused(make_small_recipe: Make, here: Inventory) -> None:
    machine = replace(here, accelerators=(Accelerator(index=0, kind="cuda", name="NVIDIA H100 80GB HBM3"),))
    hardware = {"threads": None, "accelerator": "a100-sxm-80gb"}
    assert ids(make_small_recipe(hardware=hardware), machine) == ["training-other-accelerator"]
    assert ids(make_small_recipe(hardware={**hardware, "accelerator": "h100-sxm-80gb"}), machine) == []
    strange = replace(here, accelerators=(Accelerator(index=0, kind="cuda", name="Abacus 9"),))
    assert ids(make_small_recipe(hardware=hardware), strange) == ["training-other-accelerator"]


def test_a_missing_package_is_named_with_its_install(
    make_small_recipe: Make, here: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support, "ENGINE_PACKAGES", ("no_such_engine",))
    (error,) = obstacles(make_small_recipe(hardware={"threads": None}), here)
    assert error.message_id == "training-engine-missing"
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    command = 'pip install ".[torch]"'
    assert command in readme
    assert command in "\n".join(error_lines(error))


def test_several_obstacles_are_told_at_once(make_small_recipe: Make, here: Inventory) -> None:
    recipe = make_small_recipe(training={"precision": "mxfp8"}, hardware={"devices": 8, "threads": None})
    with pytest.raises(ObstaclesError) as refused:
        require_trainable(recipe, here)
    copy = pickle.loads(pickle.dumps(refused.value))
    assert len(copy.to_dict()["error"]["problems"]) == 2
    assert len(error_lines(copy)) == 4
    with pytest.raises(RecipeError, match="training-setting"):
        require_trainable(make_small_recipe(training={"precision": "mxfp8"}, hardware={"threads": None}), here)


def test_a_plan_to_train_by_has_no_division_that_training_lacks(make_small_recipe: Make) -> None:
    recipe = make_small_recipe(hardware={"devices": 8})
    assert recipe.layout.context_parallel_degree == "auto"
    closed = for_training(recipe).layout
    assert (closed.context_parallel_degree, closed.expert_parallel_degree) == (1, 1)
    assert closed.tensor_parallel_degree == "auto"
    assert for_training(make_small_recipe()) == make_small_recipe()


def test_a_bad_row_at_the_beginning_is_found_before_there_is_a_run(
    make_small_recipe: Make, here: Inventory, tmp_path: Path
) -> None:
    good = '{"text": "good"}\n'
    (tmp_path / "early.jsonl").write_text(good + "{broken\n")
    (tmp_path / "late.jsonl").write_text(f'{{"text": "{"x" * 1000}"}}\n' * 1100 + "{broken\n")
    single = {"threads": 1}

    def found(**data: Any) -> list[str]:
        return ids(make_small_recipe(hardware=single, data={"validation_fraction": 0.2, **data}), here)

    assert found(paths=[str(tmp_path / "early.jsonl")]) == ["data-json-invalid"]
    assert found(paths=[str(tmp_path / "early.jsonl")], on_bad_row="skip") == []
    # Nobody reads everything twice: this one is found by the preparation.
    assert found(paths=[str(tmp_path / "late.jsonl")]) == []
    sources = [{"name": "a", "source": "python-stdlib"}, {"name": "b", "paths": [str(tmp_path / "early.jsonl")]}]
    assert found(paths=[], sources=sources) == ["data-json-invalid"]
    assert found(paths=[], prepared=str(tmp_path)) == ["data-prepared-missing"]
