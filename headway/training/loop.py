"""The training loop: data, schedule, engine, metrics and checkpoints; it does not know which framework runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, final

from headway.errors import DataError, RunError
from headway.recipe import Recipe
from headway.recipe.sections import VALIDATION_BATCH_SEQUENCES
from headway.resilience.checkpoint import Snapshot
from headway.resilience.checkpoint.dropping import drop
from headway.runs import EventLog, MetricLog, RunFolder
from headway.runs.heartbeat import SILENT, Pulse
from headway.telemetry.energy import PackageEnergyMeter
from headway.telemetry.process import resident_bytes
from headway.training.best import Best
from headway.training.data import Batch, BatchStream, Corpus
from headway.training.engines import Engine, EngineSettings
from headway.training.engines.base import StepResult
from headway.training.guarding import Guarding, RollBack, Verdict
from headway.training.initial_weights import base_of, require_same_base
from headway.training.machine_guards import Seen
from headway.training.place import Place
from headway.training.prefetch import Prefetcher, Stalls
from headway.training.saving import Saver
from headway.training.schedule import learning_rate
from headway.training.skipping import SkippedData

ENERGY_READING_SECONDS = 20.0
"""RAPL counters wrap within minutes on a busy server, so they are read at least this often."""

LONG_STEP_SECONDS = 0.5
"""Who is to stop has 30 s on Kubernetes and Slurm, and less elsewhere: a step that takes longer than this, as the one
before did or where there was none, asks between micro-batches whether it is to be abandoned. In shorter ones the
question, which waits for all processes, would cost more than it is worth."""

_KINDS = {"threads": int, "linear_kernel": str, "elementwise_kernel": str, "versions": dict}
"""The types of `EngineSettings` in a checkpoint."""


@final
class TrainingLoop:
    """Trains from a step to the end of the recipe, and can be asked to stop between steps.

    Args:
        recipe: the resolved recipe.
        run: the run's folder.
        engine: holds the weights of ``first_step``.
        corpus: the data.
        micro_batch_size: sequences that go through the model at once.
        place: of this process; each has a metric log of its own.
        events: the run's event log.
        first_step: optimizer steps that are done already.
        best: the evaluations of these steps.
        skipped: data that is passed over.
        pulse: is told what is being done, for whoever watches for hangs.
    """

    def __init__(
        self,
        *,
        recipe: Recipe,
        run: RunFolder,
        engine: Engine,
        corpus: Corpus,
        micro_batch_size: int,
        events: EventLog,
        place: Place,
        first_step: int = 0,
        best: Best | None = None,
        skipped: SkippedData | None = None,
        pulse: Pulse = SILENT,
    ) -> None:
        self._recipe = recipe
        self._engine = engine
        self._corpus = corpus
        self._micro_batch_size = micro_batch_size
        self._events = events
        self._step, self._done = first_step, 0
        self._pulse = pulse
        self._metrics = MetricLog(run.metrics_path(place.rank))
        self._saver = Saver(recipe=recipe, run=run, engine=engine, events=events, place=place, first_step=first_step)
        self._validation = self._validation_batches()
        self._energy = PackageEnergyMeter()
        self._base = base_of(recipe)
        self._best = best or Best()
        self._protect_best()
        self._skipped = skipped or SkippedData()
        self._stalls = Stalls(recipe.site.max_stall_share)
        self._guarding = Guarding(
            recipe=recipe,
            run=run,
            engine=engine,
            events=events,
            store=self._saver.store,
            stalls=self._stalls,
            first_step=first_step,
            wait_for_writes=self._saver.wait,
        )
        self._reader: Prefetcher | None = None
        self._saver.on_saved = self._guarding.machine.note_save
        self._should_stop = False
        self._is_long = True
        self._step_seconds = math.inf

    @property
    def step(self) -> int:
        """Optimizer steps that are done."""
        return self._step

    def request_stop(self) -> None:
        """Save and end after the step that is running; safe to call from a signal handler."""
        self._should_stop = True

    def run(self, clock: Callable[[], float] = time.monotonic) -> bool:
        """Train; return whether the run is finished (and not just stopped)."""
        stream = self._corpus.train_stream(
            self._recipe.training.sequence_length, self._recipe.training.global_batch_size
        )
        if stream.num_cut and self._engine.is_first:
            self._events.record("notice", id="training-conversations-cut", arguments={"conversations": stream.num_cut})
        self._read_on(stream)
        last_save = last_energy_reading = clock()
        while self._step < self._recipe.num_steps and not self._is_out_of_patience() and not self._is_stopping():
            seen = self._train_step(stream, clock)
            if seen is None:
                break
            self._saver.raise_failure()
            verdict, back = self._guarding.after_step(seen, self._skipped)
            if back is not None:
                self._go_back(stream, back)
                continue
            if verdict is Verdict.PAUSE:
                break
            is_best = self._is_evaluation_due() and self.evaluate() and self._recipe.keeps_best
            if is_best or self._saver.is_due(self._step, clock() - last_save):
                self.save()
                last_save = clock()
            if clock() - last_energy_reading > ENERGY_READING_SECONDS:
                self._energy.joules()
                last_energy_reading = clock()
        if self._saver.saved_step != self._step and self._guarding.can_save():
            self.save()
        is_out_of_patience = self._is_out_of_patience()
        finished = is_out_of_patience or self._step >= self._recipe.num_steps
        if is_out_of_patience:
            self._events.record("stopped-early", step=self._step, best_step=self._best.step, loss=self._best.loss)
        elif finished:
            self.evaluate()
        # How long a write takes that has been going on meanwhile nobody knows: it is no hang.
        self._pulse.beat("end", self._step)
        self._saver.wait()
        self._events.record("energy", package_joules=self._energy.joules())
        self._events.record("data-read", **self._stalls.to_dict())
        return finished

    def evaluate(self) -> bool:
        """Measure the loss on the validation split and record it, with perplexity and bits per byte of text.

        Of conversations not all bytes count, so that there are no bits per byte.

        Returns:
            Whether it is the lowest loss so far.
        """
        if not self._validation:
            return False
        self._pulse.beat("evaluate", self._step)
        started = time.monotonic()
        loss = self._engine.evaluate(self._validation)
        bits = {"bits_per_byte": loss / math.log(2) / self._corpus.validation_bytes_per_token}
        if self._corpus.is_chat:
            bits = {}
        self._events.record(
            "evaluated",
            step=self._step,
            tokens=sum(batch.num_targets for batch in self._validation),
            loss=loss,
            perplexity=math.exp(min(loss, 700.0)),
            **bits,
            seconds=time.monotonic() - started,
        )
        self._pulse.beat("data", self._step)
        is_best = self._best.is_beaten_by(loss)
        self._best = self._best.after(loss, self._step)
        self._protect_best()
        return is_best

    def _protect_best(self) -> None:
        if self._recipe.keeps_best and self._best.step is not None:
            self._saver.protect(self._best.step)

    def _is_out_of_patience(self) -> bool:
        patience = self._recipe.training.early_stopping_patience
        return patience is not None and self._best.evaluations_since >= patience

    def save(self) -> None:
        """Write a checkpoint of the present step; the first process does, and all give it their parts."""
        self._pulse.beat("checkpoint", self._step)
        self._saver.save(self._state())
        self._pulse.beat("data", self._step)

    def close(self) -> None:
        """Close the metric log, stop reading, and let a checkpoint that is being written become safe."""
        if self._reader is not None:
            self._reader.close()
        # Where the training ends with an error, that one is told, and not what followed.
        self._saver.close(hurries=self._should_stop)
        self._metrics.close()

    def _validation_batches(self) -> list[Batch]:
        """Return the validation text in micro-batches, since more may not fit.

        A split too short for one sequence is no reason not to train.
        """
        training = self._recipe.training
        try:
            return self._corpus.validation_batches(
                training.sequence_length,
                self._micro_batch_size,
                training.evaluate_batches * VALIDATION_BATCH_SEQUENCES,
            )
        except DataError as error:
            self._events.record("notice", id="training-no-validation", arguments=error.arguments)
            return []

    def _read_on(self, stream: BatchStream) -> None:
        """Read ahead from the present step on."""
        if self._reader is not None:
            self._reader.close()
        self._reader = Prefetcher(
            lambda step: self._micro_batches(stream, self._skipped.batch_of(step)), self._step, self._recipe.num_steps
        )

    def _go_back(self, stream: BatchStream, back: RollBack) -> None:
        """Take up an earlier checkpoint with other data behind it; what was saved since is of a branch that is left."""
        self._pulse.beat("build", self._step)
        store = self._saver.store
        snapshot = store.load(back.to_step)
        if self._engine.is_first:
            drop(store, [step for step in store.steps() if step > back.to_step])
        self._engine.load(snapshot)
        self._best = Best.of(snapshot.state.get("best"))
        self._protect_best()
        self._step = self._saver.saved_step = back.to_step
        self._skipped = back.skipped
        self._read_on(stream)

    def _train_step(self, stream: BatchStream, clock: Callable[[], float]) -> Seen | None:
        """Train one step; return None where it was abandoned, since the run is to stop."""
        assert self._reader is not None
        self._pulse.beat("data", self._step)
        started = clock()
        batches = self._reader.take(self._step)
        data_seconds = clock() - started
        self._pulse.beat("step", self._step)
        rate = learning_rate(self._recipe, self._step)
        result, is_same = self._guarding.do_step(self._step + 1, batches, rate, self._should_abandon)
        self._step_seconds = step_seconds = clock() - started
        if result is None:
            self._events.record("step-abandoned", step=self._step + 1, seconds=step_seconds)
            return None
        self._step, self._done = self._step + 1, self._done + 1
        self._metrics.append(
            {
                "step": self._step,
                "time": time.time(),
                "loss": result.loss,
                "gradient_norm": result.gradient_norm,
                "learning_rate": rate,
                "tokens": self._step * self._recipe.tokens_per_step,
                "tokens_per_second": self._recipe.tokens_per_step / step_seconds,
                "step_seconds": step_seconds,
                "steps_since_start": self._done,
                "data_seconds": data_seconds,
                "resident_bytes": resident_bytes(),
                **_scaling(result),
                **self._skipped.mark(),
                **self._rows_of_sources(stream),
            }
        )
        if result.is_skipped:
            self._events.record("step-skipped", step=self._step, loss_scale=result.loss_scale)
        return Seen(
            step=self._step, result=result, step_seconds=step_seconds, data_seconds=data_seconds, is_same=is_same
        )

    def _rows_of_sources(self, stream: BatchStream) -> dict[str, Any]:
        """Return how many sequences of each source were seen, where there are several."""
        sources = self._corpus.sources
        if len(sources) == 1:
            return {}
        rows = self._skipped.rows_of_sources(self._step, stream.rows_of_sources)
        return {"source_sequences": {source.name: count for source, count in zip(sources, rows, strict=True)}}

    def _micro_batches(self, stream: BatchStream, number: int) -> list[Batch]:
        share, micro = self._engine.share, self._micro_batch_size
        rows = self._recipe.training.global_batch_size // share.count
        first = share.index * rows
        return [
            stream.batch(number, start, min(micro, first + rows - start)) for start in range(first, first + rows, micro)
        ]

    def _is_stopping(self) -> bool:
        """Say whether any process was asked to stop: all of them must stop at the same step."""
        should_stop, self._is_long = self._engine.any([self._should_stop, self._step_seconds > LONG_STEP_SECONDS])
        return should_stop

    def _should_abandon(self) -> bool:
        """Say whether to stop before the step that is running has updated anything; all processes agree."""
        return self._is_long and self._engine.any([self._should_stop])[0]

    def _is_evaluation_due(self) -> bool:
        every = self._recipe.training.evaluate_every_steps
        return every is not None and self._step % every == 0 and self._step < self._recipe.num_steps

    def _state(self) -> dict[str, Any]:
        training = self._recipe.training
        return {
            "step": self._step,
            "tokens_seen": self._step * self._recipe.tokens_per_step,
            "data": {
                "seed": training.seed,
                "step": self._step,
                "corpus": self._corpus.digest,
                "skipped": self._skipped.to_list(),
            },
            # No layer draws random numbers after initialisation, so there is no random state to keep.
            "random_state": None,
            "schedule": {"kind": training.schedule, "learning_rate": learning_rate(self._recipe, self._step)},
            "recipe_digest": self._recipe.digest(),
            "engine": {"name": training.engine, **asdict(self._engine.settings)},
            "micro_batch_size": self._micro_batch_size,
            "base": self._base,
            "best": self._best.to_dict(),
        }


def require_same_training(snapshot: Snapshot, recipe: Recipe, corpus: Corpus, run_name: str) -> None:
    """Refuse to go on with a checkpoint of another training.

    Raises:
        RunError: the recipe's model, data or training changed since, or the text did, or the weights beside which
            adapters are trained.
    """
    if snapshot.state["recipe_digest"] != recipe.digest():
        raise RunError("run-recipe-changed", sections="[model], [data], [training]", name=run_name)
    if snapshot.state["data"]["corpus"] != corpus.digest:
        raise RunError("run-data-changed", name=run_name)
    require_same_base(snapshot, recipe, run_name)


def odd_state(snapshot: Snapshot) -> str | None:
    """Say which entry of a checkpoint's state is not what `TrainingLoop` writes; None where all are."""
    state = snapshot.state
    engine, data = state.get("engine"), state.get("data")
    if not isinstance(engine, dict) or not isinstance(data, dict):
        return "engine" if isinstance(data, dict) else "data"
    wanted: dict[str, tuple[Any, type[object]]] = {
        "recipe_digest": (state.get("recipe_digest"), str),
        "data.corpus": (data.get("corpus"), str),
        "optimizer_steps": (state.get("optimizer_steps"), int),
        "micro_batch_size": (state.get("micro_batch_size"), int),
        **{f"engine.{field.name}": (engine.get(field.name), _KINDS[field.name]) for field in fields(EngineSettings)},
    }
    for name, (value, kind) in wanted.items():
        if type(value) is not kind or (isinstance(value, int) and value < 0):
            return f"{name} {value}"
    scale = state.get("loss_scale") or {}
    if not isinstance(scale, dict) or (scale and not _is_scale(scale)):
        return f"loss_scale {scale}"
    return None if state["micro_batch_size"] and engine["threads"] else "micro_batch_size or engine.threads 0"


def _scaling(result: StepResult) -> dict[str, Any]:
    """Return what a metric log has of the loss scale, where there is one, and of a step that gave no number."""
    is_lost = not math.isfinite(result.loss) or not (math.isfinite(result.gradient_norm) or result.is_skipped)
    left_out = {"is_left_out": True} if is_lost else {}
    if result.loss_scale is None:
        return left_out
    return {**left_out, "loss_scale": result.loss_scale, "is_skipped": result.is_skipped}


def _is_scale(scale: dict[str, Any]) -> bool:
    """Say whether these are a loss scale and two counts of steps."""
    counts = (scale.get("good_steps"), scale.get("skipped_steps"))
    value = scale.get("scale")
    is_scale = isinstance(value, float) and math.isfinite(value) and value > 0
    return is_scale and all(type(count) is int and count >= 0 for count in counts)
