"""``headway plan``."""

from __future__ import annotations

from headway.cli.localized import command, option, recipe_options
from headway.cli.output import print_json


@command("plan")
@recipe_options
@option("--explain", "topics", help_id="plan-option-explain", multiple=True, metavar="TOPIC")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def plan(recipe_path: str, overrides: tuple[str, ...], topics: tuple[str, ...], as_json: bool) -> None:
    """Predict everything that a recipe will take."""
    from headway import api
    from headway.cli.plan_explain_view import explain, explanations_as_json, known_topics, show_explanations
    from headway.cli.probe import probe_with_bar
    from headway.recipe import find_recipe

    recipe = find_recipe(recipe_path, overrides)
    wanted = known_topics(topics) if topics else ()
    made = api.plan(recipe, probing=probe_with_bar)
    if wanted:
        found = explain(recipe, made, wanted)
        if as_json:
            print_json(explanations_as_json(found))
        else:
            show_explanations(found)
        return
    if as_json:
        print_json(made.to_dict())
        return
    from headway.cli.plan_view import show_plan

    show_plan(made)
