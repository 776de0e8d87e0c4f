"""What this server is and can do: inventory, micro-benchmarks, advice."""

from headway.machine.advice import Advice, advise
from headway.machine.inventory import Inventory, take_inventory
from headway.machine.measurements import Measurements, Note
from headway.machine.probe import Machine, measure_machine, probe

__all__ = [
    "Advice",
    "Inventory",
    "Machine",
    "Measurements",
    "Note",
    "advise",
    "measure_machine",
    "probe",
    "take_inventory",
]
