"""The processes of one training: who they are, how they are arranged, and what they tell each other.

Tensor parallelism is innermost, since its devices talk the most; then come the devices that divide states, their
copies, and the stages of the pipeline. Source: Narayanan et al. 2021 (arXiv:2104.04473), section 3.5.
"""

from __future__ import annotations

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from headway.errors import TrainingError
from headway.planning.choice import Layout
from headway.training.place import RENDEZVOUS, Place

AXES = ("pipeline", "replica", "shard", "tensor")

TIMEOUT = timedelta(minutes=10)


class Ranks:
    """The processes of one training.

    Args:
        layout: how the work is split.
        place: of this process.
        device: what it computes on.

    Raises:
        TrainingError: the layout is for another number of processes.
    """

    def __init__(self, layout: Layout, place: Place, device: torch.device) -> None:
        self.layout, self.place, self.device = layout, place, device
        data, tensor, pipeline = (
            layout.data_parallel_degree,
            layout.tensor_parallel_degree,
            layout.pipeline_parallel_degree,
        )
        if data * tensor * pipeline != place.size:
            raise TrainingError("training-world-size", layout=data * tensor * pipeline, size=place.size)
        self._group = layout.shard_group_size if layout.shard != "none" else 1
        self.mesh: DeviceMesh | None = None
        if place.size > 1:
            _join(place, device)
            shape = (pipeline, data // self._group, self._group, tensor)
            self.mesh = init_device_mesh(device.type, shape, mesh_dim_names=AXES)

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes for all of them."""
        return self.place.rank == 0

    @property
    def data_rank(self) -> int:
        """Which share of the batch this process takes."""
        return self._coordinate("replica") * self._group + self._coordinate("shard")

    @property
    def stage(self) -> int:
        """Its place in the pipeline."""
        return self._coordinate("pipeline")

    def axis(self, *names: str) -> DeviceMesh:
        """Return the mesh of one axis or several."""
        assert self.mesh is not None
        return self.mesh[names if len(names) > 1 else names[0]]

    def sum(self, value: torch.Tensor, *axes: str) -> torch.Tensor:
        """Return the sum of a value over the processes of some axes; over all processes where none is named."""
        if self.mesh is None:
            return value
        total = value.clone()
        if not axes:
            dist.all_reduce(total)
            return total
        for axis in axes:
            dist.all_reduce(total, group=self.mesh.get_group(axis))
        return total

    def close(self) -> None:
        """Leave the others."""
        if self.mesh is not None:
            dist.destroy_process_group()

    def _coordinate(self, axis: str) -> int:
        return 0 if self.mesh is None else self.mesh.get_local_rank(axis)


def _join(place: Place, device: torch.device) -> None:
    if dist.is_initialized():
        return
    backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(
        backend,
        init_method=os.environ.get(RENDEZVOUS, "env://"),
        rank=place.rank,
        world_size=place.size,
        timeout=TIMEOUT,
    )
