"""AdamW with moments in fp32, by the one operation that PyTorch has for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import torch
from torch import Tensor

from headway.training.engines.torch.optimizers.moments import FIRST, SECOND
from headway.training.engines.torch.parallel.local import here

STEP = "step"


@final
class FusedAdamW:
    """AdamW as ``torch.optim.AdamW(fused=True)`` is, to the last bit.

    The first use of ``torch.optim`` imports PyTorch's compiler, which takes half of the time that a process needs to
    start; a run that is started again should not wait for what it does not use.
    Source: Loshchilov and Hutter 2019 (arXiv:1711.05101), algorithm 2; PyTorch, ``torch/optim/adam.py``,
    ``_fused_adam``.

    Args:
        groups: weights (``params``) and their ``weight_decay``.
        lr: the learning rate, until another is set in ``param_groups``.
        betas: of the first and of the second moment.
        eps: added to the root of the second moment.
    """

    def __init__(self, groups: Iterable[dict[str, Any]], lr: float, betas: tuple[float, float], eps: float) -> None:
        self.param_groups = [{**group, "lr": lr} for group in groups]
        self.state: dict[Tensor, dict[str, Any]] = {}
        self._betas, self._epsilon = betas, eps

    def empty_state(self, weight: Tensor) -> dict[str, Tensor]:
        """Return the moments of a weight that was never updated."""
        return {moment: torch.zeros_like(weight) for moment in (FIRST, SECOND)}

    def zero_grad(self, *, set_to_none: bool) -> None:
        """Let go of all gradients, or set them to zero."""
        for group in self.param_groups:
            for weight in group["params"]:
                if set_to_none:
                    weight.grad = None
                elif weight.grad is not None:
                    weight.grad.zero_()

    @torch.no_grad()
    def step(self) -> None:
        """Update all weights that have a gradient."""
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            if not weights:
                continue
            states = [self._state_of(weight) for weight in weights]
            steps = [state[STEP] for state in states]
            torch._foreach_add_(steps, 1.0)
            torch._fused_adamw_(
                [here(weight) for weight in weights],
                [here(weight.grad) for weight in weights],
                [here(state[FIRST]) for state in states],
                [here(state[SECOND]) for state in states],
                [],
                steps,
                lr=group["lr"],
                beta1=self._betas[0],
                beta2=self._betas[1],
                weight_decay=group["weight_decay"],
                eps=self._epsilon,
                amsgrad=False,
                maximize=False,
            )

    def _state_of(self, weight: Tensor) -> dict[str, Any]:
        state = self.state.setdefault(weight, {})
        if not state:
            state.update({STEP: torch.zeros((), device=weight.device), **self.empty_state(weight)})
        return state
