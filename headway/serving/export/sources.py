"""What is exported: a run of Headway, or a folder of a Hugging Face model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headway.errors import ServingError
from headway.recipe import ModelConfig, resolve_recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import RunFolder
from headway.serving.export.weights import ArrayWeights, FileWeights, Weights
from headway.training.reading import read_model, read_snapshot

_CONFIG, _GENERATION = "config.json", "generation_config.json"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A model as it lies on the disk.

    Attributes:
        name: of the model.
        model: its shape.
        weights: by Hugging Face name.
        tokenizer_folder: with the tokenizer.json.
        stated: what the model's configuration says, where there is one.
    """

    name: str
    model: ModelConfig
    weights: Weights
    tokenizer_folder: Path
    stated: Mapping[str, Any] = field(default_factory=dict)


def find_source(place: str, runs: Path, step: int | None = None) -> Source:
    """Return what a name means: a folder with a ``config.json``, a run's folder, or the name of a run.

    Args:
        place: as the user wrote it.
        runs: the folder of all runs.
        step: which checkpoint of a run; the newest that verifies by default.

    Raises:
        RunError: there is no run of that name, or it has no checkpoint.
        CheckpointError: the weights cannot be read.
        RecipeError: the configuration is of an architecture that Headway does not know.
        ServingError: the configuration asks for something that is not written.
    """
    folder = Path(place)
    if (folder / _CONFIG).is_file():
        return _of_folder(folder)
    if (folder / "recipe.toml").is_file():
        return _of_run(RunFolder.open(folder.parent, folder.resolve().name), step)
    if folder.is_dir():
        raise ServingError("serving-no-model", folder=place)
    return _of_run(RunFolder.open(runs, place), step)


def _of_folder(folder: Path) -> Source:
    # Nothing is trained; a recipe has to say how long.
    recipe = resolve_recipe({"model": {"config": str(folder / _CONFIG)}, "training": {"steps": 1}})
    config = _read(folder / _CONFIG)
    _refuse_what_is_not_written(config, str(folder / _CONFIG))
    return Source(
        name=folder.resolve().name,
        model=recipe.model,
        weights=FileWeights(folder),
        tokenizer_folder=folder,
        stated={**config, **_read(folder / _GENERATION)},
    )


def _of_run(run: RunFolder, step: int | None) -> Source:
    recipe = run.recipe()
    weights: Weights
    if recipe.training.method == "full":
        # Read once to verify it, and then again a few rows at a time.
        found = read_snapshot(run, step).step
        weights = FileWeights(CheckpointStore(run.checkpoints_folder).path_of(found))
    else:
        weights = ArrayWeights(read_model(run, step))
    return Source(name=run.name, model=recipe.model, weights=weights, tokenizer_folder=run.tokenizer_path.parent)


def _refuse_what_is_not_written(config: Mapping[str, Any], path: str) -> None:
    """Refuse settings that change what the model computes, and that llama.cpp's architecture of it does not have."""
    for key, written in (
        ("hidden_act", ("silu", None)),
        ("norm_topk_prob", (True, None)),
        ("decoder_sparse_step", (1, None)),
        ("mlp_only_layers", ([], None)),
        ("quantization_config", (None,)),
    ):
        value = config.get(key)
        if value not in written:
            raise ServingError("serving-setting", path=path, key=key, value=json.dumps(value)[:80])
    if "Qwen3MoeForCausalLM" in (config.get("architectures") or []) and config.get("norm_topk_prob") is not True:
        # What transformers takes where the file does not say.
        raise ServingError("serving-setting", path=path, key="norm_topk_prob", value="false")


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
