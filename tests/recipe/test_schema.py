from __future__ import annotations

from typing import Any

import pytest

from headway.recipe import Recipe, resolve_recipe

BASE: dict[str, Any] = {"model": {"preset": "headway-tiny-1m"}, "training": {"steps": 10}}


def make(**sections: Any) -> Recipe:
    return resolve_recipe({**BASE, **sections})


def test_the_digest_is_stable() -> None:
    assert make().digest() == make().digest()
    assert len(make().digest()) == 64
    # A run that was started by an earlier version must still be resumable: change this only with a migration.
    assert make().digest()[:16] == "b9053630792ca1c8"


@pytest.mark.parametrize(
    "sections",
    [
        {"name": "other"},
        {"training": {"steps": 20}},
        {"training": {"tokens": "1B"}},
        {"training": {"steps": 10, "evaluate_every_steps": 5, "evaluate_batches": 3}},
        {"data": {"cache": "/elsewhere", "dataset_tokens": "1B", "on_bad_row": "skip"}},
        {"hardware": {"devices": 8, "threads": 3, "accelerator": "h100-sxm-80gb"}},
        {"layout": {"micro_batch_size": 4}},
        {"site": {"grid": "france"}},
        {"resilience": {"keep_last": 5, "checkpoint_every": 1}},
        {"budget": {"max_usd": 1}},
    ],
)
def test_the_digest_ignores_what_does_not_change_the_result(sections: dict[str, Any]) -> None:
    assert make(**sections).digest() == make().digest()


@pytest.mark.parametrize(
    "sections",
    [
        {"model": {"preset": "headway-tiny-1m", "rms_norm_eps": 1e-4}},
        {"model": {"preset": "headway-tiny-4m"}},
        {"training": {"steps": 10, "learning_rate": 1e-3}},
        {"training": {"steps": 10, "seed": 1}},
        {"training": {"steps": 10, "precision": "fp32"}},
        {"data": {"paths": ["a"]}},
        {"data": {"validation_fraction": 0.5}},
        {"data": {"format": "chat"}},
        {"data": {"loss_on": "all"}},
    ],
)
def test_the_digest_tells_what_changes_the_result(sections: dict[str, Any]) -> None:
    assert make(**sections).digest() != make().digest()


def test_the_digest_ignores_where_files_lie() -> None:
    def digest(folder: str) -> str:
        data = {"paths": [f"{folder}/text"], "tokenizer": f"{folder}/tokenizer.json"}
        return make(data=data, training={"steps": 10, "init_from": f"{folder}/weights"}).digest()

    assert digest("/here") == digest("/there")


def test_the_digest_counts_the_shape_and_not_its_name() -> None:
    stated = make().model.model_dump(exclude_none=True, exclude={"preset"})
    assert make(model=stated).digest() == make().digest()


def test_steps_follow_from_tokens() -> None:
    recipe = make(training={"tokens": 1001, "sequence_length": 10, "global_batch_size": 10})
    assert (recipe.tokens_per_step, recipe.num_steps, recipe.num_tokens) == (100, 11, 1100)


def test_plain_data_leaves_out_what_is_not_said() -> None:
    content = make().to_dict()
    assert "tokens" not in content["training"]
    assert content["training"]["steps"] == 10


def test_the_width_of_all_heads_follows_from_one() -> None:
    model = make(model={"preset": "llama-3.1-8b"}).model
    assert (model.query_size, model.key_value_size) == (4096, 1024)
