from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.planning.accelerated import choose_on_accelerators
from headway.planning.choice import Choice
from headway.planning.flops import forward_flops_per_token, model_flops_per_token
from headway.planning.time import Time, plan_time
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def trained(make_recipe: MakeRecipe, **training: Any) -> Recipe:
    return make_recipe(
        model={"preset": "llama-3.1-8b"},
        training={"global_batch_size": 8, "sequence_length": 4096, **training},
        hardware={"accelerator": "h100", "devices": 8},
        layout={"shard": "parameters", "micro_batch_size": 1},
    )


def timed(recipe: Recipe, choice: Choice, recompute: str, share: float = 1.0) -> Time:
    layout = replace(choice.layout, recompute=recompute, recompute_share=share)
    return plan_time(
        recipe, replace(choice, layout=layout), evaluation_seconds=0.0, checkpoint_seconds=0.0, goodput=None
    )


def test_what_the_hardware_repeats_counts_beside_what_the_model_needs(make_recipe: MakeRecipe) -> None:
    """The same whole square of scores for both, so that the two differ by the repeated products alone."""
    recipe = trained(make_recipe)
    choice = choose_on_accelerators(recipe, "h100")
    forward = forward_flops_per_token(recipe.model, 4096, causal=False)
    model = model_flops_per_token(recipe.model, 4096)
    layers = forward.total - forward.head
    scores = forward.attention_scores + forward.attention_values

    def ratio(recompute: str, share: float = 1.0) -> float:
        found = timed(recipe, choice, recompute, share)
        assert found.hardware_flops_utilization is not None
        return found.hardware_flops_utilization / found.model_flops_utilization

    assert ratio("none") == 1
    assert ratio("full") == pytest.approx(1 + layers / model)
    assert ratio("full", 0.25) == pytest.approx(1 + 0.25 * layers / model)
    assert ratio("products") == pytest.approx(1 + 0.5 * (layers - scores) / model)
    # Fused attention holds no scores that recomputation could spare; unfused attention does.
    assert ratio("selective") == 1
    unfused = trained(make_recipe, attention="unfused")
    found = timed(unfused, choice, "selective")
    assert found.hardware_flops_utilization == pytest.approx((1 + scores / model) * found.model_flops_utilization)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    accelerator=st.sampled_from(["a100-sxm-80gb", "h100-sxm-80gb", "b200-sxm-180gb", "mi300x"]),
    length=st.sampled_from([512, 4096, 65_536, 1_048_576]),
    window=st.sampled_from([None, 256, 4096, 65_536]),
    attention=st.sampled_from(["fused", "tuned", "unfused"]),
    recompute=st.sampled_from(["none", "selective", "products", "full"]),
    precision=st.sampled_from(["fp32", "tf32", "bf16"]),
    method=st.sampled_from(["full", "lora", "qlora"]),
)
def test_no_device_computes_beyond_its_peak(
    make_recipe: MakeRecipe,
    accelerator: str,
    length: int,
    window: int | None,
    attention: str,
    recompute: str,
    precision: str,
    method: str,
) -> None:
    window_of_model = {} if window is None else {"sliding_window": window}
    recipe = make_recipe(
        model={"preset": "llama-3.1-8b", "max_position_embeddings": 1_048_576, **window_of_model},
        training={
            "global_batch_size": 8,
            "sequence_length": length,
            "attention": attention,
            "precision": precision,
            "method": method,
        },
        hardware={"accelerator": accelerator, "devices": 8},
        layout={"micro_batch_size": 1, "recompute": recompute},
    )
    found = timed(recipe, choose_on_accelerators(recipe, accelerator), recompute)
    assert found.hardware_flops_utilization is not None
    assert 0 < found.model_flops_utilization <= found.hardware_flops_utilization <= 1
