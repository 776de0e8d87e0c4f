"""Where the time of a run went: every second between its start and its last trace, from its own logs.

Time is counted in whole microseconds, and each gap between two traces is divided among the parts, so that they add up
to the wall time exactly. What a killed process did after its last trace is known to nobody: it counts to the restart.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from headway.runs.folder import RunFolder
from headway.runs.logs import last_per_step

WARM_UP_STEPS = 2
"""Steps after a start that are slower than others: memory is touched for the first time and caches are cold."""

PARTS = (
    "step", "warm_up", "data_stall", "checkpoint_stall", "evaluation", "start", "restart", "lost_work", "idle",
)  # fmt: skip
"""Where a second may go.

- step: steps that counted, at the speed of the median;
- warm_up: what the first steps of a process took longer than that, compiling included;
- data_stall: steps that waited for their data;
- checkpoint_stall: the training waited for a checkpoint;
- evaluation: on the validation split;
- start: from the start of a process to its first step, where the process before was not lost;
- restart: from the last trace before a failure, or from a roll-back, to the first new step;
- lost_work: steps that were done again later, or left behind by a roll-back;
- idle: between steps, with nothing that the logs tell of; after a stop on request, until the run goes on.
"""

_ASKED = ("stopped", "finished")
_FAILED = ("failed", "attempt-failed", "hang", "retrying")
_STARTS = ("started", "resumed")
_MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Goodput:
    """The time of a run by part.

    Attributes:
        microseconds: of each of `PARTS`; they add up to the wall time.
    """

    microseconds: Mapping[str, int]

    @property
    def wall_microseconds(self) -> int:
        """From the start of the first process to the last trace."""
        return sum(self.microseconds.values())

    @property
    def share(self) -> float | None:
        """Goodput: the part of the wall time in which steps were done that counted; None where there was no time."""
        return self.microseconds["step"] / self.wall_microseconds if self.wall_microseconds else None

    @property
    def seconds_in_all(self) -> float:
        """The wall time."""
        return self.wall_microseconds / _MICROSECONDS

    def seconds(self, part: str) -> float:
        """Return the seconds of a part."""
        return self.microseconds[part] / _MICROSECONDS

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data: ``wall_seconds``, ``goodput``, and the seconds of each part."""
        parts = {f"{part}_seconds": self.seconds(part) for part in PARTS}
        return {"wall_seconds": self.seconds_in_all, "goodput": self.share, "parts": parts}


def measure_goodput(run: RunFolder) -> Goodput:
    """Account for the time of a run, from the events and the metric log of its first process."""
    return account(run.metric_records(), run.events())


def account(metrics: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> Goodput:
    """Account for the time that these logs tell of.

    Args:
        metrics: all records in the order in which they were written, also of steps that were done twice.
        events: in the order in which they were written.
    """
    timed = [record for record in metrics if "time" in record and "step_seconds" in record]
    counted = {record["_of"] for record in last_per_step([{**record, "_of": id(record)} for record in timed])}
    sweep = _Sweep(_steady_microseconds(timed))
    for time, is_metric, record in _timeline(timed, events):
        if is_metric:
            sweep.step(time, record, counts=id(record) in counted)
        else:
            sweep.event(time, record)
    return Goodput(sweep.parts)


def _timeline(
    metrics: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, bool, Mapping[str, Any]]]:
    """Yield all traces from the first start on, in the order of their time."""
    start = next((number for number, event in enumerate(events) if _begins(event)), None)
    if start is None:
        return
    first = events[start]["time"]
    traces = [(record["time"], True, record) for record in metrics if record["time"] >= first]
    traces += [(event["time"], False, event) for event in events[start:] if event["time"] >= first]
    for time, is_metric, record in sorted(traces, key=lambda trace: trace[0]):
        yield round(time * _MICROSECONDS), is_metric, record


def _begins(event: Mapping[str, Any]) -> bool:
    return event.get("event") in (*_STARTS, "attempt-started")


def _steady_microseconds(metrics: Sequence[Mapping[str, Any]]) -> int:
    """Return the median of the steps beyond the warm-up; of all, where there are none."""
    steady = [_work(record) for record in metrics if record.get("steps_since_start", 0) > WARM_UP_STEPS]
    return round(statistics.median(steady or [_work(record) for record in metrics])) if metrics else 0


def _work(record: Mapping[str, Any]) -> int:
    """Return the microseconds of a step without the wait for its data."""
    return _microseconds(record["step_seconds"] - record.get("data_seconds", 0.0))


def _microseconds(seconds: Any) -> int:
    return max(0, round(seconds * _MICROSECONDS)) if isinstance(seconds, (int, float)) else 0


@final
class _Sweep:
    """Goes through the traces of a run, and gives each gap between two of them to parts."""

    def __init__(self, steady: int) -> None:
        self.parts = dict.fromkeys(PARTS, 0)
        self._steady = steady
        self._now: int | None = None
        self._rest = "start"
        """What time is that no trace explains."""
        self._last_step = 0
        self._loose: dict[int, int] = {}
        """Unexplained time that followed each step, which a checkpoint in the background may explain later."""

    def step(self, time: int, record: Mapping[str, Any], *, counts: bool) -> None:
        """Take in a record of the metric log."""
        gap = self._gap(time)
        whole = min(gap, _microseconds(record["step_seconds"]))
        self._unexplained(gap - whole)
        data = min(whole, _microseconds(record.get("data_seconds", 0.0)))
        if counts:
            work = whole - data
            is_warm = record.get("steps_since_start", WARM_UP_STEPS + 1) > WARM_UP_STEPS
            slow = 0 if is_warm else max(0, work - self._steady)
            self.parts["data_stall"] += data
            self.parts["warm_up"] += slow
            self.parts["step"] += work - slow
        else:
            self.parts["lost_work"] += whole
        self._rest, self._last_step = "idle", record["step"]

    def event(self, time: int, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        kind = event.get("event")
        if kind in _STARTS:
            self._start(time, event)
        elif kind == "evaluated":
            self._explain(time, "evaluation", _microseconds(event.get("seconds")))
        elif kind == "checkpoint-saved":
            self._checkpoint(time, event)
        elif kind in _FAILED:
            self._rest = "restart"
            self._unexplained(self._gap(time))
        elif kind in _ASKED or kind == "attempt-stopped":
            self._unexplained(self._gap(time))
            self._rest = "asked"
        else:
            self._unexplained(self._gap(time))
            if kind == "guard" and event.get("action") == "roll-back":
                self._rest = "restart"

    def _start(self, time: int, event: Mapping[str, Any]) -> None:
        """A process begins: the one before was asked to end, or was lost; or there was none."""
        age = _microseconds(event.get("process_seconds"))
        if self._now is None:
            self._now = time - age
            self._rest = "start"
        elif self._rest == "idle":
            self._rest = "restart"
        if self._rest == "asked":
            gap = self._gap(time)
            self.parts["start"] += min(gap, age)
            self.parts["idle"] += gap - min(gap, age)
            self._rest = "start"
        else:
            self._unexplained(self._gap(time))

    def _checkpoint(self, time: int, event: Mapping[str, Any]) -> None:
        stall = _microseconds(event.get("stall_seconds", event.get("seconds")))
        if event.get("step") == self._last_step or event.get("step") not in self._loose:
            self._explain(time, "checkpoint_stall", stall)
            return
        # Written in the background: the training stood still after that step, and this event came later.
        found = min(stall, self._loose[event["step"]])
        self._loose[event["step"]] -= found
        self.parts["idle"] -= found
        self.parts["checkpoint_stall"] += found
        self._unexplained(self._gap(time))

    def _explain(self, time: int, part: str, length: int) -> None:
        """Give the end of the gap to a part."""
        gap = self._gap(time)
        self.parts[part] += min(gap, length)
        self._unexplained(gap - min(gap, length))

    def _unexplained(self, length: int) -> None:
        part = "idle" if self._rest == "asked" else self._rest
        self.parts[part] += length
        if part == "idle":
            self._loose[self._last_step] = self._loose.get(self._last_step, 0) + length

    def _gap(self, time: int) -> int:
        """Return the time since the trace before; none where a clock went back."""
        if self._now is None:
            self._now = time
        gap = max(0, time - self._now)
        self._now += gap
        return gap
