"""What this server is and can do: inventory, micro-benchmarks, advice."""

from headway.machine.advice_rules import Advice, advice
from headway.machine.inventory import Inventory, take_inventory
from headway.machine.measurements import Measurements, Note
from headway.machine.probing import Machine, measure_machine, probe

__all__ = [
    "Advice",
    "Inventory",
    "Machine",
    "Measurements",
    "Note",
    "advice",
    "measure_machine",
    "probe",
    "take_inventory",
]
