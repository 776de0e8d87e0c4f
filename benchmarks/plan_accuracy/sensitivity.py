"""How each row's prediction moves with each physical parameter: what the fit and the leaving-out of sources need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.plan_accuracy.express import Expressed
from benchmarks.plan_accuracy.score import chosen_split
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.step import step_times

Floats = NDArray[np.float64]

FITTED_EFFICIENCIES = (
    "matmul_16bit_efficiency",
    "matmul_8bit_efficiency",
    "matmul_4bit_efficiency",
    "attention_forward_efficiency",
    "tuned_attention_forward_efficiency",
)
"""Of each generation; backward attention is tied to forward."""

FITTED_LOSSES = ("tensor_overlap", "expert_overlap", "contention", "waiting_per_doubling", "dispatch_stall_seconds")
"""The same for all devices."""

BACKWARD_SHARE = 0.8
"""Of fused attention's forward efficiency. Source: Dao 2023 (arXiv:2307.08691), figures 5 and 6: 0.75 to 0.85."""

STEP = 0.02


@dataclass(frozen=True)
class Parameter:
    """One physical parameter: a field of a generation, or of all."""

    generation: str | None
    field: str

    @property
    def name(self) -> str:
        """Its name in a table."""
        return f"{self.generation or 'all'}.{self.field}"

    def value(self, hardware: Hardware) -> float | None:
        """Return its value for some hardware."""
        owner = hardware.efficiency if self.generation else hardware.losses
        value: float | None = getattr(owner, self.field)
        return value

    def applied(self, hardware: Hardware, factor: float) -> Hardware:
        """Return hardware with this parameter times a factor."""
        value = self.value(hardware)
        if value is None or (self.generation and hardware.efficiency.id != self.generation):
            return hardware
        if not self.generation:
            return replace(hardware, losses=replace(hardware.losses, **{self.field: value * factor}))
        changes: dict[str, Any] = {self.field: value * factor}
        if self.field.endswith("forward_efficiency"):
            backward = self.field.replace("forward", "backward")
            changes[backward] = getattr(hardware.efficiency, backward) * factor
        return replace(hardware, efficiency=replace(hardware.efficiency, **changes))


def parameters_of(expressed: Sequence[Expressed]) -> list[Parameter]:
    """Return the parameters that the rows depend on."""
    generations = sorted({found.hardware.efficiency.id for found in expressed})
    by_generation = {found.hardware.efficiency.id: found.hardware for found in expressed}
    found = [
        Parameter(generation, field)
        for generation in generations
        for field in FITTED_EFFICIENCIES
        if getattr(by_generation[generation].efficiency, field) is not None
    ]
    return found + [Parameter(None, field) for field in FITTED_LOSSES]


def jacobian(expressed: Sequence[Expressed], parameters: Sequence[Parameter]) -> Floats:
    """Return d log(step) / d log(parameter), shape [rows, parameters], with the chosen layout held fixed."""
    found = np.zeros((len(expressed), len(parameters)))
    for index, row in enumerate(expressed):
        one = chosen_split(row)

        def log_step(hardware: Hardware, row: Expressed = row, one: Any = one) -> float:
            return float(np.log(step_times(row.job, hardware, one).seconds[0]))

        found[index] = _slopes(row.hardware, parameters, log_step)
    return found


def _slopes(hardware: Hardware, parameters: Sequence[Parameter], log_step: Callable[[Hardware], float]) -> Floats:
    base = log_step(hardware)
    slopes = np.zeros(len(parameters))
    for index, parameter in enumerate(parameters):
        if parameter.generation not in (None, hardware.efficiency.id):
            continue
        slopes[index] = (log_step(parameter.applied(hardware, 1 + STEP)) - base) / np.log1p(STEP)
    return slopes
