"""Pictures of runs: loss and throughput over the steps, as PNG or SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headway.errors import MissingDependencyError, RunError
from headway.i18n import current_translator
from headway.runs.folder import RunFolder

FORMATS = (".png", ".svg", ".pdf")
_MAX_POINTS = 4000
_SIZE_INCHES = (10.0, 6.5)


def plot_runs(runs: Sequence[RunFolder], path: Path) -> None:
    """Write a picture of runs: loss above (training and validation), throughput below.

    Args:
        runs: whose metrics are drawn; restarts are marked.
        path: the file; its suffix chooses the format.

    Raises:
        RunError: no run has metrics yet, the format is unknown, or the file cannot be written.
        MissingDependencyError: matplotlib is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise RunError("run-plot-format", path=str(path), known=", ".join(FORMATS))
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingDependencyError("run-plot-missing", package="matplotlib") from error
    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    loss_axes, speed_axes = figure.subplots(2, 1, sharex=True)
    drawn = [_draw(run, loss_axes, speed_axes) for run in runs]
    if not any(drawn):
        raise RunError("run-no-metrics", name=", ".join(run.name for run in runs))
    text = current_translator().text
    loss_axes.set_ylabel(text("run-plot-loss"))
    speed_axes.set_ylabel(text("run-plot-speed"))
    speed_axes.set_xlabel(text("run-plot-step"))
    speed_axes.set_ylim(bottom=0)
    for axes in (loss_axes, speed_axes):
        axes.grid(alpha=0.3)
    loss_axes.legend()
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise RunError("run-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def _draw(run: RunFolder, loss_axes: Any, speed_axes: Any) -> bool:
    metrics, events = run.metrics(), run.events()
    if not metrics:
        return False
    # Counted from the end, since the last point is the one that is looked for.
    thinned = metrics[:: -max(1, len(metrics) // _MAX_POINTS)][::-1]
    steps = [record["step"] for record in thinned]
    (line,) = loss_axes.plot(steps, [record.get("loss", math.nan) for record in thinned], label=run.name, linewidth=1.2)
    speed_axes.plot(
        steps, [record.get("tokens_per_second", math.nan) for record in thinned], color=line.get_color(), linewidth=1.0
    )
    evaluated = [event for event in events if event.get("event") == "evaluated"]
    if evaluated:
        label = current_translator().text("run-plot-validation", name=run.name)
        points = [event["step"] for event in evaluated], [event["loss"] for event in evaluated]
        loss_axes.plot(*points, "o", color=line.get_color(), markersize=5, label=label)
    for event in events:
        if event.get("event") == "resumed" and isinstance(event.get("step"), int):
            for axes in (loss_axes, speed_axes):
                axes.axvline(event["step"], color="grey", linestyle=":", linewidth=1.0)
    return True
