"""The Llama family in PyTorch: RMSNorm, rotary positions, grouped-query attention, SwiGLU.

Parameters are named as in Hugging Face checkpoints, so that a state dictionary is a canonical checkpoint as it is.

Shape suffixes: B batch, T positions, N tokens (B x T), H query heads, K key-value heads, D head channels,
E hidden channels, F MLP channels, V vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from headway.recipe import ModelConfig, RopeScaling
from headway.training.engines.torch.kernels import LinearCrossEntropy, RMSNorm, Rotary, SwiGLU
from headway.training.engines.torch.linear import linear
from headway.training.engines.torch.parallel.local import local
from headway.training.engines.torch.products import PLAIN, PackedWeight, project

LAYERS = "model.layers."
"""How the names of the layers' weights begin."""

IGNORED_TARGET = -100
"""A target that does not count in the loss; the value that PyTorch and Hugging Face use."""


def rotary_frequencies(head_dim: int, theta: float, scaling: RopeScaling | None = None) -> Tensor:
    """Return the D/2 rotary frequencies in radians per position, fp32.

    Source: Su et al. 2021 (arXiv:2104.09864), eq. 15; the stretch of long wavelengths as in the Llama 3.1 reference
    code (``apply_scaling``): wavelengths above original / low_freq_factor are slowed by ``factor``, those below
    original / high_freq_factor are kept, and those between are blended.
    """
    # On the CPU even where a model is built without storage: there PyTorch imports its compiler for such arithmetic.
    channels_D = torch.arange(0, head_dim, 2, dtype=torch.int64, device="cpu").float()
    frequencies_D = 1.0 / (theta ** (channels_D / head_dim))
    if scaling is None:
        return frequencies_D
    wavelengths_D = 2 * math.pi / frequencies_D
    original = scaling.original_max_position_embeddings
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    blend_D = (original / wavelengths_D - low) / (high - low)
    blended_D = (1 - blend_D) * frequencies_D / scaling.factor + blend_D * frequencies_D
    slowed_D = torch.where(wavelengths_D > original / low, frequencies_D / scaling.factor, blended_D)
    return torch.where(wavelengths_D < original / high, frequencies_D, slowed_D)


class Linear(nn.Linear):
    """A projection whose weights stay in fp32 and are rounded to the activations' dtype where they are used.

    It may have an adapter: two low-rank matrices whose product is added to its weight.
    """

    adapter_scale: float | None = None
    """What the adapter's result is multiplied by; None where there is no adapter."""

    bias_share: float = 1.0
    """Of the bias that this device adds."""

    products: str = PLAIN
    """Of what kind its matrix products are, in both passes; see ``products.py``."""

    is_packed: bool = False
    """Whether ``packed``, in 4 bits, stands in place of the weight."""

    def forward(self, x: Tensor) -> Tensor:
        """Project the last axis of ``x``."""
        bias = None if self.bias is None else local(self.bias).to(x.dtype)
        if bias is not None and self.bias_share != 1:
            bias = bias * self.bias_share
        result = self._project(x, bias)
        if self.adapter_scale is None:
            return result
        return result + self.adapter_scale * self.lora_B(self.lora_A(x))  # type: ignore[no-any-return]

    def _project(self, x: Tensor, bias_O: Tensor | None) -> Tensor:
        if not self.is_packed and self.products == PLAIN:
            return linear(x, local(self.weight).to(x.dtype), bias_O)
        if self.is_packed:
            product: Tensor = self.packed(x, self.products)
        else:
            product = project(x, local(self.weight).to(x.dtype), self.products)
        return product if bias_O is None else product + bias_O

    def pack(self) -> None:
        """Keep the weight in 4 bits, which is yet to be written; it is trained no more."""
        self.packed = PackedWeight(self.weight.detach())
        self.is_packed = True
        self.register_parameter("weight", None)

    def add_adapter(self, rank: int, scale: float) -> None:
        """Add an adapter whose weights are yet to be drawn; its result is multiplied by ``scale``."""
        place = self.weight.device
        self.lora_A = Linear(self.in_features, rank, bias=False, device=place, dtype=torch.float32)
        self.lora_B = Linear(rank, self.out_features, bias=False, device=place, dtype=torch.float32)
        self.adapter_scale = scale


class Norm(nn.Module):
    """RMSNorm over the last axis.

    Args:
        size: channels.
        epsilon: added to the mean square.
    """

    is_partial: bool = True
    """Whether devices that share the weight each normalise other rows."""

    def __init__(self, size: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Normalise ``x`` of any leading shape."""
        flat = x.reshape(-1, x.shape[-1])
        weight = local(self.weight, is_partial=self.is_partial).float()
        return RMSNorm.apply(flat, weight, self.epsilon).view(x.shape)  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class Positions:
    """What attention must know about positions: the angles, and which tokens may see each other.

    ``mask`` is None for plain causal attention, else boolean [B, 1, T, T'] with True where attention is allowed.
    """

    cos_TD: Tensor
    sin_TD: Tensor
    mask: Tensor | None = None


class KeyValueCache:
    """Keys and values of the tokens seen so far, for one layer; grows along T."""

    def __init__(self) -> None:
        self.keys_BKTD: Tensor | None = None
        self.values_BKTD: Tensor | None = None

    def extend(self, keys_BKTD: Tensor, values_BKTD: Tensor) -> tuple[Tensor, Tensor]:
        """Append the new tokens and return all of them."""
        if self.keys_BKTD is not None and self.values_BKTD is not None:
            keys_BKTD = torch.cat((self.keys_BKTD, keys_BKTD), dim=2)
            values_BKTD = torch.cat((self.values_BKTD, values_BKTD), dim=2)
        self.keys_BKTD, self.values_BKTD = keys_BKTD, values_BKTD
        return keys_BKTD, values_BKTD


class Attention(nn.Module):
    """Causal grouped-query attention with rotary positions; of all heads, or of those that its weights are for."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        bias = config.attention_bias
        self.q_proj = Linear(config.hidden_size, config.query_size, bias=bias)
        self.k_proj = Linear(config.hidden_size, config.key_value_size, bias=bias)
        self.v_proj = Linear(config.hidden_size, config.key_value_size, bias=bias)
        self.o_proj = Linear(config.query_size, config.hidden_size, bias=config.attention_output_bias)
        if config.qk_norm:
            self.q_norm = Norm(config.head_dim, config.rms_norm_eps)
            self.k_norm = Norm(config.head_dim, config.rms_norm_eps)
        self.has_qk_norm = config.qk_norm

    def forward(self, x_BTE: Tensor, positions: Positions, cache: KeyValueCache | None = None) -> Tensor:
        """Mix the tokens of each sequence."""
        batch, length, _ = x_BTE.shape
        queries_BTHD = self.q_proj(x_BTE).view(batch, length, -1, self.head_dim)
        keys_BTKD = self.k_proj(x_BTE).view(batch, length, -1, self.head_dim)
        values_BTKD = self.v_proj(x_BTE).view(batch, length, -1, self.head_dim)
        if self.has_qk_norm:
            queries_BTHD, keys_BTKD = self.q_norm(queries_BTHD), self.k_norm(keys_BTKD)
        queries_BTHD = Rotary.apply(queries_BTHD, positions.cos_TD, positions.sin_TD)
        keys_BTKD = Rotary.apply(keys_BTKD, positions.cos_TD, positions.sin_TD)
        keys_BKTD, values_BKTD = keys_BTKD.transpose(1, 2), values_BTKD.transpose(1, 2)
        if cache is not None:
            keys_BKTD, values_BKTD = cache.extend(keys_BKTD, values_BKTD)
        mixed_BHTD = F.scaled_dot_product_attention(
            queries_BTHD.transpose(1, 2),
            keys_BKTD,
            values_BKTD,
            attn_mask=positions.mask,
            is_causal=positions.mask is None and length > 1,
            enable_gqa=keys_BTKD.shape[2] != queries_BTHD.shape[2],
        )
        return self.o_proj(mixed_BHTD.transpose(1, 2).reshape(batch, length, -1))  # type: ignore[no-any-return]


class MLP(nn.Module):
    """The gated feed-forward block."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate_proj = Linear(config.hidden_size, config.intermediate_size, bias=config.mlp_bias)
        self.up_proj = Linear(config.hidden_size, config.intermediate_size, bias=config.mlp_bias)
        self.down_proj = Linear(config.intermediate_size, config.hidden_size, bias=config.mlp_bias)

    def forward(self, x_BTE: Tensor) -> Tensor:
        """Transform each token by itself."""
        return self.down_proj(SwiGLU.apply(self.gate_proj(x_BTE), self.up_proj(x_BTE)))  # type: ignore[no-any-return]


class Block(nn.Module):
    """One layer: attention and MLP, each behind a norm and beside a residual path."""

    recomputes: bool = False
    """Whether the backward pass computes again what is not kept."""

    contexts: Callable[[], Any] | None = None
    """Makes the contexts of PyTorch's ``checkpoint`` that say what is kept; None where only the input is."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = Norm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = Norm(config.hidden_size, config.rms_norm_eps)

    def forward(self, x_BTE: Tensor, positions: Positions, cache: KeyValueCache | None = None) -> Tensor:
        """Return the residual stream after this layer."""
        if not self.recomputes or not torch.is_grad_enabled():
            return self._compute(x_BTE, positions, cache)
        further: dict[str, Any] = {} if self.contexts is None else {"context_fn": self.contexts}
        return checkpoint(  # type: ignore[no-any-return]
            self._compute, x_BTE, positions, use_reentrant=False, preserve_rng_state=False, **further
        )

    def _compute(self, x_BTE: Tensor, positions: Positions, cache: KeyValueCache | None = None) -> Tensor:
        x_BTE = x_BTE + self.self_attn(self.input_layernorm(x_BTE), positions, cache)
        return x_BTE + self.mlp(self.post_attention_layernorm(x_BTE))  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Which part of a model a stage of a pipeline holds.

    Attributes:
        layers: their numbers.
        has_embedding: whether tokens come in, and not the residual stream of the stage before.
        has_head: whether the last norm and the output projection are here.
    """

    layers: range
    has_embedding: bool = True
    has_head: bool = True


class Decoder(nn.Module):
    """Embedding, layers and the last norm, as far as a part has them; named as Hugging Face names it."""

    def __init__(self, config: ModelConfig, part: Part) -> None:
        super().__init__()
        if part.has_embedding:
            # PyTorch would draw weights, for which it imports its compiler where there is no storage.
            empty_VE = torch.empty(config.vocab_size, config.hidden_size)
            self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size, _weight=empty_VE)
        self.layers = nn.ModuleDict({str(index): Block(config) for index in part.layers})
        if part.has_head:
            self.norm = Norm(config.hidden_size, config.rms_norm_eps)


class DividedHead(Protocol):
    """Devices that share the vocabulary."""

    def loss(self, hidden_BTE: Tensor, weight: Tensor, targets_BT: Tensor) -> Tensor:
        """Return the mean cross-entropy of hidden states."""


class Llama(nn.Module):
    """A causal language model of the Llama family, or a part of one.

    Args:
        config: the shape.
        dtype: of the activations and the matrix products; parameters are fp32.
        part: what of it; all where None.
    """

    rotary_frequencies: Tensor

    def __init__(self, config: ModelConfig, dtype: torch.dtype = torch.float32, part: Part | None = None) -> None:
        super().__init__()
        self.config = config
        self.dtype = dtype
        self.part = part or Part(layers=range(config.num_hidden_layers))
        self.model = Decoder(config, self.part)
        if self.part.has_head:
            self.lm_head = Linear(config.hidden_size, config.vocab_size, bias=False)
        self.tie_weights()
        frequencies_D = rotary_frequencies(config.head_dim, config.rope_theta, config.rope_scaling)
        self.register_buffer("rotary_frequencies", frequencies_D, persistent=False)
        self.sequence_parts = 1
        """Devices among which the residual stream is divided along T, between attention and MLP."""
        self.tensor_group: DividedHead | None = None
        """The devices that share each matrix, where there are several."""

    def projections(self) -> Iterator[tuple[str, Linear]]:
        """Yield the layers' projections by name: without the output projection, and without those of adapters."""
        for name, module in self.named_modules():
            if isinstance(module, Linear) and name.startswith(LAYERS) and ".lora_" not in name:
                yield name, module

    def tie_weights(self) -> None:
        """Make embedding and output projection one, where the model says so and both are here."""
        if self.config.tie_word_embeddings and self.part.has_embedding and self.part.has_head:
            self.lm_head.weight = self.model.embed_tokens.weight

    def hidden(
        self,
        tokens_BT: Tensor,
        document_ids_BT: Tensor | None = None,
        caches: list[KeyValueCache] | None = None,
        start: int = 0,
    ) -> Tensor:
        """Return the hidden states [B, T, E] before the output projection.

        Args:
            tokens_BT: token ids; the residual stream [B, T, E] where this part has no embedding.
            document_ids_BT: where given, a token attends only within its own document.
            caches: one for each layer, for generation; they hold the ``start`` tokens before these.
            start: position of the first token.
        """
        if self.part.has_embedding:
            length, x_BTE = tokens_BT.shape[1], self.model.embed_tokens(tokens_BT).to(self.dtype)
        else:
            length, x_BTE = tokens_BT.shape[1] * self.sequence_parts, tokens_BT
        positions = self._positions(length, document_ids_BT, start)
        for index, block in enumerate(self.model.layers.values()):
            x_BTE = block(x_BTE, positions, caches[index] if caches else None)
        return self.model.norm(x_BTE) if self.part.has_head else x_BTE  # type: ignore[no-any-return]

    def forward(self, tokens_BT: Tensor, document_ids_BT: Tensor | None = None) -> Tensor:
        """Return the logits [B, T, V] of every position."""
        return self.lm_head(self.hidden(tokens_BT, document_ids_BT))  # type: ignore[no-any-return]

    def loss(self, tokens_BT: Tensor, targets_BT: Tensor, document_ids_BT: Tensor | None = None) -> Tensor:
        """Return the mean cross-entropy in nats per target."""
        return self.head_loss(self.hidden(tokens_BT, document_ids_BT), targets_BT)

    def head_loss(self, hidden_BTE: Tensor, targets_BT: Tensor) -> Tensor:
        """Return the mean cross-entropy of hidden states; see `LinearCrossEntropy`."""
        if self.tensor_group is not None:
            return self.tensor_group.loss(hidden_BTE, self.lm_head.weight, targets_BT)
        hidden_NE = hidden_BTE.flatten(0, 1)
        weight_VE = self.lm_head.weight.to(hidden_NE.dtype)
        return LinearCrossEntropy.apply(hidden_NE, weight_VE, targets_BT.flatten(), IGNORED_TARGET)  # type: ignore[no-any-return]

    def _positions(self, length: int, document_ids_BT: Tensor | None, start: int) -> Positions:
        steps_T = torch.arange(start, start + length, device=self.rotary_frequencies.device, dtype=torch.float32)
        angles_TD = torch.outer(steps_T, self.rotary_frequencies)
        return Positions(
            cos_TD=angles_TD.cos(), sin_TD=angles_TD.sin(), mask=self._mask(length, document_ids_BT, start)
        )

    def _mask(self, length: int, document_ids_BT: Tensor | None, start: int) -> Tensor | None:
        window = self.config.sliding_window
        total = start + length
        if window is not None and total <= window:
            window = None
        if document_ids_BT is None and window is None and (start == 0 or length == 1):
            return None
        device = self.rotary_frequencies.device
        query_T1 = torch.arange(start, total, device=device)[:, None]
        key_1T = torch.arange(total, device=device)[None, :]
        allowed = key_1T <= query_T1
        if window is not None:
            allowed &= query_T1 - key_1T < window
        if document_ids_BT is None:
            return allowed[None, None]
        return (allowed & (document_ids_BT[:, :, None] == document_ids_BT[:, None, :]))[:, None]
