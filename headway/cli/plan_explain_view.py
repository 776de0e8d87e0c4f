"""``headway plan RECIPE --explain TOPIC``: the steps to the numbers of a plan, with their sources."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headway.catalog.closest import closest_name
from headway.cli.output import stdout_console
from headway.errors import PlanError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.planning import Plan
    from headway.planning.explanation import Explanation
    from headway.recipe import Recipe

ALL_TOPICS = "all"
_INDENT = "    "


def explain(recipe: Recipe, plan: Plan, topics: Sequence[str]) -> dict[str, tuple[Explanation, ...]]:
    """Return the steps of each topic.

    Args:
        recipe: that was planned.
        plan: made from it.
        topics: as `known_topics` returned them.
    """
    from headway.planning.explanations import EXPLANATIONS

    return {topic: EXPLANATIONS[topic](recipe, plan) for topic in topics}


def known_topics(names: Sequence[str]) -> tuple[str, ...]:
    """Return the topics that are asked for, each once.

    Raises:
        PlanError: nobody explains such a topic.
    """
    from headway.planning.explanations import EXPLANATIONS

    known = tuple(EXPLANATIONS)
    topics: list[str] = []
    for name in names:
        wanted = name.strip().lower()
        if wanted == ALL_TOPICS:
            topics += known
        elif wanted in known:
            topics.append(wanted)
        else:
            closest = closest_name(wanted, (*known, ALL_TOPICS)) or "none"
            raise PlanError(
                "plan-topic-unknown", name=name[:80], closest=closest, known=", ".join((*known, ALL_TOPICS))
            )
    return tuple(dict.fromkeys(topics))


def explanations_as_json(found: Mapping[str, Sequence[Explanation]]) -> dict[str, list[dict[str, Any]]]:
    """Return the steps as plain data: ids and arguments, and no text."""
    return {topic: [dataclasses.asdict(step) for step in steps] for topic, steps in found.items()}


def show_explanations(found: Mapping[str, Sequence[Explanation]]) -> None:
    """Print the steps of each topic, numbered, each with its source below."""
    console, translator = stdout_console(), current_translator()
    for topic, steps in found.items():
        console.print(translator.text("plan-topic-title", topic=topic), style="bold")
        if not steps:
            console.print(translator.text("plan-topic-nothing", topic=topic))
        for number, step in enumerate(steps, start=1):
            text = translator.text(step.id, **step.arguments)
            console.print(textwrap.indent(_wrapped(text, console.width), _INDENT).replace(_INDENT, f"{number:>2}. ", 1))
            source = translator.text("explain-source", source=step.source)
            console.print(textwrap.indent(_wrapped(source, console.width), _INDENT), style="dim")
        console.print()


def _wrapped(text: str, width: int) -> str:
    lines = textwrap.wrap(text, max(40, width - len(_INDENT)), break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)
