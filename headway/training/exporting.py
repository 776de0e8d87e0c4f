"""A run's model as a folder that Hugging Face's libraries load: whole, or as an adapter of another model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headway.recipe import to_hf_config
from headway.resilience.checkpoint.snapshot import Arrays
from headway.resilience.checkpoint.tensor_file import write_tensor_file
from headway.runs import RunFolder
from headway.training.adapters import CONFIG_FILE, WEIGHTS_FILE, to_peft
from headway.training.data.templates import CONFIG_NAME, TEMPLATE_NAME, special_names
from headway.training.data.tokenizers import Tokenizer
from headway.training.new_folder import new_folder
from headway.training.reading import read_model, read_trained

MODEL_FILE = "model.safetensors"
GENERATION_FILE = "generation_config.json"
"""Where transformers looks for the tokens by which generation ends."""


def export_run(run: RunFolder, output: Path, *, merges: bool, step: int | None = None) -> Path:
    """Write the model of a run to a new folder, complete or not at all.

    Args:
        run: with at least one checkpoint.
        output: the folder; it must not exist.
        merges: where adapters were trained, write the whole model with them added to its weights, in place of the
            adapter alone, in the form of Hugging Face's peft.
        step: which checkpoint; the newest that verifies by default.

    Raises:
        RunError: the run has no checkpoint, or the folder exists or cannot be written.
        CheckpointError: the checkpoint is damaged, or the weights that adapters belong to are gone.
    """
    recipe = run.recipe()
    arrays: Arrays
    if recipe.training.method == "full" or merges:
        ids = special_ids(run.tokenizer_path)
        arrays, name = read_model(run, step), MODEL_FILE
        files = {"config.json": {**to_hf_config(recipe.model), **ids}, GENERATION_FILE: ids}
    else:
        arrays, config = to_peft(recipe, read_trained(run, step))
        name, files = WEIGHTS_FILE, {CONFIG_FILE: config}
    with new_folder(output) as folder:
        _fill(folder, name, arrays, files, run)
    return output


def special_ids(tokenizer_path: Path) -> dict[str, int]:
    """Return the ids by which generation begins and ends, as Hugging Face names them.

    They are those of the tokens that the tokenizer's configuration names; a text without one ends as documents do.

    Args:
        tokenizer_path: a ``tokenizer.json`` that may have a configuration beside it.

    Raises:
        DataError: it is no tokenizer.
    """
    if not tokenizer_path.is_file():
        return {}
    tokenizer = Tokenizer.load(tokenizer_path)
    names = special_names(tokenizer_path.parent)
    found = {
        f"{name}_id": tokenizer.special_tokens[names[name]]
        for name in ("bos_token", "eos_token", "pad_token")
        if names.get(name) in tokenizer.special_tokens
    }
    return {"eos_token_id": tokenizer.end_of_document_id, **found}


def write_json(file: Path, content: Mapping[str, Any]) -> None:
    """Write plain data to a new file."""
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _fill(folder: Path, name: str, arrays: Arrays, files: Mapping[str, Mapping[str, Any]], run: RunFolder) -> None:
    write_tensor_file(folder / name, arrays)
    for title, content in files.items():
        write_json(folder / title, content)
    for file in (run.tokenizer_path, *(run.tokenizer_path.with_name(name) for name in (TEMPLATE_NAME, CONFIG_NAME))):
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
