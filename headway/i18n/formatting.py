"""Numbers as people read them: the one formatter for every surface.

Each function takes plain SI units and a Babel locale name, and returns text. Babel is imported on first use,
since `headway --help` must not pay for it.
"""

from __future__ import annotations

import math

from headway import units

UNKNOWN = "\N{EM DASH}"
"""Shown where a number is not known or not finite: never a made-up value."""

_BINARY_STEPS = ((units.TIB, "TiB"), (units.GIB, "GiB"), (units.MIB, "MiB"), (units.KIB, "KiB"), (1, "B"))
_COUNT_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k"))
_SI_STEPS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_MAX_PLACES = 12
_SMALL_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def format_decimal(value: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format a number with about ``digits`` significant digits, grouped as the locale does."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    from babel.numbers import format_decimal as babel_format_decimal

    magnitude = math.floor(math.log10(abs(value))) if value else 0
    places = min(max(0, digits - 1 - magnitude), _MAX_PLACES)
    if value and abs(value) < 10.0**-_MAX_PLACES:
        return f"{value:.{digits - 1}e}"
    pattern = "#,##0" + ("." + "#" * places if places else "")
    return babel_format_decimal(round(value, places), format=pattern, locale=locale)


def format_bytes(value_bytes: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format an amount of data in binary units: ``1.5 GiB``."""
    return _scaled(value_bytes, _BINARY_STEPS, locale, digits)


def format_count(value: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format a large count as the field writes it: ``15.6T``, ``8.03B``, ``4,096``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for factor, suffix in _COUNT_STEPS:
        if abs(value) >= factor:
            return format_decimal(value / factor, locale, digits) + suffix
    return format_decimal(value, locale, max(digits, 4))


def format_si(value: float | None, unit: str, locale: str = "en", digits: int = 3) -> str:
    """Format a quantity with an SI prefix: ``format_si(7e11, "FLOP/s")`` gives ``700 GFLOP/s``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for factor, prefix in _SI_STEPS:
        if abs(value) >= factor:
            return f"{format_decimal(value / factor, locale, digits)} {prefix}{unit}"
    return f"{format_decimal(value, locale, digits)} {unit}"


def format_duration(value_seconds: float | None, locale: str = "en") -> str:
    """Format a duration with its two largest units: ``3 d 4 h``, ``1 min 30 s``, ``12.5 ms``."""
    if value_seconds is None or not math.isfinite(value_seconds):
        return UNKNOWN
    seconds = abs(value_seconds)
    sign = "-" if value_seconds < 0 else ""
    if seconds < units.SECONDS_PER_MINUTE:
        for factor, unit in _SMALL_STEPS:
            if seconds >= factor or unit == "µs":
                return f"{sign}{format_decimal(seconds / factor, locale)} {unit}"
    whole_minutes, rest_seconds = divmod(round(seconds), 60)
    if seconds < units.SECONDS_PER_HOUR:
        return f"{sign}{whole_minutes} min {rest_seconds} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if seconds < units.SECONDS_PER_DAY:
        return f"{sign}{hours} h {minutes} min"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{sign}{format_decimal(days, locale, 6)} d {hours} h"


def format_percent(ratio: float | None, locale: str = "en", places: int = 1) -> str:
    """Format a ratio as a percentage: 0.125 gives ``12.5%``."""
    if ratio is None or not math.isfinite(ratio):
        return UNKNOWN
    from babel.numbers import format_percent as babel_format_percent

    pattern = "#,##0" + ("." + "0" * places if places else "") + "%"
    return babel_format_percent(ratio, format=pattern, locale=locale)


def format_usd(value_usd: float | None, locale: str = "en") -> str:
    """Format an amount of US dollars; below one dollar with enough digits to see it."""
    if value_usd is None or not math.isfinite(value_usd):
        return UNKNOWN
    from babel.numbers import format_currency

    if value_usd and abs(value_usd) < 1:
        places = min(8, 1 - math.floor(math.log10(abs(value_usd))))
        return f"${format_decimal(round(value_usd, places), locale, 2)}"
    return format_currency(value_usd, "USD", locale=locale, currency_digits=abs(value_usd) < 1000, format="¤#,##0")


def _scaled(value: float | None, steps: tuple[tuple[float, str], ...], locale: str, digits: int) -> str:
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for factor, unit in steps:
        if abs(value) >= factor:
            return f"{format_decimal(value / factor, locale, digits)} {unit}"
    return f"{format_decimal(value, locale, digits)} {steps[-1][1]}"
