"""A model of another program as a folder that training starts from, and that Hugging Face's libraries load."""

from __future__ import annotations

from pathlib import Path

from headway.recipe import to_hf_config
from headway.resilience.checkpoint.tensor_file import write_tensor_file
from headway.training.data.templates import CONFIG_NAME, TEMPLATE_NAME
from headway.training.data.tokenizers import FILE_NAME
from headway.training.exporting import GENERATION_FILE, MODEL_FILE, write_json
from headway.training.gguf import GgufModel
from headway.training.new_folder import new_folder


def import_gguf(path: Path, output: Path, *, with_tokenizer: bool = True) -> Path:
    """Write the model of a GGUF file to a new folder: weights in fp32, shape, tokenizer and chat template.

    Args:
        path: the file; its weights may be quantised.
        output: the folder; it must not exist.
        with_tokenizer: whether to write the tokenizer too.

    Raises:
        CheckpointError: the file cannot be read, or holds a model or a tokenizer of a kind that is not known.
        RunError: the folder exists or cannot be written.
        MissingDependencyError: the package ``gguf`` is not installed.
    """
    model = GgufModel(path)
    with new_folder(output) as folder:
        write_json(folder / "config.json", {**to_hf_config(model.config), **model.special_ids()})
        write_json(folder / GENERATION_FILE, model.special_ids())
        if with_tokenizer:
            (folder / FILE_NAME).write_text(model.tokenizer(), encoding="utf-8")
            write_json(folder / CONFIG_NAME, model.special_tokens())
            template = model.chat_template()
            if template is not None:
                (folder / TEMPLATE_NAME).write_text(template, encoding="utf-8")
        write_tensor_file(folder / MODEL_FILE, model.weights)
    return output
