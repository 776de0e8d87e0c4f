"""Weights, gradients and optimizer states of one device, with the copies that travel and that an update makes.

Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 5 (ZeRO: 16 bytes a weight, divided by stage); Zhao et al.
2023 (arXiv:2304.11277), section 3.3 (FSDP gathers one unit while another computes).
Leaves out: flat arrays' padding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headway.planning.analytic.holdings import Holdings, stage_layers
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import GRADIENTS, PARAMETERS, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED, PRODUCT_BYTES


@dataclass(frozen=True, kw_only=True)
class States:
    """Bytes, arrays of shape [layouts].

    Attributes:
        parameters: weights, and those gathered from other devices or rounded.
        gradients: that are kept, and those on their way to other devices.
        optimizer: master copies and moments.
        update: that the optimizer needs for a moment.
        flat_update: part of it that is one array.
    """

    parameters: Floats
    gradients: Floats
    optimizer: Floats
    update: Floats
    flat_update: Floats


def device_states(job: Job, split: Layouts, held: Holdings) -> States:
    """Return the states of the stage that holds the most."""
    optimizer = np.where(split.offload_optimizer > 0, 0.0, job.numerics.optimizer_bytes * held.updated)
    flat, roots = _update(job, split, held)
    return States(
        parameters=_parameters(job, split, held),
        gradients=_gradients(job, split, held),
        optimizer=optimizer,
        update=flat + roots,
        flat_update=flat,
    )


def _parameters(job: Job, split: Layouts, held: Holdings) -> Floats:
    numbers, adapter = job.numerics, job.adapter
    divides = split.shard == PARAMETERS
    group = np.where(divides, split.shard_group, 1.0)
    expert_group = np.where(divides, np.minimum(split.expert_replicas, split.shard_group), 1.0)
    if adapter is None:
        weights = numbers.weight_bytes * (held.shared / group + held.experts / expert_group)
        gathered_each = numbers.gathered_bytes
    else:
        frozen = held.layers * adapter.base_bytes + held.tables * numbers.value_bytes
        weights = frozen / group + held.trained_local * numbers.weight_bytes
        gathered_each = adapter.base_bytes
    if job.keeps.offloads_weights:
        weights = np.where((split.offload_optimizer > 0) & divides, 0.0, weights)
    kept_whole = np.where(split.reshards > 0, _unit(job, split, held), held.local)
    gathered = np.where(divides & (split.shard_group > 1), kept_whole * gathered_each, 0.0)
    # Autocast keeps the rounded copy of a weight until the step ends.
    rounds = (numbers.weight_bytes > numbers.value_bytes) and adapter is None
    rounded = np.where(~divides, held.local * numbers.value_bytes, 0.0) if rounds else 0.0
    if numbers.product in BLOCK_SCALED and job.keeps.rounds_once and adapter is None:
        whole = np.where(divides & (split.shard_group > 1), np.minimum(kept_whole, held.layers), held.layers)
        rounded = rounded + 2 * PRODUCT_BYTES[numbers.product] * whole
    total: Floats = weights + gathered + rounded
    return total


def _gradients(job: Job, split: Layouts, held: Holdings) -> Floats:
    numbers, keeps = job.numerics, job.keeps
    # A pipeline adds its micro-batches up before it divides the sums (`replicas.replica_rounds`).
    divides = (split.shard == PARAMETERS) | ((split.shard == GRADIENTS) & (split.pipeline == 1))
    group = np.where(divides, split.shard_group, 1.0)
    expert_group = np.where(divides, np.minimum(split.expert_replicas, split.shard_group), 1.0)
    local, own = held.trained_local, held.trained_shared / group + held.trained_experts / expert_group
    if keeps.mixes_frozen:
        local = np.where(split.shard == PARAMETERS, held.local, local)
        own = np.where(split.shard == PARAMETERS, held.local / group, own)
    kept = numbers.gradient_bytes * own
    if numbers.frees_gradients:
        kept = numbers.gradient_bytes * _unit(job, split, held)
    if keeps.offloads_weights:
        kept = np.where((split.offload_optimizer > 0) & (split.shard == PARAMETERS), 0.0, kept)
    # The gradients of the layers in work, before they are divided; or all of them until the last micro-batch, when
    # each is divided in its place.
    leaving = np.minimum(_unit(job, split, held), local)
    if keeps.holds_unsharded_gradients or keeps.accumulates_unsharded:
        whole = (split.micro_batches > 1) & ((split.pipeline > 1) | keeps.accumulates_unsharded)
        whole = whole & (split.shard == PARAMETERS)
        leaving, kept = np.where(whole, local, leaving), np.where(whole, 0.0, kept)
    leaving = np.where((split.shard == PARAMETERS) & (split.shard_group > 1), leaving * numbers.reduced_bytes, 0.0)
    if keeps.rounded_gradients and numbers.gradient_bytes > numbers.value_bytes:
        kept = kept + numbers.value_bytes * held.trained_local
    total: Floats = kept + leaving + numbers.gradient_bytes * _copies(job, split, held)
    return total


def _copies(job: Job, split: Layouts, held: Holdings) -> Floats | float:
    """Return how many gradients are held a second time: in buckets on their way, or in one flat array."""
    keeps = job.keeps
    # FSDP and ZeRO's third stage have flat arrays of their own, and make none.
    flat = np.where(split.shard == PARAMETERS, 0.0, keeps.flat_copies * held.updated)
    if not keeps.bucket_copies and not keeps.bucket_elements:
        return flat
    buckets = np.where(split.shard == 0, keeps.bucket_copies * held.trained_local, 0.0)
    buckets = np.maximum(buckets, np.minimum(keeps.bucket_elements, held.trained_local))
    return flat + np.where((split.replicas > 1) & (split.shard != PARAMETERS), buckets, 0.0)


def _update(job: Job, split: Layouts, held: Holdings) -> tuple[Floats, Floats]:
    """Return what an optimizer writes out for a moment: fp32 copies of gradients, and the roots of second moments."""
    numbers, keeps = job.numerics, job.keeps
    if numbers.frees_gradients:
        return np.zeros_like(held.updated), np.zeros_like(held.updated)
    together = held.updated
    if keeps.update_elements is not None:
        together = np.where(split.shard == PARAMETERS, np.minimum(together, keeps.update_elements), together)
    together = np.where(split.offload_optimizer > 0, 0.0, together)
    return numbers.update_bytes * together, keeps.update_copies * numbers.moment_bytes / 2 * together


def _layer(job: Job, split: Layouts, held: Holdings) -> Floats:
    return held.layers / np.maximum(stage_layers(job, split), 1.0)


def _unit(job: Job, split: Layouts, held: Holdings) -> Floats:
    """Return the weights that are gathered at a time: of one layer in work and the next, or of a table."""
    return np.maximum(2 * _layer(job, split, held), held.tables)
