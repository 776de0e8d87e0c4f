"""Guards: small watches that are fed with numbers of a run, and say what should be done."""

from headway.resilience.guards.finding import Finding

__all__ = ["Finding"]
