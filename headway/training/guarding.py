"""The guards of a run: fed after each step, they say whether it goes on, goes back, or pauses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, final

from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint.damage import find_damage
from headway.resilience.guards import Finding
from headway.resilience.guards.corruption import Corruption
from headway.resilience.guards.disk import GUARD as DISK
from headway.resilience.guards.loss_spike import GUARD as LOSS_SPIKE
from headway.resilience.guards.loss_spike import LossSpike
from headway.resilience.guards.not_finite import NotFinite
from headway.resilience.guards.scale_collapse import ScaleCollapse
from headway.runs import EventLog, RunFolder
from headway.training.data import Batch
from headway.training.engines import Engine
from headway.training.engines.base import StepResult
from headway.training.machine_guards import MachineGuards, Seen
from headway.training.prefetch import Stalls
from headway.training.skipping import SkippedData

_HALF = 2**32
"""Digests cross between processes in halves, which floating-point numbers hold exactly."""

_STEP_BITS = 40
"""Of the step that processes tell each other; a recipe has at most 10^10 steps."""


_OF_ONE_PROCESS = ("memory-creep", "device-events", "data-stall")
"""Guards of what each process has for itself: each tells what it finds."""


class Verdict(Enum):
    """What the loop does after a step."""

    GO_ON = "go-on"
    ROLL_BACK = "roll-back"
    PAUSE = "pause"


@dataclass(frozen=True, kw_only=True)
class RollBack:
    """Where to go back to, and what is passed over from then on."""

    to_step: int
    skipped: SkippedData


@final
class Guarding:
    """Feeds the guards and records what they find.

    Those of the loss are fed in the first process only, which decides for all: the others may never have seen the
    losses before.

    Args:
        recipe: the resolved recipe.
        run: the run's folder.
        engine: knows the other processes.
        events: the run's event log.
        store: the run's checkpoints.
        stalls: counts how long steps waited for their data.
        first_step: optimizer steps that are done already.
        wait_for_writes: returns, in all processes, when no checkpoint is being written.
    """

    def __init__(
        self,
        *,
        recipe: Recipe,
        run: RunFolder,
        engine: Engine,
        events: EventLog,
        store: CheckpointStore,
        stalls: Stalls,
        first_step: int = 0,
        wait_for_writes: Callable[[], None] = lambda: None,
    ) -> None:
        self._wait_for_writes = wait_for_writes
        settings = self._settings = recipe.resilience.guards
        self._run, self._engine, self._events, self._store = run, engine, events, store
        self._not_finite = NotFinite(settings.not_finite, settings.max_roll_backs)
        self._loss_spike = LossSpike(
            settings.loss_spike,
            deviations=settings.loss_spike_deviations,
            window=settings.loss_spike_window,
            steps=settings.loss_spike_steps,
        )
        self._scale_collapse = ScaleCollapse(
            settings.scale_collapse, least_scale=settings.least_loss_scale, max_skipped=settings.max_skipped_steps
        )
        self.machine = MachineGuards(recipe=recipe, run=run, engine=engine, stalls=stalls)
        """Those that watch what the run takes from the machine."""
        self._corruption = Corruption(settings.corruption, every_steps=settings.corruption_every_steps)
        self._is_short_of_disk = False
        self._refill(first_step)

    def do_step(
        self, step: int, batches: Sequence[Batch], learning_rate: float, should_abandon: Callable[[], bool]
    ) -> tuple[StepResult | None, bool | None]:
        """Do a step, or do it twice where it is time to compare.

        Args:
            step: optimizer steps done when it is done.
            batches: of this process.
            learning_rate: of the step.
            should_abandon: see `Engine.step_unless`.

        Returns:
            What it reports, None where it was abandoned; and whether doing it twice gave the same, None where it was
            done once.
        """
        if self._corruption.is_due(step):
            return self._engine.replay(batches, learning_rate)
        return self._engine.step_unless(batches, learning_rate, should_abandon), None

    def after_step(self, seen: Seen, skipped: SkippedData) -> tuple[Verdict, RollBack | None]:
        """Judge a step; all processes must ask, and are told the same.

        Args:
            seen: what is known of the step.
            skipped: data that is passed over so far.

        Raises:
            TrainingError: a guard stops the run.
        """
        step = seen.step
        found = [*self._findings(step, seen.result), *self._corrupted(seen), *self.machine.take(seen)]
        back = next((one for one in found if one.action == "roll-back"), None)
        for one in found:
            if one is not back:
                self._tell(step, one, one.action)
        self._is_short_of_disk = any(one.guard == DISK and one.action == "pause" for one in found)
        wants_back, is_spike, pauses = self._engine.any(
            [
                self._engine.is_first and back is not None,
                self._engine.is_first and back is not None and back.guard == LOSS_SPIKE,
                any(one.action == "pause" for one in found),
            ]
        )
        to_step = self._target_of_all(step, back, skipped) if wants_back else None
        goes_back = to_step is not None
        stopping = next((one for one in found if one.action == "stop"), None if goes_back else back)
        if stopping is not None and stopping.error is not None:
            if stopping is back:
                self._tell(step, stopping, "stop")
            # A process that has found nothing is ended by the launcher, as after any failure.
            raise stopping.error
        if to_step is None:
            return (Verdict.PAUSE if pauses else Verdict.GO_ON), None
        last = step - 1
        after = skipped.after_spike(last, to_step) if is_spike else skipped.after_bad_batch(last)
        if back is not None:
            self._tell(step, back, "roll-back", to_step=to_step, skipped=after.to_list())
        self._refill(to_step)
        return Verdict.ROLL_BACK, RollBack(to_step=to_step, skipped=after)

    def can_save(self) -> bool:
        """Say whether a last checkpoint fits, where the run pauses since the disk is full; all processes must ask."""
        needed = self.machine.checkpoint_bytes or 0
        return not self._engine.any([self._is_short_of_disk and self.machine.free_bytes() < needed])[0]

    def _findings(self, step: int, result: StepResult) -> Iterable[Finding]:
        found = (
            self._not_finite.take(step, result.loss, result.gradient_norm, is_skipped=result.is_skipped),
            self._loss_spike.take(step, result.loss) if self._engine.is_first else None,
            self._scale_collapse.take(step, result.loss_scale, is_skipped=result.is_skipped),
        )
        return (one for one in found if one is not None)

    def _corrupted(self, seen: Seen) -> Iterable[Finding]:
        if not self._corruption.is_due(seen.step):
            return
        # Each process compares what it did twice; all have to know, and the first one tells.
        wrong = [rank for rank, is_wrong in enumerate(self._engine.gather(float(seen.is_same is False))) if is_wrong]
        own = self._engine.replica_digest()
        halves = [] if own is None else [self._engine.gather(float(half)) for half in divmod(own, _HALF)]
        digests = [int(high) * _HALF + int(low) for high, low in zip(*halves, strict=True)]
        found = self._corruption.take(seen.step, wrong_ranks=wrong, digests=digests)
        if found is not None:
            yield found

    def _target_of_all(self, step: int, back: Finding | None, skipped: SkippedData) -> int | None:
        """Return the checkpoint that all processes go back to; None where no more help is left."""
        # A write that ends later may drop the very checkpoint that is chosen now.
        self._wait_for_writes()
        target = self._target(step, back, skipped) if back is not None and self._engine.is_first else None
        return self._agree(-1 if target is None else target)

    def _target(self, step: int, finding: Finding, skipped: SkippedData) -> int | None:
        """Return the checkpoint to go back to: each time in a row one further back; None where no more help is left."""
        number = skipped.in_a_row(step, self._settings.loss_spike_window)
        if number >= self._settings.max_roll_backs:
            return None
        latest = step - 1 if finding.first_bad_step is None else finding.first_bad_step
        sound: list[int] = []
        # Only as many are read as are passed over: reading one may take longer than many steps.
        for saved in reversed(self._store.steps()):
            if saved <= latest and len(sound) <= number and find_damage(self._store.path_of(saved)) is None:
                sound.append(saved)
        return sound[-1] if sound else None

    def _agree(self, step: int) -> int | None:
        """Return the step that the first process names; None where it names a negative one."""
        own = [step >= 0, *(bool(step >> bit & 1) for bit in range(_STEP_BITS))]
        is_named, *bits = self._engine.any([self._engine.is_first and flag for flag in own])
        return sum(int(flag) << bit for bit, flag in enumerate(bits)) if is_named else None

    def _tell(self, step: int, finding: Finding, action: str, **details: Any) -> None:
        if self._engine.is_first or finding.guard in _OF_ONE_PROCESS:
            self._events.record("guard", guard=finding.guard, action=action, step=step, **finding.arguments, **details)

    def _refill(self, step: int) -> None:
        """Give the guards the losses before a step, as if the run had never ended or gone astray."""
        if self._engine.is_first and step:
            window = 2 * self._settings.loss_spike_window
            losses = [record["loss"] for record in self._run.metrics() if record["step"] <= step and "loss" in record]
            self._loss_spike.refill(losses[-window:])
