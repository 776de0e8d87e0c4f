import pytest

from headway.planning.analytic.holdings import adapter_parameters, holdings, stage_layers
from headway.planning.analytic.job import Adapter
from headway.planning.analytic.layouts import layouts
from tests.planning.analytic.invented import job, llama

LAYER = 4 * 1024**2 + 3 * 1024 * 4096
"""Matrices of one layer; its two norms come besides."""

NORMS = 2 * 1024
TABLE = 32000 * 1024


def test_one_device_holds_the_model() -> None:
    held = holdings(job(), layouts())
    # The last norm counts as one of the layers'.
    assert held.local[0] == 4 * (LAYER + NORMS) + 1024 + 2 * TABLE
    assert held.updated[0] == held.trained_local[0] == held.local[0]


def test_tensor_parallelism_divides_matrices_and_not_norms() -> None:
    held = holdings(job(), layouts(tensor=4))
    assert held.local[0] == pytest.approx(LAYER + 4 * NORMS + 1024 + 2 * TABLE / 4)


def test_a_stage_holds_one_table_of_the_two() -> None:
    held = holdings(job(), layouts(pipeline=2))
    assert held.tables[0] == TABLE
    assert held.layers[0] == pytest.approx(2 * (LAYER + NORMS) + 512)


@pytest.mark.parametrize(("layers", "stages", "virtual", "fullest"), [(4, 2, 1, 2), (7, 2, 1, 4), (7, 2, 2, 4)])
def test_the_fullest_stage(layers: int, stages: int, virtual: int, fullest: float) -> None:
    found = stage_layers(job(llama(num_hidden_layers=layers)), layouts(pipeline=stages, virtual=virtual))
    assert found[0] == fullest


def test_a_division_may_count_the_tables_as_layers() -> None:
    """6 layers and 2 tables in 4 stages: the first has the embedding and one layer, as BLOOM's 70 were divided."""
    model = llama(num_hidden_layers=6)
    counts = job(model, counts_tables=True)
    assert list(stage_layers(counts, layouts(pipeline=[1, 4]))) == [6, 1]
    assert list(stage_layers(job(model), layouts(pipeline=[1, 4]))) == [6, 2]


def test_experts_are_divided_among_their_devices() -> None:
    mixture = job(llama(architecture="mixtral", intermediate_size=1024, num_experts=8, num_experts_per_tok=2))
    whole, divided = holdings(mixture, layouts(data=4, expert=[1, 4])).experts
    assert whole == 4 * 8 * 3 * 1024 * 1024 == 4 * divided


def test_the_optimizer_updates_a_share_of_what_is_divided() -> None:
    plain, divided, within = holdings(job(), layouts(data=8, shard=[0, 1, 1], shard_group=[8, 8, 4])).updated
    assert plain == 8 * divided == 4 * within


def test_adapters_of_a_llama_by_hand() -> None:
    """Hu et al. 2021, section 4.1: rank times (inputs + outputs) for each target."""
    shape = job().shape
    attention = 4 * (1024 + 1024)
    mlp = 3 * (1024 + 4096)
    assert adapter_parameters(shape, Adapter(rank=8, targets="all")) == 4 * 8 * (attention + mlp)
    assert adapter_parameters(shape, Adapter(rank=8, targets="attention")) == 4 * 8 * attention
    assert adapter_parameters(shape, Adapter(rank=16, targets="query-value")) == 4 * 16 * attention / 2
    assert adapter_parameters(shape, Adapter(rank=16, targets="fused-qkv")) == 4 * 16 * attention * 3 / 4


def test_adapters_of_llama_2_7b_as_published() -> None:
    """litgpt's table of resources prints 4,194,304 trained weights for rank 8 on queries and values."""
    model = llama(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32, num_attention_heads=32,
                  num_key_value_heads=32)  # fmt: skip
    assert adapter_parameters(job(model).shape, Adapter(rank=8, targets="query-value")) == 4_194_304


def test_only_adapters_are_trained_unless_tables_are_too() -> None:
    frozen = holdings(job(adapter=Adapter(rank=8)), layouts())
    tables = holdings(job(adapter=Adapter(rank=8, trains_embeddings=True)), layouts())
    assert frozen.trained_local[0] == adapter_parameters(job().shape, Adapter(rank=8))
    assert tables.trained_local[0] - frozen.trained_local[0] == 2 * TABLE
    assert frozen.trained_experts[0] == 0


def test_experts_are_updated_by_those_that_hold_the_same_ones() -> None:
    """Of 8 devices, 4 share the experts: only 2 hold the same ones, and divide their update."""
    mixture = job(llama(architecture="mixtral", intermediate_size=1024, num_experts=8, num_experts_per_tok=2))
    held = holdings(mixture, layouts(data=8, expert=4, shard=1))
    assert held.updated[0] == pytest.approx(held.shared[0] / 8 + held.experts[0] / 2)
