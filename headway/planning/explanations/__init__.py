"""How the numbers of a plan came about, step by step, topic by topic.

Each function takes a recipe and the plan that was made from it, and returns the steps in the order in which they
follow; it leaves out what the plan does not know.
"""

from __future__ import annotations

from headway.planning.explanations.cooling import explain_cooling
from headway.planning.explanations.cost import explain_cost
from headway.planning.explanations.energy import explain_carbon, explain_energy, explain_power, explain_water
from headway.planning.explanations.layout import explain_layout
from headway.planning.explanations.memory import explain_memory
from headway.planning.explanations.network import explain_network
from headway.planning.explanations.reliability import explain_reliability
from headway.planning.explanations.storage import explain_storage
from headway.planning.explanations.time import explain_time

EXPLANATIONS = {
    "layout": explain_layout,
    "memory": explain_memory,
    "time": explain_time,
    "network": explain_network,
    "power": explain_power,
    "energy": explain_energy,
    "carbon": explain_carbon,
    "water": explain_water,
    "cooling": explain_cooling,
    "cost": explain_cost,
    "storage": explain_storage,
    "reliability": explain_reliability,
}
"""Topic -> the function that explains it."""

__all__ = [
    "EXPLANATIONS",
    "explain_carbon",
    "explain_cooling",
    "explain_cost",
    "explain_energy",
    "explain_layout",
    "explain_memory",
    "explain_network",
    "explain_power",
    "explain_reliability",
    "explain_storage",
    "explain_time",
    "explain_water",
]
