"""``headway drill``."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from headway.cli.localized import command, option, recipe_options
from headway.cli.output import check_writable, print_json
from headway.cli.stopping import stopping_on
from headway.cli.train import DEFAULT_RUNS
from headway.i18n import current_translator, formatting


@command("drill")
@recipe_options
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--fault", "faults", help_id="cli-option-fault", multiple=True, metavar="NAME")
@option("--report", help_id="cli-option-drill-report", type=click.Path(path_type=Path), metavar="FILE")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def drill(
    recipe_path: str,
    overrides: tuple[str, ...],
    runs_folder: str,
    faults: tuple[str, ...],
    report: Path | None,
    as_json: bool,
) -> int:
    """Rehearse faults on a short version of a recipe."""
    from headway import api
    from headway.cli.drill_view import show_drill, write_page
    from headway.recipe import find_recipe

    if report is not None:
        check_writable(report)
    # Whoever is told to end leaves no run and no disk in memory behind.
    with stopping_on(signal.SIGTERM, signal.SIGHUP):
        done = api.drill(find_recipe(recipe_path, overrides), faults=faults, runs=runs_folder, on_begin=_say_run)
    _clear()
    if report is not None:
        write_page(done, report)
    if as_json:
        print_json(done.to_dict())
    else:
        show_drill(done)
    return 0 if done.passed else 1


def _say_run(name: str, share: float) -> None:
    """Say what is rehearsed, where somebody waits for it; a later line takes its place."""
    if sys.stderr.isatty():
        text, language = current_translator().text, current_translator().language
        _clear()
        sys.stderr.write(f"{formatting.format_percent(share, language)} {text(f'drill-fault-{name}')} ...")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
