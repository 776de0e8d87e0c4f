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
"""Of a product with a frozen weight they cost two, since the weight has no gradient; those of low-rank adapters are
below one percent more. Scores and values have no weights, and cost three whatever is trained.

Source: Hu et al. 2021 (arXiv:2106.09685), section 4.2."""


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
        causal: count only the scores that the mask leaves, as fused kernels compute them; otherwise the whole square,
            or the whole band of a sliding window.
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
    """Return how many keys a token's scores are computed with, on average over the sequence.

    Args:
        model: the shape.
        sequence_length: tokens that attend to each other.
        causal: whether the first tokens see fewer keys than the last one does.

    Source: Beltagy et al. 2020 (arXiv:2004.05150), section 3.1: a window of w costs n times w, not n squared.
    """
    window = min(model.sliding_window or sequence_length, sequence_length)
    if not causal:
        return float(window)
    # The first `window` tokens see 1, 2, ... keys, and the others see `window` of them.
    return (window * (window + 1) / 2 + (sequence_length - window) * window) / sequence_length


def attention_widths(model: ModelConfig) -> tuple[int, int]:
    """Return the width of all heads together, for the scores and for the values."""
    if model.kv_lora_rank is None:
        return model.query_size, model.query_size
    heads = model.num_attention_heads
    key_dim = (model.qk_nope_head_dim or model.head_dim) + (model.qk_rope_head_dim or 0)
    return heads * key_dim, heads * (model.v_head_dim or model.head_dim)


def training_flops_per_token(model: ModelConfig, sequence_length: int, *, method: str = "full") -> float:
    """Return the FLOPs that training needs for one token, forward and backward, nothing recomputed.

    Args:
        model: the shape.
        sequence_length: tokens that attend to each other.
        method: which weights are trained: ``full``, ``lora`` or ``qlora``.
    """
    return _trained(forward_flops_per_token(model, sequence_length), method)


def model_flops_per_token(model: ModelConfig, sequence_length: int, *, method: str = "full") -> float:
    """Return the FLOPs that model FLOPs utilisation (MFU) counts: 6 N + 12 L H Q T; 4 N of frozen weights.

    N are the weights in matrix products that a token passes, the output projection included and the embedding look-up
    not; attention counts the whole square of scores, and nothing recomputed. Under a sliding window it counts the
    window's keys in place of T: no program computes the others, and utilisation would pass 100 % with them.
    Source: Chowdhery et al. 2022 (arXiv:2204.02311), appendix B, which has no window; that is ours.
    """
    return _trained(forward_flops_per_token(model, sequence_length, causal=False), method)


def hardware_flops_per_token(
    model: ModelConfig,
    sequence_length: int,
    *,
    method: str = "full",
    recompute: str = "none",
    recompute_share: float = 1.0,
    keeps_scores: bool = False,
) -> float:
    """Return the FLOPs that hardware FLOPs utilisation (HFU) counts: those of MFU, and the products that are repeated.

    Args:
        model: the shape.
        sequence_length: tokens that attend to each other.
        method: which weights are trained: ``full``, ``lora`` or ``qlora``.
        recompute: ``full`` repeats the forward pass of all layers (not of the head), ``products`` half of their
            products with weights; ``selective`` and ``products`` repeat scores and values where these would be kept.
        recompute_share: share of the layers that recompute.
        keeps_scores: whether attention holds its scores in memory, so that recomputing them spares any.

    Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 6.2 and appendix A: the same whole square of scores,
    or band of a window.
    Leaves out: the scores that fused attention computes again in its backward pass, as published figures do.
    """
    forward = forward_flops_per_token(model, sequence_length, causal=False)
    scores = forward.attention_scores + forward.attention_values
    kept_scores = scores if keeps_scores else 0.0
    again = {
        "none": 0.0,
        "selective": kept_scores,
        "products": 0.5 * (forward.attention_projections + forward.mlp + forward.router) + kept_scores,
        "full": forward.total - forward.head,
    }[recompute]
    return _trained(forward, method) + recompute_share * again


def _trained(forward: ForwardFlops, method: str) -> float:
    """Return the FLOPs of forward and backward pass together."""
    scores = forward.attention_scores + forward.attention_values
    of_weights = TRAINING_FACTOR if method == "full" else FROZEN_FACTOR
    return of_weights * (forward.total - scores) + TRAINING_FACTOR * scores
