"""Format any quantity by the unit that its name ends with, as every name in Headway does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headway import units
from headway.i18n import formatting

Formatter = Callable[[float, str], str]

_BY_SUFFIX: tuple[tuple[str, Formatter], ...] = (
    ("flops_per_second", lambda value, locale: formatting.format_si(value, "FLOP/s", locale)),
    ("bytes_per_second", lambda value, locale: formatting.format_si(value, "B/s", locale)),
    ("tokens_per_second", lambda value, locale: f"{formatting.format_count(value, locale)} tokens/s"),
    ("tokens_per_second_per_device", lambda value, locale: f"{formatting.format_count(value, locale)} tokens/s"),
    ("bytes_per_step", lambda value, locale: formatting.format_bytes(value, locale)),
    ("bytes_per_token", lambda value, locale: formatting.format_decimal(value, locale)),
    ("bytes", lambda value, locale: formatting.format_bytes(value, locale)),
    ("seconds", lambda value, locale: formatting.format_duration(value, locale)),
    ("device_hours", lambda value, locale: formatting.format_count(value, locale)),
    ("hours", lambda value, locale: formatting.format_duration(value * units.SECONDS_PER_HOUR, locale)),
    ("days", lambda value, locale: formatting.format_duration(value * units.SECONDS_PER_DAY, locale)),
    ("watts", lambda value, locale: formatting.format_si(value, "W", locale)),
    (
        "joules",
        lambda value, locale: f"{formatting.format_decimal(units.joules_to_kilowatt_hours(value), locale)} kWh",
    ),
    ("kg_co2e", lambda value, locale: f"{formatting.format_decimal(value, locale)} kg CO2e"),
    ("usd_per_kilowatt_hour", lambda value, locale: formatting.format_usd(value, locale)),
    ("usd_per_hour", lambda value, locale: formatting.format_usd(value, locale)),
    ("joules_per_token", lambda value, locale: formatting.format_si(value, "J", locale)),
    ("training_flops", lambda value, locale: formatting.format_si(value, "FLOP", locale)),
    ("usd", lambda value, locale: formatting.format_usd(value, locale)),
    ("litres", lambda value, locale: f"{formatting.format_decimal(value, locale)} L"),
    ("litres_per_minute", lambda value, locale: f"{formatting.format_decimal(value, locale)} L/min"),
    ("m3_per_hour", lambda value, locale: f"{formatting.format_decimal(value, locale)} m3/h"),
    ("refrigeration_tons", lambda value, locale: formatting.format_decimal(value, locale)),
    ("utilization", lambda value, locale: formatting.format_percent(value, locale)),
    ("goodput", lambda value, locale: formatting.format_percent(value, locale)),
    ("share", lambda value, locale: formatting.format_percent(value, locale)),
)


def format_quantity(name: str, value: Any, locale: str = "en") -> str:
    """Format a value by its name; what is no number stays text, and what is not known is a dash.

    Args:
        name: the quantity's name, such as ``peak_bytes``.
        value: in the unit that the name ends with; anything is taken.
        locale: a Babel locale name.
    """
    if value is None:
        return formatting.UNKNOWN
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    try:
        value = float(value)
    except OverflowError:
        # An integer beyond every quantity; nothing below could compute with it.
        return formatting.UNKNOWN
    matching = [(suffix, formatter) for suffix, formatter in _BY_SUFFIX if _ends_with(name, suffix)]
    if not matching:
        return formatting.format_count(value, locale)
    return max(matching, key=lambda pair: len(pair[0]))[1](value, locale)


def format_interval(name: str, low: float | None, high: float | None, locale: str = "en") -> str:
    """Format an interval, its unit written once; nothing where an end is not known, or where both are one.

    Args:
        name: the quantity's name.
        low: lower end.
        high: upper end.
        locale: a Babel locale name.
    """
    if low is None or high is None or low == high:
        return ""
    first, last = format_quantity(name, low, locale), format_quantity(name, high, locale)
    number, _, unit = first.partition(" ")
    # Of "3 d 12 h" the rest holds a number too, and is no unit.
    if unit and unit == last.partition(" ")[2] and not any(word.isdecimal() for word in unit.split()):
        first = number
    return f"{first} {formatting.RANGE} {last}"


def _ends_with(name: str, suffix: str) -> bool:
    return name == suffix or name.endswith(f"_{suffix}")
