"""The PyTorch engine for one process on a CPU or a CUDA device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from headway import catalog
from headway.errors import CatalogError, CheckpointError, TrainingError
from headway.recipe import ModelConfig, Recipe
from headway.resilience.checkpoint import Snapshot
from headway.resilience.checkpoint.snapshot import Arrays
from headway.telemetry.process import peak_resident_bytes
from headway.training.data import Batch
from headway.training.engines.base import Engine, EngineSettings, StepResult
from headway.training.engines.torch.kernels import choose_elementwise_kernel, use_elementwise_kernel
from headway.training.engines.torch.linear import choose_linear_kernel, use_linear_kernel
from headway.training.engines.torch.model import Llama
from headway.training.support import UNTRAINED_ARCHITECTURES

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
_MOMENTS = ("exp_avg", "exp_avg_sq")


@final
class TorchEngine(Engine):
    """Trains a Llama-family model with AdamW.

    Args:
        recipe: the resolved recipe.
        settings: of the run that is resumed, or None.

    Raises:
        TrainingError: the recipe asks for a device that is not here, or a model that this engine does not have.
    """

    def __init__(self, recipe: Recipe, settings: EngineSettings | None = None) -> None:
        _require_supported(recipe.model)
        if recipe.hardware.devices != 1:
            raise TrainingError("training-one-device", devices=recipe.hardware.devices)
        self._device = _choose_device(recipe.hardware.accelerator)
        threads = recipe.hardware.threads or (settings.threads if settings else torch.get_num_threads())
        torch.set_num_threads(threads)
        self._settings = EngineSettings(
            threads=threads,
            linear_kernel=settings.linear_kernel if settings else choose_linear_kernel(self._device),
            elementwise_kernel=settings.elementwise_kernel if settings else choose_elementwise_kernel(self._device),
            versions=_versions(self._device),
        )
        use_linear_kernel(self._settings.linear_kernel)
        use_elementwise_kernel(self._settings.elementwise_kernel)
        training = recipe.training
        self._clip_norm = training.gradient_clip_norm
        self.model = Llama(recipe.model, _DTYPES[training.precision])
        self.model.initialize(training.seed)
        self.model.to(self._device)
        self._loss = torch.compile(self.model.loss, dynamic=False) if training.compile else self.model.loss
        self._parameters = dict(self.model.named_parameters())
        self._optimizer = self._build_optimizer(recipe)

    @property
    def settings(self) -> EngineSettings:
        """What really runs."""
        return self._settings

    def step(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepResult:
        """Do one optimizer step; see `Engine.step`."""
        rows = sum(len(batch.tokens) for batch in micro_batches)
        total = torch.zeros((), dtype=torch.float32, device=self._device)
        for batch in micro_batches:
            loss = self._micro_batch_loss(batch) * (len(batch.tokens) / rows)
            loss.backward()
            total += loss.detach()
        norm = self._clip_gradients()
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return StepResult(loss=float(total), gradient_norm=norm)

    @torch.no_grad()
    def evaluate(self, batches: Sequence[Batch]) -> float:
        """Return the mean cross-entropy; see `Engine.evaluate`."""
        rows = sum(len(batch.tokens) for batch in batches)
        return sum(float(self._micro_batch_loss(batch)) * len(batch.tokens) / rows for batch in batches)

    def snapshot(self) -> Snapshot:
        """Return parameters and optimizer state; see `Engine.snapshot`."""
        optimizer: dict[str, NDArray[Any]] = {}
        for name, parameter in self._parameters.items():
            state = self._optimizer.state.get(parameter, {})
            for moment in _MOMENTS:
                moments = state[moment] if moment in state else torch.zeros_like(parameter)
                optimizer[f"{name}.{moment}"] = _to_numpy(moments)
        return Snapshot(
            parameters={name: _to_numpy(parameter) for name, parameter in self._parameters.items()},
            optimizer=optimizer,
            state={"optimizer_steps": self._optimizer_steps()},
        )

    def load(self, snapshot: Snapshot) -> None:
        """Take parameters and optimizer state; see `Engine.load`."""
        self.load_weights(snapshot.parameters)
        expected = {f"{name}.{moment}": value for name, value in self._parameters.items() for moment in _MOMENTS}
        _require_match(snapshot.optimizer, expected)
        steps = float(snapshot.state["optimizer_steps"])
        if not steps:
            return
        for name, parameter in self._parameters.items():
            state: dict[str, Tensor] = {"step": torch.tensor(steps, device=self._device)}
            for moment in _MOMENTS:
                state[moment] = _to_tensor(snapshot.optimizer[f"{name}.{moment}"]).to(self._device)
            self._optimizer.state[parameter] = state

    @torch.no_grad()
    def load_weights(self, parameters: Arrays) -> None:
        """Take parameters only; see `Engine.load_weights`."""
        arrays = dict(parameters)
        if self.model.config.tie_word_embeddings:
            # Some writers store the tied head as well.
            arrays.pop("lm_head.weight", None)
        _require_match(arrays, self._parameters)
        for name, parameter in self._parameters.items():
            parameter.copy_(_to_tensor(arrays[name]))
        self._optimizer.state.clear()

    def peak_memory_bytes(self) -> int:
        """Return the peak so far; see `Engine.peak_memory_bytes`."""
        if self._device.type == "cuda":
            return int(torch.cuda.max_memory_allocated(self._device))
        return peak_resident_bytes()

    def close(self) -> None:
        """Let go of the model and the optimizer."""
        self._optimizer.state.clear()
        self._parameters = {}

    def _micro_batch_loss(self, batch: Batch) -> Tensor:
        tokens_BT = torch.from_numpy(batch.tokens).to(self._device, non_blocking=True)
        documents_BT = None if batch.document_ids is None else torch.from_numpy(batch.document_ids).to(self._device)
        return self._loss(tokens_BT[:, :-1], tokens_BT[:, 1:], documents_BT)

    def _clip_gradients(self) -> float:
        """Scale all gradients so that their norm is at most the limit; return the norm before.

        The squares are summed in fp64: PyTorch's own fp32 norm is wrong by up to a percent on large CPU tensors.
        """
        gradients = [parameter.grad for parameter in self._parameters.values() if parameter.grad is not None]
        norms = torch.stack([torch.linalg.vector_norm(gradient, dtype=torch.float64) for gradient in gradients])
        norm = float(torch.linalg.vector_norm(norms))
        if self._clip_norm is not None and norm > self._clip_norm:
            torch._foreach_mul_(gradients, self._clip_norm / norm)
        return norm

    def _build_optimizer(self, recipe: Recipe) -> torch.optim.AdamW:
        """Build AdamW with weight decay on matrices only: on norms and biases it would pull towards a wrong point."""
        training = recipe.training
        matrices = [parameter for parameter in self._parameters.values() if parameter.dim() >= 2]
        vectors = [parameter for parameter in self._parameters.values() if parameter.dim() < 2]
        groups = [
            {"params": matrices, "weight_decay": training.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(
            [group for group in groups if group["params"]],
            lr=training.learning_rate,
            betas=(training.beta1, training.beta2),
            eps=training.epsilon,
            fused=True,
        )

    def _optimizer_steps(self) -> int:
        state = next(iter(self._optimizer.state.values()), None)
        return 0 if state is None else int(state["step"])


def _require_supported(model: ModelConfig) -> None:
    if model.architecture in UNTRAINED_ARCHITECTURES or model.num_experts is not None:
        raise TrainingError("training-architecture", engine="torch", architecture=model.architecture)


def _choose_device(accelerator: str) -> torch.device:
    has_cuda = torch.cuda.is_available()
    if accelerator == "cpu" or (accelerator == "auto" and not has_cuda):
        return torch.device("cpu")
    if not has_cuda:
        raise TrainingError("training-no-accelerator", accelerator=accelerator)
    if accelerator != "auto":
        _require_named_device(accelerator, torch.cuda.get_device_name())
    return torch.device("cuda", torch.cuda.current_device())


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


def _to_numpy(tensor: Tensor) -> NDArray[Any]:
    return tensor.detach().cpu().numpy()


def _to_tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.require(array, requirements=["C", "W"])).float()


def _require_match(arrays: Arrays, expected: Mapping[str, Tensor]) -> None:
    for name in sorted(set(arrays) | set(expected)):
        found = str(tuple(arrays[name].shape)) if name in arrays else "missing"
        wanted = str(tuple(expected[name].shape)) if name in expected else "unknown"
        if found != wanted:
            raise CheckpointError("checkpoint-mismatch", name=name, found=found, expected=wanted)
