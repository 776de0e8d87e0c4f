"""A diagnosis in one screen."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headway.cli.output import make_table, print_json, stderr_console, stdout_console
from headway.diagnosis import Diagnosis, Evidence, diagnose
from headway.diagnosis.opening import STDIN, find_files, size_of
from headway.diagnosis.result import HEALTHY, UNKNOWN
from headway.diagnosis.signature import signatures
from headway.i18n import current_translator
from headway.i18n.plain import without_controls

if TYPE_CHECKING:
    from rich.console import Console

BAR_FROM_BYTES = 64 << 20
LONGEST_SHOWN = 320


def with_progress(paths: Sequence[str], recipe: str | None) -> Diagnosis:
    """Diagnose; show a bar where there is much to read and somebody to see it."""
    console = stderr_console()
    total = 0 if list(paths) == [STDIN] else sum(size_of(file) for file in find_files(paths))
    if total < BAR_FROM_BYTES or not console.is_terminal:
        return diagnose(paths, recipe=recipe)
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    with Progress(BarColumn(), DownloadColumn(), TransferSpeedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        return diagnose(paths, recipe=recipe, done=lambda count: progress.advance(task, count))


def show(told: Diagnosis, console: Console | None = None) -> None:
    """Print a diagnosis for people, to stdout by default."""
    console, text = console or stdout_console(), current_translator().text
    mark, style = {HEALTHY: ("+", "green"), UNKNOWN: ("?", "yellow")}.get(told.cause, ("x", "bold red"))
    console.print(f"{mark} {text(f'diagnosis-cause-{told.cause}')}", style=style)
    if told.cause in signatures() and signatures()[told.cause].kind == "symptom":
        console.print(f"  {text('diagnosis-unsaid')}")
    _print_where(console, told)
    _print_evidence(console, told)
    names = [("diagnosis-heading-then", told.chain[1:])]
    rest = [name for name in told.also_seen if name not in told.chain]
    for heading, causes in [*names, ("diagnosis-heading-also", rest), ("diagnosis-heading-survived", told.survived)]:
        _print_list(console, heading, [f"diagnosis-cause-{name}" for name in causes])
    _print_figures(console, told)
    _print_list(console, "diagnosis-heading-do", [f"diagnosis-remedy-{name}" for name in told.remedies])
    for trouble in told.troubles:
        console.print(f"! {text(trouble.message_id, **trouble.arguments)}", style="yellow")
    console.print(text("diagnosis-read", count=len(told.logs), bytes=told.read_bytes), style="dim")


def _print_where(console: Console, told: Diagnosis) -> None:
    text, first = current_translator().text, told.first_failure
    parts = []
    if told.cause not in (HEALTHY, UNKNOWN):
        parts.append(text("diagnosis-sure", confidence=told.confidence))
    if first.rank is not None:
        parts.append(f"{text('diagnosis-heading-first')}: {text('diagnosis-rank', rank=first.rank)}")
    if first.host:
        parts.append(text("diagnosis-host", host=first.host))
    if first.time is not None:
        parts.append(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(first.time)))
    if parts:
        console.print("  " + ", ".join(parts), style="dim")


def _print_evidence(console: Console, told: Diagnosis) -> None:
    if not told.evidence:
        return
    text = current_translator().text
    console.print(f"\n{text('diagnosis-heading-evidence')}", style="bold")
    width = shutil.get_terminal_size().columns if console.is_terminal else LONGEST_SHOWN
    for one in told.evidence:
        console.print(f"  {_place(one)}", style="dim")
        console.print(f"    {_shortened(without_controls(one.text.strip()), max(width * 3, 120))}")


def _place(one: Evidence) -> str:
    text = current_translator().text
    place = text("diagnosis-place", file=one.file, line=str(one.line))
    rank = "" if one.rank is None else f", {text('diagnosis-rank', rank=one.rank)}"
    return place + rank + (f", {text('diagnosis-times', count=one.count)}" if one.count > 1 else "")


def _shortened(line: str, length: int) -> str:
    if len(line) <= length:
        return line
    half = length // 2
    return f"{line[:half]} ... {line[-half:]}"


def _print_list(console: Console, heading: str, message_ids: Sequence[str]) -> None:
    if not message_ids:
        return
    text = current_translator().text
    console.print(f"\n{text(heading)}", style="bold")
    for message_id in message_ids:
        console.print(f"  - {text(message_id)}")


def _print_figures(console: Console, told: Diagnosis) -> None:
    if not told.numbers:
        return
    text = current_translator().text
    console.print(f"\n{text('diagnosis-heading-numbers')}", style="bold")
    for name, value in told.numbers.items():
        if current_translator().has(f"diagnosis-number-{name}"):
            console.print(f"  {text(f'diagnosis-number-{name}')}: {_figure(name, value)}")


def _figure(name: str, value: Any) -> str:
    from headway.i18n import formatting

    language = current_translator().language
    if name.endswith("_bytes"):
        return formatting.format_bytes(value, language)
    if name.endswith("_seconds"):
        return formatting.format_duration(value, language)
    if isinstance(value, Mapping):
        return _settings(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return formatting.format_count(value, language) if isinstance(value, int) else str(value)


def _settings(value: Mapping[str, Any]) -> str:
    """Return parts with their sizes, or settings with their values."""
    from headway.i18n import formatting

    language = current_translator().language
    return ", ".join(
        f"{name.removesuffix('_bytes')} {formatting.format_bytes(one, language)}"
        if name.endswith("_bytes")
        else f"layout.{name} = {str(one).lower() if isinstance(one, bool) else one}"
        for name, one in value.items()
    )


def show_causes(*, as_json: bool) -> None:
    """Print every cause that is known."""
    known = [one for one in signatures().values() if one.kind in ("cause", "symptom")]
    if as_json:
        print_json([{"id": one.id, "kind": one.kind, "area": one.area, "source": one.source} for one in known])
        return
    text = current_translator().text
    rows = [(one.id, one.area, text(f"diagnosis-cause-{one.id}")) for one in sorted(known, key=lambda one: one.area)]
    columns = [text(f"diagnosis-column-{name}") for name in ("id", "area", "text")]
    stdout_console().print(make_table(columns, rows))
