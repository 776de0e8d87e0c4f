"""How often a run is interrupted, how often it should save itself, and how much of its time is useful.

The rooms: `rates` (how often), `intervals` (how often to save), `goodput` (what is left, exactly and in closed form),
`simulation` (the same by chance, also where failures come in bursts), `spares` (servers that wait), `prediction` (all
of it for a plan) and `explain` (how the numbers came about).
"""

from headway.planning.reliability.prediction import Reliability, plan_reliability

__all__ = ["Reliability", "plan_reliability"]
