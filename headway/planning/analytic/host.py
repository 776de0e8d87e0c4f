"""What the host takes to start the operations of all layers, which a device must wait for where it is faster.

Source: NVIDIA, "Getting Started with CUDA Graphs" (a start costs microseconds, whatever it starts); the catalogue's
``host-operations`` entries.
Leaves out: that a host runs ahead of its device from one layer to the next, but as `pace` has it for a whole pass.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import Layouts
from headway.planning.analytic.products import Passes, has_adapter
from headway.planning.constants import constant

_DIRECTIONS = ("forward", "backward")

HOST_OPERATIONS = {
    kernels: tuple(constant(f"host-operations-{kernels}-{direction}") for direction in _DIRECTIONS)
    for kernels in ("eager", "fused")
}
"""Operations that the host starts for one layer, forward and backward."""

ADAPTER_OPERATIONS = tuple(constant(f"host-operations-adapter-{direction}") for direction in _DIRECTIONS)
"""The same for each projection with an adapter."""

EXPERT_OPERATIONS = tuple(constant(f"host-operations-expert-{direction}") for direction in _DIRECTIONS)
"""The same for each expert of a device."""


def host_times(job: Job, hardware: Hardware, split: Layouts) -> Passes:
    """Return the host's time to start the operations of all layers, forward and backward: none in a captured graph."""
    if job.captures_graphs:
        return np.zeros_like(split.tensor), np.zeros_like(split.tensor)
    factor = hardware.losses.expert_host_factor if job.shape.experts else 1.0
    local = job.shape.experts / split.expert * job.shape.sparse_layers
    adapted = 0.0
    if job.adapter is not None:
        adapted = sum(has_adapter(job.adapter, matrix) * matrix.layers for matrix in job.shape.dense)
    forward, backward = (
        hardware.efficiency.host_seconds * (factor * job.shape.layers * count + adapted * extra + local * each)
        for count, extra, each in zip(HOST_OPERATIONS[job.kernels], ADAPTER_OPERATIONS, EXPERT_OPERATIONS, strict=True)
    )
    return forward, backward
