"""Numbers that go wrong in a worker's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from headway.resilience.drills.fault import Grounds, InnerFault
from headway.resilience.drills.result import Reason

GUARD = frozenset({"guard"})


@final
class NotANumber(InnerFault):
    """A weight becomes NaN.

    Whether data or memory was at fault cannot be told, so that the batch that met it is passed over, and the weights
    are not those of the clean run.
    """

    name = "nan"
    deed = "nan"
    signs = GUARD
    guard = "not-finite"
    keeps_weights = False

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where the run is not to go back: it cannot recover then."""
        return _unless(grounds, "not_finite", "roll-back") or super().obstacle(grounds)


@final
class LossSpike(InnerFault):
    """All weights grow at once, as after a step that was far too large; the data since is passed over."""

    name = "loss-spike"
    deed = "spike"
    signs = GUARD
    guard = "loss-spike"
    keeps_weights = False

    def settings(self, grounds: Grounds) -> Mapping[str, Mapping[str, Any]]:
        """Judge by the few steps that there are."""
        return {"resilience.guards": {"loss_spike_window": 8}}

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where the run is not to go back."""
        return _unless(grounds, "loss_spike", "roll-back") or super().obstacle(grounds)


@final
class FlippedBit(InnerFault):
    """One bit of one process's copy of the weights flips."""

    name = "flipped-bit"
    deed = "flip"
    signs = GUARD
    guard = "corruption"
    needs_many = True
    is_mended_by_hand = True

    def settings(self, grounds: Grounds) -> Mapping[str, Mapping[str, Any]]:
        """Compare copies after each step, where the recipe does not say how often."""
        every = grounds.recipe.resilience.guards.corruption_every_steps
        return {} if every else {"resilience.guards": {"corruption_every_steps": 1}}

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where nobody holds a copy, or the run is not to stop."""
        if grounds.shard != "none":
            return Reason(message_id="drill-obstacle-no-copies", arguments={"shard": grounds.shard})
        return _unless(grounds, "corruption", "stop") or super().obstacle(grounds)


def _unless(grounds: Grounds, setting: str, wanted: str) -> Reason | None:
    """Say that a guard does not do what would be rehearsed."""
    if getattr(grounds.recipe.resilience.guards, setting) == wanted:
        return None
    return Reason(message_id="drill-obstacle-guard-off", arguments={"setting": setting})
