"""What cannot be exported is refused with a reason, and leaves nothing behind."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from headway.errors import CheckpointError, HeadwayError, RecipeError, RunError, ServingError
from headway.i18n import Translator
from headway.runs import RunFolder
from headway.serving.export import FORMATS, export_gguf
from headway.serving.export.formats import row_bytes
from headway.serving.export.quantising import quantise
from headway.serving.export.sources import find_source
from headway.training.exporting import export_run


@pytest.fixture
def folder(trained: RunFolder, tmp_path: Path) -> Path:
    """The trained model as a Hugging Face folder, to be damaged."""
    return export_run(trained, tmp_path / "model", merges=False)


def change_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def change_weights(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "model.safetensors"
    weights = load_file(file)
    change(weights)
    save_file(weights, file)


NAME = "model.layers.1.mlp.up_proj.weight"


def cut_short(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def unigram(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    content["pre_tokenizer"] = {"type": "Whitespace"}
    (folder / "tokenizer.json").write_text(json.dumps(content))


DAMAGES: dict[str, tuple[Callable[[Path], object], type[HeadwayError], str]] = {
    "no tokenizer": (
        lambda folder: (folder / "tokenizer.json").unlink(), ServingError, "serving-tokenizer-missing"),
    "tokenizer of another kind": (unigram, ServingError, "serving-tokenizer-kind"),
    "more tokens than rows": (
        lambda folder: change_config(folder, vocab_size=300), ServingError, "serving-weight-shape"),
    "unknown architecture": (
        lambda folder: change_config(folder, architectures=["MambaForCausalLM"]),
        RecipeError, "recipe-config-architecture"),
    "architecture that is not written": (
        lambda folder: change_config(folder, architectures=["DeepseekV3ForCausalLM"]), HeadwayError, ""),
    "another activation": (
        lambda folder: change_config(folder, hidden_act="gelu"), ServingError, "serving-setting"),
    "no weights": (
        lambda folder: (folder / "model.safetensors").unlink(), CheckpointError, "serving-no-weights"),
    "weights cut short": (cut_short, CheckpointError, "training-weights-unreadable"),
    "a weight is missing": (
        lambda folder: change_weights(folder, lambda weights: weights.pop(NAME)),
        ServingError, "serving-weight-missing"),
    "a weight too many": (
        lambda folder: change_weights(folder, lambda weights: weights.update(more=np.ones(3, np.float32))),
        ServingError, "serving-weight-unknown"),
    "not finite": (
        lambda folder: change_weights(folder, lambda weights: weights[NAME].fill(np.nan)),
        ServingError, "serving-not-finite"),
    "integers": (
        lambda folder: change_weights(folder, lambda weights: weights.update({NAME: np.ones((160, 64), np.int32)})),
        CheckpointError, "serving-weight-type"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_wrong_is_named(name: str, folder: Path, tmp_path: Path) -> None:
    damage, kind, message_id = DAMAGES[name]
    damage(folder)
    output = tmp_path / "out.gguf"
    with pytest.raises(kind) as caught:
        export_gguf(find_source(str(folder), tmp_path), output, "q8_0")
    if message_id:
        assert caught.value.message_id == message_id
    text, next_step = Translator("en").error(caught.value)
    assert text and next_step and "{" not in text
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model"]


def test_names_of_models_and_formats(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-unknown"):
        find_source("nothing", tmp_path)
    with pytest.raises(ServingError, match="serving-no-model"):
        find_source(str(tmp_path), tmp_path)
    source = find_source(str(folder), tmp_path)
    with pytest.raises(ServingError, match="serving-format-unknown"):
        export_gguf(source, tmp_path / "out.gguf", "q4_x")
    (tmp_path / "there.gguf").write_text("mine")
    with pytest.raises(ServingError, match="serving-output-exists"):
        export_gguf(source, tmp_path / "there.gguf", "f32")
    with pytest.raises(ServingError, match="serving-output-unwritable"):
        export_gguf(source, tmp_path / "no" / "folder.gguf", "f32")


def test_a_disk_that_ends_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    source = find_source(str(folder), tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        with pytest.raises(ServingError, match="serving-output-unwritable"):
            export_gguf(source, tmp_path / "out.gguf", "f32")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["model"]


def test_a_disk_without_room_is_told_before(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No test may fill the real disk.
    monkeypatch.setattr("shutil.disk_usage", lambda _path: type("Usage", (), {"free": 1000}))
    with pytest.raises(ServingError, match="serving-disk-full"):
        export_gguf(find_source(str(folder), tmp_path), tmp_path / "out.gguf", "f32")


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0"])
def test_both_quantisers_give_the_same_bytes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(7, 256)).astype(np.float32)
    by_llama_cpp = quantise(rows, kind)
    monkeypatch.setattr("headway.serving.export.quantising._library", lambda: None)
    assert np.array_equal(quantise(rows, kind), by_llama_cpp)
    assert by_llama_cpp.shape == (7, row_bytes(kind, 256))


def test_k_types_need_llama_cpp(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_config(folder, hidden_size=256)
    monkeypatch.setattr("headway.serving.export.quantising._library", lambda: None)
    from headway.serving.export.quantising import require_quantiser

    with pytest.raises(HeadwayError, match="serving-package-missing"):
        require_quantiser({"Q4_K"})
    require_quantiser({"Q4_0", "F32"})
    assert "q4_k_m" in FORMATS
