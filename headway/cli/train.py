"""``headway train``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json, stdout_console
from headway.errors import PlanError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.runs import RunFolder

DEFAULT_RUNS = "runs"


@command("train")
@click.argument("recipe_path", metavar="RECIPE")
@option("--set", "overrides", help_id="cli-option-set", multiple=True, metavar="KEY=VALUE")
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--name", help_id="cli-option-name", metavar="NAME")
@option("--resume", help_id="cli-option-resume", is_flag=True)
@option("--force", help_id="cli-option-force", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def train(
    recipe_path: str,
    overrides: tuple[str, ...],
    runs_folder: str,
    name: str | None,
    resume: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Train a recipe on this machine."""
    from headway.cli.plan import make_plan
    from headway.recipe import find_recipe
    from headway.training.session import open_run

    recipe = find_recipe(recipe_path, overrides)
    made = make_plan(recipe).to_dict()
    if made["infeasible"] and not force:
        reason = made["infeasible"][0]
        raise PlanError(reason["id"], **reason.get("arguments", {}))
    run = open_run(recipe, made, root=Path(runs_folder), name=name, resume=resume)
    finished = follow(run, made)
    if as_json:
        print_json({"run": str(run.path), "status": run.status(), "ledger": run.ledger()})
    elif finished:
        show_ledger(run)
    return 0 if finished else 130


def follow(run: RunFolder, plan: dict[str, Any]) -> bool:
    """Train a run and show it; return whether it finished, and was not stopped from the keyboard."""
    from headway.cli.training_view import training_view
    from headway.training.session import Session

    translator = current_translator()
    click.echo(translator.text("cli-train-run", path=str(run.path)), err=True)
    with training_view(run.recipe().num_steps, plan.get("time", {}).get("step_seconds")) as followers:
        session = Session(run, followers)
        try:
            session.wait()
        except KeyboardInterrupt:
            click.echo(translator.text("cli-train-stopping"), err=True)
            session.stop()
            sys.stderr.flush()
            return False
        finally:
            if session.process.poll() is None:
                session.stop()
    return run.status() == "finished"


def show_ledger(run: RunFolder) -> None:
    """Print the ledger of a run."""
    from headway.cli.ledger_view import ledger_table
    from headway.runs import Ledger

    content = run.ledger()
    if content is not None:
        stdout_console().print(ledger_table(Ledger.from_dict(content)))
