"""The PyTorch engine, on CPUs and CUDA devices, in one process or many."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from headway import catalog
from headway.errors import CatalogError, TrainingError
from headway.planning.analytic.schedules import PLAIN_SCHEDULE
from headway.planning.choice import Layout
from headway.recipe import ModelConfig, Recipe
from headway.resilience.checkpoint import Snapshot
from headway.resilience.checkpoint.division import Part
from headway.resilience.checkpoint.snapshot import Arrays
from headway.telemetry.process import peak_resident_bytes
from headway.training.data import Batch
from headway.training.engines.base import Engine, EngineSettings, Share, StepResult
from headway.training.engines.torch.damaging import damage
from headway.training.engines.torch.float8 import is_emulated
from headway.training.engines.torch.gathering import Stream
from headway.training.engines.torch.gradients import clip_gradients, complete_gradients
from headway.training.engines.torch.initial import weight_shapes
from headway.training.engines.torch.kernels import choose_elementwise_kernel, split_backward, use_elementwise_kernel
from headway.training.engines.torch.linear import choose_linear_kernel, use_linear_kernel
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.optimizers.updates import Updates, state_shapes
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import (
    HEAD,
    build_parts,
    canonical_name,
    parameters_of,
    trained_shapes,
    writers_of,
)
from headway.training.engines.torch.passes import Passes, WholePasses
from headway.training.engines.torch.probing import probe_seconds
from headway.training.engines.torch.replaying import digest
from headway.training.engines.torch.scaling import LossScale
from headway.training.engines.torch.tied import TiedCopies
from headway.training.engines.torch.weights import require_finite, require_match, shapes_of, to_tensor
from headway.training.place import Place, place_of
from headway.training.support import UNTRAINED_ARCHITECTURES

_DTYPES = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "int8": torch.bfloat16,
    "fp8": torch.bfloat16,
}
"""Of activations; the products of "int8" and "fp8" are rounded further."""


@final
class TorchEngine(Engine):
    """Trains a Llama-family model on one device or together with other processes.

    Args:
        recipe: the resolved recipe.
        settings: of the run that is resumed, or None.
        layout: how the work is split; one device where None.

    Raises:
        TrainingError: the recipe asks for a device that is not here, or a model or a split that this engine does not
            have.
    """

    def __init__(self, recipe: Recipe, settings: EngineSettings | None = None, layout: Layout | None = None) -> None:
        _require_supported(recipe.model)
        place = place_of(os.environ)
        device = _choose_device(recipe.hardware.accelerator, place.local_rank)
        threads = _threads(recipe, settings, place)
        torch.set_num_threads(threads)
        self._settings = EngineSettings(
            threads=threads,
            linear_kernel=settings.linear_kernel if settings else choose_linear_kernel(device),
            elementwise_kernel=settings.elementwise_kernel if settings else choose_elementwise_kernel(device),
            versions=_versions(device),
        )
        use_linear_kernel(self._settings.linear_kernel)
        use_elementwise_kernel(self._settings.elementwise_kernel)
        split_backward(is_split=layout is not None and layout.pipeline_schedule != PLAIN_SCHEDULE)
        training = recipe.training
        self._ranks = Ranks(layout or _whole(training.global_batch_size), place, device)
        self._config = recipe.model
        self._clip_norm = training.gradient_clip_norm
        self._parts = build_parts(recipe, _DTYPES[training.precision], self._ranks)
        self._parameters = parameters_of(self._parts)
        self._trained = {name: value for name, value in self._parameters.items() if value.requires_grad}
        self._trained_shapes = trained_shapes(recipe)
        self._writers = writers_of(self._parts, weight_shapes(recipe.model))
        self._passes = _passes(recipe, self._parts, self._ranks)
        self._emulates_float8 = training.precision == "fp8" and is_emulated(device)
        self._optimizer = training.optimizer
        # Compilers and the atomic sums of accelerators do not promise the same bits twice.
        self._is_reproducible = device.type == "cpu" and not training.compile
        self._updates = Updates(recipe, self._trained)
        self._scale = LossScale(is_dynamic=training.precision == "fp16")
        self._copies = TiedCopies(self._parameters, self._ranks, is_tied=self._config.tie_word_embeddings)

    @property
    def settings(self) -> EngineSettings:
        """What really runs."""
        return self._settings

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know; see `Engine.notices`."""
        return ("training-float8-emulated",) if self._emulates_float8 else ()

    @property
    def share(self) -> Share:
        """Which share of each batch this process takes; see `Engine.share`."""
        return Share(index=self._ranks.data_rank, count=self._ranks.layout.data_parallel_degree)

    @property
    def is_first(self) -> bool:
        """Whether this process writes for all; see `Engine.is_first`."""
        return self._ranks.is_first

    def any(self, flags: Sequence[bool]) -> list[bool]:
        """Return which flags are set in any process; see `Engine.any`."""
        counts = self._ranks.sum(torch.tensor([float(flag) for flag in flags], device=self._ranks.device))
        return [count > 0 for count in counts.tolist()]

    def gather(self, value: float) -> list[float]:
        """Return a number of each process; see `Engine.gather`."""
        place = self._ranks.place
        own = torch.zeros(place.size, dtype=torch.float64, device=self._ranks.device)
        own[place.rank] = value
        return [float(number) for number in self._ranks.sum(own)]

    def probe_seconds(self) -> float | None:
        """Return how long some matrix products take here; see `Engine.probe_seconds`."""
        return None if self._ranks.mesh is None else probe_seconds(self._ranks.device)

    @property
    def device_uuid(self) -> str | None:
        """Return the name of the device; see `Engine.device_uuid`."""
        if self._ranks.device.type != "cuda":
            return None
        return f"GPU-{torch.cuda.get_device_properties(self._ranks.device).uuid}"

    def device_memory_bytes(self) -> tuple[int, int] | None:
        """Return what the device holds and what is free; see `Engine.device_memory_bytes`."""
        if self._ranks.device.type != "cuda":
            return None
        free_bytes, _ = torch.cuda.mem_get_info(self._ranks.device)
        return torch.cuda.memory_allocated(self._ranks.device), free_bytes

    def step(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepResult:
        """Do one optimizer step; see `Engine.step`."""
        result = self.step_unless(micro_batches, learning_rate, lambda: False)
        assert result is not None, "nobody abandons it"
        return result

    def step_unless(
        self, micro_batches: Sequence[Batch], learning_rate: float, should_abandon: Callable[[], bool]
    ) -> StepResult | None:
        """Do one optimizer step, unless it is to be abandoned; see `Engine.step_unless`."""
        scale = self._scale.value
        total = self._passes.train(micro_batches, scale, should_abandon)
        if total is None:
            self._updates.drop_gradients()
            self._drop_gathered()
            return None
        parameters = self._parameters.values()
        complete_gradients(parameters)
        self._copies.add_gradients()
        norm = clip_gradients(self._copies.own(), parameters, self._clip_norm, self._ranks, scale=scale)
        loss = float(self._mean(total))
        counts = self._scale.take(norm)
        # Loss and norm are the same in all processes, and so is the choice.
        if counts and math.isfinite(norm) and math.isfinite(loss):
            self._updates.apply(learning_rate)
        self._updates.drop_gradients()
        return StepResult(
            loss=loss,
            gradient_norm=norm,
            is_skipped=not counts,
            loss_scale=scale if self._scale.is_dynamic else None,
        )

    def replay(self, micro_batches: Sequence[Batch], learning_rate: float) -> tuple[StepResult, bool | None]:
        """Do one optimizer step twice; see `Engine.replay`."""
        if not self._is_reproducible:
            return self.step(micro_batches, learning_rate), None
        weights = {name: value.detach().clone() for name, value in self._trained.items()}
        states, scale = self._updates.copies(), self._scale.state()
        first = self.step(micro_batches, learning_rate)
        expected = self._digest()
        with torch.no_grad():
            for name, value in self._trained.items():
                value.copy_(weights[name])
        self._updates.put_back(states)
        self._scale.load(scale)
        again = self.step(micro_batches, learning_rate)
        # Written out, since what is no number equals nothing.
        return again, expected == self._digest() and repr(first) == repr(again)

    def replica_digest(self) -> int | None:
        """Return a digest of what all processes hold alike; see `Engine.replica_digest`."""
        layout = self._ranks.layout
        divided = layout.shard != "none" or layout.tensor_parallel_degree * layout.pipeline_parallel_degree > 1
        return None if divided else self._digest()

    def _digest(self) -> int:
        return digest([*self._trained.values(), *self._updates.tensors()])

    def evaluate(self, batches: Sequence[Batch]) -> float:
        """Return the mean cross-entropy; see `Engine.evaluate`.

        Each data-parallel process takes every so many micro-batches. All take part in as many, since they talk to
        each other in each: what is too many does not count.
        """
        share = self.share
        rounds = math.ceil(len(batches) / share.count)
        places = [share.index + share.count * number for number in range(rounds)]
        losses = self._passes.losses([batches[min(place, len(batches) - 1)] for place in places])
        self._drop_gathered()
        counts = torch.tensor([batches[place].num_targets if place < len(batches) else 0 for place in places])
        total = max(1, sum(batch.num_targets for batch in batches))
        weighed = (losses.cpu().double() * counts).sum().to(self._ranks.device)
        return float(self._mean(weighed)) * share.count / total

    def snapshot(self) -> Snapshot:
        """Return parameters and optimizer state; see `Engine.snapshot`."""
        with Stream(self._parts, self._trained_shapes, self._updates, self._ranks) as stream:
            parameters, states = (dict(arrays) if self.is_first else {} for arrays in stream.both)
        return Snapshot(parameters=parameters, optimizer=states, state=self._state())

    def save(self, write: Callable[[Snapshot], Path]) -> Path | None:
        """Let the first process write a snapshot; see `Engine.save`."""
        if self._ranks.mesh is None:
            return write(self.snapshot())
        with Stream(self._parts, self._trained_shapes, self._updates, self._ranks) as stream:
            if not self.is_first:
                return None
            return write(Snapshot(parameters=stream.parameters, optimizer=stream.states, state=self._state()))

    def part(self, keep: Callable[[str, NDArray[Any]], NDArray[Any]]) -> Part | None:
        """Return what this process writes of a checkpoint; see `Engine.part`."""
        if self._ranks.mesh is None:
            return None
        with Stream(self._parts, self._trained_shapes, self._updates, self._ranks) as stream:
            division = stream.division()
            arrays = {name: keep(name, array) for name, array in stream.own(division)}
        return Part(division=division, arrays=arrays, state=self._state())

    def load(self, snapshot: Snapshot) -> None:
        """Take parameters and optimizer state; see `Engine.load`."""
        self._load(snapshot.parameters, self._trained_shapes)
        self._scale.load(snapshot.state.get("loss_scale") or {})
        found = shapes_of(snapshot.optimizer)
        require_match(found, state_shapes(self._optimizer, self._trained_shapes, found))
        states: dict[str, dict[str, NDArray[Any]]] = {}
        for key, array in snapshot.optimizer.items():
            name, _, what = key.rpartition(".")
            states.setdefault(name, {})[what] = array
        for name in self._trained:
            whole = canonical_name(name, self._trained_shapes)
            self._updates.load(name, states[whole], int(snapshot.state["optimizer_steps"]))

    def load_weights(self, parameters: Arrays) -> None:
        """Take the model's parameters, without those of adapters; see `Engine.load_weights`."""
        shapes = weight_shapes(self._config)
        self._load(parameters, shapes, must_be_finite=True)

    def _state(self) -> dict[str, Any]:
        return {"optimizer_steps": self._updates.steps, "loss_scale": self._scale.state()}

    def _load(self, arrays: Arrays, shapes: Mapping[str, torch.Size], *, must_be_finite: bool = False) -> None:
        # Some writers store the tied head as well.
        ignored = (HEAD,) if self._config.tie_word_embeddings else ()
        require_match({name: shape for name, shape in shapes_of(arrays).items() if name not in ignored}, shapes)
        for name in shapes:
            takers = self._writers.get(name, ())
            if takers:
                whole = to_tensor(arrays[name])
                if must_be_finite:
                    require_finite(name, whole)
                for write in takers:
                    write(whole)
        self._updates.forget()

    def damage(self, change: Callable[[NDArray[Any]], object]) -> None:
        """Change weights; see `Engine.damage`."""
        damage(self._trained.values(), change)

    def peak_memory_bytes(self) -> int:
        """Return the peak so far; see `Engine.peak_memory_bytes`."""
        if self._ranks.device.type == "cuda":
            return int(torch.cuda.max_memory_allocated(self._ranks.device))
        return peak_resident_bytes()

    def close(self) -> None:
        """Let go of the model, the optimizer and the other processes."""
        self._updates.forget()
        self._parameters = {}
        self._ranks.close()

    def _drop_gathered(self) -> None:
        if self._ranks.layout.data_parallel_degree > 1:
            from headway.training.engines.torch.parallel.shards import drop_gathered

            for part in self._parts:
                drop_gathered(part)

    def _mean(self, value: Tensor) -> Tensor:
        """Return the mean over data-parallel processes of a value that the last stage knows; others give zero."""
        layout = self._ranks.layout
        return self._ranks.sum(value) / (layout.data_parallel_degree * layout.tensor_parallel_degree)


def _whole(global_batch_size: int) -> Layout:
    """Return the layout of one device."""
    return Layout(
        data_parallel_degree=1, shard="none", micro_batch_size=global_batch_size, gradient_accumulation_steps=1
    )


def _passes(recipe: Recipe, parts: Sequence[Llama], ranks: Ranks) -> Passes:
    if ranks.layout.pipeline_parallel_degree == 1:
        return WholePasses(parts[0], ranks, compiles=recipe.training.compile and ranks.mesh is None)
    from headway.training.engines.torch.parallel.stages import PipelinePasses

    return PipelinePasses(parts, ranks, sequence_length=recipe.training.sequence_length)


def _threads(recipe: Recipe, settings: EngineSettings | None, place: Place) -> int:
    """Return the threads of this process: as many as the run has had, or this process's share of the cores."""
    threads = recipe.hardware.threads or (settings.threads if settings else None)
    return threads or max(1, torch.get_num_threads() // place.local_size)


def _require_supported(model: ModelConfig) -> None:
    if model.architecture in UNTRAINED_ARCHITECTURES or model.num_experts is not None:
        raise TrainingError("training-architecture", engine="torch", architecture=model.architecture)


def _choose_device(accelerator: str, local_rank: int) -> torch.device:
    has_cuda = torch.cuda.is_available()
    if accelerator == "cpu" or (accelerator == "auto" and not has_cuda):
        return torch.device("cpu")
    if not has_cuda:
        raise TrainingError("training-no-accelerator", accelerator=accelerator)
    if accelerator != "auto":
        _require_named_device(accelerator, torch.cuda.get_device_name())
    if local_rank >= torch.cuda.device_count():
        raise TrainingError("training-too-few-devices", devices=local_rank + 1, found=torch.cuda.device_count())
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def _require_named_device(accelerator: str, found: str) -> None:
    """Refuse to train on another device than the one that was planned for."""
    wanted = catalog.accelerator(accelerator).id
    try:
        known = catalog.accelerator(found).id
    except CatalogError:
        known = found
    if known != wanted:
        raise TrainingError("training-other-accelerator", accelerator=wanted, found=known)


def _versions(device: torch.device) -> dict[str, str]:
    versions = {"torch": str(torch.__version__), "numpy": np.__version__}
    if device.type == "cuda":
        versions["cuda"] = str(torch.version.cuda)
        versions["device"] = torch.cuda.get_device_name(device)
    return versions
