"""``headway plan``: the plan of a recipe, and other ways to look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json
from headway.errors import PlanError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headway.planning import Plan
    from headway.recipe import Recipe

NOTHING_RUNS = 1
"""Exit code where nothing that was planned can run, so that a script need not read the plan."""


@command("plan")
@click.argument("recipe_path", metavar="RECIPE", required=False)
@option("--set", "overrides", help_id="cli-option-set", multiple=True, metavar="KEY=VALUE")
@option("--explain", "topics", help_id="plan-option-explain", multiple=True, metavar="TOPIC")
@option("--compare", "accelerators", help_id="plan-option-compare", metavar="NAMES")
@option("--sweep", "swept", help_id="plan-option-sweep", metavar="SETTING=VALUES")
@option("--output", "picture", help_id="plan-option-output", metavar="FILE")
@option("--report", "page", help_id="plan-option-report", metavar="FILE")
@option("--published", help_id="plan-option-published", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def plan(
    recipe_path: str | None,
    overrides: tuple[str, ...],
    topics: tuple[str, ...],
    accelerators: str | None,
    swept: str | None,
    picture: str | None,
    page: str | None,
    published: bool,
    as_json: bool,
) -> int:
    """Predict everything that a recipe will take; return the exit code."""
    from headway.recipe import find_recipe

    ways = {
        "--explain": topics,
        "--compare": accelerators is not None,
        "--sweep": swept is not None,
        "--report": page is not None,
        "--published": published,
    }
    _one_way({**ways, "RECIPE": published and recipe_path is not None})
    if picture is not None and swept is None:
        raise PlanError("plan-option-needs", option="--output", other="--sweep")
    if published:
        _published(as_json)
        return 0
    if recipe_path is None:
        raise PlanError("plan-recipe-missing")
    recipe = find_recipe(recipe_path, overrides)
    if topics:
        _explain(recipe, topics, as_json)
        return 0
    if accelerators is not None:
        return _code(_compare(recipe, accelerators, as_json))
    if swept is not None:
        return _code(_sweep(recipe, swept, picture, as_json))
    return _code([_show(recipe, page, as_json)])


def _code(made: Iterable[Plan | None]) -> int:
    """Return the exit code of plans, of which those that could not be made are None."""
    return 0 if any(one is not None and one.is_feasible for one in made) else NOTHING_RUNS


def _one_way(given: dict[str, Any]) -> None:
    """Refuse several ways of showing a plan at once."""
    options = [name for name, value in given.items() if value]
    if len(options) > 1:
        raise PlanError("plan-options-conflict", options=", ".join(options))


def _plan(recipe: Recipe) -> Plan:
    from headway import api
    from headway.cli.probe import probe_with_bar

    return api.plan(recipe, probing=probe_with_bar)


def _plan_alone(recipe: Recipe) -> Plan:
    """Plan a recipe without the phases that follow it."""
    from headway import api

    return _plan(api.alone(recipe))


def _show(recipe: Recipe, page: str | None, as_json: bool) -> Plan:
    from headway.cli.output import check_writable
    from headway.cli.plan_phases_view import show_phases
    from headway.planning.nearest import nearest_fits
    from headway.planning.precision import settled

    if page is not None:
        check_writable(Path(page))
    made = _plan(recipe)
    recipe = settled(recipe, made.software.precision)
    if page is not None:
        _report(recipe, made, Path(page))
    if as_json:
        print_json(made.to_dict())
    elif page is None:
        from headway.cli.plan_view import show_plan
        from headway.planning.published import published_of

        show_plan(made, published_of(recipe, made), nearest_fits(recipe, made, _plan_alone))
        show_phases(made.chain)
    return made


def _report(recipe: Recipe, made: Plan, path: Path) -> None:
    from headway.cli.plan_explain_view import ALL_TOPICS, explain, known_topics
    from headway.cli.report import Report, write_report
    from headway.planning.front import layout_points
    from headway.planning.nearest import nearest_fits
    from headway.planning.published import published_of

    report = Report(
        recipe=recipe,
        plan=made,
        explanations=explain(recipe, made, known_topics((ALL_TOPICS,))),
        points=layout_points(recipe, made),
        nearest=nearest_fits(recipe, made, _plan_alone),
        published=published_of(recipe, made),
    )
    write_report(report, path)
    click.echo(current_translator().text("report-written", path=str(path)), err=True)


def _explain(recipe: Recipe, names: tuple[str, ...], as_json: bool) -> None:
    from headway.cli.plan_explain_view import explain, explanations_as_json, known_topics, show_explanations
    from headway.planning.precision import settled

    topics = known_topics(names)
    made = _plan_alone(recipe)
    found = explain(settled(recipe, made.software.precision), made, topics)
    if as_json:
        print_json(explanations_as_json(found))
    else:
        show_explanations(found)


def _compare(recipe: Recipe, listed: str, as_json: bool) -> list[Plan | None]:
    from headway.cli.plan_compare_view import show_comparison, split_names
    from headway.planning.comparison import compare
    from headway.planning.variation import stated_own_settings

    found = compare(recipe, split_names(listed), _plan_alone)
    if as_json:
        print_json({"name": recipe.name, "compared": [one.to_dict() for one in found]})
    else:
        show_comparison(found, stated_own_settings(recipe))
    return [one.plan for one in found]


def _sweep(recipe: Recipe, text: str, picture: str | None, as_json: bool) -> list[Plan | None]:
    from headway.cli.plan_chart import check_picture, draw_sweep
    from headway.cli.plan_sweep_view import show_sweep
    from headway.planning.sweep import parse_sweep, sweep

    what = parse_sweep(text)
    if picture is not None:
        check_picture(Path(picture))
    points = sweep(recipe, what, _plan_alone)
    if as_json:
        print_json({"name": recipe.name, "setting": what.name, "points": [point.to_dict() for point in points]})
    else:
        show_sweep(what, points)
    if picture is not None:
        draw_sweep(what, points, Path(picture))
    return [point.plan for point in points]


def _published(as_json: bool) -> None:
    from headway.cli.plan_published_view import show_published
    from headway.planning.published import published_beside

    found = published_beside(_plan)
    if as_json:
        print_json({"published": [one.to_dict() for one in found]})
    else:
        show_published(found)
