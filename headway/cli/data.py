"""``headway data``: prepare, show."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headway.cli.localized import LazyGroup, command, language_option, option, recipe_options
from headway.cli.output import check_writable, print_json, print_message, say, stderr_console
from headway.errors import DataError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.recipe import Recipe
    from headway.training.data import Corpus
    from headway.training.data.executors import Executor

Report = Callable[[str, float], None]


@click.group("data", cls=LazyGroup)
@language_option
def data() -> None:
    """Hold the commands; their help is in the message catalogues."""


@command("prepare")
@recipe_options
@option("--workers", help_id="cli-option-workers", type=click.IntRange(1), metavar="N")
@option(
    "--on", "where", help_id="cli-option-on", type=click.Choice(["local", "ray"]), default="local", show_default=True
)
@option("--output", help_id="cli-option-data-output", metavar="FOLDER|URL")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def prepare(
    recipe_path: str, overrides: tuple[str, ...], workers: int | None, where: str, output: str | None, as_json: bool
) -> None:
    """Turn the text of a recipe into tokens."""
    from headway.cli.data_view import show_data
    from headway.recipe import find_recipe
    from headway.training.data.publishing import describe, publish

    recipe = find_recipe(recipe_path, overrides)
    with progress_bar() as report:
        corpus = _prepared(recipe, report, _executor(where, workers))
    for notice in corpus.notices:
        print_message(stderr_console(), "!", notice.message_id, notice.arguments)
    places = {} if output is None else publish(corpus, output)
    content = describe(corpus)
    if as_json:
        print_json({**content, "places": places, "folders": [str(source.folder) for source in corpus.sources]})
        return
    show_data(content)
    text = current_translator().text
    for place in places.values() or [str(source.folder) for source in corpus.sources]:
        say(text("cli-data-written", path=place))


@command("show")
@click.argument("place", metavar="RECIPE|FOLDER|URL")
@option("--page", help_id="cli-option-page", type=click.Path(path_type=Path), metavar="FILE")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def show(place: str, page: Path | None, as_json: bool) -> None:
    """Show the data card of what was prepared."""
    from headway.cli.data_view import page_text, show_data
    from headway.training.data.publishing import describe

    if page is not None:
        check_writable(page)
    content = describe(_opened(place))
    if page is not None:
        page.write_text(page_text(content), encoding="utf-8")
        say(current_translator().text("cli-plot-written", path=str(page)))
    elif as_json:
        print_json(content)
    else:
        show_data(content)


@contextmanager
def progress_bar() -> Iterator[Report]:
    """Show stages as a bar where somebody is watching, else as a line for each."""
    text = current_translator().text
    if not sys.stderr.isatty():
        told: list[str] = []

        def tell(message_id: str, _fraction: float) -> None:
            if message_id not in told[-1:]:
                told.append(message_id)
                say(text(message_id))

        yield tell
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr_console(), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show_stage(message_id: str, fraction: float) -> None:
            if message_id not in tasks:
                tasks[message_id] = bar.add_task(text(message_id), total=1.0)
            bar.update(tasks[message_id], completed=fraction)

        yield show_stage


def _executor(where: str, workers: int | None) -> Executor:
    from headway.training.data.executors import OnRay, Processes, Serial

    if where == "ray":
        return OnRay(workers)
    count = workers or len(os.sched_getaffinity(0))
    return Serial() if count == 1 else Processes(count)


def _prepared(recipe: Recipe, report: Report, executor: Executor | None = None) -> Corpus:
    from headway.training.data import prepare as prepare_data

    return prepare_data(
        recipe.data,
        vocab_size=recipe.model.vocab_size,
        seed=recipe.training.seed,
        progress=report,
        executor=executor,
    )


def _opened(place: str) -> Corpus:
    """Return prepared data: of a recipe, or of a folder or URL that ``--output`` wrote.

    Raises:
        DataError: nothing was prepared there.
    """
    from headway.recipe import find_recipe
    from headway.recipe.paths import is_url
    from headway.recipe.sections import DataConfig
    from headway.training.data import is_prepared
    from headway.training.data import prepare as prepare_data

    if is_url(place) or Path(place).is_dir():
        # Whatever the tokenizer has, no model is asked for.
        return prepare_data(DataConfig(prepared=place), vocab_size=2**31, seed=0)
    recipe = find_recipe(place)
    if not is_prepared(recipe.data, vocab_size=recipe.model.vocab_size):
        raise DataError("cli-data-not-prepared", recipe=place)
    return _prepared(recipe, lambda _message_id, _fraction: None)


for _command in (prepare, show):
    data.add_command(_command)
