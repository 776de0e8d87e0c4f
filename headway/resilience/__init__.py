"""Resilience: checkpoints, and what keeps a run alive."""
