"""The operations of a micro-batch as it is trained: with frozen weights beside adapters, and with recomputation.

`operations` lists what happens where all weights are trained and everything is kept; here is what changes. The list
mirrors ``headway/training/engines/torch`` (``adapters.py``, ``recomputing.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headway.planning.adapters import adapters_of, packed_bytes, projections
from headway.planning.operations import VALUE_BYTES, Operation, Workload, micro_batch_operations, operation_name
from headway.recipe import Recipe

_FROZEN_PROJECTION = 1 / 2
"""Of a projection's two products in the backward pass, the one that gives its input's gradient."""
_FROZEN_HEAD = 2 / 3
"""Of the output projection's three products: the logits, and the gradient of the hidden states."""

_COMPUTED_AGAIN = {
    "none": (),
    "selective": ("norm", "rotary", "gated", "add"),
    "products": ("norm", "rotary", "gated", "add", "linear", "expand"),
    "full": ("norm", "rotary", "gated", "add", "linear", "attention", "expand"),
}
"""Kinds of operations of a layer that the backward pass repeats."""

_KEPT_PRODUCTS = ("k_proj", "o_proj", "up_proj")
"""Where every second product is kept, those: q k v o, gate up down."""
_LAST_PRODUCT = "down_proj"
"""Never repeated: the backward pass needs its input, and not its result."""


def workload_of(recipe: Recipe, sequences: int, recompute: str) -> Workload:
    """Return what one device does in a micro-batch of a recipe's training.

    Args:
        recipe: the resolved recipe.
        sequences: of one micro-batch.
        recompute: what the backward pass computes again.
    """
    return Workload(
        model=recipe.model,
        sequences=sequences,
        sequence_length=recipe.training.sequence_length,
        dtype=recipe.training.precision,
        is_compiled=recipe.training.compile,
        adapters=adapters_of(recipe.training),
        recompute=recompute,
    )


def operations_of(work: Workload) -> tuple[Operation, ...]:
    """Return the operations of one micro-batch, forward and backward, with adapters and recomputation as it says.

    Leaves out: that the first layer's input has no gradient where the embedding is frozen, and that norms have none
    for their frozen weights.
    """
    operations = micro_batch_operations(work)
    if work.adapters is not None:
        operations = (*_with_frozen_weights(operations), *_adapters(work))
        if work.adapters.packed:
            operations = (*operations, *_expansions(work))
    return (*operations, *_computed_again(work, operations))


def _with_frozen_weights(operations: tuple[Operation, ...]) -> Iterator[Operation]:
    for operation in operations:
        if operation.kind == "linear" and operation.passes == "backward":
            yield _part(operation, _FROZEN_PROJECTION)
        elif operation.kind == "head" and operation.passes == "forward":
            yield _part(operation, _FROZEN_HEAD)
        elif operation.kind != "embedding" or operation.passes == "forward":
            yield operation


def _part(operation: Operation, share: float) -> Operation:
    return replace(operation, share=share, flops=share * operation.flops, moved_bytes=share * operation.moved_bytes)


def _adapters(work: Workload) -> Iterator[Operation]:
    """Yield both products of each adapter, the scaling of their result, and its sum with the projection's own."""
    assert work.adapters is not None, "asked by the caller"
    value_bytes, rank = VALUE_BYTES[work.dtype], work.adapters.rank
    models = {operation.name: operation for operation in micro_batch_operations(work) if operation.kind == "linear"}
    for group in work.adapters.groups(work.model):
        base = replace(models[operation_name(group)], share=1.0, runs_as=None)
        rows, inputs, outputs = base.shape
        for end, (wide, narrow) in {"lora_A": (inputs, rank), "lora_B": (rank, outputs)}.items():
            flops = 2.0 * rows * wide * narrow
            moved = float(value_bytes) * (rows * (wide + narrow) + wide * narrow)
            product = replace(
                base, name=f"{base.name}.{end}", shape=(rows, wide, narrow), flops=flops, moved_bytes=moved,
                passes="forward",
            )  # fmt: skip
            yield product
            yield replace(product, passes="backward", flops=2 * flops, moved_bytes=2 * moved)
        moved = 3.0 * value_bytes * rows * outputs
        join = replace(
            base, name=f"{base.name}.join", kind="add", part="elementwise", shape=(rows, outputs), flops=0.0,
            moved_bytes=moved, launches=1, passes="forward", repeats=2 * base.repeats,
        )  # fmt: skip
        yield join
        yield replace(join, passes="backward")


def _expansions(work: Workload) -> Iterator[Operation]:
    """Yield what brings each frozen projection out of its 4 bits, in either pass."""
    for group in projections(work.model):
        rows, columns = group.shape
        moved = float(packed_bytes(rows, columns) + VALUE_BYTES[work.dtype] * rows * columns)
        forward = Operation(
            name=f"{operation_name(group)}.expand", part=group.part, kind="expand", passes="forward",
            dtype=work.dtype, shape=(rows, columns), flops=0.0, moved_bytes=moved, launches=1, repeats=group.copies,
        )  # fmt: skip
        yield forward
        yield replace(forward, passes="backward", runs_as="forward")


def _computed_again(work: Workload, operations: tuple[Operation, ...]) -> Iterator[Operation]:
    again = _COMPUTED_AGAIN[work.recompute]
    for operation in operations:
        if operation.passes != "forward" or operation.kind not in again or _is_kept(work.recompute, operation.name):
            continue
        yield replace(operation, passes="backward", runs_as="forward")


def _is_kept(level: str, name: str) -> bool:
    projection = name.partition(".lora_")[0].removesuffix(".expand")
    return projection.endswith(_LAST_PRODUCT) or (level == "products" and projection.endswith(_KEPT_PRODUCTS))
