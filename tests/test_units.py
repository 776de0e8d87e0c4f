from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway import units


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("15.6T", 15_600_000_000_000),
        ("0.3T", 300_000_000_000),
        ("2_000", 2000),
        ("300M", 300_000_000),
        (" 7 b ", 7_000_000_000),
        ("7G", 7_000_000_000),
        ("1e9", 1_000_000_000),
        ("1.5e3k", 1_500_000),
        ("2P", 2 * 10**15),
        ("1E", 10**18),
        ("1e", 10**18),
        (".5k", 500),
        ("3.", 3),
        ("-4", -4),
        ("+4", 4),
        (12, 12),
        (12.0, 12),
        (15.6e12, 15_600_000_000_000),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_counts(text: str | float, count: int) -> None:
    parsed = units.parse_count(text)
    assert parsed == count
    assert type(parsed) is int


@pytest.mark.parametrize(
    "text",
    ["", "x", "1x", "1 2", "1__0", "_1", "1_", "--1", "1.2.3", "0x10", "nan", "inf", "1e999", "1e9999", "1e400k"],
)
def test_what_is_not_a_count(text: str) -> None:
    with pytest.raises(ValueError, match="count"):
        units.parse_count(text)


@pytest.mark.parametrize(
    "value", [True, float("nan"), float("inf"), -float("inf"), 10**400, 0.5, "0.5", "1234567890.5"]
)
def test_what_is_not_a_whole_finite_count(value: float | str) -> None:
    with pytest.raises(ValueError, match="count"):
        units.parse_count(value)


def test_a_long_text_is_refused_and_not_echoed() -> None:
    with pytest.raises(ValueError, match="count") as caught:
        units.parse_count("1" * 100_000)
    assert len(str(caught.value)) < 200


def test_foreign_digits_are_refused() -> None:
    with pytest.raises(ValueError, match="count"):
        units.parse_count("\N{ARABIC-INDIC DIGIT ONE}")


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("80 GiB", 80 * 2**30),
        ("80GB", 80 * 10**9),
        ("1.5TB", 1_500_000_000_000),
        ("1 kib", 1024),
        ("1 kB", 1000),
        ("5 B", 5),
        ("1024", 1024),
        (1024, 1024),
        ("1 EiB", 2**60),
        ("1 EB", 10**18),
        ("1.5 B", 2),
        ("0", 0),
    ],
)
def test_sizes(text: str | int, size_bytes: int) -> None:
    assert units.parse_bytes(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "duration_seconds"),
    [
        ("7d", 604800.0),
        ("90 min", 5400.0),
        ("1.5h", 5400.0),
        ("30", 30.0),
        (30, 30.0),
        (0.1, 0.1),
        ("0.1", 0.1),
        ("250ms", 0.25),
        ("2 weeks", 1209600.0),
        ("1y", 31557600.0),
        ("2m", 120.0),
        ("-1s", -1.0),
    ],
)
def test_durations(text: str | float, duration_seconds: float) -> None:
    assert units.parse_seconds(text) == duration_seconds


@pytest.mark.parametrize(
    ("text", "power_watts"), [("700W", 700.0), ("1.2 MW", 1.2e6), ("3kw", 3e3), ("1 GW", 1e9), (350, 350.0)]
)
def test_powers(text: str | int, power_watts: float) -> None:
    assert units.parse_watts(text) == power_watts


def test_milliwatts_are_not_taken_for_megawatts() -> None:
    with pytest.raises(ValueError, match="milliwatts or megawatts"):
        units.parse_watts("5 mW")


@pytest.mark.parametrize("parse", [units.parse_bytes, units.parse_seconds, units.parse_watts])
@pytest.mark.parametrize("value", ["", "5 parsecs", "nan", True, float("nan"), 10**400, "1e999"])
def test_what_is_no_quantity(parse: object, value: object) -> None:
    with pytest.raises(ValueError):
        parse(value)  # type: ignore[operator]


@given(st.integers(-(10**18), 10**18))
def test_a_whole_number_is_read_exactly(number: int) -> None:
    assert units.parse_count(str(number)) == units.parse_count(number) == units.parse_bytes(str(number)) == number


@given(st.text(max_size=80))
def test_any_text_is_a_quantity_or_a_value_error(text: str) -> None:
    for parse in (units.parse_count, units.parse_bytes, units.parse_seconds, units.parse_watts):
        try:
            parse(text)
        except ValueError as error:
            assert str(error)


@given(st.floats(-1e200, 1e200))
def test_a_float_of_seconds_stays_what_it_is(value: float) -> None:
    assert units.parse_seconds(value) == value


def test_energy() -> None:
    assert units.joules_to_kilowatt_hours(7.2e6) == 2.0
