"""What is read of a GGUF file is what transformers reads of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from headway.errors import CheckpointError, RunError
from headway.recipe import resolve_recipe
from headway.training.gguf import GgufModel
from headway.training.importing import import_gguf


@pytest.fixture(scope="module")
def theirs(smollm2: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(smollm2.parent, gguf_file=smollm2.name)


def test_every_weight_is_the_one_that_transformers_reads(smollm2: Path, theirs: Any) -> None:
    weights = GgufModel(smollm2).weights
    expected = dict(theirs.named_parameters())
    assert set(weights) == set(expected)
    for name, parameter in expected.items():
        np.testing.assert_array_equal(weights[name], parameter.detach().numpy(), err_msg=name)


def test_the_shape_is_that_of_the_preset(smollm2: Path) -> None:
    found = GgufModel(smollm2).config
    preset = resolve_recipe({"model": {"preset": "smollm2-135m"}, "training": {"steps": 1}}).model
    for name in ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
                 "num_key_value_heads", "head_dim", "rope_theta", "rms_norm_eps", "tie_word_embeddings"):  # fmt: skip
        assert getattr(found, name) == getattr(preset, name), name


def test_the_folder_is_one_that_transformers_loads(imported: Path, theirs: Any) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    tokens = torch.tensor([[1, 9690, 198, 2683]])
    ours = AutoModelForCausalLM.from_pretrained(imported)
    torch.testing.assert_close(ours(tokens).logits, theirs(tokens).logits, rtol=0, atol=0)


TEXTS = (
    "Hello 12345 w\u00f6rld!\n\n  x = [1, 2]  # \u00e9t\u00e9\t\u4e2d\u6587 \U0001f642",
    "<|im_start|>user\nWhat's 3.14159?<|im_end|>\n",
    "def f(a):\r\n    return a ** 2\n" * 3,
    "",
)


@pytest.fixture(scope="module")
def tokenizers(smollm2: Path, imported: Path) -> tuple[Any, Any]:
    """Ours and theirs: reading one out of a GGUF file takes seconds."""
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(smollm2.parent, gguf_file=smollm2.name)
    return AutoTokenizer.from_pretrained(imported), theirs


@pytest.mark.parametrize("text", TEXTS)
def test_the_tokenizer_is_the_one_that_transformers_reads(tokenizers: tuple[Any, Any], text: str) -> None:
    ours, theirs = tokenizers
    assert ours(text).input_ids == theirs(text).input_ids
    assert ours.decode(ours(text).input_ids) == text


def test_the_chat_template_comes_along(imported: Path) -> None:
    from transformers import AutoTokenizer

    rendered = AutoTokenizer.from_pretrained(imported).apply_chat_template(
        [{"role": "user", "content": "Hi"}], tokenize=False, add_generation_prompt=True
    )
    assert rendered.startswith("<|im_start|>system\nYou are a helpful AI assistant named SmolLM")
    assert rendered.endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")


SHAPES = {
    "token_embd": (10, 8), "output_norm": (8,), "blk.0.attn_norm": (8,), "blk.0.ffn_norm": (8,),
    "blk.0.attn_q": (8, 8), "blk.0.attn_k": (4, 8), "blk.0.attn_v": (4, 8), "blk.0.attn_output": (8, 8),
    "blk.0.ffn_gate": (12, 8), "blk.0.ffn_up": (12, 8), "blk.0.ffn_down": (8, 12),
}  # fmt: skip
"""Of a model of one layer, two heads and one key-value head."""


def write(
    path: Path,
    architecture: str = "llama",
    *,
    shapes: dict[str, tuple[int, ...] | None] | None = None,
    settings: dict[str, str | int | float] | None = None,
    spoilt: str | None = None,
) -> Path:
    """Write a small GGUF file whose numbers say where they are."""
    writer = GGUFWriter(str(path), architecture)
    writer.add_block_count(1)
    writer.add_context_length(16)
    writer.add_embedding_length(8)
    writer.add_feed_forward_length(12)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    for key, value in (settings or {}).items():
        kind = {str: writer.add_string, int: writer.add_uint32, float: writer.add_float32}[type(value)]
        kind(key, value)  # type: ignore[operator]
    for name, shape in {**SHAPES, **(shapes or {})}.items():
        if shape is not None:
            array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
            if name == spoilt:
                array[0] = np.nan
            writer.add_tensor(f"{name}.weight", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_rows_of_queries_and_keys_by_hand(tmp_path: Path) -> None:
    """Heads of 4 channels: llama.cpp's rows a b c d are rows a c b d here."""
    weights = GgufModel(write(tmp_path / "one.gguf")).weights
    queries = weights["model.layers.0.self_attn.q_proj.weight"][:, 0] / 8
    np.testing.assert_array_equal(queries, [0, 2, 1, 3, 4, 6, 5, 7])
    keys = weights["model.layers.0.self_attn.k_proj.weight"][:, 0] / 8
    np.testing.assert_array_equal(keys, [0, 2, 1, 3])


def test_other_architectures_keep_their_rows(tmp_path: Path) -> None:
    weights = GgufModel(write(tmp_path / "two.gguf", "qwen2")).weights
    np.testing.assert_array_equal(weights["model.layers.0.self_attn.k_proj.weight"][:, 0] / 8, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("message_id", "content"),
    [
        ("training-gguf-architecture", {"architecture": "mamba"}),
        ("training-gguf-tensor", {"shapes": {"rope_freqs": (4,)}}),
        ("training-gguf-tensor", {"shapes": {"blk.0.ffn_gate_exps": (4,)}}),
        ("training-gguf-setting", {"settings": {"llama.rope.scaling.type": "yarn"}}),
        ("training-gguf-setting", {"settings": {"llama.rope.scale_linear": 4.0}}),
        ("training-gguf-setting", {"settings": {"llama.rope.dimension_count": 2}}),
        ("training-gguf-setting", {"settings": {"llama.attention.sliding_window": 8}}),
        ("training-gguf-setting", {"settings": {"split.count": 2}}),
        ("training-gguf-mismatch", {"shapes": {"blk.0.ffn_up": None}}),
        ("training-gguf-mismatch", {"shapes": {"blk.0.ffn_up": (12, 6)}}),
        ("training-gguf-mismatch", {"shapes": {"blk.1.ffn_up": (12, 8)}}),
        ("training-gguf-mismatch", {"shapes": {"output_norm": (6,)}}),
        ("training-gguf-not-finite", {"spoilt": "blk.0.attn_q"}),
    ],
)
def test_what_is_no_whole_model_of_the_family(tmp_path: Path, message_id: str, content: dict[str, Any]) -> None:
    file = write(tmp_path / "other.gguf", **content)
    with pytest.raises(CheckpointError, match=message_id):
        import_gguf(file, tmp_path / "out", with_tokenizer=False)
    assert [one.name for one in tmp_path.iterdir()] == ["other.gguf"]


def test_a_tokenizer_of_another_kind(tmp_path: Path) -> None:
    file = write(tmp_path / "t.gguf", settings={"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": "x"})
    with pytest.raises(CheckpointError, match="training-gguf-tokenizer"):
        import_gguf(file, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    written = import_gguf(file, tmp_path / "out", with_tokenizer=False)
    assert sorted(one.name for one in written.iterdir()) == [
        "config.json",
        "generation_config.json",
        "model.safetensors",
    ]


@pytest.mark.parametrize("length", [0, 3, 100, 40_000])
def test_a_damaged_file(tmp_path: Path, smollm2: Path, length: int) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(smollm2.read_bytes()[:length])
    with pytest.raises(CheckpointError, match="training-gguf-unreadable"):
        import_gguf(damaged, tmp_path / "out")
    assert [one.name for one in tmp_path.iterdir()] == ["damaged.gguf"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="training-gguf-unreadable"):
        GgufModel(tmp_path / "none.gguf")


def test_nothing_is_overwritten(smollm2: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-output-exists"):
        import_gguf(smollm2, tmp_path)


def test_the_shape_is_written(imported: Path) -> None:
    config = json.loads((imported / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert (config["bos_token_id"], config["eos_token_id"]) == (1, 2)
