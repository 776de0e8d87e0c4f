"""Floating-point operations of training, for one token, by operation.

Convention: a multiply and an add are two operations; only matrix products are counted, since everything else is below
one percent of them; rates and counts are of dense arithmetic. The backward pass costs twice the forward pass: one
product for the gradient of the input and one for that of the weight.
Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1; Narayanan et al. 2021 (arXiv:2104.04473), appendix.
Leaves out: norms, activations, rotary positions, softmax, the optimizer.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway.planning.parameters import tensor_groups
from headway.recipe.model import ModelConfig

TRAINING_FACTOR = 3
"""Forward and backward together cost three forward passes: each product of the forward pass has two backward, one for
its input and one for its weight. Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1."""

FROZEN_FACTOR = 2
"""Without gradients of the weights they cost two; those of low-rank adapters are below one percent more.

Source: Hu et al. 2021 (arXiv:2106.09685), section 4.2."""


def training_factor(method: str) -> int:
    """Return how many forward passes training costs; ``method`` is full, lora or qlora."""
    return TRAINING_FACTOR if method == "full" else FROZEN_FACTOR


@dataclass(frozen=True, kw_only=True)
class ForwardFlops:
    """FLOPs of the forward pass for one token, by operation; the embedding is a look-up and costs none."""

    attention_projections: int
    attention_scores: float
    """Queries times keys."""
    attention_values: float
    """Probabilities times values."""
    mlp: int
    """Of the experts that are active for a token; all of it for a dense model."""
    router: int
    head: int

    @property
    def total(self) -> float:
        """All operations together."""
        return (
            self.attention_projections
            + self.attention_scores
            + self.attention_values
            + self.mlp
            + self.router
            + self.head
        )


def forward_flops_per_token(model: ModelConfig, sequence_length: int, *, causal: bool = True) -> ForwardFlops:
    """Return the FLOPs of the forward pass for one token.

    Args:
        model: the shape.
        sequence_length: tokens that attend to each other.
        causal: count only the half of the scores that the mask leaves, as fused kernels compute it; the whole square
            otherwise.
    """
    by_part: dict[str, int] = {}
    for group in tensor_groups(model):
        if len(group.shape) == 2:
            by_part[group.part] = by_part.get(group.part, 0) + 2 * group.active_parameters
    keys = attended_keys(model, sequence_length, causal=causal)
    query_size, value_size = attention_widths(model)
    layers = model.num_hidden_layers
    return ForwardFlops(
        attention_projections=by_part["attention"],
        attention_scores=2.0 * layers * query_size * keys,
        attention_values=2.0 * layers * value_size * keys,
        mlp=by_part["mlp"],
        router=by_part.get("router", 0),
        # Tied or not, the output projection is computed.
        head=2 * model.vocab_size * model.hidden_size,
    )


def attended_keys(model: ModelConfig, sequence_length: int, *, causal: bool) -> float:
    """Return how many keys a token's scores are computed with, on average over the sequence."""
    if not causal:
        return float(sequence_length)
    window = min(model.sliding_window or sequence_length, sequence_length)
    # The first `window` tokens see 1, 2, ... keys, and the others see `window` of them.
    return (window * (window + 1) / 2 + (sequence_length - window) * window) / sequence_length


def attention_widths(model: ModelConfig) -> tuple[int, int]:
    """Return the width of all heads together, for the scores and for the values."""
    if model.kv_lora_rank is None:
        return model.query_size, model.query_size
    heads = model.num_attention_heads
    key_dim = (model.qk_nope_head_dim or model.head_dim) + (model.qk_rope_head_dim or 0)
    return heads * key_dim, heads * (model.v_head_dim or model.head_dim)


def training_flops_per_token(
    model: ModelConfig, sequence_length: int, *, recompute: str = "none", method: str = "full"
) -> float:
    """Return the FLOPs that the hardware does for one token, forward and backward.

    Args:
        model: the shape.
        sequence_length: tokens that attend to each other.
        recompute: ``none``; ``full`` repeats the forward pass of all layers (not of the head); ``selective`` that of
            scores and values.
        method: which weights are trained: ``full``, ``lora`` or ``qlora``.
    """
    forward = forward_flops_per_token(model, sequence_length)
    again = {
        "none": 0.0,
        "selective": forward.attention_scores + forward.attention_values,
        "full": forward.total - forward.head,
    }[recompute]
    return training_factor(method) * forward.total + again


def model_flops_per_token(model: ModelConfig, sequence_length: int, *, method: str = "full") -> float:
    """Return the FLOPs that model FLOPs utilisation (MFU) counts: 6 N + 12 L H Q T, a third less with frozen weights.

    N are the weights in matrix products that a token passes, the output projection included and the embedding look-up
    not; attention counts the whole square of scores, and nothing recomputed.
    Source: Chowdhery et al. 2022 (arXiv:2204.02311), appendix B.
    """
    return training_factor(method) * forward_flops_per_token(model, sequence_length, causal=False).total
