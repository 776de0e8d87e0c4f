from collections.abc import Iterable

import pytest

from headway.planning.adapters import Adapters
from headway.planning.operations import Operation, Workload, micro_batch_operations
from headway.planning.steps import operations_of
from headway.recipe import ModelConfig

ALL = Adapters(rank=3, targets="all")


def work_of(model: ModelConfig, **rest: object) -> Workload:
    return Workload(model=model, sequences=2, sequence_length=8, dtype="fp32", **rest)  # type: ignore[arg-type]


def count(operations: Iterable[Operation], passes: str, kind: str = "linear") -> float:
    return sum(one.flops * one.repeats for one in operations if (one.passes, one.kind) == (passes, kind))


def test_all_trained_and_all_kept_is_the_plain_list(tiny: ModelConfig) -> None:
    work = work_of(tiny)
    assert operations_of(work) == micro_batch_operations(work)


def test_frozen_projections_have_no_gradient(tiny: ModelConfig) -> None:
    plain = micro_batch_operations(work_of(tiny))
    tuned = operations_of(work_of(tiny, adapters=ALL))
    # 16 tokens, rank 3, two layers: 2 x 16 x 3 x (inputs + outputs) of q k v o gate up down.
    adapters = 2 * 16 * ALL.parameters(tiny)
    assert count(tuned, "forward") == count(plain, "forward") + adapters
    assert count(tuned, "backward") == count(plain, "backward") / 2 + 2 * adapters
    assert count(tuned, "forward", "head") == pytest.approx(count(plain, "forward", "head") * 2 / 3)
    assert not [one for one in tuned if one.kind == "embedding" and one.passes == "backward"]


def test_adapters_only_where_they_are_asked_for(tiny: ModelConfig) -> None:
    tuned = operations_of(work_of(tiny, adapters=Adapters(rank=3, targets="query-value")))
    adapted = {one.name.partition(".lora_")[0] for one in tuned if ".lora_" in one.name}
    assert adapted == {"self_attn.q_proj", "self_attn.v_proj"}


@pytest.mark.parametrize(
    ("level", "products", "attention"),
    # Of two layers with q k v o of 4 x (4, 2, 2, 4) and gate and up of 4 x 6 weights; down is never repeated.
    [("selective", 0, 0), ("products", 2 * (16 + 8 + 24), 0), ("full", 2 * (16 + 8 + 8 + 16 + 24 + 24), 1)],
)
def test_what_is_not_kept_is_repeated(tiny: ModelConfig, level: str, products: int, attention: int) -> None:
    plain, again = operations_of(work_of(tiny)), operations_of(work_of(tiny, recompute=level))
    assert count(again, "forward") == count(plain, "forward")
    assert count(again, "backward") - count(plain, "backward") == 2 * 16 * products
    more = count(again, "backward", "attention") - count(plain, "backward", "attention")
    assert more == attention * count(plain, "forward", "attention")
    repeated = again[len(plain) :]
    assert {one.runs_as for one in repeated} == {"forward"}
    assert {"norm", "rotary", "gated"} <= {one.kind for one in repeated}


def test_a_base_in_4_bits_is_expanded_in_either_pass(tiny: ModelConfig) -> None:
    """Seven projections of two layers; recomputation expands all but the last of a layer once more."""
    packed = Adapters(rank=3, targets="all", packed=True)
    plain, tuned = operations_of(work_of(tiny, adapters=ALL)), operations_of(work_of(tiny, adapters=packed))
    expansions = [operation for operation in tuned if operation.kind == "expand"]
    assert [operation for operation in tuned if operation.kind != "expand"] == list(plain)
    assert sum(operation.repeats for operation in expansions) == 2 * 7 * 2
    # q maps 4 to 4: two bytes a row of codes, one constant and four bytes of scale, and sixteen numbers written.
    (first, *_) = expansions
    assert (first.shape, first.moved_bytes) == ((4, 4), 4 * (2 + 1 + 4) + 16 * 4)
    again = operations_of(work_of(tiny, adapters=packed, recompute="full"))
    assert sum(operation.repeats for operation in again if operation.kind == "expand") == 2 * (7 + 7 + 6)
