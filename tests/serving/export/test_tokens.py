"""A SentencePiece tokenizer, as Llama 2 and Mistral have it, spells a text in llama.cpp as it did before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

from headway.runs import RunFolder
from headway.serving.client import Client
from headway.training.data import Tokenizer
from headway.training.exporting import export_run
from tests.serving.asking import tokens_of


def sentencepiece(text: str) -> tokenizers.Tokenizer:
    """Train a small tokenizer in the form of Llama 2's tokenizer.json."""
    model = tokenizers.models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    made = tokenizers.Tokenizer(model)
    normalizers = tokenizers.normalizers
    made.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    decoders = tokenizers.decoders
    made.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>"]
    units = [f"<0x{number:02X}>" for number in range(256)]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=900, special_tokens=[*special, *units], show_progress=False)
    # Words one by one: nothing is merged across a space.
    made.train_from_iterator(text.split(), trainer)
    # The units of a byte were special only to get their places.
    parsed = json.loads(made.to_str())
    parsed["added_tokens"] = [one for one in parsed["added_tokens"] if one["content"] in special]
    return tokenizers.Tokenizer.from_str(json.dumps(parsed))


def test_sentencepiece(tmp_path: Path, export: Callable[..., Any], run_model: Callable[..., Client]) -> None:
    import argparse

    text = Path(argparse.__file__).read_text(encoding="utf-8")[:40_000]
    made = sentencepiece(text)
    torch.manual_seed(0)
    config = transformers.MistralConfig(
        hidden_size=64, intermediate_size=96, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2,
        vocab_size=1000, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    folder = tmp_path / "model"
    transformers.MistralForCausalLM(config).save_pretrained(folder)
    made.save(str(folder / "tokenizer.json"))
    client = run_model(export(folder).path)
    for sample in ("return the parser", "  two spaces\n\tand a tab", "na\u00efve \u4f60\U0001f600", text[2000:2600]):
        assert tokens_of(client, sample) == made.encode(sample, add_special_tokens=False).ids


def exported(folder: Path, export: Callable[..., Any]) -> dict[str, Any]:
    import gguf

    reader = gguf.GGUFReader(export(folder, "q8_0").path)
    return {key: field.contents() for key, field in reader.fields.items() if key.startswith("tokenizer.")}


def test_special_tokens_and_the_template(trained: RunFolder, tmp_path: Path, export: Callable[..., Any]) -> None:
    folder = export_run(trained, tmp_path / "model", merges=False)
    keys = exported(folder, export)
    ids = Tokenizer.load(folder).special_tokens
    assert keys["tokenizer.ggml.eos_token_id"] == ids["<|endoftext|>"]
    assert keys["tokenizer.ggml.add_bos_token"] is False
    assert "tokenizer.chat_template" not in keys
    # The end of a turn is another token than that of a document, as in most models that chat.
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": {"content": "<|endoftext|>"}}))
    source = "{% for message in messages %}{{ message.content }}<|pad|>{% endfor %}"
    (folder / "chat_template.jinja").write_text(source)
    keys = exported(folder, export)
    assert keys["tokenizer.chat_template"] == source
    assert keys["tokenizer.ggml.eot_token_id"] == ids["<|pad|>"]
    refusing = "{{ raise_exception('no') }}"
    (folder / "chat_template.jinja").write_text(refusing)
    keys = exported(folder, export)
    assert keys["tokenizer.chat_template"] == refusing
    assert "tokenizer.ggml.eot_token_id" not in keys
