"""The picture of a sweep: throughput, efficiency, duration, and what it costs, as PNG, SVG or PDF."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headway.cli.output import check_writable
from headway.cli.plan_sweep_view import megawatt_hours
from headway.errors import MissingDependencyError, PlanError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.planning import Plan
    from headway.planning.sweep import Sweep, SweepPoint

FORMATS = (".png", ".svg", ".pdf")
_SIZE_INCHES = (10.0, 7.0)
_LOGARITHMIC_RATIO = 8
"""Where the last value is this many times the first, the axes are logarithmic."""


def check_picture(path: Path) -> None:
    """Refuse a file name that no picture can have, before anything is planned.

    Raises:
        PlanError: the format is unknown, or the file cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise PlanError("plan-chart-format", path=str(path), known=", ".join(FORMATS))
    check_writable(path)


def draw_sweep(what: Sweep, points: Sequence[SweepPoint], path: Path) -> None:
    """Write the picture.

    Args:
        what: was varied.
        points: those that do not fit are left out.
        path: the file; its suffix chooses the format.

    Raises:
        PlanError: no point fits, or the file cannot be written.
        MissingDependencyError: matplotlib is not installed.
    """
    fitting = [(float(point.value), point) for point in points if point.plan is not None and point.plan.is_feasible]
    if not fitting:
        raise PlanError("plan-chart-empty", name=what.name)
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingDependencyError("run-plot-missing", package="matplotlib") from error
    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    values = [value for value, _ in fitting]
    plans = [point.plan for _, point in fitting if point.plan is not None]
    axes = figure.subplots(2, 2, sharex=True)
    _throughput(axes[0][0], values, plans, is_devices=what.setting == "devices")
    _shares(axes[0][1], values, fitting)
    _line(axes[1][0], values, plans, "plan-chart-days", lambda plan: plan.time.total_days)
    _line(axes[1][1], values, plans, "plan-chart-usd", lambda plan: plan.cost.total_usd)
    _energy(axes[1][1].twinx(), values, plans)
    is_wide = values[0] > 0 and values[-1] >= _LOGARITHMIC_RATIO * values[0]
    for one in (*axes[0], *axes[1]):
        one.grid(alpha=0.3)
        if is_wide:
            one.set_xscale("log", base=2)
            one.set_xticks(values, [f"{value:g}" for value in values], rotation=45)
            one.minorticks_off()
    for one in (axes[0][0], axes[1][0]):
        # Throughput and duration follow straight lines there.
        one.set_yscale("log" if is_wide else "linear")
    for one in axes[1]:
        one.set_xlabel(what.name)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise PlanError("plan-file-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def _throughput(axes: Any, values: Sequence[float], plans: Sequence[Plan], *, is_devices: bool) -> None:
    text = current_translator().text
    rates = [plan.time.tokens_per_second for plan in plans]
    axes.plot(values, rates, "o-", label=text("plan-chart-planned"))
    if is_devices:
        axes.plot(values, [rates[0] * value / values[0] for value in values], ":", label=text("plan-chart-ideal"))
    axes.fill_between(
        values,
        [rate * plan.time.step_seconds / plan.time.step_seconds_high for rate, plan in zip(rates, plans, strict=True)],
        [rate * plan.time.step_seconds / plan.time.step_seconds_low for rate, plan in zip(rates, plans, strict=True)],
        alpha=0.2,
        label=text("cli-column-interval"),
    )
    axes.set_ylabel(text("plan-label-tokens-per-second"))
    axes.legend()


def _shares(axes: Any, values: Sequence[float], fitting: Sequence[tuple[float, SweepPoint]]) -> None:
    text = current_translator().text
    plans = [point.plan for _, point in fitting if point.plan is not None]
    shares: dict[str, list[float | None]] = {
        "scaling-efficiency": [point.scaling_efficiency for _, point in fitting],
        "model-flops-utilization": [plan.time.model_flops_utilization for plan in plans],
        "goodput": [plan.reliability.goodput if plan.reliability is not None else None for plan in plans],
    }
    for name, known in shares.items():
        if any(share is not None for share in known):
            numbers = [math.nan if share is None else 100 * share for share in known]
            axes.plot(values, numbers, "o-", label=text(f"plan-label-{name}"))
    axes.set_ylabel(text("plan-chart-percent"))
    axes.set_ylim(bottom=0)
    axes.legend()


def _line(
    axes: Any,
    values: Sequence[float],
    plans: Sequence[Plan],
    label_id: str,
    measure: Callable[[Plan], float | None],
    style: str = "o-",
) -> None:
    numbers = [measure(plan) for plan in plans]
    if any(number is not None for number in numbers):
        axes.plot(values, [math.nan if number is None else number for number in numbers], style)
    axes.set_ylabel(current_translator().text(label_id))


def _energy(axes: Any, values: Sequence[float], plans: Sequence[Plan]) -> None:
    _line(axes, values, plans, "plan-chart-energy", megawatt_hours, "s--")
