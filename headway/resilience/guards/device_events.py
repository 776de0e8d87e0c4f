"""The guard of what devices report of their own faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, final

from headway.errors import TrainingError
from headway.resilience.guards.finding import Finding
from headway.telemetry.device_events import DeviceEvent

GUARD = "device-events"

_TOLD_AGAIN = 10
"""What happens over and over is told again when there is so many times as much of it."""


@final
class DeviceEvents:
    """Acts on events of devices: an error that could not be corrected ends the run, all others are told.

    Args:
        action: what to do at an error that could not be corrected.
    """

    def __init__(self, action: Literal["off", "warn", "stop"]) -> None:
        self._action = action
        self._seen: dict[tuple[str, str], int] = {}
        self._told: dict[tuple[str, str], int] = {}

    def take(self, step: int, events: Sequence[DeviceEvent]) -> Iterator[Finding]:
        """Take in what is new.

        Args:
            step: optimizer steps done.
            events: since the last time.
        """
        for event in events if self._action != "off" else ():
            key = (event.device, event.kind)
            self._seen[key] = self._seen.get(key, 0) + event.count
            is_bad = event.kind == "uncorrectable"
            if not is_bad and self._seen[key] < _TOLD_AGAIN * self._told.get(key, 0):
                continue
            self._told[key] = self._seen[key]
            yield Finding(
                guard=GUARD,
                action="stop" if is_bad and self._action == "stop" else "warn",
                arguments={"device": event.device, "kind": event.kind, "count": event.count, "code": event.code},
                error=TrainingError(
                    "training-device-error", step=step, device=event.device, count=event.count, code=event.code
                ),
            )
