"""``headway runs``: list, show, compare, ledger, export, verify."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from headway.cli.localized import LazyGroup, command, language_option, option
from headway.cli.output import make_table, print_json, print_message, stdout_console
from headway.cli.train import DEFAULT_RUNS
from headway.errors import HeadwayError, RunError
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from headway.resilience.checkpoint.verifying import Verified
    from headway.runs import RunFolder

DAMAGED = "damaged"
"""The status, in lists, of a run whose files cannot be read."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@click.group("runs", cls=LazyGroup)
@language_option
def runs() -> None:
    """Hold the commands; their help is in the message catalogues."""


def _common(function: Decorated) -> Decorated:
    add_runs = option(
        "--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER"
    )
    add_json = option("--json", "as_json", help_id="cli-option-json", is_flag=True)
    return add_runs(add_json(function))


@command("list")
@_common
def list_command(runs_folder: str, as_json: bool) -> None:
    """List all runs."""
    from headway.runs import list_runs

    summaries = [_summarize_any(run) for run in list_runs(Path(runs_folder))]
    if as_json:
        print_json(summaries)
    elif not summaries:
        click.echo(current_translator().text("cli-runs-none", folder=runs_folder), err=True)
    else:
        _print_summaries(summaries)


@command("show")
@click.argument("run_name", metavar="RUN")
@option("--plot", help_id="cli-option-plot", type=click.Path(path_type=Path), metavar="FILE")
@_common
def show(run_name: str, plot: Path | None, runs_folder: str, as_json: bool) -> None:
    """Show one run."""
    from headway.cli.training_view import event_line
    from headway.runs import RunFolder
    from headway.runs.goodput import measure_goodput

    run = RunFolder.open(Path(runs_folder), run_name)
    if plot is not None:
        from headway.runs.plot import plot_runs

        plot_runs([run], plot)
        click.echo(current_translator().text("cli-plot-written", path=str(plot)), err=True)
    spent = measure_goodput(run)
    if as_json:
        print_json({**summarize(run), "events": run.events(), "ledger": run.ledger(), "time": spent.to_dict()})
        return
    _print_summaries([summarize(run)])
    if spent.wall_microseconds:
        from headway.cli.goodput_view import goodput_table

        stdout_console().print(goodput_table(spent, run.plan()))
    for event in run.events():
        line = event_line(event)
        if line is not None:
            click.echo(line)


@command("compare")
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@option("--plot", help_id="cli-option-plot", type=click.Path(path_type=Path), metavar="FILE")
@_common
def compare(run_names: tuple[str, ...], plot: Path | None, runs_folder: str, as_json: bool) -> None:
    """Compare runs side by side."""
    from headway.runs import RunFolder
    from headway.runs.comparison import compare_runs

    chosen = [RunFolder.open(Path(runs_folder), name) for name in run_names]
    compared = compare_runs(chosen)
    if plot is not None:
        from headway.runs.plot import plot_runs

        plot_runs(chosen, plot)
        click.echo(current_translator().text("cli-plot-written", path=str(plot)), err=True)
    if as_json:
        print_json(compared)
        return
    translator = current_translator()
    rows = [
        (_label(row["name"]), *(_compared(row["name"], value, translator.language) for value in row["values"]))
        for row in compared["rows"]
    ]
    columns = (translator.text("cli-column-quantity"), *compared["runs"])
    stdout_console().print(make_table(columns, rows, numeric=range(1, len(columns))))


@command("ledger")
@click.argument("run_name", metavar="RUN")
@_common
def ledger(run_name: str, runs_folder: str, as_json: bool) -> None:
    """Show what was predicted beside what was measured."""
    from headway.cli.ledger_view import ledger_table
    from headway.runs import RunFolder

    run = RunFolder.open(Path(runs_folder), run_name)
    made = _fresh_ledger(run)
    if as_json:
        print_json(made.to_dict())
    else:
        stdout_console().print(ledger_table(made))


@command("export")
@click.argument("run_name", metavar="RUN")
@option(
    "--output", help_id="cli-option-output-folder", required=True, type=click.Path(path_type=Path), metavar="FOLDER"
)
@option("--merge", "merges", help_id="cli-option-merge", is_flag=True)
@option("--step", help_id="cli-option-step", type=click.IntRange(0))
@option("--best", help_id="cli-option-best", is_flag=True)
@_common
def export(
    run_name: str, output: Path, merges: bool, step: int | None, best: bool, runs_folder: str, as_json: bool
) -> None:
    """Write the model of a run as a folder that Hugging Face's libraries load."""
    from headway.runs import RunFolder
    from headway.training.exporting import export_run
    from headway.training.reading import chosen_step

    run = RunFolder.open(Path(runs_folder), run_name)
    written = export_run(run, output, merges=merges, step=chosen_step(run, step, best=best))
    if as_json:
        print_json({"folder": str(written), "files": sorted(file.name for file in written.iterdir())})
    else:
        click.echo(current_translator().text("cli-plot-written", path=str(written)))


@command("verify")
@click.argument("run_name", metavar="RUN")
@_common
def verify(run_name: str, runs_folder: str, as_json: bool) -> int:
    """Read all checkpoints of a run, and say which can be trusted; 1 is returned where one cannot."""
    from headway.api import verify as verify_run

    found = verify_run(run_name, runs=runs_folder)
    is_good = all(one.error is None for one in found)
    if as_json:
        print_json({"run": run_name, "is_good": is_good, "checkpoints": [one.to_dict() for one in found]})
    else:
        _print_verified(found)
    return 0 if is_good else 1


def _print_verified(found: Sequence[Verified]) -> None:
    translator, console = current_translator(), stdout_console()
    if not found:
        console.print(translator.text("cli-verify-none"))
    for one in found:
        if one.error is None:
            size = format_quantity("bytes", one.size_bytes, translator.language)
            console.print(translator.text("cli-verify-good", step=one.step, size=size))
        else:
            console.print(translator.text("cli-verify-damaged", step=one.step), style="bold")
            print_message(console, "  ", one.error.message_id, one.error.arguments)


def summarize(run: RunFolder) -> dict[str, Any]:
    """Return what a list of runs shows of one."""
    from headway.training.accounting import steady_tokens_per_second

    metrics = run.metrics()
    last = metrics[-1] if metrics else {}
    evaluated = [event for event in run.events() if event.get("event") == "evaluated"]
    recipe = run.recipe()
    return {
        "name": run.name,
        "status": run.status(),
        "step": last.get("step", 0),
        "steps": recipe.num_steps,
        "loss": last.get("loss"),
        "validation_loss": evaluated[-1]["loss"] if evaluated else None,
        # As the ledger has it: single steps differ, and the last one may be the slowest.
        "tokens_per_second": steady_tokens_per_second(metrics, recipe.tokens_per_step),
    }


def _summarize_any(run: RunFolder) -> dict[str, Any]:
    """Return what a list shows of a run; of one that cannot be read, that it is damaged and why."""
    try:
        return summarize(run)
    except HeadwayError as error:
        unknown = dict.fromkeys(("step", "steps", "loss", "validation_loss", "tokens_per_second"))
        return {"name": run.name, "status": DAMAGED, **unknown, **error.to_dict()}


def _fresh_ledger(run: RunFolder) -> Any:
    from headway.training.accounting import measure_run

    if not any("step_seconds" in record for record in run.metrics()):
        raise RunError("run-no-metrics", name=run.name)
    return measure_run(run)


def _print_summaries(summaries: list[dict[str, Any]]) -> None:
    translator = current_translator()
    locale = translator.language
    names = ("name", "status", "step", "loss", "validation_loss", "tokens_per_second")
    rows = [
        (
            summary["name"],
            translator.text(f"status-{summary['status']}"),
            format_quantity("step", None) if summary["step"] is None else f"{summary['step']}/{summary['steps']}",
            *(format_quantity(name, summary[name], locale) for name in names[3:]),
        )
        for summary in summaries
    ]
    columns = [translator.text(f"cli-column-{name.replace('_', '-')}") for name in names]
    stdout_console().print(make_table(columns, rows, numeric=(2, 3, 4, 5)))


def _compared(name: str, value: Any, locale: str) -> str:
    """Return a setting, whose name is dotted, as a recipe has it, so that no difference is rounded away."""
    from headway.runs.json_values import encode

    if "." in name and value is not None:
        return json.dumps(encode(value), ensure_ascii=False, default=str)
    return format_quantity(name, value, locale)


def _label(name: str) -> str:
    translator = current_translator()
    message_id = f"quantity-{name}"
    return translator.text(message_id) if translator.has(message_id) else name


for _command in (list_command, show, compare, ledger, export, verify):
    runs.add_command(_command)
