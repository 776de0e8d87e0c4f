"""What one device must hold at the worst moment of a step under each layout, by part.

Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4 (activations by operation, tensor and sequence
parallelism, recomputation); Rajbhandari et al. 2020 (arXiv:1910.02054), section 5 (sharding); Narayanan et al. 2021
(arXiv:2104.04473), section 2.2 (micro-batches in flight by schedule and stage).
Leaves out: the optimizer's temporary arrays, which foreach implementations make.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from headway import units
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings, holdings, stage_layers
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layer import tokens_of
from headway.planning.analytic.layouts import GRADIENTS, PARAMETERS, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED, FP32_BYTES

Stage = Literal["fullest", "last"]

CONTEXT_BYTES = 0.75 * units.GIB
"""What a process takes on an accelerator before any tensor: the driver's context and the libraries' kernels."""

COLLECTIVE_BYTES = 0.39 * units.GIB
"""Buffers of one communicator. Source: the catalogue's ``nccl-buffer``."""

BUCKET_BYTES = 0.2e9
"""Of gradients that are about to leave, where they are not kept in one buffer anyway."""

FRAGMENTATION = {"eager": 0.06, "fused": 0.04}
"""Share of what is allocated that a caching allocator holds besides, in holes."""

LOSS_BYTES = {"whole": 12.0, "sharded": 5.0, "chunked": 0.0}
"""Of one logit at the peak, beside the rounded logits: fp32 copies, their logarithms and their gradient."""

CHUNK_TOKENS = 1024.0


@dataclass(frozen=True, kw_only=True)
class MemoryParts:
    """Bytes by part, arrays of shape [layouts]; they sum to the peak.

    Attributes:
        parameters_bytes: weights, and those gathered from other devices.
        gradients_bytes: that are kept.
        optimizer_bytes: master copies and moments.
        activations_bytes: of all micro-batches in flight, and what a layer's backward pass holds for a moment.
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


def memory(job: Job, hardware: Hardware, split: Layouts, *, stage: Stage = "fullest") -> MemoryParts:
    """Return the peak of one device.

    Args:
        job: what is trained.
        hardware: on what.
        split: how.
        stage: of the pipeline: the last, or whichever of the first and the last holds more.
    """
    held = holdings(job, split)
    tokens = tokens_of(job, split)
    if stage == "last":
        return _stage(job, hardware, split, held, tokens, is_last=True)
    first = _stage(job, hardware, split, held, tokens, is_last=False)
    last = _stage(job, hardware, split, held, tokens, is_last=True)
    use_last = (split.pipeline == 1) | (last.total_bytes > first.total_bytes)
    return MemoryParts(
        **{
            field.name: np.where(use_last, getattr(last, field.name), getattr(first, field.name))
            for field in fields(MemoryParts)
        }
    )


def _stage(
    job: Job, hardware: Hardware, split: Layouts, held: Holdings, tokens: Floats, *, is_last: bool
) -> MemoryParts:
    numbers = job.numerics
    states = _states(job, split, held)
    kept = kept_bytes_per_layer(job, split, tokens)
    layers = stage_layers(job, split)
    in_flight = layers if is_last else np.maximum(_in_flight_layers(split, layers), layers * (split.pipeline == 1))
    if is_last:
        in_flight = np.where(split.virtual > 1, np.maximum(_last_in_flight(split, layers), layers), layers)
    full = full_bytes_per_layer(job, split, tokens)
    transient = transient_bytes(job, split, tokens)
    on_device = np.where(split.offload_activations > 0, np.minimum(2 * kept, in_flight * kept), in_flight * kept)
    recomputes = split.recompute > 0
    activations = on_device + np.where(recomputes, full - kept, 0.0) + transient
    logits = np.zeros_like(tokens)
    if is_last:
        logits = logits_bytes(job, split, tokens)
        # The loss is done before the layers' backward pass begins: the two peaks do not add.
        activations = on_device + tokens * job.shape.hidden * numbers.value_bytes
        after = np.where(recomputes, full - kept, 0.0) + transient
        logits = np.maximum(logits, after)
    allocated = states[0] + states[1] + states[2] + activations + logits
    communicates = (hardware.devices > 1) * np.ones_like(tokens)
    groups = 1.0 + (split.tensor > 1) + (split.pipeline > 1) + (split.context > 1) + (split.expert > 1)
    shared = np.where(split.replicas > 1, np.where(split.shard == PARAMETERS, 0.0, BUCKET_BYTES), 0.0)
    return MemoryParts(
        parameters_bytes=states[0],
        gradients_bytes=states[1],
        optimizer_bytes=states[2],
        activations_bytes=activations,
        logits_bytes=logits,
        communication_bytes=communicates * COLLECTIVE_BYTES * np.sqrt(groups) + shared,
        reserve_bytes=CONTEXT_BYTES + FRAGMENTATION[job.kernels] * allocated,
    )


def _states(job: Job, split: Layouts, held: Holdings) -> tuple[Floats, Floats, Floats]:
    """Return weights, gradients and optimizer states of one device."""
    numbers, adapter = job.numerics, job.adapter
    group = split.shard_group
    expert_group = np.minimum(split.expert_replicas, group)
    divides = split.shard == PARAMETERS
    if adapter is None:
        weights = numbers.weight_bytes * (
            held.shared / np.where(divides, group, 1) + held.experts / np.where(divides, expert_group, 1)
        )
        gathered_each = numbers.gathered_bytes
    else:
        table_bytes = numbers.value_bytes
        frozen = held.layers * adapter.base_bytes + held.tables * table_bytes
        weights = frozen / np.where(divides, group, 1) + held.trained_local * numbers.weight_bytes
        gathered_each = numbers.value_bytes
    per_layer = held.layers / np.maximum(stage_layers(job, split), 1.0)
    unit = np.maximum(2 * per_layer, held.tables)
    kept_whole = np.where(split.reshards > 0, unit, held.local)
    gathered = np.where(divides & (group > 1), kept_whole * gathered_each, 0.0)
    # Autocast keeps the rounded copy of a weight until the step ends.
    rounds = (numbers.weight_bytes > numbers.value_bytes) and adapter is None
    rounded = np.where(~divides, held.local * numbers.value_bytes, 0.0) if rounds else 0.0
    trained = held.trained_shared / np.where(split.shard >= GRADIENTS, group, 1) + held.trained_experts / np.where(
        split.shard >= GRADIENTS,
        expert_group,
        1,
    )
    gradients = numbers.gradient_bytes * trained
    if numbers.frees_gradients:
        gradients = numbers.gradient_bytes * 2 * per_layer
    optimizer = np.where(
        split.offload_optimizer > 0, 0.0, (numbers.optimizer_bytes + numbers.update_bytes) * held.updated
    )
    # The last micro-batch's gradients of the layers in work, before they are divided.
    gradients = gradients + np.where(divides & (group > 1), unit * numbers.reduced_bytes * (adapter is None), 0.0)
    return weights + gathered + rounded, gradients, optimizer


def _in_flight_layers(split: Layouts, layers: Floats) -> Floats:
    """Return how many layers' activations the first stage holds at its fullest.

    Source: Narayanan et al. 2021, section 2.2: one forward and one backward in turn keeps as many micro-batches as
    there are stages; interleaving keeps 2 (p - 1) + (v - 1) p + 1 chunks of 1/v of the layers.
    """
    stages, virtual = split.pipeline, split.virtual
    plain = np.minimum(stages, split.micro_batches)
    chunks = np.minimum(2 * (stages - 1) + (virtual - 1) * stages + 1, virtual * split.micro_batches)
    in_flight: Floats = np.where(virtual > 1, chunks / virtual, plain) * layers
    return in_flight


def _last_in_flight(split: Layouts, layers: Floats) -> Floats:
    stages, virtual = split.pipeline, split.virtual
    chunks = np.minimum((virtual - 1) * stages + 1, virtual * split.micro_batches)
    return chunks / virtual * layers


def full_bytes_per_layer(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what one layer keeps of a micro-batch where nothing is recomputed."""
    outside, inside, scores = _elements(job, split, tokens)
    value = job.numerics.value_bytes
    per_token = tokens * (outside / np.where(split.sequence_parallel > 0, split.tensor, 1.0) + inside / split.tensor)
    return per_token * value + scores


def kept_bytes_per_layer(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what one layer keeps of a micro-batch under each layout's recomputation, averaged over the layers."""
    shape, value = job.shape, job.numerics.value_bytes
    outside, inside, scores = _elements(job, split, tokens)
    whole = np.where(split.sequence_parallel > 0, split.tensor, 1.0)
    everything = tokens * (outside / whole + inside / split.tensor) * value + scores
    only_input = tokens * shape.hidden * value / whole
    # Selective: the scores where they exist, else the results of norms and of activation functions.
    light = (shape.hidden * 2 + _inner(job)) * tokens * value
    selective = everything - scores
    if job.attention != "unfused":
        selective = np.maximum(everything - light / split.tensor, only_input)
    attention = (2 * shape.heads + 2 * shape.key_value_heads) * shape.key_width
    products = only_input + tokens * (attention + _inner(job)) * value / split.tensor
    options = np.stack([everything, selective, np.minimum(products, everything), only_input])
    chosen = np.take_along_axis(options, split.recompute.astype(np.intp)[None, :], axis=0)[0]
    kept: Floats = split.recompute_share * chosen + (1 - split.recompute_share) * everything
    return kept


def _inner(job: Job) -> float:
    """Return the width of what one token passes in the MLP, averaged over the layers."""
    shape = job.shape
    sparse = shape.sparse_layers * (shape.shared_inner + shape.chosen_experts * shape.expert_inner)
    return (shape.dense_layers * shape.inner + sparse) / shape.layers


def _elements(job: Job, split: Layouts, tokens: Floats) -> tuple[float, float, Floats]:
    """Return what a layer keeps of one token: elements outside and inside the tensor group's split, and the scores.

    A norm keeps its input and its result is kept as the next product's input; attention keeps queries, keys, values
    and its result; a gated MLP keeps both of its inputs and their product; a plain one its two inner arrays.
    """
    shape = job.shape
    norm = 2.0
    if job.kernels == "eager" and shape.gated:
        # Run one by one, an RMS norm keeps its fp32 input and the normalised values too.
        norm = 4.0
    outside = 2 * norm * shape.hidden
    inside = float(shape.heads * (shape.key_width + shape.value_width))
    inside += shape.key_value_heads * (shape.key_width + shape.value_width)
    if shape.is_latent:
        outside += 2 * shape.latent_width
    if shape.has_head_norms:
        inside += (shape.heads + shape.key_value_heads) * shape.key_width
    copies = 3.0 if job.kernels == "fused" else 4.0
    inside += _inner(job) * (copies if shape.gated else 2.0)
    if shape.experts:
        sparse = shape.sparse_layers / shape.layers
        # Tokens as they were sent to their experts, and what the experts return before it is weighed.
        inside += 2.0 * shape.hidden * shape.chosen_experts * sparse
    if job.numerics.product in BLOCK_SCALED and job.adapter is None:
        # Rounded inputs are kept in place of the 16-bit ones.
        saved = 0.0 if job.numerics.product == "fp8" else 0.25
        inside -= saved * _inner(job)
    if job.dropout:
        outside += shape.hidden
    scores = np.zeros_like(tokens)
    if job.attention == "unfused":
        value = job.numerics.value_bytes
        each = 2 * value + 1 if job.dropout else value
        rows = job.document_length or job.sequence_length
        scores = tokens * rows * shape.heads / split.tensor * each
    else:
        inside += shape.heads * FP32_BYTES / job.numerics.value_bytes
    if job.adapter is not None:
        inside -= _unneeded_inputs(job, job.adapter)
    return outside, inside, scores


def _unneeded_inputs(job: Job, adapter: Adapter) -> float:
    """Return the elements of a token that a layer need not keep: inputs of frozen products without an adapter.

    A frozen weight has no gradient, so that its product's input is kept for an adapter's sake only.
    """
    shape = job.shape
    if adapter.targets == "all":
        return 0.0
    # The MLP's inner product, and its normalised input.
    unneeded = _inner(job) + shape.hidden
    if adapter.targets != "attention":
        unneeded += shape.heads * shape.value_width * 0.0
    return unneeded


def transient_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what the backward pass of one layer holds for a moment: gradients of its widest arrays."""
    shape, value = job.shape, job.numerics.value_bytes
    inner = max(_inner(job), float(shape.inner))
    widest = (2.0 if shape.gated else 1.0) * inner + shape.hidden
    scores = np.zeros_like(tokens)
    if job.attention == "unfused":
        scores = 2 * tokens * (job.document_length or job.sequence_length) * shape.heads / split.tensor * value
    return np.maximum(tokens * widest * value / split.tensor + tokens * shape.hidden * value, scores)


def logits_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return the logits of a micro-batch with the copies that the loss makes of them."""
    rows = np.minimum(tokens, CHUNK_TOKENS) if job.loss == "chunked" else tokens
    extra = 3 * FP32_BYTES if job.loss == "chunked" else LOSS_BYTES[job.loss]
    return rows * job.shape.vocabulary / split.tensor * (job.numerics.value_bytes + extra)
