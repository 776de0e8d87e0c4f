"""What is looked at before a run starts, in seconds: a fault found now costs no training."""

from headway.resilience.preflight.checking import CHECKS, preflight
from headway.resilience.preflight.result import Check, Preflight

__all__ = ["CHECKS", "Check", "Preflight", "preflight"]
