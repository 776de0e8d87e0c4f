"""The published rows through a public planner, beside ours: ``python -m benchmarks.plan_peer``."""
