"""A model of the Llama family in a GGUF file: its shape, its weights in fp32, its tokenizer and chat template.

Source: the format's specification (ggml, docs/gguf.md) for the keys; llama.cpp's ``convert_hf_to_gguf.py`` for the
names of tensors and for the order of the rows of queries and keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError, MissingDependencyError, RecipeError
from headway.planning.parameters import weight_shapes
from headway.recipe import ModelConfig
from headway.training.gguf.tokenizer import tokenizer_json

ARCHITECTURES = ("llama", "qwen2", "qwen3")
"""That are read; llama.cpp files Mistral's models under ``llama`` too."""

_REORDERED = ("llama",)
"""Architectures whose queries and keys llama.cpp stores with the two halves of each head interleaved."""

_OUTER = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_INNER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}

_SPECIAL_TOKENS = {
    "bos_token": "bos_token_id",
    "eos_token": "eos_token_id",
    "unk_token": "unknown_token_id",
    "pad_token": "padding_token_id",
}
"""What Hugging Face calls a token -> the key of its id under ``tokenizer.ggml``."""


@final
class GgufModel:
    """What one GGUF file holds.

    Args:
        path: the file.

    Raises:
        CheckpointError: it cannot be read, is damaged, or holds a model of another family.
        MissingDependencyError: the package ``gguf`` is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = _open(path)
        self._architecture = str(self._value("general.architecture"))
        if self._architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise CheckpointError(
                "training-gguf-architecture", path=str(path), architecture=self._architecture, known=known
            )
        self._tensors = dict(self._named_tensors())
        self._refuse_what_is_not_read()
        self.config = self._read_config()
        """The model's shape."""
        self._require_complete()

    @property
    def weights(self) -> Mapping[str, NDArray[Any]]:
        """The weights by Hugging Face name, each turned into fp32 when it is asked for."""
        return _Weights(self._tensors, self._order, self.path)

    def tokenizer(self) -> str:
        """Return the tokenizer as the text of a ``tokenizer.json``.

        Raises:
            CheckpointError: it is of a kind that is not known.
        """
        table = "tokenizer.ggml."
        kind = str(self._value(f"{table}model"))
        return tokenizer_json(
            kind,
            str(self._value(f"{table}pre", "default")),
            tokens=list(self._value(f"{table}tokens")),
            types=[int(one) for one in self._value(f"{table}token_type", [])],
            merges=[str(one) for one in self._value(f"{table}merges", [])],
            path=str(self.path),
        )

    def chat_template(self) -> str | None:
        """Return the chat template; None where there is none."""
        found = self._value("tokenizer.chat_template", None)
        return None if found is None else str(found)

    def special_tokens(self) -> dict[str, str]:
        """Return the spelling of the tokens that a chat template may name, by Hugging Face's name for each."""
        tokens = self._value("tokenizer.ggml.tokens")
        found = {}
        for name, key in _SPECIAL_TOKENS.items():
            number = self._value(f"tokenizer.ggml.{key}", None)
            if number is not None and int(number) < len(tokens):
                found[name] = str(tokens[int(number)])
        return found

    def special_ids(self) -> dict[str, int]:
        """Return the ids that a Hugging Face configuration names, such as ``eos_token_id``."""
        found = {f"{name}_id": self._value(f"tokenizer.ggml.{key}", None) for name, key in _SPECIAL_TOKENS.items()}
        return {name: int(number) for name, number in found.items() if number is not None and name != "unk_token_id"}

    def _value(self, key: str, *default: Any) -> Any:
        field = self._reader.get_field(key)
        if field is None:
            if default:
                return default[0]
            raise CheckpointError("training-gguf-unreadable", path=str(self.path), reason=f"{key} is missing")
        return field.contents()

    def _number(self, key: str, *default: Any) -> Any:
        value = self._value(f"{self._architecture}.{key}", *default)
        if isinstance(value, bool | str | list):
            raise CheckpointError("training-gguf-unreadable", path=str(self.path), reason=f"{key} is no number")
        return value

    def _named_tensors(self) -> Iterator[tuple[str, Any]]:
        for tensor in self._reader.tensors:
            name = _name_of(tensor.name)
            if name is None:
                raise CheckpointError("training-gguf-tensor", path=str(self.path), tensor=tensor.name)
            yield name, tensor

    def _read_config(self) -> ModelConfig:
        heads, hidden = int(self._number("attention.head_count")), int(self._number("embedding_length"))
        fields = {
            "architecture": self._architecture,
            "hidden_size": hidden,
            "intermediate_size": int(self._number("feed_forward_length")),
            "num_hidden_layers": int(self._number("block_count")),
            "num_attention_heads": heads,
            "num_key_value_heads": int(self._number("attention.head_count_kv", heads)),
            "head_dim": int(self._number("attention.key_length", hidden // max(heads, 1))),
            "vocab_size": int(self._shape_of("model.embed_tokens.weight")[0]),
            "max_position_embeddings": int(self._number("context_length")),
            "rms_norm_eps": _shortest(self._number("attention.layer_norm_rms_epsilon")),
            "rope_theta": _shortest(self._number("rope.freq_base", 10_000.0)),
            "tie_word_embeddings": "lm_head.weight" not in self._tensors,
            "attention_bias": "model.layers.0.self_attn.q_proj.bias" in self._tensors,
            "attention_output_bias": "model.layers.0.self_attn.o_proj.bias" in self._tensors,
            "qk_norm": "model.layers.0.self_attn.q_norm.weight" in self._tensors,
        }
        try:
            return ModelConfig.model_validate(fields)
        except (ValueError, RecipeError) as error:
            raise CheckpointError("training-gguf-unreadable", path=str(self.path), reason=str(error)) from error

    def _refuse_what_is_not_read(self) -> None:
        """Refuse settings that change what the model computes, or that say that part of it is elsewhere."""
        prefix = f"{self._architecture}."
        heads, hidden = int(self._number("attention.head_count")), int(self._number("embedding_length"))
        head_dim = int(self._number("attention.key_length", hidden // max(heads, 1)))
        for key, read in (
            ("split.count", (0, 1)),
            (f"{prefix}rope.scaling.type", ("none",)),
            (f"{prefix}rope.scaling.factor", (0, 1)),
            (f"{prefix}rope.scale_linear", (0, 1)),
            (f"{prefix}rope.dimension_count", (head_dim,)),
            (f"{prefix}attention.value_length", (head_dim,)),
            (f"{prefix}attention.sliding_window", (0,)),
            (f"{prefix}expert_count", (0,)),
        ):
            value = self._value(key, None)
            if value is not None and value not in read:
                raise CheckpointError("training-gguf-setting", path=str(self.path), key=key, value=str(value))

    def _require_complete(self) -> None:
        found, expected = {name: self._shape_of(name) for name in self._tensors}, weight_shapes(self.config)
        for name in sorted(set(found) | set(expected)):
            if found.get(name) != expected.get(name):
                raise CheckpointError(
                    "training-gguf-mismatch",
                    path=str(self.path),
                    name=name,
                    found=str(found.get(name, "missing")),
                    expected=str(expected.get(name, "none")),
                )

    def _shape_of(self, name: str) -> tuple[int, ...]:
        if name not in self._tensors:
            raise CheckpointError("training-gguf-unreadable", path=str(self.path), reason=f"{name} is missing")
        return tuple(int(size) for size in reversed(self._tensors[name].shape))

    def _order(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Return a weight with its rows as Hugging Face orders them."""
        if self._architecture not in _REORDERED:
            return array
        if ".q_proj." in name:
            return _halves_apart(array, self.config.num_attention_heads)
        if ".k_proj." in name:
            return _halves_apart(array, self.config.num_key_value_heads)
        return array


@final
class _Weights(Mapping[str, NDArray[Any]]):
    def __init__(
        self, tensors: Mapping[str, Any], order: Callable[[str, NDArray[Any]], NDArray[Any]], path: Path
    ) -> None:
        self._tensors = tensors
        self._order = order
        self._path = path

    def __getitem__(self, name: str) -> NDArray[Any]:
        from gguf.quants import dequantize

        tensor = self._tensors[name]
        array = dequantize(tensor.data, tensor.tensor_type)
        if not np.isfinite(array).all():
            raise CheckpointError("training-gguf-not-finite", path=str(self._path), name=name)
        return self._order(name, np.ascontiguousarray(array, dtype=np.float32))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def _open(path: Path) -> Any:
    try:
        from gguf import GGUFReader
    except ImportError as error:
        raise MissingDependencyError("training-gguf-missing", package="gguf", extra="serve") from error
    try:
        return GGUFReader(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError("training-gguf-unreadable", path=str(path), reason=reason) from error
    except Exception as error:  # the package raises whatever a damaged file makes NumPy raise
        raise CheckpointError("training-gguf-unreadable", path=str(path), reason=str(error)) from error


def _name_of(name: str) -> str | None:
    """Return the Hugging Face name of a tensor; None where there is none."""
    stem, _, kind = name.rpartition(".")
    if kind not in ("weight", "bias"):
        return None
    if stem in _OUTER:
        return f"{_OUTER[stem]}.{kind}"
    block, _, rest = stem.partition(".")
    number, _, inner = rest.partition(".")
    if block != "blk" or not number.isdecimal() or inner not in _INNER:
        return None
    return f"model.layers.{number}.{_INNER[inner]}.{kind}"


def _halves_apart(array: NDArray[Any], heads: int) -> NDArray[Any]:
    """Undo llama.cpp's order: rows 0, 1, 2, ... of a head there are rows 0, D/2, 1, D/2 + 1, ... here.

    Args:
        array: [heads x D, ...].
        heads: how many.
    """
    paired = array.reshape(heads, array.shape[0] // heads // 2, 2, *array.shape[1:])
    return np.ascontiguousarray(paired.swapaxes(1, 2).reshape(array.shape))


def _shortest(value: float) -> float:
    """Return the shortest decimal that is this number in fp32, in which the file holds it: 1e-05 for 9.99999974e-06."""
    return float(str(np.float32(value)))
