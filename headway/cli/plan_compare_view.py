"""``headway plan RECIPE --compare A,B,...``: the same training on several accelerators, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from headway.cli.localized import error_lines
from headway.cli.output import make_table, print_message, stdout_console
from headway.errors import PlanError
from headway.i18n import current_translator, formatting
from headway.i18n.plain import without_controls
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from rich.console import Console

    from headway.planning import Plan
    from headway.planning.choice import Layout
    from headway.planning.comparison import Compared

BEST = "*"
"""Behind the best value of a row."""

Measure = Callable[["Plan"], float | None]

_LESS: dict[str, Measure] = {
    "step-seconds": lambda plan: plan.time.step_seconds,
    "total-seconds": lambda plan: plan.time.total_seconds,
    "facility-joules": lambda plan: plan.energy.facility_joules,
    "operational-kg-co2e": lambda plan: plan.carbon.operational_kg_co2e,
    "total-usd": lambda plan: plan.cost.total_usd,
    "expected-interruptions": lambda plan: plan.reliability.expected_interruptions if plan.reliability else None,
}
"""Quantities of which the smallest is the best."""

_MORE: dict[str, Measure] = {
    "tokens-per-second": lambda plan: plan.time.tokens_per_second,
    "model-flops-utilization": lambda plan: plan.time.model_flops_utilization,
    "goodput": lambda plan: plan.reliability.goodput if plan.reliability else None,
}
"""Quantities of which the largest is the best."""

_ROWS = (
    "step-seconds",
    "tokens-per-second",
    "model-flops-utilization",
    "total-seconds",
    "facility-joules",
    "operational-kg-co2e",
    "total-usd",
    "expected-interruptions",
    "goodput",
)


def split_names(listed: str) -> tuple[str, ...]:
    """Return the accelerators of a list with commas, each once.

    Raises:
        PlanError: the list is empty.
    """
    names = tuple(dict.fromkeys(name.strip() for name in listed.split(",") if name.strip()))
    if not names:
        raise PlanError("plan-compare-empty")
    return names


def show_comparison(found: Sequence[Compared], left_out: Sequence[str]) -> None:
    """Print the table, then why an accelerator cannot, and what was left out of the recipe.

    Args:
        found: the plans.
        left_out: settings of the recipe that hold for its own accelerator only.
    """
    console, translator = stdout_console(), current_translator()
    planned = [(one.accelerator, one.plan) for one in found if one.plan is not None]
    if planned:
        columns = [translator.text("plan-label-accelerator"), *(name for name, _ in planned)]
        rows = [*_rows([plan for _, plan in planned]), *_front(found)]
        console.print(make_table(columns, rows, numeric=range(1, len(columns))))
        console.print(translator.text("plan-compare-best", mark=BEST), style="dim")
    if left_out:
        console.print(translator.text("plan-compare-left-out", settings=", ".join(left_out)), style="dim")
    for one in found:
        _reasons(console, one)


def _rows(plans: Sequence[Plan]) -> Iterator[list[str]]:
    text = current_translator().text
    yield [text("plan-label-layout"), *(layout_text(plan.layout) for plan in plans)]
    yield [text("plan-label-device-peak-bytes"), *(_memory(plan) for plan in plans)]
    yield [text("plan-label-fits"), *(text("plan-yes") if plan.is_feasible else text("plan-no") for plan in plans)]
    for name in _ROWS:
        measure = _LESS.get(name) or _MORE[name]
        values = [measure(plan) for plan in plans]
        is_partial = name == "total-usd" and any(plan.cost.known_usd is not None for plan in plans)
        if is_partial or any(value is not None for value in values):
            best = _best(values, [plan.is_feasible for plan in plans], lowest=name in _LESS)
            cells = list(_cells(name, values, best))
            yield [text(f"plan-label-{name}"), *(map(cost_text, plans, cells) if name == "total-usd" else cells)]


def _front(found: Sequence[Compared]) -> Iterator[list[str]]:
    """Yield whether each is unbeaten in time and cost together, where any has a price."""
    if any(one.is_on_front for one in found):
        text = current_translator().text
        told = (
            formatting.UNKNOWN
            if one.plan.cost.total_usd is None
            else text("plan-yes" if one.is_on_front else "plan-no")
            for one in found
            if one.plan is not None
        )
        yield [text("plan-compare-front"), *told]


def cost_text(plan: Plan, total: str) -> str:
    """Return the text of a plan's cost, or what is known of it where a part is missing."""
    return usd_text(plan.cost.total_usd, plan.cost.known_usd, total)


def usd_text(total_usd: float | None, known_usd: float | None, total: str) -> str:
    """Return the text of a total, or what is known of it where a part is missing."""
    if total_usd is not None or known_usd is None:
        return total
    return current_translator().text("plan-at-least", usd=known_usd)


def _cells(name: str, values: Sequence[float | None], best: int | None) -> Iterator[str]:
    quantity, locale = name.replace("-", "_"), current_translator().language
    for index, value in enumerate(values):
        yield format_quantity(quantity, value, locale) + (f" {BEST}" if index == best else "")


def _best(values: Sequence[float | None], feasible: Sequence[bool], *, lowest: bool) -> int | None:
    """Return the index of the best value of those that can run; None where there is nothing to compare."""
    known = {index: value for index, value in enumerate(values) if value is not None and feasible[index]}
    if len(known) < 2:
        return None
    return (min if lowest else max)(known, key=lambda index: known[index])


def layout_text(layout: Layout) -> str:
    """Return the layout in short: the degrees that are not one, the micro-batch and what is sharded."""
    return current_translator().text(
        "plan-layout-short",
        data=layout.data_parallel_degree,
        tensor=layout.tensor_parallel_degree,
        pipeline=layout.pipeline_parallel_degree,
        virtual=layout.virtual_pipeline_stages,
        context=layout.context_parallel_degree,
        expert=layout.expert_parallel_degree,
        micro_batch=layout.micro_batch_size,
        shard=shard_text(layout.shard, reshards=layout.reshard_after_forward),
        recompute=recompute_text(layout.recompute, layout.recompute_share),
    )


def shard_text(shard: str, *, reshards: bool) -> str:
    """Return what is sharded, and whether weights that were gathered stay for the backward pass."""
    keeps = "yes" if shard == "parameters" and not reshards else "no"
    return current_translator().text("plan-layout-shard", shard=shard, keeps=keeps)


def recompute_text(level: str, share: float) -> str:
    """Return what is recomputed, and in which share of the layers where it is not in all."""
    partial = "yes" if level != "none" and share < 1 else "no"
    return current_translator().text("plan-layout-recompute", level=level, partial=partial, share=share)


def _memory(plan: Plan) -> str:
    locale = current_translator().language
    peak = format_quantity("bytes", plan.memory.device_peak_bytes, locale)
    return f"{peak} / {format_quantity('bytes', plan.memory.device_capacity_bytes, locale)}"


def _reasons(console: Console, one: Compared) -> None:
    if one.error is not None:
        first, *rest = error_lines(one.error)
        console.print(f"x {without_controls(one.accelerator)}: {first.partition(': ')[2] or first}")
        for line in rest:
            console.print(f"  {line}", style="dim")
    elif one.plan is not None:
        for message in one.plan.infeasible:
            print_message(console, f"x {without_controls(one.accelerator)}:", message.id, message.arguments)
