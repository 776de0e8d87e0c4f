"""What layers and the loss keep, against the published formulas and by hand."""

from dataclasses import replace

import pytest

from headway.planning.analytic.activations import (
    full_bytes_per_layer,
    inner_width,
    kept_bytes_per_layer,
    logits_bytes,
    output_bytes,
    transient_bytes,
)
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.keeping import COMPILED, EAGER, HAND_FUSED
from headway.planning.analytic.layer import tokens_of
from headway.planning.analytic.layouts import FULL, Layouts, layouts
from headway.planning.analytic.numerics import numerics
from headway.recipe.model import ModelConfig
from headway.training.engines.torch.kernels import CROSS_ENTROPY_CHUNK_TOKENS
from tests.planning.analytic.invented import array, habits, job, llama

HIDDEN, HEADS, LENGTH = 1024, 16, 512


def gpt() -> ModelConfig:
    return ModelConfig.model_validate(
        {
            "architecture": "gpt2", "hidden_size": HIDDEN, "intermediate_size": 4 * HIDDEN, "num_hidden_layers": 4,
            "num_attention_heads": HEADS, "num_key_value_heads": HEADS, "vocab_size": 512,
            "max_position_embeddings": LENGTH, "head_dim": HIDDEN // HEADS,
        }
    )  # fmt: skip


def korthikanti(**changes: object) -> Job:
    content: dict[str, object] = {"sequence_length": LENGTH, "attention": "unfused", "dropout": True, **changes}
    return job(gpt(), **content)  # type: ignore[arg-type]


def per_layer(trained: Job, split: Layouts) -> tuple[float, float]:
    tokens = tokens_of(trained, split)
    return (
        float(full_bytes_per_layer(trained, split, tokens)[0]),
        float(kept_bytes_per_layer(trained, split, tokens)[0]),
    )


def test_a_gpt_layer_keeps_34_sbh_and_5_ass_b() -> None:
    """Korthikanti et al. 2022, table 2, first row."""
    b = 3
    s, h, a = LENGTH, HIDDEN, HEADS
    full, kept = per_layer(korthikanti(), layouts(micro_batch=b))
    assert full == kept == 34 * s * b * h + 5 * a * s * s * b


@pytest.mark.parametrize("t", [2, 4, 8])
def test_tensor_parallelism_divides_24_of_the_34(t: int) -> None:
    """Korthikanti et al. 2022, table 2: s b h (10 + 24 / t) + 5 a s^2 b / t; with sequences divided, all by t."""
    s, h, a = LENGTH, HIDDEN, HEADS
    plain, _ = per_layer(korthikanti(), layouts(tensor=t, sequence_parallel=0))
    divided, _ = per_layer(korthikanti(), layouts(tensor=t, sequence_parallel=1))
    assert plain == pytest.approx(s * h * (10 + 24 / t) + 5 * a * s * s / t)
    assert divided == pytest.approx((34 * s * h + 5 * a * s * s) / t)


def test_recomputation_of_the_scores_leaves_34_sbh() -> None:
    """Korthikanti et al. 2022, table 2: selective recomputation keeps 34 s b h / t, full recomputation 2 s b h."""
    s, h = LENGTH, HIDDEN
    _, selective = per_layer(korthikanti(), layouts(tensor=2, recompute=1))
    _, full = per_layer(korthikanti(), layouts(recompute=FULL))
    assert selective == pytest.approx(34 * s * h / 2)
    assert full == 2 * s * h


def test_a_share_of_the_layers_may_recompute() -> None:
    full, _ = per_layer(korthikanti(), layouts())
    _, kept = per_layer(korthikanti(), layouts(recompute=FULL, recompute_share=0.25))
    assert kept == pytest.approx(0.75 * full + 0.25 * 2 * LENGTH * HIDDEN)


def test_a_fused_llama_layer_by_hand() -> None:
    """Of width h: 2 norms of 2, queries, keys, values and result 4, three arrays of 4 h; 4 bytes a head for softmax."""
    full, _ = per_layer(job(keeps=HAND_FUSED), layouts())
    assert full == 2048 * (2 * 1024 * (4 + 4 + 3 * 4) + 8 * 4)


@pytest.mark.parametrize(
    ("keeps", "arrays"),
    [
        (EAGER, 2 * 4 + 4 + 4 * 4),
        (COMPILED, 2 * 2 + 4 + 2 * 4),
        (habits("litgpt"), 2 * 5 + 6 + 4 * 4),
        (habits("headway"), 2 * 2 + 4 + 3 * 4),
        (habits("headway", compiled=True), 2 * 2 + 4 + 2 * 4),
    ],
)
def test_programs_keep_what_their_operations_need(keeps: object, arrays: float) -> None:
    """Eager: fp32 input (2), normalised, result; four arrays in the gate. Compiled: two and no product of the gate."""
    full, _ = per_layer(job(keeps=keeps), layouts())
    assert full == 2048 * (2 * 1024 * arrays + 8 * 4)


def test_repeated_keys_are_as_wide_as_the_queries() -> None:
    grouped = llama(num_key_value_heads=2)
    shared, _ = per_layer(job(grouped, keeps=HAND_FUSED), layouts())
    repeated, _ = per_layer(job(grouped, keeps=replace(HAND_FUSED, repeats_keys=True)), layouts())
    assert repeated - shared == 2048 * 2 * 6 * (128 + 128)


def test_keys_and_values_are_copied_beyond_their_heads() -> None:
    """Two key heads on 2, 4 and 8 devices: each of 4 or 8 has one whole head, and the query heads go on dividing."""
    grouped = job(llama(num_key_value_heads=2), keeps=HAND_FUSED)
    split = layouts(tensor=[2, 4, 8])
    two, four, eight = full_bytes_per_layer(grouped, split, tokens_of(grouped, split))
    everything = 2 * 1024 * (4 + 2 + 3 * 4) + 8 * 4
    keys = 2 * 2 * (128 + 128)
    assert [two, four, eight] == pytest.approx([2048 * (everything / t + keys / 2) for t in (2, 4, 8)])
    products = kept_bytes_per_layer(grouped, layouts(tensor=4, recompute=2), array(2048))
    assert products[0] == pytest.approx(2048 * 2 * (1024 / 4 + 2 * 1024 / 4 + 2 * 256 / 2 + 4096 / 4))


@pytest.mark.parametrize("product", ["bf16", "fp8", "mxfp8", "nvfp4"])
def test_products_only_never_keeps_more_than_selective(product: str) -> None:
    trained = job(keeps=HAND_FUSED, numerics=numerics(product, "master"))
    split = layouts(recompute=[0, 1, 2, 3])
    kept = kept_bytes_per_layer(trained, split, tokens_of(trained, split))
    assert sorted(kept, reverse=True) == list(kept)


def test_results_of_attention_may_be_kept_in_two_orders() -> None:
    """nanotron turns them before the product: one array of width h more, but for a single sequence."""
    split = layouts(micro_batch=[1, 4], tensor=2)
    plain, turns = (
        full_bytes_per_layer(job(keeps=keeps), split, tokens_of(job(), split))
        for keeps in (HAND_FUSED, replace(HAND_FUSED, turned_results=1.0))
    )
    assert list(turns - plain) == [0, 4 * 2048 * 2 * 1024 / 2]


def test_gathered_inputs_are_not_divided() -> None:
    """nanotron keeps the inputs of both divided products whole: 2 arrays of width h, of which others keep a t-th."""
    split, nanotron = layouts(tensor=4), habits("nanotron")
    gathers, _ = per_layer(job(keeps=nanotron), split)
    again, _ = per_layer(job(keeps=replace(nanotron, gathers_inputs=False)), split)
    assert gathers - again == pytest.approx(2048 * 2 * 1024 * 2 * 3 / 4)


def test_frozen_products_keep_no_input() -> None:
    """Adapters on queries and values only: no normalised values, no input of the MLP (h) and no result of its gate."""
    full, _ = per_layer(job(keeps=EAGER), layouts())
    frozen, _ = per_layer(job(keeps=EAGER, adapter=Adapter(rank=8, targets="query-value")), layouts())
    assert full - frozen == 2048 * 2 * 1024 * (2 + 1 + 4)
    everywhere, _ = per_layer(job(keeps=EAGER, adapter=Adapter(rank=8, targets="all")), layouts())
    assert full - everywhere == 2048 * 2 * 1024 * 2
    careless = replace(EAGER, keeps_frozen_inputs=True)
    kept, _ = per_layer(job(keeps=careless, adapter=Adapter(rank=8, targets="query-value")), layouts())
    assert kept == everywhere


def test_experts_keep_tokens_as_sent_as_sorted_and_as_returned() -> None:
    dense = job(llama(intermediate_size=2048), keeps=HAND_FUSED)
    mixture = job(
        llama(architecture="mixtral", intermediate_size=1024, num_experts=8, num_experts_per_tok=2), keeps=HAND_FUSED
    )
    assert inner_width(mixture) == inner_width(dense) == 2048
    difference = per_layer(mixture, layouts())[0] - per_layer(dense, layouts())[0]
    assert difference == 2048 * 2 * 3 * 1024 * 2


def test_fp32_softmax_of_unfused_attention_is_kept_twice() -> None:
    plain, _ = per_layer(job(attention="unfused", keeps=replace(EAGER, score_bytes=None)), layouts())
    eager, _ = per_layer(job(attention="unfused", keeps=EAGER), layouts())
    assert eager - plain == (6 - 2) * 8 * 2048 * 2048


@pytest.mark.parametrize(
    ("loss", "each"), [("whole", 14), ("sharded", 7), ("chunked", 14 / 8), ("rounded", 8), ("compiled", 4)]
)
def test_logits_at_the_peak(loss: str, each: float) -> None:
    split = layouts(micro_batch=2, tensor=4)
    trained = job(loss=loss)
    held = logits_bytes(trained, split, tokens_of(trained, split))
    assert held[0] == 2 * 2048 * 32000 / 4 * each


def test_headways_own_loss_takes_512_rows_at_a_time() -> None:
    trained, split = job(loss="chunked", keeps=habits("headway")), layouts(micro_batch=[1, 8])
    held = logits_bytes(trained, split, tokens_of(trained, split))
    assert list(held) == [512 * 32000 * 14] * 2
    assert habits("headway").chunk_tokens == CROSS_ENTROPY_CHUNK_TOKENS


def test_context_parallelism_divides_the_tokens() -> None:
    split = layouts(context=[1, 4])
    tokens = tokens_of(job(), split)
    sent = output_bytes(job(), split, tokens)
    assert sent[0] == 2048 * 1024 * 2 == 4 * sent[1]


def test_a_quantised_weight_is_expanded_for_its_product() -> None:
    split = layouts()
    plain, expands = (job(adapter=Adapter(rank=8, base_bytes=0.5, expands=expands)) for expands in (False, True))
    tokens = tokens_of(plain, split)
    assert transient_bytes(expands, split, tokens)[0] - transient_bytes(plain, split, tokens)[0] == 1024 * 4096 * 2


def test_fp32_values_are_twice_as_wide() -> None:
    half, _ = per_layer(job(), layouts())
    precise, _ = per_layer(job(numerics=numerics("fp32", "fp32")), layouts())
    softmax = 2048 * 8 * 4
    assert precise - softmax == pytest.approx(2 * (half - softmax))


def test_latent_attention_keeps_what_it_compressed() -> None:
    """Compressed queries (64), keys and values (32) and rotary keys (16), before and after a norm."""
    latent = {
        "architecture": "deepseek_v3", "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 512,
        "num_shared_experts": 1, "first_k_dense_replace": 4, "q_lora_rank": 64, "kv_lora_rank": 32,
        "qk_nope_head_dim": 96, "qk_rope_head_dim": 16, "v_head_dim": 128,
    }  # fmt: skip
    full, _ = per_layer(job(llama(**latent), keeps=HAND_FUSED), layouts())
    attention = 8 * 2 * (112 + 128) + 2 * (64 + 32 + 16)
    assert full == 2048 * (2 * (4 * 1024 + attention + 3 * 4096) + 8 * 4)


def test_normalised_queries_and_keys_keep_their_inputs() -> None:
    plain, _ = per_layer(job(keeps=EAGER), layouts())
    normed, _ = per_layer(job(llama(architecture="qwen3", qk_norm=True), keeps=EAGER), layouts())
    assert normed - plain == 2048 * 2 * 2 * 8 * 128 * 3


def test_selective_recomputation_beside_fused_attention() -> None:
    """The results of two norms (2 h) and of the gate (4 h) are made again."""
    full, kept = per_layer(job(keeps=HAND_FUSED), layouts(recompute=1))
    assert full - kept == 2048 * 2 * 1024 * (2 + 4)


def test_results_of_products_only() -> None:
    """A layer's input, queries, keys, values and the result of attention, and one array of the MLP's width."""
    _, kept = per_layer(job(keeps=HAND_FUSED), layouts(recompute=2))
    assert kept == 2048 * 2 * 1024 * (1 + 4 + 4)


@pytest.mark.parametrize(("product", "share"), [("fp8", 0.5), ("mxfp8", 0.5), ("nvfp4", 0.25)])
def test_rounded_inputs_take_the_place_of_16_bit_ones(product: str, share: float) -> None:
    """Two norms' results and the gate's; the result of attention is kept once more."""
    plain, _ = per_layer(job(keeps=HAND_FUSED), layouts())
    rounded, _ = per_layer(job(keeps=HAND_FUSED, numerics=numerics(product, "master")), layouts())
    assert plain - rounded == pytest.approx(2048 * 2 * 1024 * ((2 + 4) * (1 - share) - share))
    compiled = job(keeps=COMPILED, numerics=numerics(product, "master"))
    assert per_layer(compiled, layouts()) == per_layer(job(keeps=COMPILED), layouts())
