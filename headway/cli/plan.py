"""``headway plan``."""

from __future__ import annotations

from headway.cli.localized import command, option, recipe_options
from headway.cli.output import print_json


@command("plan")
@recipe_options
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
