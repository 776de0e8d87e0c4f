"""What is looked at before a run starts, in seconds: a fault found now costs no training."""

from headway.resilience.preflight.checking import CHECKS, QUICK, preflight
from headway.resilience.preflight.result import Check, Preflight

__all__ = ["CHECKS", "QUICK", "Check", "Preflight", "preflight"]
