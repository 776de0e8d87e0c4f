"""A rehearsal: a short run of a recipe with faults injected on purpose, beside one without.

drill(recipe, faults, folder)   runs them and says what became of each
FAULTS                          by name
"""

from headway.resilience.drills.faults import FAULTS
from headway.resilience.drills.rehearsal import drill
from headway.resilience.drills.result import Drill, Reason, Result

__all__ = ["FAULTS", "Drill", "Reason", "Result", "drill"]
