from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from headway.recipe import Recipe, resolve_recipe

TEXT_BYTES = 120_000


@pytest.fixture(scope="session")
def text_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of real text: some sources of the standard library."""
    import argparse
    import ast
    import inspect
    import typing

    folder = tmp_path_factory.mktemp("text")
    for module in (argparse, ast, inspect, typing):
        source = Path(module.__file__).read_text(encoding="utf-8")
        (folder / f"{module.__name__}.py").write_text(source[: TEXT_BYTES // 4], encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def chat_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of real conversations: functions of the standard library, each asked for by its docstring."""
    file = tmp_path_factory.mktemp("chats") / "functions.jsonl"
    rows = [
        {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": code}]}
        for asked, code in _documented_functions()
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def _documented_functions() -> list[tuple[str, str]]:
    folder = Path(ast.__file__).parent
    found = []
    for name in ("argparse", "ast", "inspect", "textwrap", "shutil", "statistics", "random", "heapq", "posixpath"):
        source = (folder / f"{name}.py").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            asked = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if asked and isinstance(node, ast.FunctionDef) and len(node.body) > 1:
                node.body = node.body[1:]
                found.append((asked, ast.unparse(node)))
    return found


@pytest.fixture(scope="session")
def make_small_recipe(text_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that makes a recipe small enough to train in seconds."""
    cache = tmp_path_factory.mktemp("cache")

    def make(**changes: dict[str, Any]) -> Recipe:
        raw: dict[str, Any] = {
            "name": "small",
            "model": {
                "hidden_size": 64,
                "intermediate_size": 160,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 512,
                "max_position_embeddings": 64,
                "tie_word_embeddings": True,
            },
            "data": {"paths": [str(text_folder)], "cache": str(cache), "validation_fraction": 0.2},
            "training": {"steps": 40, "global_batch_size": 8, "learning_rate": 3e-3, "warmup_steps": 1},
            "layout": {"micro_batch_size": 4},
            "hardware": {"accelerator": "cpu", "threads": 2},
            "resilience": {"checkpoint_every_steps": 10},
        }
        for section, values in changes.items():
            raw[section] = {**raw.get(section, {}), **values}
        return resolve_recipe(raw)

    return make
