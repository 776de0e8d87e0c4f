"""The optimizers of a process's weights, and their states as a checkpoint has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from headway.recipe import Recipe
from headway.recipe.sections import TrainingConfig
from headway.resilience.checkpoint.snapshot import Arrays
from headway.training.engines.torch.optimizers.compact import CompactAdamW
from headway.training.engines.torch.optimizers.fused import STEP, FusedAdamW
from headway.training.engines.torch.optimizers.lodging import Lodging, LodgingAdamW
from headway.training.engines.torch.optimizers.moments import (
    FIRST,
    FORMS,
    SCALE,
    SECOND,
    block_of,
    dequantised,
    quantised,
)
from headway.training.engines.torch.optimizers.muon import MOMENTUM, Muon, is_hidden
from headway.training.engines.torch.weights import write_part

AnyOptimizer = FusedAdamW | CompactAdamW | LodgingAdamW | Muon


@final
class Updates:
    """What changes the weights at the end of a step.

    Weight decay is on matrices only: on norms and biases it would pull towards a wrong point. Embeddings are matrices.

    Args:
        recipe: the resolved recipe.
        parameters: this process's weights that are trained, by name.
    """

    def __init__(self, recipe: Recipe, parameters: Mapping[str, Tensor]) -> None:
        training = recipe.training
        self._parameters = parameters
        self._lodging = Lodging(is_host=recipe.layout.offload_optimizer)
        self._hidden: Muon | None = None
        others = dict(parameters)
        if training.optimizer == "muon":
            hidden = [others.pop(name) for name, value in parameters.items() if is_hidden(name, value.shape)]
            products = torch.float32 if training.precision == "fp32" else torch.bfloat16
            # A stage may have none, and always has some of the others: norms.
            self._hidden = Muon(hidden, products, self._lodging, decay=training.weight_decay) if hidden else None
        self._others = _adamw(training, others.values(), self._lodging)

    def apply(self, learning_rate: float) -> None:
        """Update all weights by their gradients."""
        for optimizer in self._all:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()

    def drop_gradients(self) -> None:
        """Let go of all gradients."""
        for optimizer in self._all:
            optimizer.zero_grad(set_to_none=True)

    def forget(self) -> None:
        """Go back to before the first step."""
        for optimizer in self._all:
            optimizer.state.clear()

    def tensors(self) -> Iterator[Tensor]:
        """Yield all that is kept of this process's weights, in a fixed order."""
        for optimizer in self._all:
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    state = optimizer.state.get(parameter, {})
                    yield from (state[key] for key in sorted(state) if isinstance(state[key], Tensor))

    def copies(self) -> list[dict[Tensor, dict[str, Any]]]:
        """Return a copy of all states, for `put_back`."""
        return [
            {
                parameter: {key: value.clone() if isinstance(value, Tensor) else value for key, value in state.items()}
                for parameter, state in optimizer.state.items()
            }
            for optimizer in self._all
        ]

    def put_back(self, copies: list[dict[Tensor, dict[str, Any]]]) -> None:
        """Take the states that were copied; the copies become the states."""
        for optimizer, copied in zip(self._all, copies, strict=True):
            optimizer.state.clear()
            optimizer.state.update(copied)

    @property
    def steps(self) -> int:
        """How many steps were done."""
        state = next((state for optimizer in self._all for state in optimizer.state.values() if state), None)
        return 0 if state is None else int(state[STEP])

    def state_of(self, name: str) -> dict[str, Tensor]:
        """Return the tensors that are kept of a weight by what they are; zeros before the first step."""
        parameter = self._parameters[name]
        state = self._of(parameter).state.get(parameter)
        if not state:
            return self._empty_state(parameter)
        return self._lodging.whole(parameter, {key: value for key, value in state.items() if key != STEP})

    @torch.no_grad()
    def load(self, name: str, arrays: Arrays, steps: int) -> None:
        """Give a weight the state that it has in a checkpoint.

        Args:
            name: of the weight.
            arrays: whole, by what they are.
            steps: that they have seen; with none, nothing is to be given.
        """
        if not steps:
            return
        parameter = self._parameters[name]
        state = self._empty_state(parameter)
        wholes = _with_blocks({key: state_tensor(arrays[key]) for key in state}, state)
        for key, tensor in state.items():
            write_part(tensor, wholes[key])
        optimizer = self._of(parameter)
        place = parameter.device if isinstance(optimizer, FusedAdamW) else None
        kept = self._lodging.keep(state)
        optimizer.state[parameter] = {STEP: torch.tensor(float(steps), device=place), **kept}

    @property
    def _all(self) -> list[AnyOptimizer]:
        return [self._others] if self._hidden is None else [self._hidden, self._others]

    def _of(self, parameter: Tensor) -> AnyOptimizer:
        return self._hidden if self._hidden is not None and self._hidden.has(parameter) else self._others

    def _empty_state(self, parameter: Tensor) -> dict[str, Tensor]:
        return self._of(parameter).empty_state(parameter)


def _adamw(
    training: TrainingConfig, parameters: Iterable[Tensor], lodging: Lodging
) -> FusedAdamW | CompactAdamW | LodgingAdamW:
    given = list(parameters)
    groups: list[dict[str, Any]] = [
        {"params": [parameter for parameter in given if parameter.dim() >= 2], "weight_decay": training.weight_decay},
        {"params": [parameter for parameter in given if parameter.dim() < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    betas = (training.beta1, training.beta2)
    form = FORMS.get(training.optimizer)
    if form is not None:
        return CompactAdamW(groups, form, lodging, lr=training.learning_rate, betas=betas, eps=training.epsilon)
    if lodging.is_host:
        return LodgingAdamW(groups, lodging, lr=training.learning_rate, betas=betas, eps=training.epsilon)
    return FusedAdamW(groups, lr=training.learning_rate, betas=betas, eps=training.epsilon)


def state_shapes(
    optimizer: str, shapes: Mapping[str, torch.Size], found: Mapping[str, tuple[int, ...]]
) -> dict[str, torch.Size]:
    """Return the shape of every array that an optimizer's state has, by ``<parameter name>.<what it is>``.

    Args:
        optimizer: its name.
        shapes: of the weights that are trained, whole, by name.
        found: shapes in a checkpoint; the rows of a matrix may have any number of blocks there that goes round.
    """
    expected: dict[str, torch.Size] = {}
    for name, shape in shapes.items():
        if optimizer == "muon" and is_hidden(name, shape):
            expected[f"{name}.{MOMENTUM}"] = shape
            continue
        for moment in (FIRST, SECOND):
            expected[f"{name}.{moment}"] = shape
            if optimizer == "adamw8bit" and len(shape) == 2:
                key = f"{name}.{moment}{SCALE}"
                blocks = found.get(key, (0,))[-1]
                goes_round = blocks and shape[1] % blocks == 0
                expected[key] = torch.Size((shape[0], blocks if goes_round else shape[1] // block_of(shape[1])))
    return expected


def state_array(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor of a state as an array; numbers in bf16 as the 16 bits that they are, since NumPy has no bf16."""
    own = tensor.detach().cpu()
    return (own.view(torch.uint16) if own.dtype == torch.bfloat16 else own).numpy()


def state_tensor(array: NDArray[Any]) -> Tensor:
    """Return an array of a state as the tensor that it was."""
    tensor = torch.from_numpy(np.require(array, requirements=["C", "W"]))
    return tensor.view(torch.bfloat16) if tensor.dtype == torch.uint16 else tensor


def _with_blocks(wholes: dict[str, Tensor], state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return whole arrays with as many blocks as a state's own: another layout may have had others."""
    for moment in (FIRST, SECOND):
        key = f"{moment}{SCALE}"
        if key in state and wholes[key].shape != state[key].shape:
            values = dequantised(wholes[moment], wholes[key], moment)
            wholes[moment], wholes[key] = quantised(values, state[key].shape[1], moment)
    return wholes
