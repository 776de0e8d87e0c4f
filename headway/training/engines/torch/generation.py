"""Text from a trained model: sampling with a key-value cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from headway.errors import TrainingError
from headway.recipe import Recipe
from headway.resilience.checkpoint.snapshot import Arrays
from headway.training.engines.torch.model import KeyValueCache, Llama


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How the next token is drawn."""

    temperature: float = 0.8
    """Divides the logits; 0 takes the most likely token."""

    top_k: int | None = 50
    """Draw among the k most likely tokens only."""

    top_p: float | None = None
    """Draw among the most likely tokens that together hold this probability (Holtzman et al. 2020, section 3.1)."""

    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no token can be drawn with.

        Raises:
            TrainingError: a setting is outside its range.
        """
        # Written so that NaN fails each of them; a smaller temperature would overflow the logits.
        _require("temperature", self.temperature, self.temperature == 0 or 1e-3 <= self.temperature <= 1e3)
        _require("top_p", self.top_p, self.top_p is None or 0 < self.top_p <= 1)
        _require("top_k", self.top_k, self.top_k is None or self.top_k >= 1)
        _require("seed", self.seed, 0 <= self.seed < 2**63)


def _require(name: str, value: float | None, holds: bool) -> None:
    if not holds:
        raise TrainingError("training-sampling", name=name, value=str(value))


def load_model(recipe: Recipe, parameters: Arrays) -> Llama:
    """Build the model of a recipe in fp32 with given weights.

    Raises:
        TrainingError: the weights do not fit the model.
    """
    model = Llama(recipe.model)
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in parameters.items()}
    if recipe.model.tie_word_embeddings:
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise TrainingError("training-weights-mismatch", reason=str(error).splitlines()[-1].strip()) from error
    return model.eval()


@torch.inference_mode()
def generate(model: Llama, prompt: list[int], max_tokens: int, sampling: Sampling) -> Iterator[int]:
    """Yield new tokens after a prompt, until the model's longest sequence or ``max_tokens``.

    Args:
        model: the model.
        prompt: token ids, at least one.
        max_tokens: how many to yield at most.
        sampling: how each is drawn; the same seed gives the same tokens.

    Raises:
        TrainingError: the prompt is empty or as long as the model's longest sequence.
    """
    limit = model.config.max_position_embeddings
    if not 0 < len(prompt) < limit:
        raise TrainingError("training-prompt-length", length=len(prompt), limit=limit)
    generator = torch.Generator().manual_seed(sampling.seed)
    caches = [KeyValueCache() for _ in model.model.layers]
    tokens, start = list(prompt), 0
    for _ in range(min(max_tokens, limit - len(prompt))):
        fresh_BT = torch.tensor([tokens[start:]])
        hidden_BTE = model.hidden(fresh_BT, caches=caches, start=start)
        start = len(tokens)
        token = _draw(model.lm_head(hidden_BTE[0, -1]), sampling, generator)
        tokens.append(token)
        yield token


def _draw(logits_V: Tensor, sampling: Sampling, generator: torch.Generator) -> int:
    if sampling.temperature == 0:
        return int(logits_V.argmax())
    logits_V = logits_V.float() / sampling.temperature
    if sampling.top_k is not None and sampling.top_k < logits_V.shape[0]:
        smallest = logits_V.topk(sampling.top_k).values[-1]
        logits_V = logits_V.masked_fill(logits_V < smallest, -torch.inf)
    probabilities_V = torch.softmax(logits_V, dim=-1)
    if sampling.top_p is not None:
        sorted_V, order_V = probabilities_V.sort(descending=True)
        outside_V = sorted_V.cumsum(0) - sorted_V >= sampling.top_p
        probabilities_V[order_V[outside_V]] = 0.0
    return int(torch.multinomial(probabilities_V, 1, generator=generator))
