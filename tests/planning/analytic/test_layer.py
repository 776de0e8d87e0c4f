from dataclasses import replace

import numpy as np
import pytest

from headway.planning.analytic.job import Adapter
from headway.planning.analytic.layer import pass_times, tokens_of
from headway.planning.analytic.layouts import FULL, RECOMPUTE, layouts
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.products import has_adapter, local_key_value_heads, local_product
from headway.planning.flops import forward_flops_per_token
from tests.planning.analytic.invented import job, llama, machines

MIXTURE = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=2048)


def test_tokens_of_a_device() -> None:
    assert tokens_of(job(), layouts(micro_batch=4, context=2))[0] == 4 * 2048 / 2


def test_projections_take_what_their_flops_take() -> None:
    """Products so large that no tail counts reach half of the peak, less the filling of the pipeline."""
    found = pass_times(job(), machines(wave_outputs=1.0), layouts(micro_batch=4))
    flops = forward_flops_per_token(job().model, 2048)
    ideal = 4 * 2048 * (flops.attention_projections + flops.mlp) / (0.5 * 1e15)
    assert found.forward["projections"][0] == pytest.approx(ideal, rel=0.13)
    assert found.forward["projections"][0] > ideal
    assert found.backward["projections"][0] == pytest.approx(2 * found.forward["projections"][0], rel=0.1)


def test_tensor_parallelism_divides_the_products() -> None:
    split = layouts(tensor=[1, 2], micro_batch=4)
    rows, inputs, outputs, copies = local_product(job(), split, job().shape.dense[0], tokens_of(job(), split))
    assert job().shape.dense[0].name.endswith("q_proj")
    assert (list(rows), list(inputs), list(outputs), copies) == ([8192, 8192], [1024, 1024], [1024, 512], 1)
    down = next(matrix for matrix in job().shape.dense if matrix.name.endswith("down_proj"))
    assert list(local_product(job(), split, down, tokens_of(job(), split))[1]) == [4096, 2048]


def test_key_heads_are_copied_where_devices_are_more() -> None:
    """Two key heads of 128 on eight devices: each device projects to a whole one, and not to a quarter of it."""
    few = job(llama(num_key_value_heads=2))
    split = layouts(tensor=[1, 2, 8], micro_batch=1)
    key = next(matrix for matrix in few.shape.dense if matrix.name.endswith("k_proj"))
    assert list(local_product(few, split, key, tokens_of(few, split))[2]) == [256, 128, 128]
    assert list(local_key_value_heads(few, split)) == [2, 1, 1]
    query = next(matrix for matrix in few.shape.dense if matrix.name.endswith("q_proj"))
    assert list(local_product(few, split, query, tokens_of(few, split))[2]) == [1024, 512, 128]


def test_a_layer_of_experts_has_more_operations_to_start() -> None:
    slow = machines(host_seconds=1e-3)
    dense, mixed = (pass_times(trained, slow, layouts(micro_batch=1)) for trained in (job(), job(MIXTURE)))
    assert dense.host_forward[0] == pytest.approx(4 * 20e-3)
    # Half as many again, and six of each of eight experts.
    assert mixed.host_forward[0] == pytest.approx(4 * (1.5 * 20e-3 + 8 * 6e-3))


def test_experts_see_their_share_of_the_tokens() -> None:
    mixed = job(MIXTURE)
    split = layouts(data=4, expert=[1, 4], micro_batch=1)
    rows, _, _, copies = local_product(mixed, split, mixed.shape.routed[0], tokens_of(mixed, split))
    # 2,048 tokens choose 2 of 8 experts: 512 rows each; over four devices, four times as many for a quarter of them.
    assert list(rows) == [512, 2048]
    assert list(np.asarray(copies)) == [8, 2]


def test_recomputation_adds_a_forward_pass() -> None:
    split = layouts(micro_batch=1, recompute=range(len(RECOMPUTE)))
    found = pass_times(job(), machines(), split)
    forward = found.layers_forward
    assert found.again[0] == 0
    assert list(found.again) == sorted(found.again)
    assert found.again[FULL] == pytest.approx(forward[FULL])
    half = pass_times(job(), machines(), layouts(micro_batch=1, recompute=FULL, recompute_share=0.5))
    assert half.again[0] == pytest.approx(forward[0] / 2)


def test_unfused_attention_is_slower_and_its_scores_are_cheap_to_do_again() -> None:
    split = layouts(micro_batch=1, recompute=1)
    fused, unfused = (pass_times(job(attention=kind), machines(), split) for kind in ("fused", "unfused"))
    assert unfused.forward["attention"][0] > fused.forward["attention"][0]
    assert unfused.again[0] == pytest.approx(unfused.forward["attention"][0])
    tuned = pass_times(job(attention="tuned"), machines(), split)
    assert tuned.forward["attention"][0] == pytest.approx(fused.forward["attention"][0] / 2)


def test_frozen_products_have_no_gradient_of_their_weights() -> None:
    adapter = Adapter(rank=16, targets="query-value")
    split = layouts(micro_batch=4)
    full = pass_times(job(), machines(), split)
    adapted = pass_times(job(adapter=adapter), machines(), split)
    share = adapted.backward["projections"][0] / full.backward["projections"][0]
    assert 0.5 < share < 0.75
    expanded = pass_times(job(adapter=replace(adapter, base_bytes=0.5, expands=True)), machines(), split)
    assert expanded.forward["projections"][0] > adapted.forward["projections"][0]


def test_targets_of_adapters() -> None:
    names = {matrix.name.rsplit(".", 1)[-1]: matrix for matrix in job().shape.dense}

    def chosen(targets: str) -> set[str]:
        adapter = Adapter(rank=8, targets=targets)  # type: ignore[arg-type]
        return {name for name, matrix in names.items() if has_adapter(adapter, matrix)}

    assert chosen("all") == set(names)
    assert chosen("attention") == {"q_proj", "k_proj", "v_proj", "o_proj"}
    assert chosen("fused-qkv") == {"q_proj", "k_proj", "v_proj"}
    assert chosen("query-value") == {"q_proj", "v_proj"}


def test_rounding_takes_time_and_only_where_there_is_any() -> None:
    split = layouts(micro_batch=4, micro_batches=[1, 8])
    plain = pass_times(job(), machines(), split)
    rounded = pass_times(job(numerics=numerics("fp8", "master")), machines(), split)
    assert plain.forward["rounding"][0] == 0
    # Weights are rounded once in a step, so that many micro-batches share it.
    assert rounded.forward["rounding"][0] > rounded.forward["rounding"][1] > 0
    assert rounded.forward["projections"][0] < plain.forward["projections"][0]


def test_the_host_starts_more_where_nothing_is_fused() -> None:
    hosts = machines(host_seconds=1e-5)
    split = layouts(micro_batch=1)
    eager, fused = (pass_times(job(kernels=kind), hosts, split) for kind in ("eager", "fused"))
    assert eager.host_forward[0] > fused.host_forward[0] > 0
    assert pass_times(job(captures_graphs=True), hosts, split).host_forward[0] == 0
    adapted = pass_times(job(adapter=Adapter(rank=8)), hosts, split)
    assert adapted.host_forward[0] > fused.host_forward[0]


def test_passes_of_some_layouts() -> None:
    split = layouts(micro_batch=[1, 2, 4])
    found = pass_times(job(), machines(), split)
    assert found.take([2]).layers_forward[0] == found.layers_forward[2]
    assert found.take([2]).head_backward[0] == found.head_backward[2]
