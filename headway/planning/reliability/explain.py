"""How the numbers on failures came about, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from headway import units
from headway.planning.explanation import Explanation
from headway.planning.reliability.goodput import Checkpointing, Losses, kokolis_goodput
from headway.planning.reliability.intervals import young_interval_seconds
from headway.planning.reliability.prediction import Reliability
from headway.planning.reliability.rates import PUBLISHED_FLEETS, published_fleets

_DALY = "Daly 2006, eq. 13; Aupy et al. 2013, arXiv:1302.3752"
_WAITING = "Erlang 1917 (loss formula), over rates of a Gamma distribution; catalogue: servers-down-dispersion"


def explain(found: Reliability) -> tuple[Explanation, ...]:
    """Return the steps from the published failure rates to the goodput, in the order in which they follow.

    Args:
        found: what the plan says on failures.
    """
    return (
        *_failures(found),
        *(() if found.checkpointing is None else _saving(found, found.checkpointing)),
        *(() if found.losses is None else _lost(found.losses)),
        *_spares(found),
    )


def _failures(found: Reliability) -> Iterator[Explanation]:
    is_pooled = found.source == PUBLISHED_FLEETS
    fleets = ", ".join(entry.id for entry in published_fleets()) if is_pooled else found.source
    yield Explanation(
        id="explain-reliability-rate",
        quantity="number",
        value=found.failures_per_1000_devices_per_day,
        arguments={"rate": found.failures_per_1000_devices_per_day, "fleets": fleets},
        source="; ".join(entry.source for entry in published_fleets()) if is_pooled else found.source,
    )
    mtbf_seconds = found.mtbf_hours * units.SECONDS_PER_HOUR
    yield Explanation(
        id="explain-reliability-mtbf",
        quantity="seconds",
        value=mtbf_seconds,
        arguments={"rate": found.failures_per_1000_devices_per_day, "devices": found.devices, "seconds": mtbf_seconds},
        source="rates of parts in series add up",
    )
    yield Explanation(
        id="explain-reliability-interruptions",
        quantity="count",
        value=found.expected_interruptions,
        arguments={
            "wall_seconds": found.wall_seconds,
            "mtbf_seconds": mtbf_seconds,
            "count": found.expected_interruptions,
            "low": found.expected_interruptions_low,
            "high": found.expected_interruptions_high,
        },
        source="Student's t over the logarithms of the fleets' rates, mixed with Poisson's counts",
    )


def _saving(found: Reliability, way: Checkpointing) -> Iterator[Explanation]:
    mtbf_seconds = found.mtbf_hours * units.SECONDS_PER_HOUR
    best_seconds = found.checkpoint_interval_seconds or 0.0
    yield Explanation(
        id="explain-reliability-interval",
        quantity="seconds",
        value=best_seconds,
        arguments={
            "mtbf_seconds": mtbf_seconds,
            "stall_seconds": way.stall_seconds,
            "write_behind_seconds": way.write_behind_seconds,
            "young_seconds": young_interval_seconds(mtbf_seconds, way.stall_seconds),
            "seconds": best_seconds,
        },
        source=_DALY,
    )
    useful = found.goodput or 0.0
    downtime_seconds = way.detection_seconds + way.restart_seconds
    yield Explanation(
        id="explain-reliability-goodput",
        quantity="ratio",
        value=useful,
        arguments={
            "work_seconds": way.work_seconds,
            "stall_seconds": way.stall_seconds,
            "write_behind_seconds": way.write_behind_seconds,
            "detection_seconds": way.detection_seconds,
            "restart_seconds": way.restart_seconds,
            "mtbf_seconds": mtbf_seconds,
            "share": useful,
            "closed": kokolis_goodput(mtbf_seconds, way.work_seconds, way.stall_seconds, downtime_seconds),
            "low": found.goodput_low or 0.0,
            "high": found.goodput_high or 0.0,
        },
        source=_DALY,
    )


def _lost(lost: Losses) -> Iterator[Explanation]:
    shares = {
        "explain-reliability-lost-work": lost.lost_work,
        "explain-reliability-restarts": lost.restart,
        "explain-reliability-detection": lost.detection,
        "explain-reliability-stalls": lost.stalls,
    }
    if lost.waiting:
        shares["explain-reliability-waiting"] = lost.waiting
    for name, share in shares.items():
        yield Explanation(
            id=name,
            quantity="ratio",
            value=share,
            arguments={"share": share},
            source=_WAITING if name.endswith("waiting") else _DALY,
        )


def _spares(found: Reliability) -> Iterator[Explanation]:
    spares = found.spares
    yield Explanation(
        id="explain-reliability-spares",
        quantity="count",
        value=spares.recommended_nodes,
        arguments={
            "repair_seconds": spares.repair_seconds,
            "away": spares.mean_nodes_away,
            "recommended": spares.recommended_nodes,
            "nodes": spares.nodes,
            "share": spares.sufficient_probability,
        },
        source="Palm 1943; catalogue: repair-mean, servers-down-dispersion",
    )
