from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

from headway.errors import TrainingError
from headway.recipe import resolve_recipe
from headway.training.engines.torch.generation import Sampling, generate, load_model
from headway.training.engines.torch.initial import initialize
from headway.training.engines.torch.model import Llama

MODEL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 50,
    "max_position_embeddings": 24,
}


def make(**changes: object) -> Llama:
    recipe = resolve_recipe({"model": {**MODEL, **changes}, "training": {"steps": 1}})
    model = Llama(recipe.model)
    initialize(model, 0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(5.0)
    return model.eval()


@pytest.mark.parametrize("changes", [{}, {"sliding_window": 6}])
def test_the_cache_changes_nothing(changes: dict[str, object]) -> None:
    """Greedy tokens with the cache are those of whole passes over everything so far."""
    model = make(**changes)
    prompt = [3, 1, 4, 1, 5]
    found = list(generate(model, prompt, 12, Sampling(temperature=0)))
    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(12):
            tokens.append(int(model(torch.tensor([tokens]))[0, -1].argmax()))
    assert found == tokens[5:]
    assert len(set(found)) > 1


def test_the_same_seed_draws_the_same_tokens() -> None:
    model = make()
    draws = [list(generate(model, [1], 20, Sampling(seed=seed, temperature=2.0))) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_generation_ends_at_the_longest_sequence() -> None:
    assert len(list(generate(make(), [1] * 20, 100, Sampling()))) == 4


@pytest.mark.parametrize("length", [0, 24, 30])
def test_a_prompt_must_leave_room(length: int) -> None:
    with pytest.raises(TrainingError) as refused:
        list(generate(make(), [1] * length, 5, Sampling()))
    assert refused.value.arguments == {"length": length, "limit": 24}


@pytest.mark.parametrize("sampling", [Sampling(top_k=3, temperature=5.0), Sampling(top_k=None, top_p=0.3)])
def test_unlikely_tokens_are_left_out(sampling: Sampling) -> None:
    model = make()
    with torch.no_grad():
        logits = model(torch.tensor([[7]]))[0, -1] / sampling.temperature
    probabilities, order = torch.softmax(logits, 0).sort(descending=True)
    if sampling.top_k is not None:
        allowed = set(order[: sampling.top_k].tolist())
    else:
        assert sampling.top_p is not None
        count = int((probabilities.cumsum(0) < sampling.top_p).sum()) + 1
        allowed = set(order[:count].tolist())
    drawn = Counter(next(generate(model, [7], 1, Sampling(**{**vars(sampling), "seed": seed}))) for seed in range(60))
    assert set(drawn) <= allowed
    if sampling.top_k is not None:
        assert len(drawn) > 1


def test_weights_of_another_model_are_refused() -> None:
    recipe = resolve_recipe({"model": MODEL, "training": {"steps": 1}})
    weights = {name: value.detach().numpy() for name, value in Llama(recipe.model).named_parameters()}
    assert load_model(recipe, weights)
    weights["model.norm.weight"] = np.ones(3, np.float32)
    with pytest.raises(TrainingError, match="training-weights-mismatch"):
        load_model(recipe, weights)
