import pytest
import torch

from headway.planning import activations
from headway.planning.adapters import Adapters
from headway.planning.operations import Workload
from headway.recipe import ModelConfig, resolve_recipe
from headway.training.adapters import TARGETS
from headway.training.engines.torch import kernels
from headway.training.engines.torch.adapters import AdapterSettings, add_adapters
from headway.training.engines.torch.initial import initialize
from headway.training.engines.torch.model import Linear, Llama
from tests.planning.conftest import TINY

SHAPE = {
    **TINY,
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 96,
    "max_position_embeddings": 64,
}


def kept_by_the_engine(model: Llama, sequences: int, length: int) -> int:
    """Return the bytes of all distinct arrays that autograd keeps, weights and gradients of the loss left out."""
    seen: dict[int, int] = {}
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}

    def pack(array: torch.Tensor) -> torch.Tensor:
        storage = array.untyped_storage()
        if storage.data_ptr() not in own:
            seen[storage.data_ptr()] = storage.nbytes()
        return array

    tokens = torch.randint(0, 96, (sequences, length + 1))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda array: array):
        hidden = model.hidden(tokens[:, :-1])
        assert hidden.requires_grad
        return sum(seen.values())


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("extra", [{}, {"qk_norm": True}], ids=["plain", "qk_norm"])
def test_the_count_is_what_the_engine_keeps(dtype: str, extra: dict[str, bool]) -> None:
    config = ModelConfig.model_validate({**SHAPE, **extra})
    model = Llama(config, {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype])
    initialize(model, 1)
    work = Workload(model=config, sequences=4, sequence_length=64, dtype=dtype)
    # The last norm's result is kept by nobody once the loss is computed.
    predicted = activations.kept_bytes(work)
    if dtype == "bf16":
        predicted += 2 * activations.weight_copy_parameters(config)
    assert kept_by_the_engine(model, 4, 64) == pytest.approx(predicted, rel=0.03)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize("targets", ["all", "attention", "query-value"])
def test_frozen_projections_keep_less(dtype: str, targets: str) -> None:
    config = ModelConfig.model_validate(SHAPE)
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]
    model = Llama(config, kind)
    initialize(model, 1)
    model.to(kind)
    add_adapters(model, AdapterSettings(rank=4, alpha=8.0, targets=TARGETS[targets]))
    for adapter in (module for module in model.modules() if isinstance(module, Linear) and module.adapter_scale):
        torch.nn.init.ones_(adapter.lora_A.weight)
        torch.nn.init.ones_(adapter.lora_B.weight)
    work = Workload(
        model=config, sequences=4, sequence_length=64, dtype=dtype, adapters=Adapters(rank=4, targets=targets)
    )
    kept = kept_by_the_engine(model, 4, 64)
    # Below the first adapter nothing has a gradient, and the small matrices are rounded anew.
    assert kept == pytest.approx(activations.kept_bytes(work), rel=0.08)
    assert kept < activations.kept_bytes(Workload(model=config, sequences=4, sequence_length=64, dtype=dtype)) * 1.05


def test_recomputation_by_hand(tiny: ModelConfig) -> None:
    """Two layers of hidden 4 (q 4, k 2, v 2, o 4), inner 6 (gate, up), down 4; two heads have a number each."""
    assert activations.kept_elements_per_token(one_sequence(tiny, "full")) == (2 * 4, 0)
    selective = 4 + (4 + 2 + 2 + 4) + (6 + 6 + 4) + 4
    assert activations.kept_elements_per_token(one_sequence(tiny, "selective")) == (2 * selective, 2 * 2)
    products = 4 + (2 + 4 + 6) + 4
    assert activations.kept_elements_per_token(one_sequence(tiny, "products")) == (2 * products, 2 * 2)


def one_sequence(model: ModelConfig, recompute: str = "none") -> Workload:
    return Workload(model=model, sequences=1, sequence_length=8, dtype="fp32", recompute=recompute)


def test_a_token_by_hand(tiny: ModelConfig) -> None:
    # Layer: four times hidden 4; q 4, k 2, v 2 and the result 4; three times the inner 6. fp32: two norms, two heads.
    assert activations.kept_elements_per_token(one_sequence(tiny)) == (2 * (16 + 12 + 18), 2 * 4)


def test_other_architectures() -> None:
    def kept(preset: str) -> tuple[int, int]:
        model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
        return activations.kept_elements_per_token(one_sequence(model))

    # GPT-2: 4 x 768 + (3 x 768 + 768) + 2 x 3072 in each of 12 layers.
    assert kept("gpt2")[0] == 12 * (4 * 768 + 4 * 768 + 2 * 3072)
    # Mixtral: each of 2 active experts keeps 3 x 14336 and its own copy of the input.
    assert kept("mixtral-8x7b")[0] == 32 * (4 * 4096 + 2 * 4096 + 2 * 1024 + 2 * (3 * 14336 + 4096))
    assert kept("deepseek-v3")[1] == 61 * (128 + 2 + 2)


def test_the_chunk_is_the_kernels_own() -> None:
    assert activations.HEAD_CHUNK_TOKENS == kernels.CROSS_ENTROPY_CHUNK_TOKENS


def test_masks_cost_only_where_they_are_needed(tiny: ModelConfig) -> None:
    work = Workload(model=tiny, sequences=3, sequence_length=8, dtype="bf16")
    assert activations.mask_bytes(work, within_documents=False) == 0
    assert activations.mask_bytes(work, within_documents=True) == 3 * 64 * (1 + 2 * 2)
    windowed = Workload(
        model=ModelConfig.model_validate({**TINY, "sliding_window": 4}), sequences=3, sequence_length=8, dtype="fp32"
    )
    assert activations.mask_bytes(windowed, within_documents=False) == 64 * (1 + 4 * 2)


def test_the_head_by_hand(tiny: ModelConfig) -> None:
    work = Workload(model=tiny, sequences=2, sequence_length=8, dtype="fp32")
    # Hidden states and their gradient, the weight's gradient, and one chunk with the product that is added to it.
    assert activations.head_bytes(work) == 2 * 16 * 4 * 4 + 160 + 8 * 160 + 160
