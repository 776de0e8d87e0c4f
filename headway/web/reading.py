"""What a page shows of runs, read from their folders; series come from a cache of columns."""

from __future__ import annotations

import threading
from collections import OrderedDict
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from headway.errors import HeadwayError
from headway.runs import RunFolder, list_runs
from headway.runs.columns import MetricColumns
from headway.runs.decimation import decimate, last_of_each_step
from headway.runs.logs import ROLL_BACKS, read_lines
from headway.runs.records import is_metric
from headway.web.answers import WebError

AXES = {"step": "step", "time": "time", "tokens": "tokens"}
"""Axis of a chart -> the metric that it is."""

LARGEST_BUCKETS = 10_000
LIST_BYTES = 32_768
"""So much of the end of each run's metrics is read for the list of runs: 50 records and more."""

KEPT_RUNS = 32
"""Columns of so many logs stay in memory."""


class Reader:
    """Reads the runs below one folder.

    Args:
        root: the folder of all runs.
        cache: where columns are kept; None keeps them in memory only.
    """

    def __init__(self, root: Path, cache: Path | None) -> None:
        self.root = root
        self._cache = cache
        self._columns: OrderedDict[Path, MetricColumns] = OrderedDict()
        self._lock = threading.Lock()

    def run(self, name: str) -> RunFolder:
        """Return a run by its name.

        Raises:
            RunError: there is none.
            WebError: its folder lies elsewhere.
        """
        run = RunFolder.open(self.root, name)
        if not self._is_inside(run):
            # A link may point to anywhere; what lies outside is not for everybody who may look at runs.
            raise WebError("web-outside", status=403, name=name)
        return run

    def _is_inside(self, run: RunFolder) -> bool:
        """Say whether all that is read of a run lies in the folder of all runs: links may point to anywhere."""
        root = self.root.resolve()
        files = (run.path, run.events_path, run.metrics_path(), run.logs_folder)
        return all(path.resolve().is_relative_to(root) for path in files)

    def summaries(self) -> list[dict[str, Any]]:
        """Return what a list shows of each run, the one touched last at the end; of a damaged one, why."""
        return [self.summary(run) for run in list_runs(self.root) if self._is_inside(run)]

    def summary(self, run: RunFolder) -> dict[str, Any]:
        """Return what a list shows of a run."""
        try:
            return self._summary(run)
        except HeadwayError as error:
            return {"name": run.name, "status": "damaged", **error.to_dict()}

    def _summary(self, run: RunFolder) -> dict[str, Any]:
        recipe, events = run.recipe(), run.events()
        evaluated = [event for event in events if event.get("event") == "evaluated"]
        started = [event["time"] for event in events if event.get("event") in ("started", "resumed")]
        # The end of the log is enough for a list, and as quick for a long run as for a short one.
        records = [one for one in read_lines(run.metrics_path(), last_bytes=LIST_BYTES) if is_metric(one)]
        last = records[-1] if records else {}
        return {
            "name": run.name,
            "status": run.status(events),
            "step": last.get("step", 0),
            "steps": recipe.num_steps,
            "loss": last.get("loss"),
            "validation_loss": evaluated[-1]["loss"] if evaluated else None,
            "tokens_per_second": _recent(records, "tokens_per_second"),
            "started_at": started[0] if started else None,
            "changed_at": events[-1]["time"] if events else None,
            "starts": len(started),
            "recipe": recipe.name,
        }

    def columns(self, run: RunFolder, rank: int = 0) -> MetricColumns:
        """Return the metrics of a rank, as far as the log goes now."""
        path = run.metrics_path(rank)
        with self._lock:
            found = self._columns.pop(path, None) or MetricColumns(path, self._cache)
            self._columns[path] = found
            while len(self._columns) > KEPT_RUNS:
                self._columns.popitem(last=False)
            found.update()
        return found

    def series(
        self,
        run: RunFolder,
        metric: str,
        *,
        axis: str = "step",
        start: float | None = None,
        end: float | None = None,
        buckets: int = 1000,
        rank: int = 0,
    ) -> dict[str, Any]:
        """Return a metric as few points.

        Args:
            run: the run.
            metric: its name.
            axis: ``step``, ``time`` or ``tokens``.
            start: least value of the axis.
            end: greatest value of the axis.
            buckets: how many points at most.
            rank: whose log.

        Raises:
            WebError: there is no such metric or axis.
        """
        if axis not in AXES:
            raise WebError("web-axis", value=axis, known=", ".join(AXES))
        columns = self.columns(run, rank)
        for name in (metric, AXES[axis]):
            if name not in columns.names:
                raise WebError("web-no-metric", status=404, name=name, run=run.name, known=", ".join(columns.names))
        roll_backs = columns.column(ROLL_BACKS) if ROLL_BACKS in columns.names else None
        order = last_of_each_step(columns.column("step"), roll_backs)
        along = columns.column(AXES[axis])[order]
        if bool((np.diff(along) < 0).any()):
            # Steps that will be done again were done before those that were.
            sorting = np.argsort(along, kind="stable")
            order, along = order[sorting], along[sorting]
        first = 0 if start is None else int(np.searchsorted(along, start, "left"))
        last = len(along) if end is None else int(np.searchsorted(along, end, "right"))
        values = columns.column(metric)[order[first:last]]
        points = decimate(along[first:last], values, buckets)
        return {"run": run.name, "metric": metric, "axis": axis, "records": last - first, **points.to_dict()}


def _recent(records: list[dict[str, Any]], name: str, count: int = 50) -> float | None:
    """Return the median of a metric over the last records that have it."""
    values = [value for one in records[-count:] if isinstance(value := one.get(name), (int, float)) and isfinite(value)]
    return median(values) if values else None
