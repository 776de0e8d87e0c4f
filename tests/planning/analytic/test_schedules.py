"""What is left of a pipeline's waiting, and which layouts its schedules go with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headway.planning.accelerated import choose_on_accelerators, hardware_of, job_of, wishes_of
from headway.planning.analytic.legal import legal_layouts
from headway.planning.analytic.schedules import bubble_share
from headway.recipe import Recipe, resolve_recipe


def recipe_of(**layout: Any) -> Recipe:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"steps": 1, "global_batch_size": 64, "sequence_length": 4096},
            "hardware": {"accelerator": "h100-sxm-80gb", "devices": 8},
            "layout": {"pipeline_parallel_degree": 4, "tensor_parallel_degree": 2, "micro_batch_size": 1, **layout},
        }
    )


@pytest.mark.parametrize(
    ("schedule", "trains", "share"),
    [
        ("1f1b", True, 1.0), ("zero-bubble", True, 1 / 3), ("zero-bubble-v", True, 0.0),
        ("zero-bubble", False, 1.0), ("zero-bubble-v", False, 1.0),
    ],
)  # fmt: skip
def test_by_hand(schedule: str, trains: bool, share: float) -> None:
    """F = B = W: of 3 there are left F + B - W = 1, and F + B - 2 W = 0; frozen weights have no W to fill it with."""
    assert bubble_share(schedule, trains_weights=trains) == pytest.approx(share)


def test_a_plan_waits_less() -> None:
    plain, zero, in_v = (
        choose_on_accelerators(recipe_of(virtual_pipeline_stages=chunks, pipeline_schedule=schedule), "h100-sxm-80gb")
        for schedule, chunks in (("1f1b", 1), ("zero-bubble", 1), ("zero-bubble-v", 2))
    )
    assert zero.parts_seconds["bubble_seconds"] == pytest.approx(plain.parts_seconds["bubble_seconds"] / 3, rel=0.05)
    assert in_v.parts_seconds.get("bubble_seconds", 0.0) == pytest.approx(0.0, abs=1e-9)
    assert (plain.layout.pipeline_schedule, in_v.layout.pipeline_schedule) == ("1f1b", "zero-bubble-v")
    np.testing.assert_allclose(in_v.memory.parts.activations_bytes, plain.memory.parts.activations_bytes, rtol=0.1)


def test_what_does_not_go_with_it_is_not_chosen() -> None:
    found = choose_on_accelerators(recipe_of(pipeline_schedule="zero-bubble-v"), "h100-sxm-80gb")
    for layout in (found.layout, *(other.layout for other in found.alternatives)):
        assert layout.virtual_pipeline_stages == 2
        assert layout.recompute in ("none", "full")
        assert layout.shard in ("none", "optimizer")
        assert layout.gradient_accumulation_steps % 4 == 0
    assert found.removed["schedule"] > 0


@pytest.mark.parametrize(("software", "largest"), [("headway", 2), ("megatron", 4)])
def test_heads_of_keys_are_divided_or_repeated(software: str, largest: int) -> None:
    """The engine has no copies of a head of keys on several devices; Megatron-LM has."""
    recipe = resolve_recipe(
        {
            "model": {
                "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8,
                "num_key_value_heads": 2, "vocab_size": 1024, "max_position_embeddings": 512,
            },
            "training": {"steps": 1, "sequence_length": 512, "software": software},
            "hardware": {"accelerator": "h100-sxm-80gb", "devices": 4},
        }
    )  # fmt: skip
    splits = legal_layouts(job_of(recipe), hardware_of(recipe, "h100-sxm-80gb"), wishes_of(recipe)).splits
    assert splits is not None
    assert splits.tensor.max() == largest
