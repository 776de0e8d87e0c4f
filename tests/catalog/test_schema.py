"""Files that break a rule: each is refused with an error that names the file, the entry and the field."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from headway.catalog.schema import Entry, build, plain
from headway.errors import CatalogError
from headway.i18n import Translator

FILE = Path("things.toml")


@dataclass(frozen=True, kw_only=True)
class Part:
    length_metres: float


@dataclass(frozen=True, kw_only=True)
class Thing(Entry):
    colour: Literal["red", "blue"]
    weight_kilograms: float
    wheels: int | None = None
    sizes: tuple[int, ...] = ()
    usable: bool = True
    part: Part | None = None


GOOD = {
    "basis": "per thing",
    "source": "a book",
    "read_on": date(2026, 11, 30),
    "colour": "red",
    "weight_kilograms": 2,
}


def refused(**changes):
    with pytest.raises(CatalogError) as caught:
        build(Thing, GOOD | changes, FILE, "a-thing")
    text, step = Translator("en").error(caught.value)
    assert "things.toml" in text
    assert "a-thing" in text
    assert step
    assert not {"{", "}"} & set(text + step)
    return caught.value


def test_a_good_table_becomes_an_entry():
    thing = build(
        Thing, GOOD | {"sizes": [1, 2], "part": {"length_metres": 1.5}, "wheels": 4, "usable": False}, FILE, "a-thing"
    )
    assert thing == Thing(
        id="a-thing",
        basis="per thing",
        source="a book",
        read_on=date(2026, 11, 30),
        colour="red",
        weight_kilograms=2.0,
        sizes=(1, 2),
        part=Part(length_metres=1.5),
        wheels=4,
        usable=False,
    )
    assert type(thing.weight_kilograms) is float


def test_an_entry_becomes_plain_values():
    thing = build(Thing, GOOD | {"sizes": [1, 2], "part": {"length_metres": 1.5}}, FILE, "a-thing")
    assert plain(thing) == {
        **GOOD,
        "id": "a-thing",
        "read_on": "2026-11-30",
        "sizes": [1, 2],
        "usable": True,
        "part": {"length_metres": 1.5},
    }


def test_an_unknown_field_names_the_closest():
    error = refused(color="red")
    assert error.message_id == "catalog-unknown-field"
    assert error.arguments["closest"] == "colour"
    assert Translator("en").error(error)[1] == 'Did you mean "colour"?'


def test_a_field_like_no_other_lists_the_known_ones():
    error = refused(zzzz=1)
    assert error.arguments["closest"] == "none"
    assert Translator("en").error(error)[1].startswith("Use one of: aliases, basis, source")


def test_the_id_is_not_a_field_of_its_own():
    assert refused(id="another").arguments["field"] == "id"


@pytest.mark.parametrize("field", ["source", "read_on", "basis", "colour", "weight_kilograms"])
def test_a_required_field_must_be_there(field):
    table = {key: value for key, value in GOOD.items() if key != field}
    with pytest.raises(CatalogError) as caught:
        build(Thing, table, FILE, "a-thing")
    assert caught.value.message_id == "catalog-missing-field"
    assert caught.value.arguments["field"] == field


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_source_must_say_something(blank):
    assert refused(source=blank).message_id == "catalog-missing-field"


@pytest.mark.parametrize(
    ("field", "value", "expected", "received"),
    [
        ("weight_kilograms", "heavy", "float", "str"),
        ("weight_kilograms", True, "float", "bool"),
        ("wheels", 4.0, "int", "float"),
        ("wheels", True, "int", "bool"),
        ("usable", 1, "bool", "int"),
        ("source", 7, "str", "int"),
        ("read_on", "2026-11-30", "date", "str"),
        ("sizes", 3, "list", "int"),
        ("sizes", ["3"], "int", "str"),
        ("colour", "green", "red | blue", "'green'"),
        ("colour", ["red"], "red | blue", "['red']"),
    ],
)
def test_a_value_must_be_of_the_type(field, value, expected, received):
    error = refused(**{field: value})
    assert error.message_id == "catalog-wrong-type"
    assert (error.arguments["field"], error.arguments["expected"]) == (field, expected)
    assert error.arguments["received"] == received


@pytest.mark.parametrize("value", [-1.0, -0.001, float("nan"), float("inf"), -3])
def test_a_number_is_finite_and_not_negative(value):
    assert refused(weight_kilograms=value).message_id == "catalog-bad-number"


def test_numbers_in_lists_and_parts_are_checked_too():
    assert refused(sizes=[1, -1]).message_id == "catalog-bad-number"
    assert refused(part={"length_metres": -1.0}).arguments["field"] == "length_metres"
    assert refused(part={}).arguments["field"] == "length_metres"


@pytest.mark.parametrize("table", [3, "text", [1, 2]])
def test_an_entry_is_a_table(table):
    with pytest.raises(CatalogError) as caught:
        build(Thing, table, FILE, "a-thing")
    assert caught.value.message_id == "catalog-not-a-table"


@pytest.mark.parametrize("name", ["", "A-Thing", "a_thing", "a thing", "-a", "a-", "a--b", "a..b"])
def test_an_id_is_kebab_case(name):
    with pytest.raises(CatalogError) as caught:
        build(Thing, GOOD, FILE, name)
    assert caught.value.message_id == "catalog-bad-id"
