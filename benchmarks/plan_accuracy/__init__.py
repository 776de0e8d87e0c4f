"""How near the plan comes to published trainings: ``python -m benchmarks.plan_accuracy --throughput FILE``."""
