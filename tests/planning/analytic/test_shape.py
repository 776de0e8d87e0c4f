import pytest

from headway import catalog
from headway.planning.analytic.shape import shape_of
from headway.recipe import resolve_recipe
from headway.recipe.model import ModelConfig
from tests.planning.analytic.invented import llama


def preset(name: str) -> ModelConfig:
    return resolve_recipe({"model": {"preset": name}, "hardware": {"accelerator": "h100", "devices": 8}}).model


def test_a_llama_by_hand() -> None:
    shape = shape_of(llama(num_key_value_heads=2))
    widths = {matrix.name.split(".")[-2 if matrix.name.endswith("weight") else -1]: matrix for matrix in shape.dense}
    assert {name: (matrix.inputs, matrix.outputs) for name, matrix in widths.items()} == {
        "q_proj": (1024, 1024), "k_proj": (1024, 256), "v_proj": (1024, 256), "o_proj": (1024, 1024),
        "gate_proj": (1024, 4096), "up_proj": (1024, 4096), "down_proj": (4096, 1024),
    }  # fmt: skip
    assert {name for name, matrix in widths.items() if matrix.split == "inputs"} == {"o_proj", "down_proj"}
    assert shape.gated
    assert not shape.has_positions
    assert shape.small_parameters == 4 * 2 * 1024 + 1024


def test_a_gpt_is_not_gated_and_learns_positions() -> None:
    shape = shape_of(preset("gpt2"))
    assert not shape.gated
    assert shape.has_positions
    assert {(matrix.inputs, matrix.outputs) for matrix in shape.dense} == {
        (768, 2304), (768, 768), (768, 3072), (3072, 768),
    }  # fmt: skip


def test_experts_are_apart() -> None:
    shape = shape_of(preset("mixtral-8x7b"))
    assert (shape.experts, shape.chosen_experts, shape.sparse_layers, shape.dense_layers) == (8, 2, 32, 0)
    assert shape.expert_parameters == 32 * 8 * 3 * 4096 * 14336
    assert all(matrix.experts == 8 for matrix in shape.routed)


def test_latent_attention_and_a_few_dense_layers() -> None:
    shape = shape_of(preset("deepseek-v3"))
    assert shape.is_latent
    assert (shape.key_width, shape.value_width, shape.latent_width) == (192, 128, 1536 + 512 + 64)
    assert (shape.sparse_layers, shape.dense_layers, shape.shared_inner) == (58, 3, 2048)
    assert {matrix.split for matrix in shape.dense if "_a_proj" in matrix.name} == {"none"}


@pytest.mark.parametrize("name", [name for name in catalog.names("model") if not name.startswith("headway")])
def test_weights_are_those_of_the_catalogue(name: str) -> None:
    """The correction biases of DeepSeek's router are the only weights that no matrix or norm counts."""
    stated = catalog.model_preset(name).parameters
    assert shape_of(preset(name)).parameters == pytest.approx(stated, rel=1e-6)
