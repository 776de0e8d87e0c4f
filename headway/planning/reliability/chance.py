"""What a plan's goodput and interruptions become by chance: many replicas of its job, under failures of several kinds.

The plan's own numbers are means of independent failures; here stand how far one job may be from them, and what failures
that come in bursts, as a public trace has them, would change.
Leaves out: that the rate itself is uncertain; its interval is the plan's own, and wider.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from headway import units
from headway.catalog.reliability import failure_trace, recovery
from headway.planning.explanation import Explanation
from headway.planning.reliability.prediction import Reliability
from headway.planning.reliability.simulation import FailureProcess, Poisson, Replay, Weibull, simulate

REPLICAS = 400
"""So many jobs give the ends of an 80 % interval to about a tenth of its width, in a fraction of a second."""

_MOST_FAILURES = 2e6
"""Of all replicas together: more take seconds, and say nothing that the exact formula does not."""
_FEWEST_REPLICAS = 50
_MOST_LAPS = 10
"""So often a trace is gone round, and no run that is longer is replayed."""
_MOST_COPIES = 100
"""So many clusters of the trace side by side make a job, and no larger one is replayed."""

_TRACE = "infinitehbd"


def explain_chance(found: Reliability, nodes: int) -> Iterator[Explanation]:
    """Yield what each kind of failures makes of the run; nothing where its goodput is not known, or where it is none.

    Args:
        found: what the plan says on failures.
        nodes: servers of the job.
    """
    way = found.checkpointing
    replicas = int(min(REPLICAS, _MOST_FAILURES / max(found.expected_interruptions, 1.0)))
    if way is None or not found.goodput or not found.makes_progress or replicas < _FEWEST_REPLICAS:
        return
    for name, process in _processes(found, nodes).items():
        # What waits for a server neither works nor fails.
        running = 1 - found.spares.waiting_share
        made = simulate(process, way, seconds=running * found.wall_seconds, replicas=replicas)
        low, high = (running * end for end in made.goodput_interval())
        fewest, most = made.interruptions_interval()
        yield Explanation(
            id="explain-reliability-chance",
            quantity="ratio",
            value=running * made.mean_goodput,
            arguments={
                "process": name,
                "replicas": replicas,
                "share": running * made.mean_goodput,
                "low": low,
                "high": high,
                "fewest": math.floor(fewest),
                "most": math.ceil(most),
            },
            source=_source(name),
        )


def _processes(found: Reliability, nodes: int) -> dict[str, FailureProcess]:
    mtbf_seconds = found.mtbf_hours * units.SECONDS_PER_HOUR
    shape, trace = recovery()["gaps-weibull-shape"].value, failure_trace(_TRACE)
    assert shape is not None, "the catalogue states it"
    processes: dict[str, FailureProcess] = {
        "independent": Poisson(mtbf_seconds=mtbf_seconds),
        "bursts": Weibull(mtbf_seconds=mtbf_seconds, shape=shape),
    }
    if found.wall_seconds <= _MOST_LAPS * trace.duration_seconds and nodes <= _MOST_COPIES * trace.nodes:
        processes["replay"] = Replay(trace=trace, nodes=nodes)
    return processes


def _source(name: str) -> str:
    """Return where a kind of failures is from."""
    if name == "independent":
        return "headway/planning/reliability/simulation.py: Poisson, at the plan's rate"
    return recovery()["gaps-weibull-shape"].source if name == "bursts" else failure_trace(_TRACE).source
