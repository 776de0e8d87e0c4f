"""``headway demo``: the whole way, on this machine, with a fault in the middle."""

from __future__ import annotations

import shlex
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json, say
from headway.cli.streams import postponed_output_errors
from headway.cli.train import DEFAULT_RUNS, show_ledger, watching
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.recipe import Recipe
    from headway.runs import RunFolder

PROMPT = "    def __init__(self"


@command("demo")
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--steps", help_id="cli-option-steps", type=click.IntRange(4), metavar="STEPS")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def demo(runs_folder: str, steps: int | None, as_json: bool) -> None:
    """Probe, plan, train, kill, resume, account and write."""
    # A reader that goes away must not leave a training half-done.
    with postponed_output_errors():
        _show_everything(runs_folder, steps, as_json)


def _show_everything(runs_folder: str, steps: int | None, as_json: bool) -> None:
    from headway import api
    from headway.cli.plan_view import show_plan
    from headway.cli.probe import probe_with_bar, show_machine
    from headway.machine.inventory import take_inventory
    from headway.training.session import open_run
    from headway.training.support import require_trainable

    started = time.monotonic()
    recipe = demo_recipe(steps)
    # Before the machine is measured, which takes a minute.
    require_trainable(recipe, take_inventory(Path.cwd()))
    _stage("probe")
    machine = probe_with_bar()
    if not as_json:
        show_machine(machine)
    _stage("plan")
    plan = api.plan(recipe, machine)
    if not as_json:
        show_plan(plan)
    run = open_run(recipe, plan.to_dict(), root=Path(runs_folder))
    kill_step = kill_after(recipe)
    _stage("train", step=kill_step)
    _train_until(run, kill_step)
    _stage("resume")
    _train_until(run, None)
    _stage("ledger")
    _finish(run, as_json)
    # With the option that finds it, where the run lies elsewhere than the commands look.
    where = run.name if runs_folder == DEFAULT_RUNS else f"{run.name} --runs {shlex.quote(runs_folder)}"
    say(current_translator().text("cli-demo-done", seconds=time.monotonic() - started, run=where))


def kill_after(recipe: Recipe) -> int:
    """Return the step after which the demo kills: half-way between two checkpoints in the middle of the run."""
    every = recipe.resilience.checkpoint_every_steps or 1
    return recipe.num_steps // 2 // every * every + every // 2


def demo_recipe(steps: int | None = None) -> Recipe:
    """Return the recipe of the demo, which ships with the package."""
    from headway.recipe import load_recipe

    overrides = [] if steps is None else [f"{name}={value}" for name, value in _lengths(steps).items()]
    with resources.as_file(resources.files("headway.cli") / "demo.toml") as path:
        return load_recipe(path, overrides)


def _lengths(steps: int) -> dict[str, int]:
    return {
        "training.steps": steps,
        "training.warmup_steps": steps // 12,
        "training.evaluate_every_steps": max(1, steps // 3),
        "resilience.checkpoint_every_steps": max(1, steps // 12),
    }


def _train_until(run: RunFolder, kill_step: int | None) -> None:
    """Train to the end; or, where a step is given, kill the worker with SIGKILL as soon as that step is done."""
    from headway.training.session import Followers, Session

    reached = [0]
    with watching(run) as view:

        def note_step(record: dict[str, Any]) -> None:
            reached[0] = record["step"]
            view.on_metric(record)

        with Session(run, Followers(on_metric=note_step, on_event=view.on_event)) as session:
            session.wait(until=lambda: kill_step is not None and reached[0] >= kill_step)
            if kill_step is not None:
                session.kill()
    if kill_step is not None:
        click.echo(current_translator().text("cli-demo-killed", step=reached[0]), err=True)


def _finish(run: RunFolder, as_json: bool) -> None:
    from headway.training.engines.torch.generation import Sampling
    from headway.training.writing import write_text

    if not as_json:
        show_ledger(run)
    _stage("generate")
    text = "".join(write_text(run, PROMPT, 120, Sampling(temperature=0.5, top_k=20)))
    if as_json:
        print_json({"run": str(run.path), "status": run.status(), "ledger": run.ledger(), "text": PROMPT + text})
    else:
        click.echo(PROMPT + text)


def _stage(name: str, **arguments: Any) -> None:
    click.echo(click.style(current_translator().text(f"cli-demo-{name}", **arguments), bold=True), err=True)
