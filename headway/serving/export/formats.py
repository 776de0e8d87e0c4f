"""The number formats that a model can be written in, and which format each of its tensors gets.

Source: llama.cpp, ``src/llama-quant.cpp`` (``llama_tensor_get_type_impl``) for the mixtures of the K formats, and
``ggml/include/ggml.h`` for the types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headway.errors import ServingError
from headway.recipe import ModelConfig
from headway.serving.export.names import Target

_BLOCK, _SUPER_BLOCK = 32, 256
"""Numbers of a row that one scale is for; of the K formats, those of one super-block."""

_FALLBACK = {"Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
"""What a row that no super-blocks fill gets."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format of a whole model.

    Attributes:
        main: the type of most matrices, by ggml's name.
        file_type: llama.cpp's number for the mixture, from ``enum llama_ftype``.
        better: the type of the matrices that lose most by rounding; None where all are alike.
    """

    main: str
    file_type: int
    better: str | None = None


FORMATS = {
    "f32": Format(main="F32", file_type=0),
    "f16": Format(main="F16", file_type=1),
    "bf16": Format(main="BF16", file_type=32),
    "q8_0": Format(main="Q8_0", file_type=7),
    "q6_k": Format(main="Q6_K", file_type=18),
    "q5_k_m": Format(main="Q5_K", file_type=17, better="Q6_K"),
    "q5_k_s": Format(main="Q5_K", file_type=16),
    "q5_1": Format(main="Q5_1", file_type=9),
    "q5_0": Format(main="Q5_0", file_type=8),
    "q4_k_m": Format(main="Q4_K", file_type=15, better="Q6_K"),
    "q4_k_s": Format(main="Q4_K", file_type=14),
    "q4_1": Format(main="Q4_1", file_type=3),
    "q4_0": Format(main="Q4_0", file_type=2),
}
"""By the names that llama.cpp's own tools take, in lower case; largest first."""

_WHOLE = ("F32", "F16", "BF16")

_BYTES_PER_BLOCK = {
    "F32": (1, 4), "F16": (1, 2), "BF16": (1, 2),
    "Q8_0": (32, 34), "Q5_1": (32, 24), "Q5_0": (32, 22), "Q4_1": (32, 20), "Q4_0": (32, 18),
    "Q6_K": (256, 210), "Q5_K": (256, 176), "Q4_K": (256, 144),
}  # fmt: skip
"""Numbers and bytes of one block. Source: ``ggml/src/ggml-common.h``, the sizes of the structures ``block_*``."""


def format_named(name: str) -> Format:
    """Return a format by its name, in any case.

    Raises:
        ServingError: there is none of that name.
    """
    found = FORMATS.get(name.lower())
    if found is None:
        raise ServingError("serving-format-unknown", format=name, known=", ".join(FORMATS))
    return found


def row_bytes(kind: str, numbers: int) -> int:
    """Return the bytes of a row of so many numbers in a type."""
    block, size = _BYTES_PER_BLOCK[kind]
    return -(-numbers // block) * size


def type_of(target: Target, form: Format, model: ModelConfig) -> str:
    """Return the type of a tensor by ggml's name.

    Vectors and the routers of experts stay in fp32, as llama.cpp leaves them. Rows that a type's blocks do not fill get
    the nearest type whose blocks they do.

    Args:
        target: the tensor.
        form: of the model.
        model: its shape.
    """
    if len(target.shape) < 2 or target.is_router or form.main == "F32":
        return "F32"
    chosen = form.main if form.main in _WHOLE else _quantised(target, form, model)
    columns = target.shape[-1]
    if chosen in _FALLBACK and columns % _SUPER_BLOCK:
        chosen = _FALLBACK[chosen]
    if chosen not in _WHOLE and columns % _BLOCK:
        chosen = "F16"
    return chosen


def _quantised(target: Target, form: Format, model: ModelConfig) -> str:
    is_head = target.name == "output.weight" or (target.name == "token_embd.weight" and model.tie_word_embeddings)
    if is_head:
        return "Q8_0" if form.main == "Q8_0" else "Q6_K"
    rules: dict[str, Callable[[], str]] = {
        "attn_v": lambda: _value_type(target, form, model),
        "attn_k": lambda: "Q8_0" if model.num_experts == _EIGHT else form.main,
        "attn_output": lambda: "Q5_K" if model.num_experts == _EIGHT and form.main == "Q4_K" else form.main,
        "ffn_down": lambda: _down_type(target, form, model),
        "ffn_down_exps": lambda: _down_type(target, form, model),
    }
    return rules.get(target.kind, lambda: form.main)()


_EIGHT = 8
"""Mixtral's experts: beside them the attention is so small that more bits for its keys and values cost nothing."""

_FIRST_LAYERS = 4
"""Whose values get more bits in the smallest K format of 4 bits."""

_SHARED_VALUES = 80
"""Layers of the 70B shapes, whose eight queries share one value each: their values get a little more."""


def _value_type(target: Target, form: Format, model: ModelConfig) -> str:
    if model.num_experts == _EIGHT:
        return "Q8_0"
    layers, layer = model.num_hidden_layers, target.layer
    chosen = form.main
    if form.better is not None and _gets_more_bits(layer, layers):
        chosen = form.better
    elif form == FORMATS["q4_k_s"] and layer < _FIRST_LAYERS:
        chosen = "Q5_K"
    if layers == _SHARED_VALUES and chosen == "Q4_K" and model.num_experts is None:
        return "Q5_K"
    return chosen


def _down_type(target: Target, form: Format, model: ModelConfig) -> str:
    layers, layer = model.num_hidden_layers, target.layer
    if form.better is not None and _gets_more_bits(layer, layers):
        return form.better
    if layer < layers // 8:
        return "Q5_K" if form == FORMATS["q4_k_s"] else form.main
    return form.main


def _gets_more_bits(layer: int, layers: int) -> bool:
    """Say whether a layer is among the first and last eighths, or every third between. Source: ``use_more_bits``."""
    return layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2
