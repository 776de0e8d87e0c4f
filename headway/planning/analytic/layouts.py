"""Many ways to split one training over devices, held as arrays of one length."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RECOMPUTE = ("none", "selective", "products", "full")
"""Nothing; what is cheap to do again (scores, norms, activations); that and half of the products; whole layers."""

SHARDS = ("none", "optimizer", "gradients", "parameters")
"""What data-parallel devices divide: ZeRO's stages 0 to 3."""

NONE, FULL = RECOMPUTE.index("none"), RECOMPUTE.index("full")
PARAMETERS = SHARDS.index("parameters")
GRADIENTS = SHARDS.index("gradients")


@dataclass(frozen=True, kw_only=True)
class Layouts:
    """Arrays of shape [layouts]; whole numbers are held as floats, so that formulas need no casts.

    Attributes:
        data: devices that each take a share of the batch; experts are divided among these and the tensor group.
        tensor: devices that share each matrix.
        pipeline: stages.
        virtual: chunks of layers that one stage holds.
        context: devices that share each sequence.
        expert: devices that share the experts of a layer.
        expert_tensor: devices that share each matrix of an expert.
        shard: index into `SHARDS`.
        shard_group: devices among which states are divided; the rest of the data-parallel devices hold copies.
        reshards: 1 where gathered weights are dropped after the forward pass, else 0.
        sequence_parallel: 1 where the tensor group also divides the activations between its products, else 0.
        micro_batch: sequences that go through the model at once.
        micro_batches: of one device group in a step.
        recompute: index into `RECOMPUTE`.
        recompute_share: share of the layers that recompute.
        offload_optimizer: 1 where optimizer states are in the host's memory.
        offload_activations: 1 where what layers keep is in the host's memory.
    """

    data: Floats
    tensor: Floats
    pipeline: Floats
    virtual: Floats
    context: Floats
    expert: Floats
    expert_tensor: Floats
    shard: Floats
    shard_group: Floats
    reshards: Floats
    sequence_parallel: Floats
    micro_batch: Floats
    micro_batches: Floats
    recompute: Floats
    recompute_share: Floats
    offload_optimizer: Floats
    offload_activations: Floats

    def __len__(self) -> int:
        """Return the number of layouts."""
        return len(self.data)

    @property
    def replicas(self) -> Floats:
        """Devices that hold the same weights, were nothing sharded: data times context.

        Source: Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (context-parallel devices hold the same
        weights).
        """
        return self.data * self.context

    @property
    def expert_replicas(self) -> Floats:
        """Devices that hold the same experts.

        Source: Megatron-LM, megatron/core/parallel_state.py (expert-data-parallel groups).
        """
        return np.maximum(self.data * self.context * self.tensor / (self.expert * self.expert_tensor), 1.0)

    def take(self, indices: Any) -> Layouts:
        """Return some of the layouts."""
        return Layouts(**{field.name: getattr(self, field.name)[indices] for field in fields(self)})


DEFAULTS: dict[str, float] = {
    "data": 1, "tensor": 1, "pipeline": 1, "virtual": 1, "context": 1, "expert": 1, "shard": 0, "reshards": 1,
    "micro_batch": 1, "micro_batches": 1, "recompute": 0, "recompute_share": 1, "offload_optimizer": 0,
    "offload_activations": 0,
}  # fmt: skip
"""What a layout has that is not told; the rest follows from these: `layouts` fills it."""


def layouts(**columns: Any) -> Layouts:
    """Return layouts from columns of one length, or single values; what is not given, or None, has its usual value.

    Sequence parallelism goes with tensor parallelism; states are divided among all devices that hold the same weights;
    an expert's matrices are whole where experts are divided, else split like the others.
    """
    given = {
        name: np.atleast_1d(np.asarray(value, dtype=np.float64)) for name, value in columns.items() if value is not None
    }
    length = max((len(value) for value in given.values()), default=1)
    usual = {name: np.asarray([default], dtype=np.float64) for name, default in DEFAULTS.items()}
    full = {name: np.broadcast_to(value, (length,)) for name, value in (usual | given).items()}
    shared = full["tensor"]
    derived = {
        "sequence_parallel": (shared > 1).astype(np.float64),
        "expert_tensor": np.where(full["expert"] > 1, 1.0, shared),
        "shard_group": full["data"] * full["context"],
    }
    return Layouts(**(derived | full))
