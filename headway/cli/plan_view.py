"""The plan on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headway.cli.output import make_table, print_message, stdout_console
from headway.cli.plan_compare_view import layout_text, recompute_text, shard_text
from headway.cli.plan_published_view import beside_table
from headway.cli.plan_trades_view import trades_note, trades_table
from headway.i18n import current_translator, formatting
from headway.i18n.plain import without_controls
from headway.i18n.quantities import format_interval, format_quantity
from headway.planning.verdict import first_change, verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from headway.planning import Plan
    from headway.planning.message import Message
    from headway.planning.plan import SourceUse
    from headway.planning.published import Published

SHOWN: dict[str, tuple[str, ...]] = {
    "model": ("parameters", "active_parameters"),
    "run": ("steps", "tokens"),
    "hardware": ("accelerator", "devices"),
    "layout": ("degrees", "shard", "micro_batches", "recompute"),
    "memory": ("device_peak_bytes", "device_capacity_bytes"),
    "time": ("step_seconds", "tokens_per_second", "model_flops_utilization", "total_seconds", "device_hours"),
    "storage": ("checkpoint_bytes", "total_bytes"),
    "network": ("scale_out_bytes_per_step", "exposed_seconds"),
    "power": ("facility_watts",),
    "energy": ("facility_joules",),
    "cooling": ("heat_watts", "method"),
    "carbon": ("operational_kg_co2e", "embodied_kg_co2e"),
    "water": ("litres",),
    "cost": ("total_usd", "known_usd", "energy_usd", "hardware_usd"),
    "reliability": ("expected_interruptions", "checkpoint_interval_seconds", "goodput"),
    "software": ("engine_version", "precision"),
}
"""Which quantities of which section the screen shows, in no more than forty lines; `--json` has all."""

SHOWN_ALTERNATIVES = 3
"""So many of the layouts that were not chosen are shown, the best ones first."""

_DEGREES = {
    "data": "data_parallel_degree",
    "tensor": "tensor_parallel_degree",
    "pipeline": "pipeline_parallel_degree",
    "context": "context_parallel_degree",
    "experts": "expert_parallel_degree",
}


def show_plan(plan: Plan, published: Published | None = None, nearest: Sequence[Message] = ()) -> None:
    """Print a plan: the verdict, the table, the alternatives, then warnings and obstacles with what to do.

    Args:
        plan: of a recipe.
        published: what is published of the training that the recipe is that of; None where it is none.
        nearest: what would make it fit.
    """
    console, translator = stdout_console(), current_translator()
    content = plan.to_dict()
    _show_verdict(console, plan, nearest)
    names = ("resource", "quantity", "predicted", "interval")
    columns = [translator.text(f"cli-column-{name}") for name in names]
    console.print(make_table(columns, _rows(content), numeric=(2, 3)))
    for source in plan.run.sources:
        console.print(source_line(source))
    console.print(search_line(plan), style="dim")
    if content["alternatives"]:
        console.print(translator.text("plan-label-alternatives"), style="bold")
        console.print(_alternatives_table(content["alternatives"][:SHOWN_ALTERNATIVES]))
    if len(plan.front) > 1:
        console.print(translator.text("plan-label-front"), style="bold")
        console.print(trades_table(plan.front))
        console.print(trades_note(plan), style="dim")
    if published is not None:
        console.print(translator.text("plan-published-title", title=published.training.title), style="bold")
        console.print(beside_table(published))
    for kind, mark in (("warnings", "!"), ("infeasible", "x")):
        for message in content[kind]:
            phase = without_controls(message["phase"]) + ":" if "phase" in message else ""
            print_message(console, f"{mark} {phase}".rstrip(), message["id"], message.get("arguments", {}))


def _show_verdict(console: Console, plan: Plan, nearest: Sequence[Message]) -> None:
    """Print the plan in one sentence, the layout, and what to change first."""
    translator = current_translator()
    found, change = verdict(plan), first_change(plan)
    console.print(translator.text(found.id, **found.arguments), style="bold")
    console.print(translator.text("plan-verdict-layout", layout=layout_text(plan.layout)))
    for message in nearest:
        console.print(translator.text(message.id, **message.arguments))
    step = translator.next_step(change.id, **change.arguments) if change is not None else None
    if nearest:
        return
    console.print(change_text(change, step))


def change_text(change: Message | None, step: str | None) -> str:
    """Return what to change first, and in which phase."""
    text = current_translator().text
    if change is None or not step:
        return text("plan-verdict-no-change")
    if change.phase is not None:
        return text("plan-verdict-change-phase", phase=change.phase, step=step)
    return text("plan-verdict-change", step=step)


def source_line(source: SourceUse) -> str:
    """Return what a run takes of one of several sources."""
    is_known = "no" if source.epochs is None else "yes"
    return current_translator().text(
        "plan-source",
        source=source.name,
        share=source.share,
        tokens=source.tokens,
        epochs=source.epochs or 0.0,
        is_known=is_known,
    )


def search_line(plan: Plan) -> str:
    """Return how many layouts were looked at, and which rules removed how many, and why."""
    text, search = current_translator().text, plan.search
    rules = sorted(search.removed.items(), key=lambda pair: -pair[1])
    told = [(rule, text("plan-search-rule", rule=rule, count=count)) for rule, count in rules if count]
    removed = "; ".join(text("plan-search-reason", told=rule_text, rule=rule) for rule, rule_text in told)
    return text("plan-search-line", considered=search.considered, removed=removed or "none")


def _alternatives_table(alternatives: Sequence[Mapping[str, Any]]) -> Table:
    translator = current_translator()
    names = ("step_seconds", "device_peak_bytes")
    labels = ("layout", "shard", "recompute", "step-seconds", "memory")
    rows = [
        [
            translator.text("plan-layout-summary", **_degrees(one["layout"])),
            shard_text(one["layout"]["shard"], reshards=one["layout"]["reshard_after_forward"]),
            recompute_text(one["layout"]["recompute"], one["layout"]["recompute_share"]),
            *(format_quantity(name, one[name], translator.language) for name in names),
        ]
        for one in alternatives
    ]
    return make_table([translator.text(f"plan-label-{label}") for label in labels], rows, numeric=(3, 4))


def _degrees(layout: Mapping[str, Any]) -> dict[str, int]:
    return {
        "data": layout["data_parallel_degree"],
        "tensor": layout["tensor_parallel_degree"],
        "pipeline": layout["pipeline_parallel_degree"],
        "virtual": layout["virtual_pipeline_stages"],
        "context": layout["context_parallel_degree"],
        "expert": layout["expert_parallel_degree"],
        "micro_batch": layout["micro_batch_size"],
    }


def _rows(content: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    translator = current_translator()
    for section, quantities in SHOWN.items():
        known = content.get(section, {})
        if section == "layout":
            known = {**known, **_split(known)}
        label = translator.text(f"plan-label-{section}")
        for quantity in quantities:
            if quantity not in known or _is_repetition(content, section, quantity):
                continue
            name = translator.text(f"plan-label-{quantity.replace('_', '-')}")
            value = format_quantity(quantity, known[quantity], translator.language)
            if quantity == "devices":
                # To the last one.
                value = formatting.format_decimal(known[quantity], translator.language, 12)
            yield label, name, value, _interval(known, quantity)
            label = ""


def _split(layout: Mapping[str, Any]) -> dict[str, str]:
    """Return the degrees that are not one, and the micro-batches of a step, each as one text."""
    degrees = [f"{name} {layout[field]}" for name, field in _DEGREES.items() if name == "data" or layout[field] > 1]
    return {
        "degrees": " x ".join(degrees),
        "micro_batches": f"{layout['micro_batch_size']} x {layout['gradient_accumulation_steps']}",
        "recompute": recompute_text(layout["recompute"], layout["recompute_share"]),
    }


def _interval(known: Mapping[str, Any], quantity: str) -> str:
    locale = current_translator().language
    return format_interval(quantity, known.get(f"{quantity}_low"), known.get(f"{quantity}_high"), locale)


def _is_repetition(content: Mapping[str, Any], section: str, quantity: str) -> bool:
    """Say whether a quantity says nothing new."""
    if (section, quantity) == ("model", "active_parameters"):
        return bool(content["model"]["active_parameters"] == content["model"]["parameters"])
    if (section, quantity) == ("cost", "known_usd"):
        return "total_usd" in content["cost"]
    return (section, quantity) == ("layout", "recompute") and content["layout"]["recompute"] == "none"
