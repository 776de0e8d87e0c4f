"""The generated pages of the documentation are current, and the links of all pages lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from headway.recipe import resolve_recipe

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

_found = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
assert _found is not None
assert _found.loader is not None
generate = importlib.util.module_from_spec(_found)
_found.loader.exec_module(generate)


@pytest.mark.parametrize("name", list(generate.PAGES))
def test_generated_pages_are_current(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run `python docs/generate.py`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8")):
        assert link.startswith("http") or (page.parent / link).exists(), link


def blocks_of(page: Path) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=lambda page: page.name)
def test_recipes_in_guides_are_recipes(page: Path) -> None:
    """Parts of recipes are completed with the smallest model; files that a reader would have are left out."""
    for block in blocks_of(page):
        content: dict[str, Any] = tomllib.loads(block)
        content.pop("recipe", None)
        model = {"preset": "headway-tiny-1m", "max_position_embeddings": 1_000_000, **content.pop("model", {})}
        model.pop("config", None)
        training = {"sequence_length": 128, **content.pop("training", {})}
        if "tokens" not in training:
            training.setdefault("steps", 1000)
        data = {"validation_fraction": 0.01, **content.pop("data", {})}
        resolve_recipe({"model": model, "training": training, "data": data, **content})
