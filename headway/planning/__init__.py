"""What a training will take: FLOPs, memory, time, layout, storage, network, energy, cooling, cost, carbon, failures."""

from headway.planning.plan import Plan, plan

__all__ = ["Plan", "plan"]
