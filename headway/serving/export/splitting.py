"""llama.cpp's name for how a tokenizer splits a text before its pairs are merged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headway.errors import ServingError
from headway.training.gguf.tokenizer import LLAMA_3, QWEN_2

_GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_BY_PATTERN = {LLAMA_3: "smaug-bpe", QWEN_2: "qwen2", _TEKKEN: "tekken", _GPT_2: "gpt-2"}
"""Source: llama.cpp, ``src/llama-vocab.cpp``, and the tokenizer.json of the models that the names come from."""

_KNOWN = "byte-level BPE split as GPT-2, SmolLM, Llama 3, Qwen2 or Mistral's Tekken do, and SentencePiece BPE"


def split_of(content: Mapping[str, Any], path: str) -> tuple[str, str | None]:
    """Return llama.cpp's names of a tokenizer's kind and of its way to split a text.

    Args:
        content: of a ``tokenizer.json``.
        path: of the file, for errors.

    Returns:
        ``gpt2`` and the way to split, or ``llama`` and None.

    Raises:
        ServingError: llama.cpp has no name for it.
    """
    model = content.get("model") or {}
    if model.get("type", "BPE") != "BPE" or "vocab" not in model:
        raise ServingError("serving-tokenizer-kind", path=path, kind=str(model.get("type")), known=_KNOWN)
    if model.get("byte_fallback"):
        return "llama", None
    name = _byte_level(content)
    if name is None:
        kind = str((content.get("pre_tokenizer") or {}).get("type"))
        raise ServingError("serving-tokenizer-kind", path=path, kind=f"BPE, {kind}", known=_KNOWN)
    return "gpt2", name


def _byte_level(content: Mapping[str, Any]) -> str | None:
    parts = _parts(content.get("pre_tokenizer"))
    kinds = [part.get("type") for part in parts]
    if not parts or kinds[-1] != "ByteLevel" or parts[-1].get("add_prefix_space"):
        return None
    splits_itself = parts[-1].get("use_regex", True)
    if kinds == ["ByteLevel"]:
        # Without merges no pair can be merged wrongly, however the text is split.
        return "gpt-2" if splits_itself or not content["model"].get("merges") else None
    if kinds == ["Digits", "ByteLevel"] and parts[0].get("individual_digits") and splits_itself:
        return "smollm"
    if kinds == ["Split", "ByteLevel"] and not splits_itself:
        name = _BY_PATTERN.get(str((parts[0].get("pattern") or {}).get("Regex")))
        return "llama-bpe" if name == "smaug-bpe" and content["model"].get("ignore_merges") else name
    return None


def _parts(pre: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if not pre:
        return []
    return list(pre.get("pretokenizers", [])) if pre.get("type") == "Sequence" else [pre]
