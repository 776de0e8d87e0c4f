"""How the layout was found, and what others would have taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.constants import constant
from headway.planning.device import CPU
from headway.planning.explanation import Explanation
from headway.recipe import Recipe
from headway.units import joules_to_kilowatt_hours

if TYPE_CHECKING:
    from headway.planning.plan import Plan

_NEARLY_BEST, _HEADROOM = "layout-nearly-best", "layout-headroom"


def explain_layout(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return how many layouts were looked at, how one is chosen, the formats, and the front; none where a CPU trains.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    if plan.hardware.accelerator == CPU:
        return ()
    return (*_search(plan), *_formats(recipe, plan), *_front(plan))


def _search(plan: Plan) -> Iterator[Explanation]:
    search = plan.search
    yield Explanation(
        id="explain-layout-search",
        quantity="count",
        value=search.considered,
        arguments={"considered": search.considered, "removed": sum(search.removed.values())},
        source="Narayanan et al. 2021 (arXiv:2104.04473), section 3; Megatron-LM, megatron/training/arguments.py",
    )
    yield Explanation(
        id="explain-layout-choice",
        quantity="seconds",
        value=plan.time.step_seconds,
        arguments={"near": constant(_NEARLY_BEST) - 1, "filled": constant(_HEADROOM)},
        source=f"catalogue: {_NEARLY_BEST}, {_HEADROOM}",
    )


def _formats(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    sources: dict[str, str] = {one.format: one.source for one in catalog.program(recipe.training.software).formats}
    for one in plan.search.formats:
        if one.step_seconds is not None:
            yield Explanation(
                id="explain-layout-format",
                quantity="seconds",
                value=one.step_seconds,
                arguments={
                    "precision": one.precision,
                    "seconds": one.step_seconds,
                    "bytes": one.device_peak_bytes,
                    "narrow": "yes" if one.precision in sources else "no",
                    "loss": constant("narrow-loss-difference"),
                },
                source=f"catalogue: narrow-loss-difference; {sources[one.precision]}"
                if one.precision in sources
                else "Micikevicius et al. 2018 (arXiv:1710.03740)",
            )


def _front(plan: Plan) -> Iterator[Explanation]:
    for one in plan.front:
        layout = one.layout
        yield Explanation(
            id="explain-layout-trade",
            quantity="seconds",
            value=one.step_seconds,
            arguments={
                "chosen": "yes" if one.is_chosen else "no",
                "precision": one.precision,
                "data": layout.data_parallel_degree,
                "tensor": layout.tensor_parallel_degree,
                "pipeline": layout.pipeline_parallel_degree,
                "context": layout.context_parallel_degree,
                "expert": layout.expert_parallel_degree,
                "micro_batch": layout.micro_batch_size,
                "shard": layout.shard,
                "keeps": "yes" if layout.shard == "parameters" and not layout.reshard_after_forward else "no",
                "recompute": layout.recompute,
                "seconds": one.step_seconds,
                "bytes": one.device_peak_bytes,
                "joules_known": "no" if one.facility_joules is None else "yes",
                "kilowatt_hours": 0.0 if one.facility_joules is None else joules_to_kilowatt_hours(one.facility_joules),
                "usd_known": "no" if one.total_usd is None else "yes",
                "usd": one.total_usd or 0.0,
            },
            source=f"Pareto front of time, memory and cost (measured in: {plan.search.cost_axis})",
        )
