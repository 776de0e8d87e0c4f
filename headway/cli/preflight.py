"""``headway preflight``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from headway.cli.localized import command, option, recipe_options
from headway.cli.output import print_json, print_message, say, stdout_console
from headway.cli.train import DEFAULT_RUNS
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.resilience.preflight import Preflight

MARKS = {"passed": "+", "warning": "!", "failed": "x", "unknown": "?"}


@command("preflight")
@recipe_options
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--check", "checks", help_id="cli-option-check", multiple=True, metavar="NAME")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def preflight(
    recipe_path: str, overrides: tuple[str, ...], runs_folder: str, checks: tuple[str, ...], as_json: bool
) -> int:
    """Look at everything that a run needs, before it starts."""
    from headway import api
    from headway.cli.probe import probe_with_bar
    from headway.recipe import find_recipe

    found = api.preflight(
        find_recipe(recipe_path, overrides),
        runs=runs_folder,
        checks=checks or None,
        probing=probe_with_bar,
        on_begin=_say_check,
    )
    if as_json:
        print_json(found.to_dict())
    else:
        show_preflight(found)
    return 0 if found.passed else 1


def _say_check(name: str, _fraction: float) -> None:
    """Say what is looked at, where somebody waits for it; a later line takes its place."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{current_translator().text(f'preflight-check-{name}')} ...")
        sys.stderr.flush()


def show_preflight(found: Preflight) -> None:
    """Print what was found, check by check."""
    text, console = current_translator().text, stdout_console()
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    for check in found.checks:
        console.print(f"{text(f'preflight-check-{check.name}')}", style="bold")
        for finding in check.findings:
            print_message(console, f"  {MARKS[finding.status]}", finding.message_id, finding.arguments)
    say(text("cli-preflight-passed" if found.passed else "cli-preflight-failed", seconds=found.seconds))
