"""``headway train``."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Literal, TypedDict

import click

from headway.cli.localized import command, option, recipe_options
from headway.cli.output import print_json, say, stdout_console
from headway.cli.stopping import exit_code, stopping_on
from headway.errors import HeadwayError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.runs import RunFolder
    from headway.training.session import Followers, Launcher

DEFAULT_RUNS = "runs"
PAUSED = 1
"""Exit code of a run that stopped by itself before its end, and can go on."""


class Settings(TypedDict):
    """What making a run and training it have in common."""

    runs: str
    name: str | None
    resume: bool
    force: bool


@command("train")
@recipe_options
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--name", help_id="cli-option-name", metavar="NAME")
@option("--resume", help_id="cli-option-resume", is_flag=True)
@option("--force", help_id="cli-option-force", is_flag=True)
@option("--retries", help_id="cli-option-train-retries", type=click.IntRange(0), metavar="N")
@option("--launcher", help_id="cli-option-launcher", type=click.Choice(["local", "torchrun"]), default="local")
@option("--on", "place", help_id="cli-option-on-ray", type=click.Choice(["ray"]))
@option("--prepare-only", help_id="cli-option-prepare-only", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def train(
    recipe_path: str,
    overrides: tuple[str, ...],
    runs_folder: str,
    name: str | None,
    resume: bool,
    force: bool,
    retries: int | None,
    launcher: Launcher,
    place: Literal["ray"] | None,
    prepare_only: bool,
    as_json: bool,
) -> int:
    """Train a recipe on this machine."""
    from headway import api
    from headway.cli.probe import probe_with_bar
    from headway.recipe import find_recipe

    recipe = find_recipe(recipe_path, overrides)
    settings: Settings = {"runs": runs_folder, "name": name, "resume": resume, "force": force}
    if prepare_only:
        run, _ = api.prepare(recipe, probing=probe_with_bar, **settings)
        print_json({"run": str(run.path)}) if as_json else click.echo(run.path)
        return 0
    watched: list[RunFolder] = []

    def watch(run: RunFolder) -> AbstractContextManager[Followers]:
        watched.append(run)
        return watching(run)

    try:
        with stopping_on(signal.SIGTERM, signal.SIGUSR1):
            run = api.train(
                recipe, retries=retries, launcher=place or launcher, probing=probe_with_bar, watching=watch, **settings
            )
    except KeyboardInterrupt as error:
        _tell_stopped(watched)
        return exit_code(error)
    except HeadwayError:
        if watched:
            explain(watched[0])
        raise
    if not watched:
        say(current_translator().text("cli-train-complete", name=run.name, step=recipe.num_steps))
    if as_json:
        print_json({"run": str(run.path), "status": run.status(), "ledger": run.ledger()})
    else:
        show_ledger(run)
    if run.status() != "finished":
        # A guard has paused it, or somebody has asked its processes: whoever waits must not take it for done.
        say(current_translator().text("cli-train-paused", name=run.name))
        return PAUSED
    return 0


def _tell_stopped(watched: Sequence[RunFolder]) -> None:
    """Say what became of the steps that were done before Ctrl-C."""
    from headway import api

    text = current_translator().text
    if not watched:
        say(text("cli-stopped"))
        return
    outcome = api.kept(watched[0])
    if outcome == "nothing":
        say(text("cli-train-stopped-early"))
    else:
        say(text("cli-train-stopped" if outcome == "all" else "cli-train-not-saved"))


def explain(run: RunFolder) -> None:
    """Say on stderr what `headway diagnose` says of a run that was given up, unless the error itself says it all."""
    from headway.cli import diagnose_view
    from headway.cli.output import stderr_console

    last = next((event for event in reversed(run.events()) if event["event"].startswith("attempt-")), None)
    gave_up = next((event for event in reversed(run.events()) if event["event"] == "gave-up"), None)
    if last is None or gave_up is None or last["event"] != "attempt-failed" or gave_up["reason"] == "lasting":
        return
    diagnose_view.show(diagnose_view.with_progress([str(run.path)], None), stderr_console())


@contextmanager
def watching(run: RunFolder) -> Iterator[Followers]:
    """Show a run while the context lasts."""
    from headway.cli.training_view import training_view

    say(current_translator().text("cli-train-run", path=str(run.path)))
    with training_view(run.recipe().num_steps, run.plan().get("time", {}).get("step_seconds")) as followers:
        yield followers


def show_ledger(run: RunFolder) -> None:
    """Print the ledger of a run."""
    from headway.cli.ledger_view import ledger_table
    from headway.runs import Ledger

    content = run.ledger()
    if content is not None:
        stdout_console().print(ledger_table(Ledger.from_dict(content)))
