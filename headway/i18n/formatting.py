"""Numbers as people read them: the one formatter for every surface.

Each function takes plain SI units and a Babel locale name, and returns text. Babel is imported on first use,
since `headway --help` must not pay for it.
"""

from __future__ import annotations

import math
from functools import cache

from headway import units

RANGE = "\N{EN DASH}"
"""Between the ends of an interval."""

UNKNOWN = "\N{EM DASH}"
"""Shown where a number is not known or not finite: never a made-up value."""

_BINARY_STEPS = ((units.TIB, "TiB"), (units.GIB, "GiB"), (units.MIB, "MiB"), (units.KIB, "KiB"), (1, "B"))
_COUNT_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
_FIRST_SCALED_COUNT = 1e4
_SI_STEPS = (
    (1e30, "Q"),
    (1e27, "R"),
    (1e24, "Y"),
    (1e21, "Z"),
    (1e18, "E"),
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
)
_SMALL_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"))
_MAX_PLACES = 12
_LARGEST_IN_DIGITS = 1e21
"""From here on a number is written with an exponent."""


def format_decimal(value: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format a number with about ``digits`` significant digits, grouped as the locale does."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    from babel.numbers import format_decimal as babel_format_decimal

    if value and not 10.0**-_MAX_PLACES <= abs(value) < _LARGEST_IN_DIGITS:
        return f"{value:.{digits - 1}e}"
    places = _places(value, digits)
    pattern = "#,##0" + ("." + "#" * places if places else "")
    # Adding zero turns -0.0 into 0.0.
    return babel_format_decimal(round(value, places) + 0, format=pattern, locale=_babel_locale(locale))


def format_bytes(value_bytes: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format an amount of data in binary units: ``1.5 GiB``."""
    return _scaled(value_bytes, _BINARY_STEPS, locale, digits)


def format_count(value: float | None, locale: str = "en", digits: int = 3) -> str:
    """Format a large count as the field writes it: ``15.6T``, ``8.03B``, ``4,096``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if abs(_rounded(value, digits)) < _FIRST_SCALED_COUNT:
        return format_decimal(value, locale, max(digits, 4))
    return _scaled(value, _COUNT_STEPS, locale, digits).replace(" ", "")


def format_si(value: float | None, unit: str, locale: str = "en", digits: int = 3) -> str:
    """Format a quantity with an SI prefix: ``format_si(7e11, "FLOP/s")`` gives ``700 GFLOP/s``."""
    return _scaled(value, tuple((factor, prefix + unit) for factor, prefix in _SI_STEPS), locale, digits)


def format_duration(value_seconds: float | None, locale: str = "en") -> str:
    """Format a duration with its two largest units: ``3 d 4 h``, ``1 min 30 s``, ``12.5 ms``."""
    if value_seconds is None or not math.isfinite(value_seconds):
        return UNKNOWN
    seconds = abs(value_seconds)
    sign = "-" if value_seconds < 0 else ""
    if _rounded(seconds, 3) < units.SECONDS_PER_MINUTE:
        return sign + (_scaled(seconds, _SMALL_STEPS, locale, 3) if seconds else "0 s")
    # Rounded before the unit is chosen, so that nothing reads "60 min 0 s".
    if round(seconds) < units.SECONDS_PER_HOUR:
        minutes, rest_seconds = divmod(round(seconds), 60)
        return f"{sign}{minutes} min {rest_seconds} s"
    if round(seconds / 60) * 60 < units.SECONDS_PER_DAY:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{sign}{hours} h {minutes} min"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{sign}{format_decimal(days, locale, 6)} d {hours} h"


def format_percent(ratio: float | None, locale: str = "en", places: int = 1) -> str:
    """Format a ratio as a percentage: 0.125 gives ``12.5%``."""
    if ratio is None or not math.isfinite(ratio):
        return UNKNOWN
    if abs(ratio) >= _LARGEST_IN_DIGITS:
        return f"{ratio * 100:.2e}%"
    from babel.numbers import format_percent as babel_format_percent

    pattern = "#,##0" + ("." + "0" * places if places else "") + "%"
    return babel_format_percent(round(ratio, places + 2) + 0, format=pattern, locale=_babel_locale(locale))


def format_usd(value_usd: float | None, locale: str = "en") -> str:
    """Format an amount of US dollars; below one dollar with enough digits to see it."""
    if value_usd is None or not math.isfinite(value_usd):
        return UNKNOWN
    if abs(value_usd) >= _LARGEST_IN_DIGITS:
        return f"${value_usd:.2e}"
    from babel.numbers import format_currency

    value_usd += 0.0
    if not value_usd or 1 <= abs(value_usd) < 1000:
        places = "." + "0" * 2
    elif abs(value_usd) < 1:
        places = "." + "#" * min(_MAX_PLACES, _places(value_usd, 2))
    else:
        places = ""
    pattern = f"\N{CURRENCY SIGN}#,##0{places}"
    return format_currency(value_usd, "USD", format=pattern, locale=_babel_locale(locale), currency_digits=False)


def _scaled(value: float | None, steps: tuple[tuple[float, str], ...], locale: str, digits: int) -> str:
    """Format with the largest step that the rounded value reaches, so that nothing reads ``1,024 MiB``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    reached = (step for step in steps if abs(_rounded(value / step[0], digits)) >= 1)
    factor, unit = next(reached, steps[-1])
    return f"{format_decimal(value / factor, locale, digits)} {unit}"


def _places(value: float, digits: int) -> int:
    """Return how many decimal places show ``digits`` significant digits."""
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    return min(max(0, digits - 1 - magnitude), _MAX_PLACES)


def _rounded(value: float, digits: int) -> float:
    """Round as `format_decimal` shows it."""
    return round(value, _places(value, digits))


@cache
def _babel_locale(tag: str) -> str:
    """Return the name that Babel knows a language tag by; English where it knows none."""
    from babel import Locale, UnknownLocaleError

    try:
        return str(Locale.parse(tag, sep="-" if "-" in tag else "_"))
    except (UnknownLocaleError, ValueError):
        return "en"
