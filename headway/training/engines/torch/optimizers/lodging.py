"""Where an optimizer's states are between updates: beside their weights, or in the host's memory.

States that lodge on the host come to the device some rows at a time, for the update, and go back: the arithmetic is the
same, to the last bit. Source: Ren et al. 2021 (arXiv:2101.06840), "ZeRO-Offload", for keeping them there.
Leaves out: its update on the host's processors, and sending the next rows while some are updated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, final

import torch
from torch import Tensor

from headway.training.engines.torch.optimizers.moments import FIRST, SECOND
from headway.training.engines.torch.parallel.local import here, placed_like

PIECE = 2**24
"""Numbers of a weight whose states are on the device at a time."""


@final
class Lodging:
    """Where states are.

    Args:
        is_host: whether they are in the host's memory, which is pinned where there is an accelerator to copy to.
    """

    def __init__(self, *, is_host: bool) -> None:
        self.is_host = is_host

    def keep(self, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return states as they are kept: this device's parts where they lodge on the host."""
        return {name: self._on_host(here(tensor)) for name, tensor in state.items()} if self.is_host else dict(state)

    def whole(self, weight: Tensor, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return kept states as they are beside their weight, divided as it is."""
        if not self.is_host:
            return dict(state)
        place = here(weight.detach()).device
        return {name: placed_like(weight, tensor.to(place)) for name, tensor in state.items()}

    @contextmanager
    def rows(self, kept: Mapping[str, Tensor], rows: slice, place: torch.device) -> Iterator[dict[str, Tensor]]:
        """Lend some rows of this device's states, to be changed, where their weight is."""
        own = {name: here(tensor)[rows] for name, tensor in kept.items()}
        if not self.is_host:
            yield own
            return
        lent = {name: tensor.to(place, non_blocking=True, copy=True) for name, tensor in own.items()}
        yield lent
        for name, tensor in lent.items():
            own[name].copy_(tensor, non_blocking=True)

    def _on_host(self, tensor: Tensor) -> Tensor:
        kept = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=tensor.is_cuda)
        return kept.copy_(tensor)


class LodgingOptimizer(torch.optim.Optimizer, ABC):
    """An optimizer that updates weight by weight, with states that lodge somewhere.

    Args:
        groups: weights with their decay, as PyTorch has them.
        lodging: where the states are.
        defaults: settings of a group that names none.
    """

    def __init__(self, groups: Iterable[Any], lodging: Lodging, defaults: dict[str, Any]) -> None:
        super().__init__(groups, defaults)
        self._lodging = lodging

    @abstractmethod
    def empty_state(self, weight: Tensor) -> dict[str, Tensor]:
        """Return the state of a weight that had no step yet."""

    @abstractmethod
    def _update(self, weight: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> None:
        """Update one weight and its state, whose step is counted already."""

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Update all weights that have gradients."""
        assert closure is None, "no line search is made"
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    state.update({"step": torch.tensor(0.0), **self._lodging.keep(self.empty_state(weight))})
                state["step"] += 1
                self._update(weight, state, group)


@final
class LodgingAdamW(LodgingOptimizer):
    """PyTorch's fused AdamW whose moments lodge on the host.

    Args:
        groups: weights with their decay, as PyTorch has them.
        lodging: where.
        lr: learning rate.
        betas: of both moments.
        eps: added to the root of the second.
    """

    def __init__(
        self, groups: Iterable[Any], lodging: Lodging, *, lr: float, betas: tuple[float, float], eps: float
    ) -> None:
        super().__init__(groups, lodging, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": 0.0})

    def empty_state(self, weight: Tensor) -> dict[str, Tensor]:
        """Return the state of a weight that had no step yet."""
        return {moment: torch.zeros_like(weight) for moment in (FIRST, SECOND)}

    def _update(self, weight: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> None:
        own, gradient = here(weight), here(weight.grad)  # type: ignore[arg-type]
        kept = {name: tensor for name, tensor in state.items() if name != "step"}
        steps = state["step"].to(own.device)
        for rows in pieces(own, PIECE):
            with self._lodging.rows(kept, rows, own.device) as lent:
                torch._fused_adamw_(
                    [own[rows]], [gradient[rows]], [lent[FIRST]], [lent[SECOND]], [], [steps],
                    lr=group["lr"], beta1=group["betas"][0], beta2=group["betas"][1],
                    weight_decay=group["weight_decay"], eps=group["eps"], amsgrad=False, maximize=False,
                )  # fmt: skip


def pieces(weight: Tensor, count: int) -> Iterator[slice]:
    """Yield rows of a weight that together hold about so many numbers."""
    if not weight.numel():
        return
    rows = max(1, count // max(1, weight[0].numel()))
    for start in range(0, weight.shape[0], rows):
        yield slice(start, start + rows)
