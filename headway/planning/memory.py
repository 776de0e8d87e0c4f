"""What one device must hold at the worst moment of a step, by part, and whether it fits.

Three moments can be the worst: the end of the forward pass, with all activations and the loss; the start of the
backward pass, with all activations and the first gradients; and the update, with all gradients and no activations.

Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 3 (states, activations, buffers); `activations` and
`operations` for what the engine keeps.
Leaves out: what the operating system and other processes hold.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from headway.planning import activations
from headway.planning.adapters import count_trained, packed_bytes, projections
from headway.planning.device import Processors
from headway.planning.operations import FP32_BYTES, VALUE_BYTES, Workload
from headway.planning.parameters import count_parameters, tensor_groups

MOMENTS = 2
"""AdamW keeps two numbers for each weight. Source: Kingma and Ba 2015 (arXiv:1412.6980), algorithm 1."""

_HEAP_PINNED_SHARE = 0.25
_HEAP_WAITING_SHARE = 0.7
_HEAP_SCATTERED_SHARE = 0.25
"""What the C library's heap holds on a CPU beyond what is in use, as shares.

Moments and waiting gradients are put into space that activations left; they stay, and the next activations need new
space: 0.25 of what stays, as far as there are activations, and 0.7 where gradients wait for further micro-batches of
fp32, whose arrays are of the same sizes. And 0.25 of the activations for holes of the wrong size.
Source: fitted to the twelve shapes of ``benchmarks/plan_accuracy_cpu.py`` and to twelve layouts of
``benchmarks/train_memory.py``: median error 1.1 %, largest 10.3 %.
Leaves out: that recomputation and adapters in fp32 scatter more (benchmarks/RESULTS.md)."""

SPREAD = (0.9, 1.12)
"""80 % interval of the peak around the prediction, as ratios. Provisional: it was chosen, not estimated.

It follows the errors on the runs to which the heap's shares were fitted too."""


@dataclass(frozen=True, kw_only=True)
class MemoryParts:
    """The parts of the peak; they sum to it.

    Attributes:
        parameters_bytes: fp32 weights, and the rounded copies that autograd keeps; frozen weights as they are used.
        gradients_bytes: of the weights.
        optimizer_bytes: AdamW's moments.
        activations_bytes: kept for the backward pass, and what that pass holds for a moment.
        logits_bytes: the chunk of logits and the gradients that the loss leaves.
        communication_bytes: buffers of collectives, and the layers that are gathered at one time.
        reserve_bytes: framework, libraries, allocator; on a CPU the copy of which a checkpoint is written as well.
    """

    parameters_bytes: float = 0.0
    gradients_bytes: float = 0.0
    optimizer_bytes: float = 0.0
    activations_bytes: float = 0.0
    logits_bytes: float = 0.0
    communication_bytes: float = 0.0
    reserve_bytes: float = 0.0

    @property
    def total_bytes(self) -> float:
        """All parts together."""
        return float(sum(getattr(self, field.name) for field in fields(self)))


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The peak of one device.

    Attributes:
        device_peak_bytes: of the device's memory; on a CPU the peak resident set of the training process.
        device_peak_bytes_low: lower end of an 80 % interval.
        device_peak_bytes_high: upper end of it.
        device_allocated_bytes: what tensors take of it; None where it is not told apart.
        device_capacity_bytes: what the device has; None where nobody knows.
        fits: whether the peak fits; None where the capacity is not known.
        moment: ``forward``, ``backward`` or ``update``: when the peak is.
        parts: of the peak.
    """

    device_peak_bytes: float
    device_peak_bytes_low: float
    device_peak_bytes_high: float
    device_allocated_bytes: float | None = None
    device_capacity_bytes: int | None
    fits: bool | None
    moment: str
    parts: MemoryParts


@dataclass(frozen=True, kw_only=True)
class Share:
    """Which share of weights, gradients and moments one of several data-parallel devices holds."""

    degree: int = 1
    shard: str = "none"

    def of(self, count: float, kind: str) -> float:
        """Return this device's part of ``count``; ``kind`` is parameters, gradients or optimizer.

        Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 5.
        """
        sharded = {
            "none": (),
            "optimizer": ("optimizer",),
            "gradients": ("optimizer", "gradients"),
            "parameters": ("optimizer", "gradients", "parameters"),
        }[self.shard]
        return count / self.degree if kind in sharded else count


def plan_memory(
    work: Workload,
    device: Processors,
    share: Share,
    *,
    accumulations: int,
    within_documents: bool = False,
    copied_bytes: float = 0.0,
) -> Memory:
    """Return the peak memory of one device.

    Args:
        work: one micro-batch.
        device: what trains.
        share: how weights, gradients and moments are divided.
        accumulations: micro-batches after the first in a step; with any, all gradients exist during the forward pass.
        within_documents: whether attention needs a mask of documents.
        copied_bytes: of a checkpoint that is written while steps go on; they lie in the same memory.
    """
    moments = _moments(work, share, accumulations, within_documents)
    name = max(moments, key=lambda key: moments[key].total_bytes)
    parts = _with_reserve(moments[name], device, waits=accumulations > 0 and work.dtype == "fp32")
    parts = replace(parts, reserve_bytes=parts.reserve_bytes + copied_bytes)
    peak = parts.total_bytes
    low, high = SPREAD
    capacity = device.capacity_bytes
    return Memory(
        device_peak_bytes=peak,
        device_peak_bytes_low=low * peak,
        device_peak_bytes_high=high * peak,
        device_capacity_bytes=capacity,
        fits=None if capacity is None else peak <= capacity,
        moment=name,
        parts=parts,
    )


def _moments(work: Workload, share: Share, accumulations: int, within_documents: bool) -> dict[str, MemoryParts]:
    trained = float(count_trained(work.model, work.adapters))
    state_bytes = FP32_BYTES * share.of(trained, "parameters")
    gradient_bytes = FP32_BYTES * share.of(trained, "gradients")
    optimizer_bytes = FP32_BYTES * MOMENTS * share.of(trained, "optimizer")
    communication_bytes = _communication_bytes(work, share)
    copies_bytes = 0.0
    if work.adapters is not None:
        # Frozen weights are held as they are used, and need no copies.
        state_bytes += share.of(_frozen_bytes(work), "parameters")
    elif work.dtype != "fp32" and share.shard != "parameters":
        copies_bytes = float(VALUE_BYTES[work.dtype] * activations.weight_copy_parameters(work.model))
    kept = activations.kept_bytes(work) + activations.mask_bytes(work, within_documents=within_documents)
    waiting_bytes = gradient_bytes if accumulations else 0.0

    def parts(copies: float, gradients: float, held: float, logits: float) -> MemoryParts:
        return MemoryParts(
            parameters_bytes=state_bytes + copies,
            gradients_bytes=gradients,
            optimizer_bytes=optimizer_bytes,
            activations_bytes=held,
            logits_bytes=logits,
            communication_bytes=communication_bytes,
        )

    transient = activations.backward_transient_bytes(work)
    return {
        "forward": parts(copies_bytes, waiting_bytes, kept, activations.head_bytes(work)),
        "backward": parts(copies_bytes, waiting_bytes, kept + transient, 0.0),
        "update": parts(0.0, gradient_bytes, 0.0, 0.0),
    }


def _frozen_bytes(work: Workload) -> float:
    """Return what a base takes: its weights as they are used, or those of the layers' projections in 4 bits."""
    assert work.adapters is not None, "asked by the caller"
    value_bytes = VALUE_BYTES[work.dtype]
    whole = float(value_bytes * count_parameters(work.model))
    if not work.adapters.packed:
        return whole
    return whole + sum(
        group.copies * packed_bytes(*group.shape) - value_bytes * group.parameters for group in projections(work.model)
    )


def _communication_bytes(work: Workload, share: Share) -> float:
    """Return the buffers of collectives: two layers in flight where weights are gathered, one reduced gradient."""
    if share.degree == 1:
        return 0.0
    layers = max(work.model.num_hidden_layers, 1)
    per_layer = max(
        sum(
            group.parameters / layers for group in tensor_groups(work.model) if group.part not in ("embedding", "head")
        ),
        1.0,
    )
    largest = max(per_layer, float(work.model.vocab_size * work.model.hidden_size))
    if work.adapters is not None:
        largest = work.adapters.parameters(work.model) / layers
    gathered = 2 * per_layer * VALUE_BYTES[work.dtype] if share.shard == "parameters" else 0.0
    return gathered + largest * FP32_BYTES


def heap_bytes(parts: MemoryParts, *, waits: bool) -> float:
    """Return what the C library's heap holds beyond what is in use.

    Args:
        parts: at the peak.
        waits: whether gradients of fp32 wait for further micro-batches.
    """
    coming = parts.activations_bytes + parts.logits_bytes
    staying = parts.optimizer_bytes + parts.gradients_bytes
    pinned = _HEAP_WAITING_SHARE if waits else _HEAP_PINNED_SHARE
    return pinned * min(staying, coming) + _HEAP_SCATTERED_SHARE * coming


def _with_reserve(parts: MemoryParts, device: Processors, *, waits: bool) -> MemoryParts:
    return replace(parts, reserve_bytes=_process_bytes(device) + heap_bytes(parts, waits=waits))


def _process_bytes(device: Processors) -> float:
    """Return what the process takes before any model: as probed."""
    framework = device.measurements.framework
    if framework is None:
        return 0.0
    return float(framework.training_resident_bytes or framework.resident_bytes)
