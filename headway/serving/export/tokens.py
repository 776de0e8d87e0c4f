"""A tokenizer as llama.cpp reads it: the kind, the tokens with their types, merges or scores, and special ids.

Source: llama.cpp, ``src/llama-vocab.cpp`` for the names of the ways to split a text (a wrong one loads and then splits
text in another way than the model was trained on); ``convert_hf_to_gguf.py`` for what each kind writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headway.errors import DataError, ServingError
from headway.recipe import ModelConfig
from headway.serving.export.splitting import split_of
from headway.training.data.templates import ChatTemplate, find_template, special_names
from headway.training.data.tokenizers import FILE_NAME, Tokenizer, check_vocabulary, read_saved

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6
"""Kinds of tokens. Source: ggml, ``enum llama_token_type``."""


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """A tokenizer in llama.cpp's terms.

    Attributes:
        model: ``gpt2`` for byte-level BPE, ``llama`` for SentencePiece.
        split: how a text is split before its pairs are merged; None for SentencePiece.
        tokens: spellings by id, one for each row of the embedding.
        types: of each.
        merges: pairs of tokens, the first ones first; empty for SentencePiece.
        scores: of each token for SentencePiece: the pair whose result has the highest is merged first.
        special: ids by llama.cpp's name, such as ``eos``.
        adds: which special tokens begin and end what is encoded, and whether a space begins it.
        chat_template: None where the tokenizer has none.
    """

    model: str
    split: str | None
    tokens: list[str]
    types: list[int]
    merges: list[str]
    scores: list[float]
    special: Mapping[str, int]
    adds: Mapping[str, bool] = field(default_factory=dict)
    chat_template: str | None = None


def read_vocabulary(folder: Path, model: ModelConfig, stated: Mapping[str, Any]) -> Vocabulary:
    """Read the tokenizer of a folder.

    Args:
        folder: with a ``tokenizer.json`` and what Hugging Face keeps beside it.
        model: whose rows the tokens are.
        stated: the content of ``config.json`` and ``generation_config.json``; ids of special tokens stand there too.

    Raises:
        ServingError: there is no tokenizer, or llama.cpp has no name for its kind.
        DataError: it cannot be read, or has more tokens than the model has rows.
    """
    if not (folder / FILE_NAME).is_file():
        raise ServingError("serving-tokenizer-missing", folder=str(folder))
    saved = read_saved(folder)
    tokenizer = Tokenizer(saved, str(folder / FILE_NAME))
    check_vocabulary(tokenizer, model.vocab_size)
    content = json.loads(saved)
    kind, split = split_of(content, str(folder / FILE_NAME))
    tokens, types = _tokens(content, model.vocab_size)
    template = find_template(folder, tuple(tokenizer.special_tokens))
    return Vocabulary(
        model=kind,
        split=split,
        tokens=tokens,
        types=types,
        # The file's format has no empty list; no text is spelled with two NUL characters that would be one token.
        merges=[] if kind == "llama" else _merges(content) or [f"{tokens[0]} {tokens[0]}"],
        scores=_scores(content, tokens) if kind == "llama" else [],
        special=_special_ids(folder, tokenizer, stated, template),
        adds=_adds(saved, content, tokenizer),
        chat_template=None if template is None else template.source,
    )


def _tokens(content: Mapping[str, Any], vocab_size: int) -> tuple[list[str], list[int]]:
    # A row without a token needs a spelling that nothing else has.
    tokens = [f"[unused {number}]" for number in range(vocab_size)]
    types = [_UNUSED] * vocab_size
    model = content["model"]
    for token, number in model["vocab"].items():
        tokens[number], types[number] = token, _NORMAL
        if model.get("byte_fallback") and len(token) == len("<0x00>") and token.startswith("<0x"):
            types[number] = _BYTE
        if token == model.get("unk_token"):
            types[number] = _UNKNOWN
    for added in content.get("added_tokens") or []:
        number = added["id"]
        tokens[number] = added["content"]
        if types[number] != _UNKNOWN:
            types[number] = _CONTROL if added.get("special") else _USER_DEFINED
    return tokens, types


def _merges(content: Mapping[str, Any]) -> list[str]:
    return [one if isinstance(one, str) else " ".join(one) for one in content["model"].get("merges") or []]


def _scores(content: Mapping[str, Any], tokens: list[str]) -> list[float]:
    """Return scores in the order of the merges: the earlier a token is made, the higher its score."""
    ranks: dict[str, int] = {}
    for rank, merge in enumerate(_merges(content)):
        first, _, second = merge.partition(" ")
        ranks.setdefault(first + second, rank)
    last = len(ranks)
    return [float(-ranks.get(token, last + number)) for number, token in enumerate(tokens)]


def _special_ids(
    folder: Path, tokenizer: Tokenizer, stated: Mapping[str, Any], template: ChatTemplate | None
) -> dict[str, int]:
    names = special_names(folder)
    found: dict[str, int] = {}
    for ours, theirs in (("bos", "bos_token"), ("eos", "eos_token"), ("pad", "pad_token")):
        number = tokenizer.special_tokens.get(names.get(theirs, ""))
        if number is None:
            number = _first(stated.get(f"{theirs}_id"))
        if number is not None and number < tokenizer.vocab_size:
            found[ours] = number
    found.setdefault("eos", tokenizer.end_of_document_id)
    ending = None if template is None else _end_of_answer(template)
    if ending is not None and tokenizer.special_tokens[ending] != found["eos"]:
        found["eot"] = tokenizer.special_tokens[ending]
    return found


def _end_of_answer(template: ChatTemplate) -> str | None:
    """Return the token that ends an answer; a template that refuses a plain conversation keeps that to itself."""
    try:
        return template.end_of_answer()
    except DataError:
        return None


def _first(value: object) -> int | None:
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _adds(saved: str, content: Mapping[str, Any], tokenizer: Tokenizer) -> dict[str, bool]:
    """Find out by encoding a letter what the tokenizer puts around a text."""
    import tokenizers

    ids = tokenizers.Tokenizer.from_str(saved).encode("a", add_special_tokens=True).ids
    special = set(tokenizer.special_tokens.values())
    adds = {"bos": bool(ids) and ids[0] in special, "eos": len(ids) > 1 and ids[-1] in special}
    adds["space_prefix"] = _has_space_prefix(content)
    return adds


def _has_space_prefix(content: Mapping[str, Any]) -> bool:
    pre = content.get("pre_tokenizer") or {}
    if pre.get("type") == "Metaspace":
        return bool(pre.get("prepend_scheme", "always") != "never")
    return "Prepend" in json.dumps(content.get("normalizer") or {})
