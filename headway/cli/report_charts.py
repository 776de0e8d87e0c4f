"""Charts of a report as SVG inside the page: bars of parts, and the cloud of layouts. Colours come from its style."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from headway.cli.html import escape
from headway.planning.front import LayoutPoint

WIDTH = 720
_BAR_HEIGHT = 34
_COLOURS = (
    "#3b7dd8", "#e08a1e", "#3d9e5f", "#b05cc7", "#d64f4f", "#2aa5a0",
    "#8a8f98", "#c9a81e", "#7a6ad8", "#a5673f", "#d86a9e", "#6f9c2f",
)  # fmt: skip
"""Of the classes ``part-0`` and so on; they stand in the chart too, for readers that leave styles out of pictures."""

_LEAST_SHARE = 0.005
"""Less than this rounds to nothing, and is something all the same."""

_PLOT = (64, 16, WIDTH - 40, 300)
"""Left, top, right and bottom of the plot."""

Format = Callable[[float], str]


def bar_of_parts(title: str, parts: Mapping[str, float], show: Format, limit: tuple[str, float] | None = None) -> str:
    """Return a bar of stacked parts, and a list that names them.

    Args:
        title: of the chart.
        parts: values by label, none of them negative; those of zero are left out.
        show: writes a value.
        limit: a mark on the bar, with its label, such as the capacity of a device.
    """
    known = {label: value for label, value in parts.items() if value > 0}
    if not known:
        return ""
    total = sum(known.values())
    scale = WIDTH / max(total, limit[1] if limit is not None else 0.0)
    starts = [0.0, *accumulate(known.values())]
    bars = "".join(
        f'<rect {_part(index)} x="{start * scale:.2f}" y="0" width="{value * scale:.2f}" '
        f'height="{_BAR_HEIGHT}"><title>{escape(label)}: {escape(show(value))}</title></rect>'
        for index, (start, (label, value)) in enumerate(zip(starts, known.items(), strict=False))
    )
    mark = ""
    if limit is not None:
        x = min(limit[1] * scale, WIDTH - 1)
        mark = (
            f'<line class="limit" stroke="#b42318" x1="{x:.2f}" x2="{x:.2f}" y1="0" y2="{_BAR_HEIGHT + 8}"/>'
            f'<text class="label" font-size="12" x="{x:.2f}" y="{_BAR_HEIGHT + 22}" text-anchor="end">'
            f"{escape(limit[0])} {escape(show(limit[1]))}</text>"
        )
    height = _BAR_HEIGHT + (28 if limit is not None else 0)
    drawn = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">{bars}{mark}</svg>'
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawn}{_legend(known, total, show)}</figure>"


def _part(index: int) -> str:
    number = index % len(_COLOURS)
    return f'class="part-{number}" fill="{_COLOURS[number]}"'


def _legend(parts: Mapping[str, float], total: float, show: Format) -> str:
    items = "".join(
        f'<li><span class="swatch part-{index % len(_COLOURS)}"></span>{escape(label)}: {escape(show(value))} '
        f"({_share(value / total)})</li>"
        for index, (label, value) in enumerate(parts.items())
    )
    return f'<ul class="legend">{items}</ul>'


def _share(share: float) -> str:
    return escape("<1%") if share < _LEAST_SHARE else f"{share:.0%}"


def cloud_of_layouts(
    title: str, points: Sequence[LayoutPoint], labels: Mapping[str, str], formats: tuple[Format, Format]
) -> str:
    """Return time over memory of all layouts, the front as a line, and the chosen one marked.

    Args:
        title: of the chart.
        points: fastest first.
        labels: of ``time``, ``memory``, ``front``, ``chosen`` and ``other``.
        formats: write seconds, and bytes.
    """
    if len(points) < 2:
        return ""
    left, top, right, bottom = _PLOT
    across = _axis([point.step_seconds for point in points], (left, right))
    upward = _axis([point.device_peak_bytes for point in points], (bottom, top))
    dots = "".join(_dot(point, across, upward, formats) for point in points)
    front = list(_stairs(points))
    line = " ".join(f"{across(point.step_seconds):.1f},{upward(point.device_peak_bytes):.1f}" for point in front)
    drawn = (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 44}" role="img" aria-label="{escape(title)}">'
        f"{_frame(points, across, upward, formats)}"
        f'<polyline class="front" fill="none" stroke="#0b63c5" points="{line}"/>{dots}'
        f'<text class="label" font-size="12" x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">'
        f"{escape(labels['time'])}</text>"
        f'<text class="label" font-size="12" x="{left}" y="{top - 4}">{escape(labels["memory"])}</text></svg>'
    )
    legend = "".join(
        f'<li><span class="swatch dot-{name}"></span>{escape(labels[name])}</li>'
        for name in ("chosen", "front", "other")
    )
    caption = f"<figcaption>{escape(title)}</figcaption>"
    return f'<figure>{caption}<div class="wide plot">{drawn}</div><ul class="legend">{legend}</ul></figure>'


def _stairs(points: Sequence[LayoutPoint]) -> Iterator[LayoutPoint]:
    """Yield the layouts of the front that are leaner than all faster ones: some are on it for their cost alone."""
    least = math.inf
    for point in points:
        if point.is_on_front and point.device_peak_bytes < least:
            least = point.device_peak_bytes
            yield point


def _axis(values: Sequence[float], ends: tuple[float, float]) -> Callable[[float], float]:
    """Return the function from values to pixels; logarithmic, since layouts differ by factors."""
    low, high = math.log(min(values)), math.log(max(values))
    span = (high - low) or 1.0
    return lambda value: ends[0] + (math.log(value) - low) / span * (ends[1] - ends[0])


def _dot(
    point: LayoutPoint,
    across: Callable[[float], float],
    upward: Callable[[float], float],
    formats: tuple[Format, Format],
) -> str:
    kind = "chosen" if point.is_chosen else "front" if point.is_on_front else "other"
    radius, colour = {"chosen": (6, "#1a7f37"), "front": (4, "#0b63c5"), "other": (2, "#5b6570")}[kind]
    text = f"{formats[0](point.step_seconds)}, {formats[1](point.device_peak_bytes)}"
    if point.relative_cost is not None:
        text += f", {point.relative_cost - 1:+.1%}"
    return (
        f'<circle class="dot-{kind}" cx="{across(point.step_seconds):.1f}" cy="{upward(point.device_peak_bytes):.1f}" '
        f'r="{radius}" fill="{colour}"><title>{escape(text)}</title></circle>'
    )


def _frame(
    points: Sequence[LayoutPoint],
    across: Callable[[float], float],
    upward: Callable[[float], float],
    formats: tuple[Format, Format],
) -> str:
    left, top, right, bottom = _PLOT
    size = f'width="{right - left}" height="{bottom - top}"'
    pieces = [f'<rect class="frame" fill="none" stroke="#888888" x="{left}" y="{top}" {size}/>']
    for seconds in _ticks([point.step_seconds for point in points]):
        x = across(seconds)
        pieces.append(f'<line class="grid" stroke="#cccccc" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>')
        shown = escape(formats[0](seconds))
        pieces.append(
            f'<text class="label" font-size="12" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{shown}</text>'
        )
    for amount in _ticks([point.device_peak_bytes for point in points]):
        y = upward(amount)
        pieces.append(f'<line class="grid" stroke="#cccccc" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        shown = escape(formats[1](amount))
        pieces.append(
            f'<text class="label" font-size="12" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'
        )
    return "".join(pieces)


def _ticks(values: Sequence[float], count: int = 4) -> list[float]:
    low, high = math.log(min(values)), math.log(max(values))
    if high - low < 1e-9:
        return [math.exp(low)]
    return [math.exp(low + (high - low) * index / count) for index in range(count + 1)]
