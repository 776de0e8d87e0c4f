"""``headway export``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json, stderr_console
from headway.cli.train import DEFAULT_RUNS
from headway.errors import MissingDependencyError
from headway.i18n import current_translator

DEFAULT_FORMAT = "q8_0"


@command("export")
@click.argument("place", metavar="RUN|FOLDER")
@option("--quant", "form", help_id="cli-option-quant", default=DEFAULT_FORMAT, show_default=True, metavar="FORMAT")
@option("--output", "--out", help_id="cli-option-output-gguf", type=click.Path(path_type=Path), metavar="FILE")
@option("--step", help_id="cli-option-step", type=click.IntRange(0))
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def export(place: str, form: str, output: Path | None, step: int | None, runs_folder: str, as_json: bool) -> None:
    """Write a model as one GGUF file."""
    try:
        from headway.serving.export import export_gguf
        from headway.serving.export.sources import find_source
    except ModuleNotFoundError as error:
        raise MissingDependencyError("training-engine-missing", engine="torch", extra="torch") from error
    source = find_source(place, Path(runs_folder), step)
    with _bar() as report:
        written = export_gguf(source, output or Path(f"{source.name}-{form.lower()}.gguf"), form, report)
    if as_json:
        print_json(written.to_dict())
        return
    click.echo(
        current_translator().text(
            "cli-export-written",
            path=str(written.path),
            size_bytes=written.size_bytes,
            parameters=written.parameters,
            bits=round(written.bits_per_weight, 2),
        )
    )


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """Show how much is written, where somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr_console(), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
