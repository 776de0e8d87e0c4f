from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.planning.analytic.layouts import FULL
from headway.planning.analytic.legal import legal_layouts
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.wishes import Wishes
from tests.planning.analytic.invented import job, llama, machines

MIXTURE = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2)
ODD_EXPERTS = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=1025)
DEEP = llama(num_hidden_layers=32)


@pytest.mark.parametrize(
    ("rule", "wishes", "devices", "changes"),
    [
        ("heads", Wishes(tensor=3), 6, {}),
        ("devices", Wishes(tensor=8), 12, {}),
        ("devices", Wishes(pipeline=3), 8, {}),
        ("devices", Wishes(context=3), 8, {}),
        ("data", Wishes(data=3, tensor=1), 8, {}),
        ("layers", Wishes(pipeline=8), 8, {}),
        ("tokens", Wishes(tensor=8, context=1), 8, {"sequence_length": 2052}),
        ("tokens", Wishes(tensor=4, context=2), 8, {"sequence_length": 2052}),
        ("sequence", Wishes(context=8), 8, {"sequence_length": 24}),
        ("batch", Wishes(tensor=1, pipeline=1, context=1), 8, {"global_batch_size": 12}),
        ("batch", Wishes(tensor=1, pipeline=1, context=1, micro_batch=3), 8, {}),
        ("experts", Wishes(expert=3), 8, {"model": MIXTURE}),
        ("experts", Wishes(expert=4), 8, {}),
        ("experts", Wishes(expert=1, tensor=8), 8, {"model": ODD_EXPERTS}),
        ("width", Wishes(tensor=8), 8, {"model": llama(intermediate_size=4100)}),
        ("split", Wishes(tensor=1, sequence_parallel=True), 8, {}),
        ("split", Wishes(sequence_parallel=True), 1, {}),
        ("group", Wishes(shard="none", shard_group=8), 8, {}),
        ("group", Wishes(shard="parameters", shard_group=1), 8, {}),
        ("group", Wishes(shard_group=3), 8, {}),
        ("layers", Wishes(pipeline=1, virtual=2), 8, {}),
        ("layers", Wishes(pipeline=4, virtual=2), 8, {}),
        ("layers", Wishes(pipeline=4, virtual=100, tensor=1), 64, {"model": DEEP}),
        ("layers", Wishes(pipeline=4, virtual=3, tensor=1), 64, {"model": DEEP}),
        ("update", Wishes(micro_batch=1), 8, {"numerics": numerics("bf16", "pure", "adamw-in-backward")}),
        (
            "schedule",
            Wishes(pipeline=4, virtual=4, tensor=1, context=1),
            8,
            {"model": llama(num_hidden_layers=16), "global_batch_size": 4},
        ),
    ],
)
def test_what_cannot_be_names_its_rule(rule: str, wishes: Wishes, devices: int, changes: dict[str, object]) -> None:
    found = legal_layouts(job(**changes), machines(devices), wishes)
    assert found.splits is None
    assert found.removed[rule] > 0


@pytest.mark.parametrize(
    ("split", "wish"),
    [("tensor", 2), ("pipeline", 2), ("context", 2), ("chunks", 2), ("experts", 2)],
)
def test_what_a_program_lacks_is_never_planned_and_what_it_avoids_on_request_only(split: str, wish: int) -> None:
    field = {"chunks": "virtual", "experts": "expert"}.get(split, split)
    free = job(MIXTURE)
    wished = Wishes(**{field: wish}, **({"pipeline": 2} if split == "chunks" else {}))  # type: ignore[arg-type]
    assert legal_layouts(free, machines(8), wished).splits is not None
    for lacking in (replace(free, refused=frozenset([split])), replace(free, avoided=frozenset([split]))):
        found = legal_layouts(lacking, machines(8), Wishes())
        assert found.splits is not None
        assert set(getattr(found.splits, field)) == {1}
        assert found.removed["program"] > 0
    refused = legal_layouts(replace(free, refused=frozenset([split])), machines(8), wished)
    assert refused.splits is None
    assert refused.removed["refused"] > 0
    assert legal_layouts(replace(free, avoided=frozenset([split])), machines(8), wished).splits is not None


def test_stages_may_keep_a_program_from_dividing_gradients() -> None:
    lacking = job(refused=frozenset(["stages with gradients"]))
    found = legal_layouts(lacking, machines(8), Wishes()).splits
    assert found is not None
    assert set(found.shard[found.pipeline > 1]) == {0, 1}
    assert set(found.shard[(found.pipeline == 1) & (found.replicas > 1)]) == {0, 1, 2, 3}


def test_tokens_that_do_not_divide_are_not_divided() -> None:
    odd = job(sequence_length=2052)
    found = legal_layouts(odd, machines(8), Wishes(tensor=8, sequence_parallel=False, context=1))
    assert found.splits is not None
    free = legal_layouts(odd, machines(8), Wishes(context=1)).splits
    assert free is not None
    assert free.tensor.max() == 4


def test_an_update_in_the_backward_pass_takes_one_micro_batch() -> None:
    """64 sequences, and as many at once on one device as it has of them, however many that are."""
    freeing = job(numerics=numerics("bf16", "pure", "adamw-in-backward"), global_batch_size=256)
    found = legal_layouts(freeing, machines(2), Wishes()).splits
    assert found is not None
    assert set(found.micro_batches) == {1}
    assert set(found.data * found.micro_batch) == {256}


def test_tensor_parallelism_stays_inside_the_fast_link_unless_it_is_wished() -> None:
    wide = job(llama(num_attention_heads=16, head_dim=64, num_key_value_heads=16))
    found = legal_layouts(wide, machines(16), Wishes())
    assert found.splits is not None
    assert found.splits.tensor.max() == 8
    assert found.removed["link"] > 0
    wished = legal_layouts(wide, machines(16), Wishes(tensor=16))
    assert wished.splits is not None
    assert set(wished.splits.tensor) == {16}


def test_wishes_are_kept() -> None:
    wishes = Wishes(tensor=2, pipeline=2, virtual=2, context=1, shard="optimizer", shard_group=2, micro_batch=4,
                    recompute="full", offload_optimizer=True)  # fmt: skip
    found = legal_layouts(job(), machines(8), wishes).splits
    assert found is not None
    kept = {
        "tensor": 2, "pipeline": 2, "virtual": 2, "context": 1, "data": 2, "shard": 1, "shard_group": 2,
        "micro_batch": 4, "recompute": FULL, "recompute_share": 1, "offload_optimizer": 1,
    }  # fmt: skip
    assert {name: set(getattr(found, name)) for name in kept} == {name: {value} for name, value in kept.items()}


@pytest.mark.parametrize("drops", [True, False])
def test_gathered_weights_are_dropped_as_wished(drops: bool) -> None:
    found = legal_layouts(job(), machines(8), Wishes(shard="parameters", reshards=drops, tensor=1, pipeline=1)).splits
    assert found is not None
    assert set(found.reshards[found.replicas > 1]) == {float(drops)}


def test_states_may_stay_within_a_server() -> None:
    found = legal_layouts(job(), machines(16), Wishes(tensor=1, pipeline=1, context=1, shard="parameters")).splits
    assert found is not None
    assert set(found.shard_group) == {8, 16}


def test_the_last_chunks_may_lack_a_layer() -> None:
    """Llama 3.1 405B: 126 layers on 16 stages, a layer in each chunk but for those of embedding and head."""
    deep = job(llama(num_hidden_layers=126), global_batch_size=16)
    found = legal_layouts(deep, machines(16), Wishes(tensor=1, pipeline=16, context=1)).splits
    assert found is not None
    assert 8.0 in set(found.virtual)
    assert np.all(-126 % (16 * found.virtual[found.virtual > 1]) <= 2)


@pytest.mark.parametrize(("layers", "pipeline", "virtual"), [(32, 4, 8), (126, 16, 8), (126, 2, 63), (5, 2, 3)])
def test_chunks_that_are_asked_for_may_be_as_many_as_the_layers_of_a_stage(layers, pipeline, virtual) -> None:
    wishes = Wishes(tensor=1, context=1, pipeline=pipeline, virtual=virtual)
    found = legal_layouts(job(llama(num_hidden_layers=layers)), machines(pipeline), wishes).splits
    assert found is not None
    assert set(found.virtual) == {virtual}
    twice = replace(wishes, virtual=2 * virtual)
    assert legal_layouts(job(llama(num_hidden_layers=layers)), machines(pipeline), twice).splits is None


def test_a_group_that_is_asked_for_divides_something() -> None:
    several = legal_layouts(job(), machines(8), Wishes(shard_group=8)).splits
    assert several is not None
    assert np.all((several.shard > 0) & (several.shard_group == 8))
    alone = legal_layouts(job(), machines(8), Wishes(shard_group=1)).splits
    assert alone is not None
    assert np.all(alone.shard == 0)


def test_states_that_shall_be_divided_are_wherever_that_is_possible() -> None:
    found = legal_layouts(job(), machines(8), Wishes(shard="optimizer"))
    assert found.splits is not None
    assert np.all((found.splits.shard == 1) & (found.splits.replicas > 1))
    assert found.removed["group"] > 0
    vain = legal_layouts(job(), machines(8), Wishes(shard="optimizer", tensor=8)).splits
    assert vain is not None
    assert np.all(vain.shard == 0)


@settings(max_examples=60, deadline=None)
@given(
    devices=st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16]),
    batch=st.sampled_from([4, 12, 16, 64]),
    layers=st.integers(1, 9),
    experts=st.booleans(),
)
def test_every_legal_layout_uses_all_devices_and_whole_micro_batches(devices, batch, layers, experts) -> None:
    kind = {"architecture": "mixtral", "num_experts": 8, "num_experts_per_tok": 2} if experts else {}
    trained = job(llama(num_hidden_layers=layers, **kind), global_batch_size=batch)
    found = legal_layouts(trained, machines(devices), Wishes()).splits
    if found is None:
        assert batch % devices
        return
    assert np.all(found.data * found.tensor * found.pipeline * found.context == devices)
    assert np.all(found.data * found.micro_batch * found.micro_batches == batch)
    assert np.all(found.pipeline <= layers)
    assert np.all((found.virtual == 1) | (found.micro_batches % found.pipeline == 0))
    assert np.all((found.virtual == 1) | (-layers % (found.pipeline * found.virtual) <= 2))
    if experts:
        assert np.all((8 % found.expert == 0) & (devices / found.pipeline % found.expert == 0))


def test_every_divisor_of_the_share_is_a_micro_batch() -> None:
    """60 sequences on a device: not powers of two only; none beyond 64."""
    trained = job(global_batch_size=480)
    found = legal_layouts(trained, machines(8), Wishes(tensor=1, pipeline=1, context=1)).splits
    assert found is not None
    assert set(found.micro_batch) == {1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60}
    large = legal_layouts(job(global_batch_size=1024), machines(8), Wishes(tensor=1, pipeline=1, context=1)).splits
    assert large is not None
    assert large.micro_batch.max() == 64


def test_every_divisor_is_a_context_degree_that_halves_the_sequence() -> None:
    trained = job(sequence_length=1536, global_batch_size=12)
    found = legal_layouts(trained, machines(12), Wishes(tensor=1, pipeline=1)).splits
    assert found is not None
    assert set(found.context) == {1, 2, 3, 4, 6, 12}


def test_an_experts_matrices_may_be_divided_as_wished() -> None:
    wishes = Wishes(tensor=2, pipeline=1, context=1, expert_tensor=2)
    found = legal_layouts(job(MIXTURE), machines(8), wishes).splits
    assert found is not None
    assert set(found.expert_tensor) == {2}
    assert set(found.expert) == {1, 2, 4}


def test_where_there_are_too_many_sizes_lie_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """480 sequences on 8 devices have 12 micro-batches of up to 60; those at least a quarter apart are nine."""
    trained, wishes = job(global_batch_size=480), Wishes(tensor=1, pipeline=1, context=1)
    everything = legal_layouts(trained, machines(8), wishes)
    assert everything.splits is not None
    assert "many" not in everything.removed
    monkeypatch.setattr("headway.planning.analytic.legal.MAX_LAYOUTS", len(everything.splits) - 1)
    found = legal_layouts(trained, machines(8), wishes)
    assert found.splits is not None
    assert set(found.splits.micro_batch) == {1, 2, 3, 4, 5, 10, 15, 20, 30, 60}
    assert found.removed["many"] == len(everything.splits) - len(found.splits)
    # What is asked for is tried, whatever lies near it.
    wished = legal_layouts(trained, machines(8), replace(wishes, micro_batch=6))
    assert wished.splits is not None
    assert set(wished.splits.micro_batch) == {6}


@pytest.mark.parametrize("batch", [5040, 720720])
def test_no_batch_and_no_number_of_devices_gives_more_than_so_many(batch: int) -> None:
    from headway.planning.analytic.legal import MAX_LAYOUTS

    trained = job(MIXTURE, global_batch_size=batch, sequence_length=5040)
    found = legal_layouts(trained, machines(5040), Wishes()).splits
    assert found is not None
    assert len(found) <= MAX_LAYOUTS
