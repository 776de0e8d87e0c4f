"""Tensor and sequence parallelism: matrices divided over devices, and the collectives at the edges of a block.

Attention and the MLP each have their first matrices divided by columns and their last by rows, so that only the
residual stream has to be added up. With sequence parallelism each device keeps a part of its positions between them.
Source: Shoeybi et al. 2019 (arXiv:1909.08053), section 3; Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2.

Shape suffixes as in ``model.py``.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.distributed.tensor.parallel import RowwiseParallel, parallelize_module

from headway.errors import TrainingError
from headway.recipe import ModelConfig
from headway.training.engines.torch.model import IGNORED_TARGET, MLP, Attention, Linear, Llama, Norm
from headway.training.engines.torch.parallel.local import local
from headway.training.engines.torch.parallel.loss import DividedCrossEntropy
from headway.training.support import DIVIDED_BY_TENSOR

_BY_COLUMNS = ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "lm_head")
_BY_ROWS = ("o_proj", "down_proj")
_OF_ADAPTERS = ("lora_A", "lora_B")


class TensorGroup:
    """The devices that share each matrix, and how the residual stream comes in and out of them.

    Args:
        mesh: of the devices, one axis.
        divides_sequence: whether each keeps a part of the positions of the residual stream.
    """

    def __init__(self, mesh: DeviceMesh, *, divides_sequence: bool) -> None:
        self.mesh = mesh
        self.outside: Placement = Shard(1) if divides_sequence else Replicate()

    def enter(self, x_BTE: Tensor) -> Tensor:
        """Return the residual stream of all positions; backward, the devices' gradients are added up."""
        placed = DTensor.from_local(x_BTE, self.mesh, [self.outside], run_check=False)
        return placed.redistribute(placements=[Replicate()]).to_local(grad_placements=[Partial()])

    def leave(self, x_BTE: Tensor) -> Tensor:
        """Return the sum of the devices' results, or this device's positions of it."""
        placed = DTensor.from_local(x_BTE, self.mesh, [Partial()], run_check=False)
        return placed.redistribute(placements=[self.outside]).to_local()

    def loss(self, hidden_BTE: Tensor, weight: Tensor, targets_BT: Tensor) -> Tensor:
        """Return the mean cross-entropy where each device has a part of the vocabulary.

        Args:
            hidden_BTE: as it is outside of attention and MLP.
            weight: the divided output projection.
            targets_BT: token ids.
        """
        hidden_NE = self.enter(hidden_BTE).flatten(0, 1)
        assert isinstance(weight, DTensor)
        _, (start, _) = compute_local_shape_and_global_offset(weight.shape, self.mesh, [Shard(0)])
        return DividedCrossEntropy.apply(  # type: ignore[no-any-return]
            hidden_NE,
            local(weight).to(hidden_NE.dtype),
            targets_BT.flatten(),
            IGNORED_TARGET,
            start,
            self.mesh.get_group(),
        )


def require_divisible(config: ModelConfig, degree: int) -> None:
    """Refuse to divide heads, MLP channels or positions that do not divide.

    Raises:
        TrainingError: the rule, the value and the degree.
    """
    for field in DIVIDED_BY_TENSOR:
        value = getattr(config, field)
        if value % degree:
            raise TrainingError("training-tensor-parallel", field=field, value=value, degree=degree)


def divide_matrices(model: Llama, mesh: DeviceMesh, *, divides_sequence: bool) -> None:
    """Divide a model's matrices over the devices of a mesh, in place.

    Args:
        model: whole, or a stage; its weights may have no storage yet.
        mesh: of one axis.
        divides_sequence: whether positions of the residual stream are divided too.

    Raises:
        TrainingError: heads or channels do not divide.
    """
    require_divisible(model.config, mesh.size())
    group = TensorGroup(mesh, divides_sequence=divides_sequence)
    model.tensor_group = group
    model.sequence_parts = mesh.size() if divides_sequence else 1
    if model.part.has_embedding:
        style = RowwiseParallel(input_layouts=Replicate(), output_layouts=group.outside)
        parallelize_module(model.model, mesh, {"embed_tokens": style})
    for name, module in model.named_modules():
        if isinstance(module, Linear):
            if not name.endswith(_OF_ADAPTERS):
                _divide_linear(module, name.rpartition(".")[2], mesh)
        elif isinstance(module, Norm):
            # Each device normalises positions of its own, or heads of its own; else all of them the same.
            module.is_partial = divides_sequence or name.endswith(("q_norm", "k_norm"))
            _place(module, "weight", mesh, Replicate())
        elif isinstance(module, (Attention, MLP)):
            module.register_forward_pre_hook(lambda _, arguments: (group.enter(arguments[0]), *arguments[1:]))
            module.register_forward_hook(lambda _, __, result: group.leave(result))
    model.tie_weights()


def _divide_linear(module: Linear, name: str, mesh: DeviceMesh) -> None:
    has_adapter = module.adapter_scale is not None
    if name in _BY_COLUMNS:
        _place(module, "weight", mesh, Shard(0))
        _place(module, "bias", mesh, Shard(0))
        if has_adapter:
            _place(module.lora_A, "weight", mesh, Replicate())
            _place(module.lora_B, "weight", mesh, Shard(0))
    else:
        assert name in _BY_ROWS, name
        _place(module, "weight", mesh, Shard(1))
        _place(module, "bias", mesh, Replicate())
        # What every device adds is added up with their results.
        module.bias_share = 1 / mesh.size()
        if has_adapter:
            _place(module.lora_A, "weight", mesh, Shard(1))
            _place(module.lora_B, "weight", mesh, Replicate())


def _place(module: nn.Module, name: str, mesh: DeviceMesh, placement: Placement) -> None:
    weight: Any = getattr(module, name)
    if weight is not None:
        divided = distribute_tensor(weight.detach(), mesh, [placement], src_data_rank=None)
        module.register_parameter(name, nn.Parameter(divided, requires_grad=weight.requires_grad))
