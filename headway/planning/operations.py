"""The operations of one training step of a model: how often each runs, its arithmetic and the memory it moves.

One list serves every device: an accelerator prices an operation by its FLOPs and bytes, a CPU by what the probe
measured of the very same operation. The list mirrors ``headway/training/engines/torch``.

Shape of each kind: ``linear`` (rows, inputs, outputs); ``attention`` (sequences, heads, key-value heads, positions,
head channels); ``head`` (rows, inputs, vocabulary); ``embedding`` (rows, channels, vocabulary); all others (rows,
channels).

Source: counted from ``headway/training/engines/torch``, kernel by kernel; Kaplan et al. 2020 (arXiv:2001.08361),
section 2.1 (products).
Leaves out: views, which start nothing on a processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Literal

from headway.planning.adapters import Adapters
from headway.planning.flops import attended_keys
from headway.planning.parameters import TensorGroup, tensor_groups
from headway.recipe.model import ModelConfig

Kind = Literal[
    "linear", "attention", "head", "embedding", "norm", "rotary", "gated", "add", "accumulate", "update", "expand"
]
Pass = Literal["forward", "backward", "update"]

FP32_BYTES = 4
"""Of a binary32 number. Source: IEEE 754-2019, section 3.6."""

VALUE_BYTES = {"fp32": 4, "bf16": 2}
"""Bytes of one activation by precision; weights, gradients and moments are fp32 in either."""

ATTENTION_BACKWARD_FACTOR = 2.5
"""Fused attention recomputes the scores in its backward pass: five products against two.

Source: Dao 2023 (arXiv:2307.08691), section 4.1."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation, with everything that decides how long it takes.

    Attributes:
        name: what it is for, such as ``mlp.gate_proj``.
        part: the part of the step that its time is booked to.
        kind: which kernel runs.
        passes: forward, backward, or the update that ends a step.
        dtype: of the arithmetic.
        shape: see the module.
        flops: of one execution.
        moved_bytes: read and written by one execution.
        launches: kernels that one execution starts, when nothing is fused.
        repeats: executions in each micro-batch (forward, backward) or in each step (update).
        runs_as: the pass whose kernel runs; None where it is ``passes``.
        share: of that kernel's products that run.
    """

    name: str
    part: str
    kind: Kind
    passes: Pass
    dtype: str
    shape: tuple[int, ...]
    flops: float
    moved_bytes: float
    launches: int
    repeats: int
    runs_as: Pass | None = None
    share: float = 1.0


@dataclass(frozen=True)
class Traffic:
    """How an elementwise kernel touches its elements: passes in the activations' dtype, in fp32, and casts between."""

    plain: float = 0
    fp32: float = 0
    casts: float = 0
    launches: int = 1

    def bytes_per_element(self, dtype: str) -> float:
        """Return the bytes moved for one element; a cast between equal types is none."""
        value_bytes = VALUE_BYTES[dtype]
        cast_bytes = 0 if value_bytes == FP32_BYTES else value_bytes + FP32_BYTES
        return self.plain * value_bytes + self.fp32 * FP32_BYTES + self.casts * cast_bytes


EAGER: dict[str, tuple[Traffic, Traffic]] = {
    "norm": (Traffic(plain=2, fp32=3, casts=2, launches=7), Traffic(fp32=12, casts=3, launches=11)),
    "rotary": (Traffic(plain=5, launches=6), Traffic(plain=5, launches=6)),
    "gated": (Traffic(plain=5, launches=2), Traffic(plain=11, launches=4)),
    "add": (Traffic(plain=3), Traffic(plain=3)),
}
"""Forward and backward traffic of the engine's kernels (``kernels.py``), one pass for each array read or written."""

FUSED: dict[str, tuple[Traffic, Traffic]] = {
    "norm": (Traffic(plain=2), Traffic(plain=3)),
    "rotary": (Traffic(plain=2), Traffic(plain=2)),
    "gated": (Traffic(plain=3), Traffic(plain=5)),
    "add": (Traffic(plain=0), Traffic(plain=0)),
}
"""The same where a compiler fuses each chain into one kernel: every input read once, every output written once."""

LOGITS_EAGER = Traffic(plain=1, fp32=7, casts=1, launches=8)
"""Of one logit: log-softmax, exponential, scaling and masking in place, and the cast of the gradient."""
LOGITS_FUSED = Traffic(plain=2, launches=2)


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What one device does in one micro-batch.

    Attributes:
        model: the shape.
        sequences: of one micro-batch.
        sequence_length: tokens of each.
        dtype: ``fp32`` or ``bf16``.
        is_compiled: whether elementwise chains are fused.
        adapters: that are trained beside frozen weights; None where all weights are trained.
        recompute: what the backward pass computes again: none, selective, products or full.
    """

    model: ModelConfig
    sequences: int
    sequence_length: int
    dtype: str
    is_compiled: bool = False
    adapters: Adapters | None = None
    recompute: str = "none"

    @property
    def tokens(self) -> int:
        """Tokens of one micro-batch."""
        return self.sequences * self.sequence_length


def micro_batch_operations(work: Workload) -> tuple[Operation, ...]:
    """Return the operations of one micro-batch, forward and backward, where all weights are trained and all is kept.

    `steps.operations_of` says what changes with adapters and with recomputation.
    Leaves out: the routing and the exchange of tokens in a mixture of experts.
    """
    return (
        *_embedding(work),
        *_projections(work),
        *_attention(work),
        *_elementwise(work),
        *_head(work),
    )


def update_operations(parameters: int, *, accumulations: int) -> tuple[Operation, ...]:
    """Return what ends a step: adding up the gradients of further micro-batches, their norm, and AdamW.

    Args:
        parameters: that this device updates.
        accumulations: micro-batches after the first.
    """
    shape = (parameters, 1)
    bytes_each = float(FP32_BYTES * parameters)
    operations = [
        # AdamW reads weight, gradient and two moments and writes all but the gradient; the norm reads the gradient, and
        # clipping reads and writes it.
        Operation(
            name="adamw", part="optimizer", kind="update", passes="update", dtype="fp32", shape=shape,
            flops=0.0, moved_bytes=10 * bytes_each, launches=3, repeats=1,
        )
    ]  # fmt: skip
    if accumulations:
        operations.append(
            Operation(
                name="accumulate", part="optimizer", kind="accumulate", passes="update", dtype="fp32", shape=shape,
                flops=0.0, moved_bytes=3 * bytes_each, launches=1, repeats=accumulations,
            )
        )  # fmt: skip
    return tuple(operations)


def _pair(
    work: Workload,
    name: str,
    part: str,
    kind: Kind,
    shape: tuple[int, ...],
    *,
    flops: tuple[float, float] = (0.0, 0.0),
    moved: tuple[float, float],
    launches: tuple[int, int] = (1, 1),
    repeats: int,
    backward_repeats: int | None = None,
) -> Iterator[Operation]:
    passes: tuple[Pass, Pass] = ("forward", "backward")
    counts = (repeats, repeats if backward_repeats is None else backward_repeats)
    for index in (0, 1):
        yield Operation(
            name=name,
            part=part,
            kind=kind,
            passes=passes[index],
            dtype=work.dtype,
            shape=shape,
            flops=flops[index],
            moved_bytes=moved[index],
            launches=launches[index],
            repeats=counts[index],
        )


def _embedding(work: Workload) -> Iterator[Operation]:
    model, rows = work.model, work.tokens
    elements, table = float(rows * model.hidden_size), float(model.vocab_size * model.hidden_size)
    cast = Traffic(casts=1).bytes_per_element(work.dtype)
    forward = elements * (2 * FP32_BYTES + cast)
    backward = elements * (3 * FP32_BYTES + cast) + table * 2 * FP32_BYTES
    shape = (rows, model.hidden_size, model.vocab_size)
    yield from _pair(
        work, "embedding", "embedding", "embedding", shape, moved=(forward, backward), launches=(2, 3), repeats=1
    )


def _projections(work: Workload) -> Iterator[Operation]:
    value_bytes = VALUE_BYTES[work.dtype]
    for group in tensor_groups(work.model):
        if len(group.shape) != 2 or group.part not in ("attention", "mlp", "router"):
            continue
        outputs, inputs = group.shape[::-1] if work.model.architecture == "gpt2" else group.shape
        # A routed expert sees its share of the tokens.
        rows = max(1, round(work.tokens * Fraction(group.active_copies, max(group.copies, 1))))
        weight = float(prod(group.shape))
        activations = float(value_bytes) * rows * (inputs + outputs)
        cast = weight * Traffic(casts=1).bytes_per_element(work.dtype)
        flops = 2.0 * rows * weight
        yield from _pair(
            work, operation_name(group), group.part if group.part != "router" else "mlp", "linear",
            (rows, inputs, outputs),
            flops=(flops, 2 * flops),
            moved=(activations + weight * value_bytes + cast, 2 * (activations + weight * value_bytes) + cast),
            launches=(1, 2) if cast == 0 else (2, 3),
            repeats=group.copies,
        )  # fmt: skip


def operation_name(group: TensorGroup) -> str:
    """Return what the product with a projection is called."""
    name = group.name.removesuffix(".weight")
    return name.replace("model.layers.{layer}.", "").replace("transformer.h.{layer}.", "")


def _attention(work: Workload) -> Iterator[Operation]:
    model = work.model
    # The head's output is as wide as its values; MLA's narrower values make its attention cheaper than counted here.
    channels = model.head_dim
    if model.kv_lora_rank is not None:
        channels = (model.qk_nope_head_dim or model.head_dim) + (model.qk_rope_head_dim or 0)
    heads, groups = model.num_attention_heads, model.num_key_value_heads
    keys = attended_keys(model, work.sequence_length, causal=True)
    flops = 4.0 * work.tokens * heads * channels * keys
    arrays = float(VALUE_BYTES[work.dtype]) * work.tokens * channels * (2 * heads + 2 * groups)
    yield from _pair(
        work, "attention", "attention", "attention",
        (work.sequences, heads, groups, work.sequence_length, channels),
        flops=(flops, ATTENTION_BACKWARD_FACTOR * flops), moved=(arrays, 2 * arrays), launches=(1, 2),
        repeats=model.num_hidden_layers,
    )  # fmt: skip


def _elementwise(work: Workload) -> Iterator[Operation]:
    model, rows, layers = work.model, work.tokens, work.model.num_hidden_layers
    hidden = model.hidden_size

    def touch(
        name: str, kind: Kind, shape: tuple[int, int], repeats: int, part: str, backward: int | None = None
    ) -> Iterator[Operation]:
        forward_traffic, backward_traffic = (FUSED if work.is_compiled else EAGER)[kind]
        elements = float(prod(shape))
        moved = (
            elements * forward_traffic.bytes_per_element(work.dtype),
            elements * backward_traffic.bytes_per_element(work.dtype),
        )
        launches = (forward_traffic.launches, backward_traffic.launches)
        return _pair(
            work, name, part, kind, shape, moved=moved, launches=launches, repeats=repeats, backward_repeats=backward
        )

    yield from touch("norm", "norm", (rows, hidden), 2 * layers + 1, "elementwise")
    # Backward adds: the residual path twice a layer, the shared input of q, k and v twice, that of gate and up once.
    yield from touch("residual", "add", (rows, hidden), 2 * layers, "elementwise", backward=5 * layers)
    for heads in (model.num_attention_heads, model.num_key_value_heads):
        if model.qk_norm:
            yield from touch("qk_norm", "norm", (rows * heads, model.head_dim), layers, "elementwise")
        if model.architecture != "gpt2":
            yield from touch("rotary", "rotary", (rows * heads, model.head_dim), layers, "elementwise")
    for inner, share, copies in _gates(model):
        yield from touch("gate", "gated", (max(1, round(rows * share)), inner), copies, "elementwise")


def _gates(model: ModelConfig) -> Iterator[tuple[int, Fraction, int]]:
    """Yield the width of each kind of MLP, the share of tokens that one copy sees, and the number of copies."""
    for group in tensor_groups(model):
        name = group.name.removesuffix(".weight")
        if len(group.shape) != 2 or not name.endswith(("up_proj", "mlp.c_fc")):
            continue
        inner = group.shape[1] if model.architecture == "gpt2" else group.shape[0]
        yield inner, Fraction(group.active_copies, max(group.copies, 1)), group.copies


def _head(work: Workload) -> Iterator[Operation]:
    model, rows = work.model, work.tokens
    weight, logits = float(model.vocab_size * model.hidden_size), float(rows * model.vocab_size)
    value_bytes = VALUE_BYTES[work.dtype]
    traffic = LOGITS_FUSED if work.is_compiled else LOGITS_EAGER
    forward = (
        logits * (traffic.bytes_per_element(work.dtype) + 3 * value_bytes)
        + 3 * weight * FP32_BYTES
        + 3.0 * rows * model.hidden_size * value_bytes
    )
    backward = 2.0 * rows * model.hidden_size * value_bytes + 3 * weight * FP32_BYTES
    # All three products run in the forward pass, where the logits are at hand.
    yield from _pair(
        work, "head", "head", "head", (rows, model.hidden_size, model.vocab_size),
        flops=(6.0 * rows * weight, 0.0), moved=(forward, backward), launches=(traffic.launches + 4, 3), repeats=1,
    )  # fmt: skip
