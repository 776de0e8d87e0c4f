"""The generated pages of the documentation are current, and the links of all pages lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

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
