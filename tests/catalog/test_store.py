import pytest

from headway.catalog import accelerator, grid, names
from headway.catalog.grids import Grid
from headway.catalog.store import MAX_NAME_LENGTH, read_facts, read_toml, unknown_name
from headway.errors import CatalogError
from headway.i18n import Translator

GRID = """
[{name}]
aliases = {aliases}
name = "Somewhere"
scope = "country"
carbon_kg_co2e_per_kilowatt_hour = 0.1
basis = "average of a year"
source = "a book"
read_on = 2026-11-30
"""


def refused(call, *arguments):
    with pytest.raises(CatalogError) as caught:
        call(*arguments)
    text, step = Translator("en").error(caught.value)
    assert step
    assert not {"{", "}"} & set(text + step)
    return caught.value, text, step


def test_entries_keep_the_order_of_the_file(tmp_path):
    file = tmp_path / "grids.toml"
    file.write_text(GRID.format(name="b", aliases="[]") + GRID.format(name="a", aliases='["c"]'))
    assert [entry.id for entry in read_facts(file, Grid).values()] == ["b", "a"]


@pytest.mark.parametrize("aliases", ['["b"]', '["B "]', '["x"]'])
def test_a_name_means_one_entry(tmp_path, aliases):
    file = tmp_path / "grids.toml"
    file.write_text(GRID.format(name="b", aliases='["x"]') + GRID.format(name="a", aliases=aliases))
    error, text, _ = refused(read_facts, file, Grid)
    assert error.message_id == "catalog-duplicate-name"
    assert error.arguments["other"] == "b"
    assert "grids.toml" in text


def test_an_entry_may_repeat_its_own_name(tmp_path):
    file = tmp_path / "grids.toml"
    file.write_text(GRID.format(name="a", aliases='["A", "a"]'))
    assert set(read_facts(file, Grid)) == {"a"}


def test_an_id_stands_once(tmp_path):
    file = tmp_path / "grids.toml"
    file.write_text(GRID.format(name="a", aliases="[]") * 2)
    assert refused(read_facts, file, Grid)[0].message_id == "catalog-not-toml"


@pytest.mark.parametrize("content", [b"[a", b"a = ", b"\xff\xfe = 1", b"\x00"])
def test_a_file_must_be_toml(tmp_path, content):
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    error, text, _ = refused(read_toml, file)
    assert error.message_id == "catalog-not-toml"
    assert "bad.toml" in text


def test_a_file_must_be_readable(tmp_path):
    error, text, _ = refused(read_toml, tmp_path)
    assert error.message_id == "catalog-unreadable"
    assert "directory" in text
    assert refused(read_toml, tmp_path / "absent.toml")[0].message_id == "catalog-unreadable"


def test_an_unknown_name_says_what_was_meant():
    error, text, step = refused(accelerator, "H10O")
    assert error.arguments["closest"] == "h100"
    assert text == 'The accelerator must be one that the catalogue knows: "H10O" is not.'
    assert step == 'Did you mean "h100"?'


@pytest.mark.parametrize("name", ["", "   ", "abacus"])
def test_a_name_like_no_other_gets_the_list(name):
    error, text, step = refused(accelerator, name)
    assert error.arguments["closest"] == "none"
    assert f'"{name}"' in text
    assert step == "Use one of: " + ", ".join(names("accelerator")) + "."


def test_a_very_long_name_is_shown_by_its_start():
    error, text, _ = refused(grid, "germany" * 100_000)
    assert len(error.arguments["name"]) == MAX_NAME_LENGTH
    assert error.arguments["name"].endswith("...")
    assert len(text) < 200


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("accelerator", "accelerator"),
        ("cpu", "processor"),
        ("network", "network"),
        ("grid", "grid"),
        ("price", "price"),
        ("cooling", "cooling rule"),
        ("constant", "constant"),
        ("failure", "failure fact"),
        ("model", "model preset"),
        ("kind", "kind of fact"),
    ],
)
def test_every_kind_has_a_word(kind, word):
    text, _ = Translator("en").error(unknown_name(kind, "x", ("a",)))
    assert text == f'The {word} must be one that the catalogue knows: "x" is not.'
