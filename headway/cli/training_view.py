"""What a training looks like at the terminal: a live bar, or plain lines where nobody is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, final

from headway.cli.output import stderr_console
from headway.cli.supervisor_view import EVENTS, supervisor_line
from headway.i18n import current_translator, formatting
from headway.i18n.quantities import format_quantity
from headway.training.session import Followers

PLAIN_SECONDS = 5.0
"""Time between two lines where the output is not a terminal."""

_SMOOTHING = 0.9
_BAR_WIDTHS = ((120, 24), (64, 10))
"""Least width of the terminal -> width of the bar."""


@contextmanager
def training_view(total_steps: int, predicted_step_seconds: float | None) -> Iterator[Followers]:
    """Show a training while the context lasts.

    Args:
        total_steps: of the whole run.
        predicted_step_seconds: from the plan, to show how the measured speed compares.
    """
    progress = _Progress(total_steps, predicted_step_seconds)
    if sys.stderr.isatty():
        with _LiveView(progress) as view:
            yield Followers(on_metric=view.on_metric, on_event=view.on_event)
    else:
        plain = _PlainView(progress)
        yield Followers(on_metric=plain.on_metric, on_event=plain.on_event)


@final
class _Progress:
    """Keeps what the views show: smoothed time of a step, and what is left."""

    def __init__(self, total_steps: int, predicted_step_seconds: float | None) -> None:
        self.total_steps = total_steps
        self.step = 0
        self._predicted_step_seconds = predicted_step_seconds
        self._step_seconds: float | None = None

    def update(self, record: dict[str, Any], width: int | None = None) -> str:
        """Take a step in; return the line that describes it, as much of it as fits a width."""
        self.step = record["step"]
        # The first steps of a process are slow and would mislead the estimate.
        if self._step_seconds is None or record.get("steps_since_start", 0) <= 2:
            self._step_seconds = record["step_seconds"]
        else:
            self._step_seconds += (1 - _SMOOTHING) * (record["step_seconds"] - self._step_seconds)
        tokens_per_second = record["tokens_per_second"] * record["step_seconds"] / self._step_seconds
        locale = current_translator().language
        values = {
            "step": record["step"],
            "total": self.total_steps,
            "loss": formatting.format_decimal(record["loss"], locale, 4),
            "speed": format_quantity("tokens_per_second", tokens_per_second, locale),
            "memory": format_quantity("bytes", record["resident_bytes"], locale),
            "left": format_quantity("seconds", (self.total_steps - self.step) * self._step_seconds, locale),
            "ratio": self._ratio(locale),
        }
        text = current_translator().text
        lines = [text("cli-train-line", **values), text("cli-train-line-medium", **values)]
        return next(
            (line for line in lines if width is None or len(line) <= width), text("cli-train-line-short", **values)
        )

    def _ratio(self, locale: str) -> str:
        if self._predicted_step_seconds is None or not self._step_seconds:
            return formatting.UNKNOWN
        return formatting.format_percent(self._predicted_step_seconds / self._step_seconds, locale, 0)


def event_line(event: dict[str, Any]) -> str | None:
    """Return the line that tells an event, or None where the reader need not know."""
    if event.get("event") in EVENTS:
        return supervisor_line(event)
    translator = current_translator()
    message_id = f"event-{event.get('event')}"
    if event.get("event") in ("notice", "resume-notice", "checkpoint-damaged"):
        text, next_step = (
            translator.text(event["id"], **event["arguments"]),
            translator.next_step(event["id"], **event["arguments"]),
        )
        return f"{text} {next_step or ''}".rstrip()
    if event.get("event") == "guard":
        return _guard_line(event)
    if event.get("event") == "evaluated" and "bits_per_byte" not in event:
        message_id = "event-evaluated-answers"
    if not translator.has(message_id):
        return None
    plain = {name: value for name, value in event.items() if isinstance(value, (int, float, str))}
    return translator.text(message_id, **plain)


def _guard_line(event: dict[str, Any]) -> str:
    """Return what a guard saw, with what the reader can do about it, or else what is done."""
    translator = current_translator()
    plain = {name: value for name, value in event.items() if isinstance(value, (int, float, str))}
    message_id, action = f"guard-{event['guard']}", event["action"]
    then = translator.next_step(message_id, **plain) if action == "warn" else None
    return f"{translator.text(message_id, **plain)} {then or translator.text(f'guard-action-{action}', **plain)}"


@final
class _PlainView:
    def __init__(self, progress: _Progress) -> None:
        self._progress = progress
        self._last = 0.0

    def on_metric(self, record: dict[str, Any]) -> None:
        line = self._progress.update(record)
        now = time.monotonic()
        if now - self._last >= PLAIN_SECONDS or record["step"] == self._progress.total_steps:
            self._last = now
            print(line, file=sys.stderr, flush=True)  # noqa: T201

    def on_event(self, event: dict[str, Any]) -> None:
        line = event_line(event)
        if line is not None:
            print(line, file=sys.stderr, flush=True)  # noqa: T201


@final
class _LiveView:
    def __init__(self, progress: _Progress, width: int | None = None) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = progress
        console = stderr_console()
        width = width or console.width
        bar_width = next((bar for least, bar in _BAR_WIDTHS if width >= least), 4)
        columns = (BarColumn(bar_width=bar_width), TextColumn("{task.description}", markup=False))
        self._bar = Progress(*columns, console=console)
        # Less the bar, and the space behind it.
        self.line_width = width - bar_width - 1
        self._task = self._bar.add_task("", total=progress.total_steps)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def on_metric(self, record: dict[str, Any]) -> None:
        self._bar.update(
            self._task, description=self._progress.update(record, self.line_width), completed=record["step"]
        )

    def on_event(self, event: dict[str, Any]) -> None:
        if event.get("event") == "stage":
            text = current_translator().text(event["message"])
            share = formatting.format_percent(event["fraction"], current_translator().language, 0)
            self._bar.update(self._task, description=f"{text} {share}")
            return
        line = event_line(event)
        if line is not None:
            self._bar.console.print(line)
