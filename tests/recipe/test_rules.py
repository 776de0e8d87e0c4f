from __future__ import annotations

from typing import Any

import pytest

from headway.errors import RecipeError
from headway.i18n import Translator
from headway.recipe import RecipeProblems, resolve_recipe
from headway.recipe.rules import RULES

PRESET = {"preset": "headway-tiny-1m"}
STEPS = {"steps": 10}
MOE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64}
LATENT = {"kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 16, "v_head_dim": 32}

EVALUATED = {"evaluate_every_steps": 5, "early_stopping_patience": 2}

BROKEN: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "training_length": [
        ("recipe-length-missing", {"model": {**PRESET, "vocab_size": 300}, "training": {}}),
        ("recipe-length-twice", {"training": {"steps": 10, "tokens": "1B"}}),
    ],
    "key_value_heads_divide_heads": [
        ("recipe-heads-not-divisible", {"model": {**PRESET, "num_attention_heads": 6, "num_key_value_heads": 4}}),
    ],
    "rotary_head_is_even": [("recipe-head-dim-odd", {"model": {**PRESET, "head_dim": 33}})],
    "sequence_fits_model": [("recipe-sequence-too-long", {"training": {**STEPS, "sequence_length": 10**6}})],
    "warmup_ends_before_training": [
        ("recipe-warmup-too-long", {"training": {**STEPS, "warmup_steps": 11}}),
        (
            "recipe-warmup-too-long",
            {"training": {"tokens": 1000, "sequence_length": 100, "global_batch_size": 1, "warmup_steps": 11}},
        ),
    ],
    "best_needs_evaluations": [
        ("recipe-best-without-evaluations", {"training": {**STEPS, "early_stopping_patience": 2}}),
        ("recipe-best-without-evaluations", {"resilience": {"keep_best": True}}),
        (
            "recipe-best-without-evaluations",
            {"training": {**STEPS, **EVALUATED}, "data": {"validation_fraction": 0.0}},
        ),
    ],
    "schedule_fits_layout": [
        ("recipe-schedule", {"layout": {"pipeline_schedule": "zero-bubble", "recompute": "selective"}}),
        ("recipe-schedule", {"layout": {"pipeline_schedule": "zero-bubble", "shard": "gradients"}}),
        ("recipe-schedule", {"layout": {"pipeline_schedule": "zero-bubble-v", "virtual_pipeline_stages": 4}}),
    ],
    "batch_divides": [
        (
            "recipe-batch-not-divisible",
            {"training": {**STEPS, "global_batch_size": 10}, "layout": {"micro_batch_size": 4}},
        ),
        (
            "recipe-batch-not-divisible",
            {
                "training": {**STEPS, "global_batch_size": 2},
                "layout": {"micro_batch_size": 2, "data_parallel_degree": 2},
            },
        ),
    ],
    "data_has_a_source": [
        ("recipe-data-twice", {"data": {"source": "python-stdlib", "paths": ["a"]}}),
        ("recipe-data-places", {"data": {"prepared": "b", "paths": ["a"]}}),
        ("recipe-data-places", {"data": {"paths": ["a"], "sources": [{"name": "b", "paths": ["b"]}]}}),
    ],
    "data_sources_are_complete": [
        ("recipe-source-twice", {"data": {"sources": [{"name": "b", "paths": ["b"]}, {"name": "b", "paths": ["c"]}]}}),
        ("recipe-data-places", {"data": {"sources": [{"name": "b"}]}}),
        ("recipe-data-places", {"data": {"sources": [{"name": "b", "paths": ["b"], "prepared": "c"}]}}),
    ],
    "data_paths_are_named": [("recipe-data-path-empty", {"data": {"paths": ["a", ""]}})],
    "experts_are_complete": [
        ("recipe-experts-incomplete", {"model": {**PRESET, "num_experts": 8}}),
        ("recipe-experts-incomplete", {"model": {**PRESET, "num_experts_per_tok": 2}}),
        ("recipe-experts-too-few", {"model": {**PRESET, **MOE, "num_experts_per_tok": 9}}),
    ],
    "experts_are_in_equal_groups": [
        ("recipe-expert-groups", {"model": {**PRESET, **MOE, "n_group": 3}}),
        ("recipe-expert-groups", {"model": {**PRESET, **MOE, "n_group": 4, "topk_group": 5}}),
    ],
    "latent_attention_is_complete": [
        ("recipe-latent-incomplete", {"model": {**PRESET, "kv_lora_rank": 512}}),
        ("recipe-latent-incomplete", {"model": {**PRESET, "q_lora_rank": 512}}),
        ("recipe-latent-incomplete", {"model": {**PRESET, **LATENT, "v_head_dim": None}}),
    ],
    "adapter_rank_fits": [
        (
            "recipe-adapter-rank-too-large",
            {"training": {**STEPS, "method": method, "adapter_rank": 100_000, "adapter_targets": targets}},
        )
        for method, targets in (("lora", "all"), ("qlora", "attention"), ("lora", "query-value"))
    ],
    "devices_fill_nodes": [("recipe-devices-not-divisible", {"hardware": {"devices": 12, "devices_per_node": 8}})],
    "pure_weights_have_no_fp32": [
        ("recipe-gradients-pure", {"training": {**STEPS, "weights": "pure", "gradients": "fp32"}}),
        ("recipe-gradients-pure", {"training": {**STEPS, "software": "torchtune", "gradients": "fp32"}}),
    ],
    "low_precision_gather_has_rounded_products": [
        ("recipe-gather-precision", {"training": {**STEPS, "low_precision_gather": True}})
    ],
    "expert_degree_has_experts": [("recipe-no-experts", {"layout": {"expert_tensor_parallel_degree": 2}})],
    "backward_update_needs_no_whole_gradient": [
        ("recipe-backward-clips", {"training": {**STEPS, "optimizer": optimizer, "gradient_clip_norm": 1.0}})
        for optimizer in ("adamw-in-backward", "adamw8bit-in-backward")
    ]
    + [
        (
            "recipe-backward-accumulates",
            {
                "training": {**STEPS, "optimizer": "adamw-in-backward", "global_batch_size": 8},
                "layout": {"data_parallel_degree": 2, "micro_batch_size": 2},
            },
        )
    ],
}

KEPT: dict[str, list[dict[str, Any]]] = {
    "training_length": [{"training": {"tokens": "1B"}}],
    "key_value_heads_divide_heads": [
        {"model": {**PRESET, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 32}}
    ],
    "rotary_head_is_even": [{"model": {"preset": "gpt2", "head_dim": 33}}],
    "sequence_fits_model": [
        {"model": {**PRESET, "max_position_embeddings": 64}, "training": {**STEPS, "sequence_length": 64}}
    ],
    "warmup_ends_before_training": [{"training": {**STEPS, "warmup_steps": 10}}],
    "best_needs_evaluations": [
        {"training": {**STEPS, **EVALUATED}, "resilience": {"keep_best": True}},
        {"training": {**STEPS, "evaluate_every_steps": 5}},
    ],
    "schedule_fits_layout": [
        {"layout": {"pipeline_schedule": "zero-bubble", "recompute": "full", "virtual_pipeline_stages": 4}},
        {"layout": {"pipeline_schedule": "zero-bubble-v", "shard": "optimizer", "virtual_pipeline_stages": 2}},
        {"layout": {"recompute": "selective", "shard": "parameters", "virtual_pipeline_stages": 4}},
    ],
    "batch_divides": [{"training": {**STEPS, "global_batch_size": 8}, "layout": {"micro_batch_size": 4}}],
    "data_paths_are_named": [{"data": {"paths": ["a", "b"]}}],
    "data_has_a_source": [{"data": {"paths": ["a"]}}, {"data": {}}, {"data": {"prepared": "s3://b/c"}}],
    "data_sources_are_complete": [
        {"data": {"sources": [{"name": "b", "paths": "b"}, {"name": "c", "source": "python-stdlib"}]}},
        {"data": {"sources": [{"name": "b", "prepared": "s3://b", "weight": 0.1}]}},
    ],
    "experts_are_complete": [{"model": {**PRESET, **MOE}}],
    "experts_are_in_equal_groups": [
        {"model": {**PRESET, **MOE, "n_group": 4, "topk_group": 2}},
        {"model": {**PRESET, "n_group": 4, "topk_group": 5}},
    ],
    "latent_attention_is_complete": [
        {"model": {**PRESET, **LATENT}},
        {"model": {**PRESET, **LATENT, "q_lora_rank": 16}},
    ],
    "adapter_rank_fits": [
        {"training": {**STEPS, "method": "lora", "adapter_rank": 8}},
        {"training": {**STEPS, "adapter_rank": 100_000}},
    ],
    "devices_fill_nodes": [
        {"hardware": {"devices": 16, "devices_per_node": 8}},
        {"hardware": {"devices": 3, "devices_per_node": 8}},
    ],
    "pure_weights_have_no_fp32": [
        {"training": {**STEPS, "weights": "pure", "gradients": "rounded"}},
        {"training": {**STEPS, "weights": "master", "gradients": "fp32"}},
    ],
    "backward_update_needs_no_whole_gradient": [
        {"training": {**STEPS, "optimizer": "adamw-in-backward"}},
        {"training": {**STEPS, "gradient_clip_norm": 0.5}},
        {
            "training": {**STEPS, "optimizer": "adamw-in-backward", "global_batch_size": 8},
            "layout": {"data_parallel_degree": 2, "micro_batch_size": 4},
        },
    ],
    "low_precision_gather_has_rounded_products": [
        {"training": {**STEPS, "low_precision_gather": True, "precision": "fp8"}}
    ],
    "expert_degree_has_experts": [
        {"layout": {"expert_tensor_parallel_degree": 1}},
        {"model": {**PRESET, **MOE}, "layout": {"expert_tensor_parallel_degree": 2}},
    ],
}


def test_every_rule_has_cases_of_both_kinds() -> None:
    names = [rule.__name__ for rule in RULES]
    assert sorted(names) == sorted(BROKEN) == sorted(KEPT)
    assert all(rule.__doc__ for rule in RULES)


@pytest.mark.parametrize(
    ("message_id", "sections"), [case for cases in BROKEN.values() for case in cases], ids=lambda value: str(value)[:40]
)
def test_a_broken_rule_says_so(message_id: str, sections: dict[str, Any]) -> None:
    with pytest.raises(RecipeError) as caught:
        resolve_recipe({"model": PRESET, "training": STEPS, **sections})
    assert caught.value.message_id == message_id
    text, next_step = Translator("en").error(caught.value)
    assert "{" not in text
    assert next_step
    assert "{" not in next_step


@pytest.mark.parametrize(
    "sections", [case for cases in KEPT.values() for case in cases], ids=lambda value: str(value)[:40]
)
def test_a_kept_rule_is_silent(sections: dict[str, Any]) -> None:
    resolve_recipe({"model": PRESET, "training": STEPS, **sections})


@pytest.mark.parametrize(("batch", "micro", "lower", "upper"), [(10, 4, 8, 12), (2, 4, 4, 8), (4, 3, 3, 6)])
def test_the_proposed_batches_are_possible(batch: int, micro: int, lower: int, upper: int) -> None:
    sections: dict[str, Any] = {"layout": {"micro_batch_size": micro}}
    with pytest.raises(RecipeError) as caught:
        resolve_recipe({"model": PRESET, "training": {**STEPS, "global_batch_size": batch}, **sections})
    assert (caught.value.arguments["lower"], caught.value.arguments["upper"]) == (lower, upper)
    for proposed in (lower, upper):
        resolve_recipe({"model": PRESET, "training": {**STEPS, "global_batch_size": proposed}, **sections})


def test_broken_rules_are_told_together() -> None:
    with pytest.raises(RecipeProblems) as caught:
        resolve_recipe(
            {
                "model": {**PRESET, "head_dim": 33, "num_experts": 8},
                "training": {"sequence_length": 10**6},
                "data": {"source": "python-stdlib", "paths": ["a"]},
            }
        )
    assert [problem.message_id for problem in caught.value.problems] == [
        "recipe-length-missing",
        "recipe-head-dim-odd",
        "recipe-sequence-too-long",
        "recipe-data-twice",
        "recipe-experts-incomplete",
    ]
