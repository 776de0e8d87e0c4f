import pytest

from headway.planning.accelerated import job_of
from headway.planning.adapters import Adapters, adapters_of, count_trained, is_target, packed_bytes
from headway.planning.analytic.holdings import adapter_parameters
from headway.planning.parameters import count_parameters
from headway.recipe import ModelConfig, Recipe, resolve_recipe


def recipe_of(preset: str, **training: object) -> Recipe:
    return resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1, **training}})


def test_a_layer_by_hand(tiny: ModelConfig) -> None:
    """Rank 3 on q and v of two layers: q maps 4 to 4 channels, v 4 to 2."""
    adapters = Adapters(rank=3, targets="query-value")
    assert adapters.parameters(tiny) == 2 * 3 * ((4 + 4) + (4 + 2))
    # q k v o, then gate, up and down of 4 to 6.
    attention = 2 * 3 * ((4 + 4) + (4 + 2) + (4 + 2) + (4 + 4))
    assert Adapters(rank=3, targets="attention").parameters(tiny) == attention
    assert Adapters(rank=3, targets="all").parameters(tiny) == attention + 2 * 3 * 3 * (4 + 6)


@pytest.mark.parametrize("targets", ["all", "attention", "query-value", "fused-qkv"])
@pytest.mark.parametrize("preset", ["llama-3.1-8b", "gpt2", "mixtral-8x7b"])
def test_both_planners_count_the_same(preset: str, targets: str) -> None:
    recipe = recipe_of(preset, method="lora", adapter_rank=8, adapter_targets=targets)
    job, adapters = job_of(recipe), adapters_of(recipe.training)
    assert job.adapter is not None
    assert adapters is not None
    assert adapters.parameters(recipe.model) == adapter_parameters(job.shape, job.adapter)


def test_a_published_count() -> None:
    """Rank 16 on all projections of Llama 3.1 8B is 41,943,040 weights, as peft prints for that configuration."""
    recipe = recipe_of("llama-3.1-8b", method="lora", adapter_rank=16)
    assert count_trained(recipe.model, adapters_of(recipe.training)) == 41_943_040


def test_all_are_trained_without_adapters(tiny: ModelConfig) -> None:
    assert adapters_of(recipe_of("gpt2").training) is None
    assert count_trained(tiny, None) == count_parameters(tiny)


def test_the_output_projection_of_attention_is_no_query() -> None:
    assert not is_target("fused-qkv", "self_attn.o_proj")
    assert not is_target("query-value", "self_attn.k_proj")
    assert not is_target("attention", "mlp.up_proj")


def test_a_matrix_in_4_bits_by_hand() -> None:
    """Of 128 columns: 64 bytes of codes, 2 constants, 4 of scale; of 34, a whole row is a block."""
    assert packed_bytes(3, 128) == 3 * (64 + 2 + 4)
    assert packed_bytes(3, 34) == 3 * (17 + 1 + 4)
    assert packed_bytes(3, 96) == 3 * (48 + 3 + 4)
    assert 8 * packed_bytes(4096, 4096) / 4096**2 == pytest.approx(4.127, rel=0.002), "Dettmers et al. 2023, section 3"


def test_only_a_packed_base_is_in_4_bits() -> None:
    packed, plain = (adapters_of(recipe_of("gpt2", method=method).training) for method in ("qlora", "lora"))
    assert packed is not None and packed.packed
    assert plain is not None and not plain.packed
