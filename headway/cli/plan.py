"""``headway plan``."""

from __future__ import annotations

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json


@command("plan")
@click.argument("recipe_path", metavar="RECIPE")
@option("--set", "overrides", help_id="cli-option-set", multiple=True, metavar="KEY=VALUE")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def plan(recipe_path: str, overrides: tuple[str, ...], as_json: bool) -> None:
    """Predict everything that a recipe will take."""
    from headway import api
    from headway.cli.probe import probe_with_bar
    from headway.recipe import find_recipe

    made = api.plan(find_recipe(recipe_path, overrides), probing=probe_with_bar)
    if as_json:
        print_json(made.to_dict())
        return
    from headway.cli.plan_view import show_plan

    show_plan(made)
