"""Data parallelism by PyTorch's FSDP2: what the devices divide among them, and when they send it.

Source: Zhao et al. 2023 (arXiv:2304.11277); Rajbhandari et al. 2020 (arXiv:1910.02054), section 5, for the stages.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method

from headway.planning.choice import Layout
from headway.training.engines.torch.model import Llama


def share_states(model: Llama, mesh: DeviceMesh, layout: Layout) -> None:
    """Divide a model's states among data-parallel devices, and let them average gradients, in place.

    Args:
        model: whole, or a stage; its matrices may be divided already.
        mesh: of two axes: copies, and the devices among which a copy is divided.
        layout: says what is divided.
    """
    rounded = None if model.dtype == torch.float32 else model.dtype
    policy = MixedPrecisionPolicy(param_dtype=rounded, reduce_dtype=torch.float32, cast_forward_inputs=False)
    reshards = layout.shard == "parameters" and layout.reshard_after_forward
    for block in model.model.layers.values():
        fully_shard(block, mesh=mesh, mp_policy=policy, reshard_after_forward=reshards)
    # Embedding and head are used at both ends of a pass: dropping them in between would save nothing.
    fully_shard(model, mesh=mesh, mp_policy=policy, reshard_after_forward=False)
    # Of two methods of which one calls the other, only the outer may gather: the inner would end what it began.
    register_fsdp_forward_method(cast(nn.Module, model), "loss")


def is_shared(model: nn.Module) -> bool:
    """Say whether data-parallel devices share this model's states."""
    return isinstance(model, FSDPModule)


def drop_gathered(model: nn.Module) -> None:
    """Let every device keep its own part only: a pass without a backward one leaves weights gathered and rounded."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def before_micro_batch(model: nn.Module, layout: Layout, *, is_last: bool) -> None:
    """Say what follows the backward pass that comes next.

    Gradients leave after the last micro-batch where devices keep them whole, and after each where they divide them;
    weights stay gathered between micro-batches unless they are divided.
    """
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(is_last or layout.shard in ("gradients", "parameters"))
        model.set_reshard_after_backward(is_last or layout.shard == "parameters")
