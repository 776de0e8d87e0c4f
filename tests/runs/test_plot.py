from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from headway.errors import MissingDependencyError, RunError
from headway.recipe import Recipe
from headway.runs import EventLog, MetricLog, RunFolder
from headway.runs.plot import plot_runs


def ink(path: Path) -> float:
    """Return the share of the picture that is not white."""
    from matplotlib.image import imread

    return float(np.mean(imread(path)[..., :3].min(axis=-1) < 0.9))


def test_a_png_shows_the_run(trained: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "loss.png"
    plot_runs([trained], path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert 0.01 < ink(path) < 0.5


def test_an_svg_shows_the_run(trained: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "loss.SVG"
    plot_runs([trained], path)
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text
    # Two curves, one row of validation points, and the restart in both pictures.
    assert text.count('id="line2d') > 20
    assert text.count("stroke-dasharray") >= 2


def test_a_run_without_metrics_is_left_out_beside_one_that_has_some(
    trained: RunFolder, recipe: Recipe, tmp_path: Path
) -> None:
    empty = RunFolder.create(trained.path.parent, recipe, {})
    plot_runs([trained, empty], tmp_path / "both.png")
    assert ink(tmp_path / "both.png") > 0.01
    with pytest.raises(RunError, match="run-no-metrics"):
        plot_runs([empty], tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_losses_that_are_not_finite_and_records_that_lack_some(run: RunFolder, tmp_path: Path) -> None:
    with MetricLog(run.metrics_path()) as metrics, EventLog(run.events_path) as events:
        for step, loss in enumerate((5.0, math.nan, math.inf, 4.0)):
            metrics.append({"step": step, "loss": loss, "tokens_per_second": 10.0})
        metrics.append({"step": 9})
        events.record("evaluated", step=3, loss=math.nan)
    plot_runs([run], tmp_path / "loss.png")
    assert ink(tmp_path / "loss.png") > 0.01


def test_a_long_run_is_thinned_and_keeps_its_end(run: RunFolder, tmp_path: Path) -> None:
    with MetricLog(run.metrics_path()) as metrics:
        for step in range(9001):
            metrics.append({"step": step, "loss": 1.0, "tokens_per_second": 10.0})
    plot_runs([run], tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").stat().st_size < 2**20


def test_formats_and_places_that_cannot_be_written(trained: RunFolder, tmp_path: Path) -> None:
    for name in ("loss.gif", "loss"):
        with pytest.raises(RunError, match="run-plot-format"):
            plot_runs([trained], tmp_path / name)
    with pytest.raises(RunError, match="run-unwritable"):
        plot_runs([trained], tmp_path / "absent" / "loss.png")


def test_without_matplotlib(trained: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match="run-plot-missing"):
        plot_runs([trained], tmp_path / "loss.png")
