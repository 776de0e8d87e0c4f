"""``[resilience.guards]``: what watches a run while it trains, and what each guard does when it sees something."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from headway.recipe.model import Section
from headway.recipe.quantities import Count, Fraction, PositiveCount, PositiveFloat

Ratio = Annotated[float, Field(gt=1, le=1e6)]
"""How many times as much as usual."""


class GuardsConfig(Section):
    """``[resilience.guards]``: for each guard its action, and the threshold at which it acts."""

    not_finite: Literal["stop", "skip", "roll-back"] = "roll-back"
    loss_spike: Literal["off", "warn", "stop", "roll-back"] = "roll-back"
    loss_spike_deviations: PositiveFloat = 10.0
    loss_spike_window: Annotated[PositiveCount, Field(ge=8, le=100_000)] = 128
    loss_spike_steps: Annotated[PositiveCount, Field(le=1000)] = 3
    max_roll_backs: Annotated[Count, Field(le=1000)] = 3
    scale_collapse: Literal["off", "warn", "stop"] = "stop"
    least_loss_scale: PositiveFloat = 1.0
    max_skipped_steps: PositiveCount = 16
    memory_creep: Literal["off", "warn", "pause"] = "pause"
    disk: Literal["off", "warn", "pause"] = "pause"
    straggler: Literal["off", "warn"] = "warn"
    straggler_ratio: Ratio = 1.5
    straggler_every_steps: PositiveCount = 50
    straggler_windows: PositiveCount = 3
    throughput: Literal["off", "warn"] = "warn"
    throughput_share: Annotated[Fraction, Field(gt=0, lt=1)] = 0.7
    corruption: Literal["off", "warn", "stop"] = "stop"
    corruption_every_steps: PositiveCount | None = None
    device_events: Literal["off", "warn", "stop"] = "stop"
    data_stall: Literal["off", "warn"] = "warn"
