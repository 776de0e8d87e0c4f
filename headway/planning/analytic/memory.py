"""What one device must hold at the worst moment of a step under each layout, by part.

Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4 (activations by operation, tensor and sequence
parallelism, recomputation); Rajbhandari et al. 2020 (arXiv:1910.02054), section 5 (sharding); Narayanan et al. 2021
(arXiv:2104.04473), section 2.2 (micro-batches in flight by schedule and stage).
Leaves out: what a program's own code allocates besides (data, metrics, checkpoints).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headway import units
from headway.planning.analytic.activations import (
    layer_bytes,
    logits_bytes,
    output_bytes,
    transient_bytes,
)
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import holdings, stage_layers
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import tokens_of
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.products import EXPERTS_AT_A_TIME
from headway.planning.analytic.reserves import Reserves, buffer_bytes, reserves
from headway.planning.analytic.schedules import V_SHAPED
from headway.planning.analytic.states import States, device_states

Stage = Literal["fullest", "last"]

SMALL_WORKSPACE_BYTES = 12 * units.MIB
LARGE_WORKSPACE_BYTES = 64 * units.MIB
"""What libraries of products keep to work in: 8 MiB of cuBLAS and 4 MiB of Transformer Engine, and 32 MiB of each since
Hopper.

Source: PyTorch documentation, "CUDA semantics", cuBLAS workspaces; Transformer Engine, ``module/base.py``,
``get_cublas_workspace_size_bytes``."""

WORKSPACES = dict.fromkeys(("volta", "ampere", "ada", "ada-consumer"), SMALL_WORKSPACE_BYTES) | dict.fromkeys(
    ("hopper", "blackwell", "blackwell-ultra"), LARGE_WORKSPACE_BYTES
)

LAYERS_NOT_OFFLOADED = 2.0
"""Layers whose activations are on the device while the others' are in the host's memory: the one that is at work, and
the one that is on its way.

Source: Transformer Engine, ``cpu_offload.py``, whose two buffers take turns."""


@dataclass(frozen=True, kw_only=True)
class MemoryParts:
    """Bytes by part, arrays of shape [layouts]; they sum to the peak.

    Attributes:
        parameters_bytes: weights, and those gathered from other devices.
        gradients_bytes: that are kept.
        optimizer_bytes: master copies and moments.
        activations_bytes: of all micro-batches in flight, what a layer's backward pass holds for a moment, and what
            products work in.
        logits_bytes: the logits and the loss's copies of them.
        communication_bytes: buffers of collectives.
        reserve_bytes: the driver's context, and the allocator's holes.
    """

    parameters_bytes: Floats
    gradients_bytes: Floats
    optimizer_bytes: Floats
    activations_bytes: Floats
    logits_bytes: Floats
    communication_bytes: Floats
    reserve_bytes: Floats

    @property
    def total_bytes(self) -> Floats:
        """All parts together: what the driver shows."""
        return np.asarray(sum(getattr(self, field.name) for field in fields(self)))

    @property
    def allocated_bytes(self) -> Floats:
        """What tensors take: all but the reserve and the collectives' own buffers."""
        total: Floats = self.total_bytes - self.reserve_bytes - self.communication_bytes
        return total


def memory(
    job: Job, hardware: Hardware, split: Layouts, *, stage: Stage = "fullest", held: Reserves | None = None
) -> MemoryParts:
    """Return the peak of one device.

    Args:
        job: what is trained.
        hardware: on what.
        split: how.
        stage: of the pipeline: the last, or whichever of the first and the last holds more.
        held: what lies beside tensors; as the catalogue says where None.
    """
    held = reserves() if held is None else held
    states = device_states(job, split, holdings(job, split))
    worst = _worst(job, split, states, stage)
    # Once the gradients are complete, nothing of the passes is left, and the optimizer has the device to itself.
    optimizer = states.optimizer + np.where(worst.is_update, states.update, 0.0)
    activations = np.where(worst.is_update, 0.0, worst.activations) + _workspace(job, hardware)
    logits = np.where(worst.is_update, 0.0, worst.logits)
    allocated = states.parameters + states.gradients + optimizer + activations + logits
    communication = buffer_bytes(held, split)
    # While layers are at work, the update's one large array lies in the allocator's cache, where they cannot use it.
    cached = np.minimum(states.flat_update, worst.activations + worst.logits)
    return MemoryParts(
        parameters_bytes=states.parameters,
        gradients_bytes=states.gradients,
        optimizer_bytes=optimizer,
        activations_bytes=activations,
        logits_bytes=logits,
        communication_bytes=communication,
        reserve_bytes=_reserve(job, hardware, held, allocated + communication, communication, cached),
    )


def moments(job: Job, split: Layouts, *, stage: Stage = "fullest") -> NDArray[np.str_]:
    """Return when in a step each layout's peak is: at the loss, in a layer's backward pass, or in the update."""
    worst = _worst(job, split, device_states(job, split, holdings(job, split)), stage)
    return np.where(worst.is_update, "update", np.where(worst.logits > 0, "forward", "backward"))


@dataclass(frozen=True, kw_only=True)
class _Worst:
    """The worst moment of the passes, and whether the update is worse still."""

    activations: Floats
    logits: Floats
    is_update: NDArray[np.bool_]


def _worst(job: Job, split: Layouts, states: States, stage: Stage) -> _Worst:
    activations, logits = _passes(job, split, tokens_of(job, split), stage)
    return _Worst(activations=activations, logits=logits, is_update=states.update > activations + logits)


def _workspace(job: Job, hardware: Hardware) -> float:
    """Return what products work in; the experts' run on streams of their own, each with a workspace.

    Source: Transformer Engine, ``module/base.py``: ``_NUM_MAX_CUBLAS_STREAMS`` workspaces; each is half of
    `WORKSPACES`, whose other half is cuBLAS's.
    """
    one = WORKSPACES.get(hardware.efficiency.id, 0.0)
    return one * (1 + EXPERTS_AT_A_TIME / 2) if job.shape.experts else one


def _reserve(
    job: Job, hardware: Hardware, held: Reserves, used: Floats, communication: Floats, cached: Floats
) -> Floats:
    """Return the driver's context, and what the allocator holds beside its tensors.

    Before it gives up, the allocator returns cached blocks that nothing is in: it never holds more of them than the
    device has room for. The usual holes stay, since tensors are around them.
    """
    context, usual = held.context(hardware), held.holes(job.kernels) * (used - communication)
    capacity = np.inf if hardware.capacity_bytes is None else float(hardware.capacity_bytes)
    room = np.maximum(capacity - used - context - usual, 0.0)
    return context + usual + np.clip(cached, 0.0, room)


def _passes(job: Job, split: Layouts, tokens: Floats, stage: Stage) -> tuple[Floats, Floats]:
    """Return the activations, and the logits, of a stage at the worst moment of its backward pass.

    The loss is done before the layers' backward pass begins: of the two peaks, the higher one counts. States are the
    same on the first and the last stage, so that the one whose passes take more has the higher peak.
    """
    full, kept = layer_bytes(job, split, tokens)
    layers = _fullest_layers(job, split)
    work = np.where(split.recompute > 0, full - kept, 0.0) + transient_bytes(job, split, tokens)
    logits = logits_bytes(job, split, tokens)
    is_loss = logits > work
    last = _stored(split, kept, _last_in_flight(split, layers)) + tokens * job.shape.hidden * job.numerics.value_bytes
    last, logits = last + np.where(is_loss, 0.0, work), np.where(is_loss, logits, 0.0)
    if stage == "last":
        return last, logits
    in_flight = _in_flight_layers(job, split, layers)
    first = _stored(split, kept, in_flight) + work
    if job.keeps.keeps_outputs:
        first = first + in_flight / layers * output_bytes(job, split, tokens)
    use_last = (split.pipeline == 1) | (last + logits > first)
    return np.where(use_last, last, first), np.where(use_last, logits, 0.0)


def _stored(split: Layouts, kept: Floats, in_flight: Floats) -> Floats:
    """Return what all layers in flight keep on the device; a few layers' share, where the rest goes to the host."""
    stored = in_flight * kept
    return np.where(split.offload_activations > 0, np.minimum(LAYERS_NOT_OFFLOADED * kept, stored), stored)


def _fullest_layers(job: Job, split: Layouts) -> Floats:
    """Return the layers of the stage with the most."""
    layers = stage_layers(job, split)
    if not job.keeps.balances_head:
        return layers
    shape = job.shape
    head = shape.head_matrix_parameters / ((shape.layer_parameters + shape.expert_parameters) / shape.layers)
    weighed = np.minimum(np.ceil((shape.layers + head) / split.pipeline), shape.layers - split.pipeline + 1)
    return np.where(split.pipeline > 1, np.maximum(weighed, layers), layers)


def _in_flight_layers(job: Job, split: Layouts, layers: Floats) -> Floats:
    """Return how many layers' activations the first stage holds at its fullest.

    Source: Narayanan et al. 2021, section 2.2: one forward and one backward in turn keeps as many micro-batches as
    there are stages; interleaving keeps 2 (p - 1) + (v - 1) p + 1 chunks of 1/v of the layers. Qi et al. 2023
    (arXiv:2401.10241), sections 2 and 6: ZB-H1 and ZB-V keep as many as one of each in turn.
    """
    stages, virtual = split.pipeline, split.virtual
    plain = np.minimum(stages, split.micro_batches)
    chunks = np.minimum(2 * (stages - 1) + (virtual - 1) * stages + 1, virtual * split.micro_batches)
    is_interleaved = (virtual > 1) & (job.schedule != V_SHAPED)
    in_flight: Floats = np.maximum(np.where(is_interleaved, chunks / virtual, plain), 1.0) * layers
    return in_flight


def _last_in_flight(split: Layouts, layers: Floats) -> Floats:
    """Return the same for the last stage, which has one micro-batch of the last chunk in work at a time."""
    stages, virtual = split.pipeline, split.virtual
    chunks = np.minimum((virtual - 1) * stages + 1, virtual * split.micro_batches)
    return np.where(virtual > 1, np.maximum(chunks / virtual, 1.0), 1.0) * layers
