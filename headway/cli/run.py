"""``headway run``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json, say
from headway.cli.streams import OutputError, ReaderGoneError
from headway.cli.supervisor_view import supervisor_line
from headway.cli.train import DEFAULT_RUNS
from headway.errors import RunError
from headway.i18n import current_translator

SIGNALLED = 128
"""Added to the number of a signal, as shells have it."""


@command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
@option("--name", help_id="cli-option-job-name", metavar="NAME")
@option("--retries", help_id="cli-option-retries", type=click.IntRange(0), default=3, show_default=True)
@option("--hang-steps", help_id="cli-option-hang-steps", type=click.FloatRange(0), default=10.0, show_default=True)
@option(
    "--grace", "grace_seconds", help_id="cli-option-grace", type=click.FloatRange(0), default=30.0, show_default=True
)
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def run(
    command: tuple[str, ...],
    name: str | None,
    retries: int,
    hang_steps: float,
    grace_seconds: float,
    runs_folder: str,
    as_json: bool,
) -> int:
    """Run a command, and keep it alive."""
    from headway.resilience.supervisor import Limits, supervise

    if not command:
        raise RunError("supervisor-no-command")
    folder = Path(runs_folder, name or Path(command[0]).stem)
    outcome = supervise(
        command,
        folder,
        limits=Limits(retries=retries, hang_steps=hang_steps, grace_seconds=grace_seconds),
        on_output=_to_stderr if as_json else _to_stdout,
        on_event=lambda record: None if as_json else _tell(record, folder),
    )
    if as_json:
        told = None if outcome.told is None else outcome.told.to_dict()
        print_json(
            {"status": outcome.status, "attempts": outcome.attempts, "reason": outcome.reason, "diagnosis": told}
        )
    if outcome.stopped_by is not None:
        return SIGNALLED + outcome.stopped_by
    return outcome.status if outcome.status >= 0 else SIGNALLED - outcome.status


def _to_stdout(data: bytes) -> None:
    _pass_on(data, sys.stdout)


def _to_stderr(data: bytes) -> None:
    _pass_on(data, sys.stderr)


def _pass_on(data: bytes, stream: TextIO) -> None:
    """Show what the job writes; where nobody reads it any more, the job goes on, and its log has it."""
    with suppress(OSError, OutputError, ReaderGoneError):
        stream.buffer.write(data)
        stream.buffer.flush()


def _tell(record: Mapping[str, Any], folder: Path) -> None:
    """Say on stderr what happened."""
    with suppress(OSError, OutputError, ReaderGoneError):
        say(f"headway: {supervisor_line(record)}")
        if record["event"] == "gave-up":
            say(f"headway: {current_translator().text('supervisor-explained', path=str(folder))}")
