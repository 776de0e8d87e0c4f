"""The plan in one sentence, and what to change first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from headway.planning.message import Argument, Message

if TYPE_CHECKING:
    from headway.planning.phases import Chain
    from headway.planning.plan import Plan

Numbers = Mapping[str, float]

_BROKEN_LIMIT = 2.0
"""More than all that can be lost."""
_BEYOND_AN_END = 0.1
"""Chance that a number lies above the upper end of its 80 % interval."""

_LOST: dict[str, Callable[[Numbers], float]] = {
    "plan-warning-memory-tight": lambda said: _BEYOND_AN_END if said["share"] <= 1 else 0.5,
    "plan-warning-network-exposed": lambda said: said["share"],
    "plan-warning-checkpoint-slow": lambda said: said["share"],
    "plan-warning-checkpoint-interval": lambda said: 1 - said["share"] / said["best"],
    "plan-warning-spares": lambda said: said["share"],
    "plan-warning-data-slow": lambda said: 1 - 1 / said["ratio"],
    "plan-warning-start-price": lambda said: 1 - said["best"] / said["now"],
    "plan-warning-start-carbon": lambda said: 1 - said["best"] / said["now"],
}
"""Message -> what share of time or money is lost."""


def verdict(plan: Plan) -> Message:
    """Return whether the training runs, in which layout, for how long, for how much, and how often it breaks.

    What is not known is the text ``unknown``, which the message tells apart.
    """
    if plan.chain is not None:
        return _of_phases(plan, plan.chain)
    if plan.infeasible:
        return Message(id="plan-verdict-impossible", arguments={**_size(plan), "count": len(plan.infeasible)})
    reliability, seconds = plan.reliability, plan.time.total_seconds
    return Message(
        id="plan-verdict-runs" if plan.memory.fits else "plan-verdict-unknown",
        arguments={
            **_size(plan),
            "seconds": seconds or 0.0,
            **_price(plan.cost.total_usd, plan.cost.known_usd),
            "failures": _failures(plan),
            "interruptions": reliability.expected_interruptions if reliability is not None else 0.0,
            "low": reliability.expected_interruptions_low if reliability is not None else 0.0,
            "high": reliability.expected_interruptions_high if reliability is not None else 0.0,
        },
    )


def _of_phases(plan: Plan, chain: Chain) -> Message:
    """Return the same of all phases together: none of them is the whole, and each must run."""
    plans = [phase.plan for phase in chain.phases]
    size: dict[str, Argument] = {"phases": len(plans), "devices": max(one.hardware.devices for one in plans)}
    if plan.infeasible:
        names = [message.phase or chain.phases[0].name for message in plan.infeasible]
        failing = ", ".join(dict.fromkeys(names))
        arguments = {**size, "count": len(plan.infeasible), "failing": failing}
        return Message(id="plan-verdict-phases-impossible", arguments=arguments)
    known = [one.reliability.expected_interruptions for one in plans if one.reliability is not None]
    interruptions = sum(known)
    failures = "unknown" if len(known) < len(plans) else "rare" if interruptions < 1 else "known"
    is_known = all(one.memory.fits for one in plans)
    return Message(
        id="plan-verdict-phases-run" if is_known else "plan-verdict-phases-unknown",
        arguments={
            **size,
            "seconds": chain.total.seconds or 0.0,
            **_price(chain.total.total_usd, chain.total.known_usd),
            "failures": failures,
            "interruptions": interruptions,
        },
    )


def _price(total_usd: float | None, known_usd: float | None) -> dict[str, Argument]:
    """Return how much is paid, and whether that is all, less than all (``least``) or ``unknown``."""
    if total_usd is not None:
        return {"price": "known", "usd": total_usd}
    return {"price": "unknown" if known_usd is None else "least", "usd": known_usd or 0.0}


def _failures(plan: Plan) -> str:
    if plan.reliability is None:
        return "unknown"
    return "rare" if plan.reliability.expected_interruptions < 1 else "known"


def _size(plan: Plan) -> dict[str, Argument]:
    return {"devices": plan.hardware.devices, "accelerator": plan.hardware.accelerator}


def first_change(plan: Plan) -> Message | None:
    """Return the obstacle or warning whose next step comes first; None where nothing needs to change.

    Obstacles come first, then limits of the budget, then the warning that says the most lost: `lost_share`.
    """
    if plan.infeasible:
        return plan.infeasible[0]
    return max(plan.warnings, key=lost_share, default=None)


def lost_share(warning: Message) -> float:
    """Return the share of the time or of the money that is lost to what a warning names; 0 where it says none.

    A limit that the reader set, and that is broken, counts above all. Where the memory is tight the run may be lost:
    with the chance of the interval's end while that fits, and else with even odds. Of equals, the first one counts.
    """
    share = _LOST.get(warning.id)
    if share is not None:
        return share({name: value for name, value in warning.arguments.items() if not isinstance(value, str)})
    is_broken = warning.id.startswith("plan-warning-budget-") and not warning.id.endswith("-unknown")
    return _BROKEN_LIMIT if is_broken else 0.0
