"""``headway plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json

if TYPE_CHECKING:
    from headway.machine import Machine
    from headway.planning import Plan
    from headway.recipe import Recipe


@command("plan")
@click.argument("recipe_path", metavar="RECIPE")
@option("--set", "overrides", help_id="cli-option-set", multiple=True, metavar="KEY=VALUE")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def plan(recipe_path: str, overrides: tuple[str, ...], as_json: bool) -> None:
    """Predict everything that a recipe will take."""
    from headway.recipe import find_recipe

    recipe = find_recipe(recipe_path, overrides)
    made = make_plan(recipe)
    if as_json:
        print_json(made.to_dict())
        return
    from headway.cli.plan_view import show_plan

    show_plan(made)


def make_plan(recipe: Recipe) -> Plan:
    """Plan a recipe; this machine is probed where the recipe is to run on it."""
    from headway.planning import plan as plan_recipe

    return plan_recipe(recipe, _machine_for(recipe.hardware.accelerator))


def _machine_for(accelerator: str) -> Machine | None:
    from headway.cli.probe import probe_with_bar

    if accelerator not in ("auto", "cpu"):
        return None
    if accelerator == "auto":
        described = probe_with_bar(measure=False)
        if described.inventory.accelerators:
            return described
    return probe_with_bar()
