"""AdamW whose moments are kept in 16 or 8 bits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import torch
from torch import Tensor

from headway.training.engines.torch.native import active_native
from headway.training.engines.torch.optimizers.lodging import Lodging, LodgingOptimizer, pieces
from headway.training.engines.torch.optimizers.moments import FIRST, PIECE, SECOND, Form
from headway.training.engines.torch.parallel.local import here, placed_like

_ALL = slice(None)


@final
class CompactAdamW(LodgingOptimizer):
    """AdamW in fp32, of moments that are kept otherwise.

    Args:
        groups: weights with their decay, as PyTorch has them.
        form: how moments are kept.
        lodging: where.
        lr: learning rate.
        betas: of both moments.
        eps: added to the root of the second.

    Source: Loshchilov and Hutter 2019 (arXiv:1711.05101), algorithm 2. The update takes the moments of this step before
    they are rounded, as Dettmers et al. 2022 (arXiv:2110.02861), section 2, have it.
    """

    def __init__(
        self,
        groups: Iterable[Any],
        form: Form,
        lodging: Lodging,
        *,
        lr: float,
        betas: tuple[float, float],
        eps: float,
    ) -> None:
        super().__init__(groups, lodging, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": 0.0})
        self._form = form

    def empty_state(self, weight: Tensor) -> dict[str, Tensor]:
        """Return the state of a weight that had no step yet."""
        own = here(weight.detach())
        parts = self._form.empty(own, FIRST) | self._form.empty(own, SECOND)
        return {name: placed_like(weight, part) for name, part in parts.items()}

    def _update(self, weight: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> None:
        own, gradient = here(weight), here(weight.grad)  # type: ignore[arg-type]
        kept = {name: tensor for name, tensor in state.items() if name != "step"}
        step = int(state["step"])
        if not self._lodging.is_host and self._in_one_pass(own, gradient, kept, step, group):
            return
        for rows in pieces(own, PIECE):
            with self._lodging.rows(kept, rows, own.device) as parts:
                first, second = (self._form.read(parts, moment, _ALL) for moment in (FIRST, SECOND))
                _adamw(own[rows], gradient[rows], first, second, step, group)
                self._form.write(parts, FIRST, _ALL, first, step)
                self._form.write(parts, SECOND, _ALL, second, step)

    def _in_one_pass(
        self, own: Tensor, gradient: Tensor, kept: dict[str, Tensor], step: int, group: dict[str, Any]
    ) -> bool:
        """Update by the compiled program, to the same bits; return whether it takes these tensors."""
        native = active_native(own)
        parts = {name: here(tensor) for name, tensor in kept.items()}
        if (
            native is None
            or not own.numel()
            or not all(each.is_contiguous() for each in (own, gradient, *parts.values()))
        ):
            return False
        if gradient.dtype != torch.float32 or own.dtype != torch.float32:
            return False
        return self._form.update(native, own, gradient, parts, numbers_of(group, step), step)


def numbers_of(group: dict[str, Any], step: int) -> Tensor:
    """Return what an update multiplies by and adds, as `_adamw` has it."""
    beta1, beta2 = group["betas"]
    rate = group["lr"]
    return torch.tensor(
        (
            1 - beta1, beta2, 1 - beta2, 1 - rate * group["weight_decay"], 1 - beta2**step, group["eps"],
            -rate / (1 - beta1**step),
        ),
        dtype=torch.float32,
    )  # fmt: skip


def _adamw(weight: Tensor, gradient: Tensor, first: Tensor, second: Tensor, step: int, group: dict[str, Any]) -> None:
    beta1, beta2 = group["betas"]
    rate = group["lr"]
    first.lerp_(gradient, 1 - beta1)
    second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    weight.mul_(1 - rate * group["weight_decay"])
    root = _root(second / (1 - beta2**step)).add_(group["eps"])
    weight.addcdiv_(first, root, value=-rate / (1 - beta1**step))


def _root(values: Tensor) -> Tensor:
    """Return square roots: on a CPU the nearest numbers, which PyTorch's own of long arrays are not always."""
    return values.double().sqrt_().float() if values.device.type == "cpu" else values.sqrt_()
