from __future__ import annotations

from pathlib import Path

import pytest

from headway.i18n.checking import TAG, check, coverage, read_catalogue, start_language
from tests.command_line import Headway

ENGLISH = """### Example

## Part

# $size_bytes (Number)
ui-size = It takes { BYTES($size_bytes) }.
    .next = Free { $size_bytes }.
ui-word = Word
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en").mkdir()
    (tmp_path / "en/ui.ftl").write_text(ENGLISH)
    (tmp_path / "en/run.ftl").write_text("run-one = One\n")
    (tmp_path / "de").mkdir()
    return tmp_path


def found(folder: Path, text: str) -> list[tuple[str, str, str]]:
    (folder / "de/ui.ftl").write_text(text, encoding="utf-8")
    return [(finding.kind, finding.message, finding.detail) for finding in check("de", folder)]


RIGHT = "ui-size = Braucht { BYTES($size_bytes) }.\n    .next = Gib { $size_bytes } frei.\nui-word = Wort\n"


def test_a_whole_file_is_in_order_and_other_files_may_wait(folder: Path) -> None:
    assert found(folder, RIGHT) == []
    assert check("en", folder) == []
    assert coverage(folder) == {"de": {"run": (0, 1), "ui": (2, 2)}, "en": {"run": (1, 1), "ui": (2, 2)}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RIGHT.replace("ui-word = Wort\n", ""), ("missing", "ui-word", "")),
        (RIGHT + "ui-more = Mehr\n", ("unknown", "ui-more", "")),
        (RIGHT.replace("$size_bytes", "$size"), ("arguments", "ui-size", "-size_bytes, +size")),
        (RIGHT.replace("    .next = Gib { $size_bytes } frei.\n", ""), ("parts", "ui-size", "-next")),
        (RIGHT.replace("BYTES", "OCTETS"), ("functions", "ui-size", "OCTETS")),
        (RIGHT + "ui-open = { $size\n", ("broken", "", "ui.ftl:4")),
        (RIGHT + "run-one = Eins\n", ("place", "run-one", "run")),
    ],
)
def test_what_is_wrong_is_named(folder: Path, text: str, expected: tuple[str, str, str]) -> None:
    assert expected in found(folder, text)


def test_a_new_language_has_english_to_translate_from(folder: Path) -> None:
    written = start_language("sv", folder)
    assert [path.name for path in written] == ["run.ftl", "ui.ftl"]
    assert "# ui-word = Word" in written[1].read_text()
    assert read_catalogue("sv", folder) == ({}, [])
    assert check("sv", folder) == []
    # What is there stays.
    assert start_language("sv", folder) == []


@pytest.mark.parametrize(
    ("tag", "right"), [("pt", True), ("zh-Hant", True), ("../x", False), ("", False), ("e", False)]
)
def test_tags(tag: str, right: bool) -> None:
    assert bool(TAG.fullmatch(tag)) == right


def test_the_commands(tmp_path: Path, folder: Path) -> None:
    headway = Headway(tmp_path, tmp_path / "cache")
    options = ("--folder", str(folder))
    assert headway("i18n", "new", "fi", *options).out.count(".ftl") == 2
    assert headway("i18n", "new", "../x", *options).code == 2
    assert headway("i18n", "check", *options).code == 0
    (folder / "de/ui.ftl").write_text("ui-word = Wort\n")
    checked = headway("i18n", "check", "de", *options)
    assert (checked.code, "ui-size" in checked.out) == (1, True)
    assert headway("i18n", "check", "xx", *options).code == 2
    assert "50%" in headway("i18n", "coverage", *options).out
    assert headway("i18n", "coverage", *options, "--json").json["de"]["ui"] == [1, 2]
