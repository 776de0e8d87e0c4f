"""The plan on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headway.cli.output import make_table, print_message, stdout_console
from headway.cli.plan_published_view import beside_table
from headway.i18n import current_translator, formatting
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from rich.table import Table

    from headway.planning import Plan
    from headway.planning.published import Published

SHOWN: dict[str, tuple[str, ...]] = {
    "model": ("parameters", "active_parameters", "training_flops_per_token"),
    "run": ("steps", "tokens", "epochs"),
    "hardware": ("accelerator", "devices", "nodes", "peak_flops_per_second"),
    "layout": (
        "data_parallel_degree",
        "tensor_parallel_degree",
        "pipeline_parallel_degree",
        "virtual_pipeline_stages",
        "context_parallel_degree",
        "expert_parallel_degree",
        "shard",
        "micro_batch_size",
        "gradient_accumulation_steps",
        "recompute",
    ),
    "memory": ("device_peak_bytes", "device_capacity_bytes"),
    "time": ("step_seconds", "tokens_per_second", "model_flops_utilization", "total_seconds"),
    "storage": ("dataset_bytes", "checkpoint_bytes", "total_bytes", "checkpoint_write_seconds"),
    "network": ("scale_up_bytes_per_step", "scale_out_bytes_per_step", "exposed_seconds"),
    "power": ("node_watts", "facility_watts"),
    "energy": ("facility_joules",),
    "cooling": ("heat_watts", "airflow_m3_per_hour", "liquid_litres_per_minute", "method"),
    "carbon": ("operational_kg_co2e", "embodied_kg_co2e", "greenest_start_hour"),
    "water": ("litres",),
    "cost": ("total_usd", "energy_usd", "hardware_usd", "break_even_months", "cheapest_start_hour"),
    "reliability": ("expected_interruptions", "checkpoint_interval_seconds", "goodput"),
    "software": ("engine_version", "precision"),
}
"""Which quantities of which section the screen shows; `--json` has all."""

SHOWN_ALTERNATIVES = 3
"""So many of the layouts that were not chosen are shown, the best ones first."""

_HIDDEN_WHEN = {("model", "active_parameters"): ("model", "parameters"), ("hardware", "nodes"): ("hardware", "devices")}
"""A quantity that says nothing new where it equals another."""


def show_plan(plan: Plan, published: Published | None = None) -> None:
    """Print a plan: the table, the alternatives, then warnings and obstacles with what to do.

    Args:
        plan: of a recipe.
        published: what is published of the training that the recipe is that of; None where it is none.
    """
    console, translator = stdout_console(), current_translator()
    content = plan.to_dict()
    names = ("resource", "quantity", "predicted", "interval")
    columns = [translator.text(f"cli-column-{name}") for name in names]
    console.print(make_table(columns, _rows(content), numeric=(2, 3)))
    if content["alternatives"]:
        console.print(translator.text("plan-label-alternatives"), style="bold")
        console.print(_alternatives_table(content["alternatives"][:SHOWN_ALTERNATIVES]))
    if published is not None:
        console.print(translator.text("plan-published-title", title=published.training.title), style="bold")
        console.print(beside_table(published))
    for kind, mark in (("warnings", "!"), ("infeasible", "x")):
        for message in content[kind]:
            print_message(console, mark, message["id"], message.get("arguments", {}))


def _alternatives_table(alternatives: Sequence[Mapping[str, Any]]) -> Table:
    translator = current_translator()
    names = ("step_seconds", "device_peak_bytes")
    labels = ("layout", "shard", "recompute", "step-seconds", "memory")
    rows = [
        [
            translator.text("plan-layout-summary", **_degrees(one["layout"])),
            one["layout"]["shard"],
            one["layout"]["recompute"],
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
        label = translator.text(f"plan-label-{section}")
        for quantity in quantities:
            if quantity not in known or _is_repetition(content, section, quantity):
                continue
            name = translator.text(f"plan-label-{quantity.replace('_', '-')}")
            value = format_quantity(quantity, known[quantity], translator.language)
            yield label, name, value, _interval(known, quantity)
            label = ""


def _interval(known: Mapping[str, Any], quantity: str) -> str:
    locale = current_translator().language
    low, high = known.get(f"{quantity}_low"), known.get(f"{quantity}_high")
    if low is None or high is None or low == high:
        return ""
    return f"{format_quantity(quantity, low, locale)} {formatting.RANGE} {format_quantity(quantity, high, locale)}"


_OPTIONAL_DEGREES = ("tensor", "pipeline", "virtual", "context", "expert")


def _is_repetition(content: Mapping[str, Any], section: str, quantity: str) -> bool:
    if section == "layout" and quantity.startswith(_OPTIONAL_DEGREES):
        return bool(content[section][quantity] == 1)
    if (section, quantity) not in _HIDDEN_WHEN:
        return False
    other_section, other = _HIDDEN_WHEN[section, quantity]
    return bool(content[section][quantity] == content[other_section][other])
