"""What lies in a device's memory beside tensors: the driver's context, the allocator's holes, collectives' buffers.

Source: the catalogue's constants, each with where it was read, or that it was fitted to published peaks and how.
Leaves out: libraries that a program loads beside its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from headway import units
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.constants import constant

EARLY_GENERATIONS = ("volta", "ampere")


@dataclass(frozen=True, kw_only=True)
class Reserves:
    """Constants of the catalogue; `benchmarks.plan_accuracy` fits the first four without each source in turn.

    Attributes:
        eager_holes: share of what is allocated that a caching allocator holds besides, where operations run one by one.
        fused_holes: the same where chains of operations are one kernel, which come and go less.
        context_bytes: what a process takes on a device before any tensor.
        early_context_bytes: the same on the first generations with tensor cores, which load all kernels at once.
        pair_buffer_bytes: what one communicator of two devices keeps.
        buffer_bytes: what one communicator of more keeps.
    """

    eager_holes: float
    fused_holes: float
    context_bytes: float
    early_context_bytes: float
    pair_buffer_bytes: float
    buffer_bytes: float

    def holes(self, kernels: str) -> float:
        """Return the share of what is allocated that lies in holes."""
        return self.eager_holes if kernels == "eager" else self.fused_holes

    def context(self, hardware: Hardware) -> float:
        """Return what a process takes on a device before any tensor: the driver's context and the libraries' kernels.

        Source: Hugging Face, "Model training anatomy": 1.3 GB for the kernels alone; CUDA C++ Programming Guide, "Lazy
        Loading": since CUDA 11.7, only those that are used.
        """
        return self.early_context_bytes if hardware.efficiency.id in EARLY_GENERATIONS else self.context_bytes


@cache
def reserves() -> Reserves:
    """Return the constants of the catalogue."""
    return Reserves(
        eager_holes=constant("allocator-holes-eager"),
        fused_holes=constant("allocator-holes-fused"),
        context_bytes=constant("device-context") * units.GIB,
        early_context_bytes=constant("device-context-early") * units.GIB,
        pair_buffer_bytes=constant("nccl-buffer-2-ranks") * units.MIB,
        buffer_bytes=constant("nccl-buffer") * units.MIB,
    )


def group_sizes(split: Layouts) -> tuple[Floats, ...]:
    """Return the sizes of the groups that a device exchanges data in; those of one device are none."""
    return split.replicas, split.tensor, split.pipeline, split.context, split.expert


def buffer_bytes(held: Reserves, split: Layouts) -> Floats:
    """Return the buffers that the collectives' own library keeps outside the allocator, of all communicators.

    Each group that a device belongs to is a communicator with buffers of its own.
    Source: NCCL documentation, "Creating a communicator" and ``NCCL_BUFFSIZE``.
    Leaves out: that larger groups may have more channels, and that buffers can be shared.
    """
    total: Floats = np.zeros_like(split.data)
    for size in group_sizes(split):
        one = np.where(size > 2, held.buffer_bytes, held.pair_buffer_bytes)
        total = total + np.where(size > 1, one, 0.0)
    return total
