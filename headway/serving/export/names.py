"""Where each tensor of a GGUF file comes from: names, shapes, and the order of the rows.

Source: llama.cpp's ``convert_hf_to_gguf.py`` and gguf-py's ``tensor_mapping.py`` for the names, and for the order of
the rows of queries and keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.errors import ServingError
from headway.planning.parameters import TensorGroup, tensor_groups
from headway.recipe import ModelConfig
from headway.recipe.hf_config import hf_class

_OUTER = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_INNER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
    "mlp.experts.{expert}.gate_proj": "ffn_gate_exps",
    "mlp.experts.{expert}.up_proj": "ffn_up_exps",
    "mlp.experts.{expert}.down_proj": "ffn_down_exps",
}

_MIXTRAL = {
    "mlp.gate.": "block_sparse_moe.gate.",
    "gate_proj": "w1",
    "up_proj": "w3",
    "down_proj": "w2",
    "mlp.experts.": "block_sparse_moe.experts.",
}
"""How Mixtral's files call what others have, in the order of replacing."""

_NOT_WRITTEN = re.compile(r"\.rotary_emb\.inv_freq$")
"""Buffers that some files hold and that follow from the shape."""

_CLASSES = {"LlamaForCausalLM": "llama", "MistralForCausalLM": "llama", "Qwen2ForCausalLM": "qwen2"}
_KNOWN = "llama, mistral, qwen2, qwen3, mixtral, qwen3_moe"


@dataclass(frozen=True, kw_only=True)
class Target:
    """One tensor of the file.

    Attributes:
        name: in the file.
        kind: the name without layer and ``.weight``.
        shape: as NumPy has it; experts are the first axis.
        sources: the tensors that it is made of, one or one for each expert.
        layer: 0 outside of layers.
        heads: of queries or keys whose rows are reordered; None where rows stay as they are.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    sources: tuple[str, ...]
    layer: int = 0
    heads: int | None = None

    @property
    def is_router(self) -> bool:
        """Whether it chooses the experts."""
        return self.kind == "ffn_gate_inp"

    @property
    def source_shape(self) -> tuple[int, ...]:
        """The shape of each of its sources."""
        return self.shape[1:] if len(self.sources) > 1 or self.kind.endswith("_exps") else self.shape


def architecture_of(model: ModelConfig) -> str:
    """Return llama.cpp's name of a model's architecture; Mistral's and Mixtral's are filed under ``llama``.

    Raises:
        ServingError: it has none that Headway writes.
    """
    if model.architecture in ("gpt2", "deepseek_v3"):
        raise ServingError("serving-architecture", architecture=model.architecture, known=_KNOWN)
    if model.num_experts is not None:
        return "qwen3moe" if model.qk_norm else "llama"
    return "qwen3" if model.qk_norm else _CLASSES[hf_class(model)]


def targets_of(model: ModelConfig, found: Collection[str]) -> list[Target]:
    """Return every tensor of the file, in the order in which a token meets them.

    Args:
        model: the shape.
        found: names of the weights that there are.

    Raises:
        ServingError: a weight is missing, or there is one that has no place.
    """
    architecture = architecture_of(model)
    targets = list(_targets(model, architecture, found))
    used = {source for target in targets for source in target.sources}
    missing = sorted(used - set(found))
    if missing:
        raise ServingError("serving-weight-missing", name=missing[0], count=len(missing))
    tied = {"lm_head.weight"} if model.tie_word_embeddings else set()
    left = sorted(name for name in set(found) - used - tied if not _NOT_WRITTEN.search(name))
    if left:
        raise ServingError("serving-weight-unknown", name=left[0], count=len(left))
    return targets


def _targets(model: ModelConfig, architecture: str, found: Collection[str]) -> Iterator[Target]:
    groups = tensor_groups(model)
    of_layers = [group for group in groups if "{layer}" in group.name]
    first, *last = [group for group in groups if "{layer}" not in group.name]
    yield _outer(first)
    for layer in range(model.num_hidden_layers):
        for group in of_layers:
            yield _inner(model, architecture, group, layer, found)
    for group in last:
        yield _outer(group)


def _outer(group: TensorGroup) -> Target:
    stem, _, ending = group.name.rpartition(".")
    kind = _OUTER[stem]
    return Target(name=f"{kind}.{ending}", kind=kind, shape=group.shape, sources=(group.name,))


def _inner(model: ModelConfig, architecture: str, group: TensorGroup, layer: int, found: Collection[str]) -> Target:
    stem, _, ending = group.name.removeprefix("model.layers.{layer}.").rpartition(".")
    kind = _INNER.get(stem)
    if kind is None:
        raise ServingError("serving-weight-unknown", name=group.name, count=1)
    experts = range(model.num_experts or 0) if "{expert}" in group.name else range(1)
    names = [group.name.format(layer=layer, expert=expert) for expert in experts]
    return Target(
        name=f"blk.{layer}.{kind}.{ending}",
        kind=kind,
        shape=(len(names), *group.shape) if "{expert}" in group.name else group.shape,
        sources=tuple(_as_stored(name, found) for name in names),
        layer=layer,
        heads=_reordered_heads(model, architecture, kind),
    )


def _as_stored(name: str, found: Collection[str]) -> str:
    if name in found:
        return name
    other = name
    for ours, theirs in _MIXTRAL.items():
        other = other.replace(ours, theirs)
    return other if other in found else name


def _reordered_heads(model: ModelConfig, architecture: str, kind: str) -> int | None:
    """Return how many heads have their rows reordered; only ``llama`` turns neighbouring numbers into each other."""
    if architecture != "llama":
        return None
    return {"attn_q": model.num_attention_heads, "attn_k": model.num_key_value_heads}.get(kind)


def interleaved(rows: NDArray[np.float32], head_dim: int) -> NDArray[np.float32]:
    """Return rows of whole heads in llama.cpp's order: rows 0, D/2, 1, D/2 + 1, ... of each head.

    Args:
        rows: [heads x D, ...].
        head_dim: D.
    """
    halves = rows.reshape(-1, 2, head_dim // 2, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(rows.shape)
