"""The tokenizer of a GGUF file as a Hugging Face ``tokenizer.json``.

llama.cpp names how a text is split before its pairs are merged; the patterns are those of the models' own files.
Source: llama.cpp, ``src/llama-vocab.cpp`` (the list of pre-tokenizers), and the tokenizer.json of SmolLM2, GPT-2,
Llama 3 and Qwen2.
"""

from __future__ import annotations

from typing import Any

from headway.errors import CheckpointError

_CONTROL, _USER_DEFINED = 3, 4
"""Kinds of tokens. Source: ggml, ``enum llama_token_type``."""

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_2 = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")

SPLITS = ("default", "gpt-2", "smollm", "llama-bpe", "qwen2")
"""Ways to split a text that are known."""


def tokenizer_json(kind: str, split: str, *, tokens: list[str], types: list[int], merges: list[str], path: str) -> str:
    """Return the text of a ``tokenizer.json``.

    Args:
        kind: llama.cpp's name of the algorithm; ``gpt2`` is byte-level BPE, the only one that is read.
        split: its name of the way to split a text.
        tokens: spellings, by id.
        types: kinds, by id.
        merges: pairs of tokens, the first ones first.
        path: of the file, for errors.

    Raises:
        CheckpointError: it is of another kind, or damaged.
    """
    if kind != "gpt2" or split not in SPLITS:
        known = ", ".join(f"gpt2 {one}" for one in SPLITS)
        raise CheckpointError("training-gguf-tokenizer", path=path, kind=f"{kind} {split}", known=known)
    import tokenizers

    vocabulary = {token: number for number, token in enumerate(tokens)}
    pairs = [(first, second) for first, _, second in (merge.partition(" ") for merge in merges)]
    try:
        model = tokenizers.models.BPE(vocab=vocabulary, merges=pairs, ignore_merges=split == "llama-bpe")
    except Exception as error:  # the package raises bare Exception
        raise CheckpointError("training-gguf-unreadable", path=path, reason=str(error)) from error
    backend = tokenizers.Tokenizer(model)
    if split == "qwen2":
        backend.normalizer = tokenizers.normalizers.NFC()
    backend.pre_tokenizer = _pre_tokenizer(tokenizers, split)
    backend.decoder = tokenizers.decoders.ByteLevel()
    for number, token in enumerate(tokens):
        if number < len(types) and types[number] in (_CONTROL, _USER_DEFINED):
            is_special = types[number] == _CONTROL
            added = tokenizers.AddedToken(token, normalized=False, special=is_special)
            if is_special:
                backend.add_special_tokens([added])
            else:
                backend.add_tokens([added])
    return str(backend.to_str())


def _pre_tokenizer(package: Any, split: str) -> Any:
    parts = package.pre_tokenizers
    if split in ("default", "gpt-2"):
        return parts.ByteLevel(add_prefix_space=False)
    if split == "smollm":
        return parts.Sequence([parts.Digits(individual_digits=True), parts.ByteLevel(add_prefix_space=False)])
    pattern = package.Regex(LLAMA_3 if split == "llama-bpe" else QWEN_2)
    return parts.Sequence(
        [parts.Split(pattern, behavior="isolated"), parts.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
