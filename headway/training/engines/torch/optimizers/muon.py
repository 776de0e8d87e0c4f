"""Muon: the momentum of a matrix with all its singular values made nearly equal, as an update.

W <- W - rate (0.2 sqrt(max(rows, columns)) orthogonalised(G + m M) + decay W), M <- m M + G.
Source: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; Liu et al. 2025
(arXiv:2502.16982), section 2.2, for the decay and the scale, with which an update is as large as one of AdamW, so that
AdamW's learning rates fit.
Leaves out: to share the orthogonalisation among devices; each that holds a part of a matrix computes the whole.

Shape suffixes: R rows and C columns of a matrix that is not taller than wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import final

import torch
from torch import Tensor

from headway.training.engines.torch.optimizers.lodging import Lodging
from headway.training.engines.torch.parallel.local import here, placed_like
from headway.training.engines.torch.weights import part_of, read_whole

MOMENTUM = "momentum_buffer"

MOMENTUM_FACTOR = 0.95
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
"""Source: Jordan et al. 2024: the steepest slope at zero that ends between 0.7 and 1.2 for singular values up to 1."""

UPDATE_RMS = 0.2
"""Of one number of an update, as AdamW's have it. Source: Liu et al. 2025 (arXiv:2502.16982), section 2.2."""

_LEAST_NORM = 1e-7


def is_hidden(name: str, shape: Sequence[int]) -> bool:
    """Say whether a weight is a matrix of a layer: neither embedding nor output projection, norm or bias."""
    return name.startswith("model.layers.") and len(shape) == 2


@torch.no_grad()
def orthogonalised(matrix: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return U S' V^T of a matrix U S V^T, with all of S' near 1, by Newton-Schulz iterations.

    X <- a X + (b X X^T + c (X X^T)^2) X, which maps each singular value s to a s + b s^3 + c s^5.

    Args:
        matrix: of any scale.
        dtype: of the products.
    """
    is_tall = matrix.shape[0] > matrix.shape[1]
    wide = matrix.t() if is_tall else matrix
    x_RC = (wide / torch.linalg.vector_norm(wide).clamp(min=_LEAST_NORM)).to(dtype)
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram_RR = x_RC @ x_RC.t()
        x_RC = torch.addmm(x_RC, torch.addmm(gram_RR, gram_RR, gram_RR, beta=b, alpha=c), x_RC, beta=a)
    result: Tensor = (x_RC.t() if is_tall else x_RC).to(matrix.dtype)
    return result


@final
class Muon(torch.optim.Optimizer):
    """Muon for matrices, whole or divided over devices.

    Args:
        weights: matrices.
        products: dtype of the orthogonalisation's products.
        lodging: where momenta are.
        decay: of the weights, times the learning rate.
    """

    def __init__(self, weights: Iterable[Tensor], products: torch.dtype, lodging: Lodging, *, decay: float) -> None:
        super().__init__([{"params": list(weights)}], {"lr": 0.0})
        self._products, self._decay, self._lodging = products, decay, lodging
        self._held = {id(weight) for weight in self.param_groups[0]["params"]}

    def has(self, weight: Tensor) -> bool:
        """Say whether this weight is one of its own."""
        return id(weight) in self._held

    def empty_state(self, weight: Tensor) -> dict[str, Tensor]:
        """Return the state of a weight that had no step yet."""
        return {MOMENTUM: torch.zeros_like(weight)}

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Update all weights that have gradients; devices that share a matrix come here together."""
        assert closure is None, "no line search is made"
        (group,) = self.param_groups
        for weight in group["params"]:
            gradient = weight.grad
            if gradient is None:
                continue
            state = self.state[weight]
            if not state:
                state.update({"step": torch.tensor(0.0), **self._lodging.keep(self.empty_state(weight))})
            state["step"] += 1
            with self._lodging.rows({MOMENTUM: state[MOMENTUM]}, slice(None), here(weight).device) as lent:
                momentum = lent[MOMENTUM].mul_(MOMENTUM_FACTOR).add_(here(gradient))
                looked_ahead = here(gradient).add(momentum, alpha=MOMENTUM_FACTOR)
            update = orthogonalised(read_whole(placed_like(weight, looked_ahead)), self._products)
            size = UPDATE_RMS * math.sqrt(max(update.shape))
            own = here(weight)
            own.mul_(1 - group["lr"] * self._decay)
            own.add_(part_of(weight, update), alpha=-group["lr"] * size)
