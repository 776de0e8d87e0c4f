"""Recomputation: what layers keep for the backward pass, and what they compute again.

``selective`` keeps the results of matrix products and of attention, and computes norms, rotary positions and gates
again; ``products`` keeps every second product only; ``full`` keeps a layer's input.
Source: Chen et al. 2016 (arXiv:1604.06174); Korthikanti et al. 2022 (arXiv:2205.05198), section 5, for the selective
kind; torchtitan's selective recomputation by operation, for every second product.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import torch
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

from headway.training.engines.torch.model import Block, Llama

_PRODUCTS = {
    torch.ops.aten.mm.default,
    torch.ops.aten.addmm.default,
    torch.ops.aten.bmm.default,
    torch.ops.headway.split_product.default,
    torch.ops.headway.int8_product.default,
    torch.ops.headway.float8_product.default,
}
if torch.backends.mkldnn.is_available():
    _PRODUCTS.add(torch.ops.mkldnn._linear_pointwise.default)
_ATTENTION = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,
    torch.ops.aten._scaled_dot_product_flash_attention.default,
    torch.ops.aten._scaled_dot_product_efficient_attention.default,
    torch.ops.aten._scaled_dot_product_cudnn_attention.default,
}

Contexts = Callable[[], Any]


def recompute_layers(model: Llama, level: str, share: float = 1.0) -> None:
    """Let a model's layers compute again, in the backward pass, what they do not keep.

    Args:
        model: whole, or a stage.
        level: ``none``, ``selective``, ``products`` or ``full``.
        share: of the layers; the first ones do.
    """
    if level == "none":
        return
    contexts: Contexts | None = None if level == "full" else partial(_contexts, 1 if level == "selective" else 2)
    blocks = [cast(Block, block) for block in model.model.layers.values()]
    for block in blocks[: round(share * len(blocks))]:
        block.recomputes, block.contexts = True, contexts


def _contexts(every: int) -> Any:
    return create_selective_checkpoint_contexts(_Policy(every))


class _Policy:
    """Says what is kept, of one layer's forward pass and of its repetition; both go through the same operations.

    Args:
        every: which products are kept: each, or every second.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._products = {False: 0, True: 0}

    def __call__(self, context: Any, operation: Any, *_: Any, **__: Any) -> CheckpointPolicy:
        if operation in _ATTENTION:
            return CheckpointPolicy.MUST_SAVE
        if operation not in _PRODUCTS:
            return CheckpointPolicy.PREFER_RECOMPUTE
        self._products[context.is_recompute] += 1
        is_kept = self._products[context.is_recompute] % self._every == 0
        return CheckpointPolicy.MUST_SAVE if is_kept else CheckpointPolicy.PREFER_RECOMPUTE
