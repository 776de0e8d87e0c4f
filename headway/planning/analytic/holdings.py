"""Which weights one device holds, trains and updates.

Source: Shoeybi et al. 2019 (arXiv:1909.08053), section 3 (tensor parallelism); Narayanan et al. 2021
(arXiv:2104.04473), section 2.2 (stages); Lepikhin et al. 2020 (arXiv:2006.16668), section 3.2 (experts); Rajbhandari et
al. 2020 (arXiv:1910.02054), section 5 (states).
Leaves out: padding of matrices and tables that do not divide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.products import has_adapter
from headway.planning.analytic.shape import Shape


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """Numbers of weights on the device of a stage that holds the most, arrays of shape [layouts].

    Attributes:
        shared: weights that every data-parallel device needs.
        experts: weights of routed experts.
        trained_shared: those of `shared` that are trained.
        trained_experts: those of `experts` that are trained.
        updated: weights that this device's optimizer updates.
        layers: weights of the layers of a stage, experts included.
        tables: weights of embedding and head of the stages that hold them (the larger of the two where they are apart).
    """

    shared: Floats
    experts: Floats
    trained_shared: Floats
    trained_experts: Floats
    updated: Floats
    layers: Floats
    tables: Floats

    @property
    def local(self) -> Floats:
        """All weights that a device computes with."""
        return self.shared + self.experts

    @property
    def trained_local(self) -> Floats:
        """Weights with gradients."""
        return self.trained_shared + self.trained_experts


def holdings(job: Job, split: Layouts) -> Holdings:
    """Return the weights of the stage that holds the most of them."""
    shape = job.shape
    stage = stage_layers(job, split) / shape.layers
    layer_weights = (shape.layer_parameters - shape.small_parameters) / split.tensor + shape.small_parameters
    shared_layers = layer_weights * stage
    experts = shape.expert_parameters / (split.expert * split.expert_tensor) * stage
    apart = np.maximum(shape.table_parameters, shape.head_matrix_parameters)
    together = shape.table_parameters + shape.head_parameters
    tables = np.where(split.pipeline > 1, apart, together) / split.tensor
    shared = shared_layers + tables
    if job.adapter is None:
        trained_shared, trained_experts = shared, experts
    else:
        count = adapter_parameters(shape, job.adapter)
        trained_shared = count / split.tensor * stage
        if job.adapter.trains_embeddings:
            trained_shared = trained_shared + tables
        trained_experts = np.zeros_like(experts)
    dense_group = np.where(split.shard >= 1, split.shard_group, 1.0)
    expert_group = np.where(split.shard >= 1, np.minimum(split.expert_replicas, split.shard_group), 1.0)
    return Holdings(
        shared=shared,
        experts=experts,
        trained_shared=trained_shared,
        trained_experts=trained_experts,
        updated=trained_shared / dense_group + trained_experts / expert_group,
        layers=shared_layers + experts,
        tables=tables,
    )


def stage_layers(job: Job, split: Layouts) -> Floats:
    """Return the layers of the fullest stage; where tables count as layers, of the first."""
    layers = float(job.shape.layers)
    chunks = split.pipeline * split.virtual
    if job.counts_tables:
        divided = np.ceil((layers + 2) / chunks - 1e-9) * split.virtual - 1
        return np.where(split.pipeline > 1, np.maximum(divided, 1.0), layers)
    full: Floats = np.ceil(layers / chunks - 1e-9) * split.virtual
    return full


@lru_cache(maxsize=256)
def adapter_parameters(shape: Shape, adapter: Adapter) -> float:
    """Return the weights of all adapters: rank times (inputs + outputs) of each target.

    Source: Hu et al. 2021 (arXiv:2106.09685), section 4.1.
    """
    return float(
        sum(
            adapter.rank * (matrix.inputs + matrix.outputs) * matrix.layers * matrix.experts
            for matrix in (*shape.dense, *shape.routed)
            if has_adapter(adapter, matrix)
        )
    )
