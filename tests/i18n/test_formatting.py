from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.i18n import formatting as f
from headway.i18n.quantities import _BY_SUFFIX, format_quantity

DASH = f.UNKNOWN
ALL: list[Callable[[float | None], str]] = [
    f.format_decimal,
    f.format_bytes,
    f.format_count,
    lambda value: f.format_si(value, "W"),
    f.format_duration,
    f.format_percent,
    f.format_usd,
]


@pytest.mark.parametrize("format_value", ALL)
@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -float("inf")])
def test_what_is_not_known_is_a_dash(format_value: Callable[[float | None], str], value: float | None) -> None:
    assert format_value(value) == DASH


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (3.14159, "3.14"), (9.9999, "10"), (0.00123456, "0.00123"),
        (1234.5, "1,234"), (123456789, "123,456,789"), (1e20, "100,000,000,000,000,000,000"), (1e21, "1.00e+21"),
        (-1e300, "-1.00e+300"), (1e-12, "0.000000000001"), (1e-13, "1.00e-13"), (5e-324, "4.94e-324"),
    ],
)  # fmt: skip
def test_decimals(value: float, text: str) -> None:
    assert f.format_decimal(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"), (1, "1 B"), (1023, "1,023 B"), (1024, "1 KiB"), (1.5 * 2**30, "1.5 GiB"), (-(2**20), "-1 MiB"),
        (1023.9999 * 2**20, "1 GiB"), (80 * 2**30, "80 GiB"), (5000 * 2**40, "5,000 TiB"), (0.5, "0.5 B"),
    ],
)  # fmt: skip
def test_sizes(value: float, text: str) -> None:
    assert f.format_bytes(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (7, "7"), (4096, "4,096"), (9999, "9,999"), (9999.6, "10k"), (10_000, "10k"), (123_456, "123k"),
        (999_999, "1M"), (8_030_261_248, "8.03B"), (15.6e12, "15.6T"), (1e15, "1P"), (-25_000, "-25k"), (0.25, "0.25"),
    ],
)  # fmt: skip
def test_counts(value: float, text: str) -> None:
    assert f.format_count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 W"), (0.5, "0.5 W"), (999.9, "1 kW"), (999_999, "1 MW"), (7e11, "700 GW"), (-1200, "-1.2 kW"),
        (1e18, "1 EW"),
    ],
)  # fmt: skip
def test_si_prefixes(value: float, text: str) -> None:
    assert f.format_si(value, "W") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"), (1e-9, "0.001 \N{MICRO SIGN}s"), (12e-6, "12 \N{MICRO SIGN}s"), (0.0125, "12.5 ms"),
        (0.9999996, "1 s"), (1, "1 s"), (59.9, "59.9 s"), (59.96, "1 min 0 s"), (60, "1 min 0 s"), (90, "1 min 30 s"),
        (3599.7, "1 h 0 min"), (3600, "1 h 0 min"), (5400, "1 h 30 min"), (86399, "1 d 0 h"), (273_600, "3 d 4 h"),
        (-90, "-1 min 30 s"), (-0.0125, "-12.5 ms"), (54 * 86400, "54 d 0 h"), (5000 * 86400, "5,000 d 0 h"),
    ],
)  # fmt: skip
def test_durations(value: float, text: str) -> None:
    assert f.format_duration(value) == text


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(0, 1, "0.0%"), (-0.0, 1, "0.0%"), (0.125, 1, "12.5%"), (0.125, 0, "12%"), (-0.5, 1, "-50.0%"),
     (12, 1, "1,200.0%"),
     (1e-9, 1, "0.0%"), (1e300, 1, "1.00e+302%")],
)  # fmt: skip
def test_percentages(value: float, places: int, text: str) -> None:
    assert f.format_percent(value, places=places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "$0.00"), (-0.0, "$0.00"), (0.0123, "$0.012"), (-0.5, "-$0.5"), (1, "$1.00"), (12.345, "$12.34"),
        (999.5, "$999.50"),
        (1000.4, "$1,000"), (-2_500_000, "-$2,500,000"), (1e-9, "$0.000000001"), (1e300, "$1.00e+300"),
    ],
)  # fmt: skip
def test_money(value: float, text: str) -> None:
    assert f.format_usd(value) == text


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en", "1,234.5"),
        ("de", "1.234,5"),
        ("pt-BR", "1.234,5"),
        ("pt_BR", "1.234,5"),
        ("xx-pseudo", "1,234.5"),
        ("", "1,234.5"),
    ],
)
def test_grouping_follows_the_locale(locale: str, text: str) -> None:
    assert f.format_decimal(1234.5, locale, 5) == text


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_every_number_has_a_short_text(value: float) -> None:
    for format_value in ALL:
        assert 0 < len(format_value(value)) < 48


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("peak_bytes", 2**30, "1 GiB"), ("bytes", 1, "1 B"), ("tokens_per_second", 2351.0, "2,351 tokens/s"),
        ("tokens_per_second_per_device", 2351.0, "2,351 tokens/s"), ("flops_per_second", 989e12, "989 TFLOP/s"),
        ("write_bytes_per_second", 1e9, "1 GB/s"), ("network_bytes_per_step", 1024, "1 KiB"),
        ("bytes_per_token", 4.2, "4.2"), ("step_seconds", 90, "1 min 30 s"), ("mtbf_hours", 1.5, "1 h 30 min"),
        ("total_days", 1.5, "1 d 12 h"), ("heat_watts", 700, "700 W"), ("energy_joules", 3.6e6, "1 kWh"),
        ("carbon_kg_co2e", 12.34, "12.3 kg CO2e"), ("total_usd", 12.5, "$12.50"), ("water_litres", 3, "3 L"),
        ("liquid_litres_per_minute", 2.5, "2.5 L/min"), ("airflow_m3_per_hour", 120, "120 m3/h"),
        ("refrigeration_tons", 1.25, "1.25"), ("model_flops_utilization", 0.4, "40.0%"), ("goodput", 0.9, "90.0%"),
        ("stall_share", 0.05, "5.0%"), ("loss", 3.25, "3.25"), ("step", 12000, "12k"),
        ("engine_version", "2.13", "2.13"),
        ("compile", True, "True"), ("peak_bytes", None, DASH),
    ],
)  # fmt: skip
def test_a_quantity_is_formatted_by_its_name(name: str, value: float | str | None, text: str) -> None:
    assert format_quantity(name, value) == text


@pytest.mark.parametrize(
    "value",
    [["a"], {"a": 1}, (), b"x", object, 10**400, -(10**5000), math.nan, math.inf, -math.inf, -0.0, 1.7e308, 5e-324, 1j],
    ids=lambda value: type(value).__name__,
)
def test_no_value_of_a_quantity_fails(value: Any) -> None:
    for suffix, _ in _BY_SUFFIX:
        assert format_quantity(f"some_{suffix}", value)
    assert format_quantity("steps", value)
    assert format_quantity("data.paths", ["a", "b"]) == "['a', 'b']"
    assert format_quantity("peak_bytes", 10**400) == DASH
