"""``headway recipe``: show, new, check."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import LazyGroup, command, language_option, option, recipe_options
from headway.cli.output import print_json
from headway.errors import RecipeError
from headway.i18n import current_translator


@click.group("recipe", cls=LazyGroup)
@language_option
def recipe() -> None:
    """Hold the commands; their help is in the message catalogues."""


@command("show")
@recipe_options
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def show(recipe_path: str, overrides: tuple[str, ...], as_json: bool) -> None:
    """Print a resolved recipe."""
    from headway.recipe import find_recipe

    resolved = find_recipe(recipe_path, overrides)
    if as_json:
        print_json(resolved.to_dict())
    else:
        click.echo(resolved.to_toml(), nl=False)


@command("check")
@recipe_options
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def check(recipe_path: str, overrides: tuple[str, ...], as_json: bool) -> None:
    """Check a recipe."""
    from headway.machine.inventory import take_inventory
    from headway.recipe import find_recipe
    from headway.training.support import obstacles

    resolved = find_recipe(recipe_path, overrides)
    found = obstacles(resolved, take_inventory(Path.cwd()))
    if as_json:
        told = [obstacle.to_dict()["error"] for obstacle in found]
        print_json({"valid": True, "digest": resolved.digest(), "trainable_here": not found, "obstacles": told})
        return
    translator = current_translator()
    click.echo(translator.text("cli-recipe-valid", path=recipe_path))
    if found:
        click.echo(translator.text("cli-recipe-obstacles"))
    for obstacle in found:
        click.echo("  - " + " ".join(filter(None, translator.error(obstacle))))


@command("new")
@option("--preset", help_id="cli-option-preset", default="headway-tiny-11m", show_default=True, metavar="NAME")
@option("--output", help_id="cli-option-output", type=click.Path(path_type=Path), metavar="FILE")
def new(preset: str, output: Path | None) -> None:
    """Write a commented recipe."""
    from headway.recipe import template

    text = template(preset)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        _write_new(output, text)
    except FileExistsError as error:
        raise RecipeError("cli-file-exists", path=str(output)) from error
    except OSError as error:
        raise RecipeError("recipe-unwritable", path=str(output), reason=error.strerror or str(error)) from error
    click.echo(current_translator().text("cli-recipe-written", path=str(output)))


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all.

    Raises:
        OSError: as the file system reports it, ``FileExistsError`` where it is there.
    """
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            # What the full disk took of it would be in the way of the next attempt.
            path.unlink()
            raise


for _command in (show, new, check):
    recipe.add_command(_command)
