"""What llama.cpp computes with an exported file, beside what the model computed before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from headway.runs import RunFolder
from headway.serving.client import Client
from headway.training.data import Tokenizer
from headway.training.engines.torch.generation import Sampling, generate, load_model
from headway.training.reading import read_model
from tests.serving.asking import EXACT, greedy, tokens_of

Export = Callable[..., Any]
Run = Callable[..., Client]

TEXTS = (
    "def add_argument(self, *args, **kwargs):\n    ",
    "x = 12345 + 6.7  # na\u00efve \u4f60\u597d \U0001f600",
    "\t\n  a",
)


def test_a_trained_model_says_the_same_200_tokens(trained: RunFolder, export: Export, run_model: Run) -> None:
    tokenizer = Tokenizer.load(trained.tokenizer_path)
    client = run_model(export(trained).path, **EXACT)
    for text in TEXTS:
        assert tokens_of(client, text) == tokenizer.encode(text)
    prompt = tokenizer.encode(TEXTS[0])
    model = load_model(trained.recipe(), read_model(trained))
    expected = list(generate(model, prompt, 200, Sampling(temperature=0)))
    assert len(set(expected)) > 10, "a model that has learned says more than one thing"
    assert greedy(client, prompt, 200) == expected


SMALL = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 264,
    "max_position_embeddings": 512,
    "initializer_range": 0.2,
    "bos_token_id": 256,
    "eos_token_id": 257,
    "pad_token_id": 258,
}
LLAMA_3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
EXPERTS = {"num_experts_per_tok": 2}

MODELS = {
    "llama": ("Llama", {}),
    "llama, tied": ("Llama", {"tie_word_embeddings": True}),
    "llama, heads wider than their share": ("Llama", {"head_dim": 32}),
    "llama, biases": ("Llama", {"attention_bias": True, "mlp_bias": True}),
    "llama 3.1": ("Llama", {"rope_parameters": LLAMA_3}),
    "mistral": ("Mistral", {"sliding_window": None}),
    "qwen2": ("Qwen2", {}),
    "qwen2, tied": ("Qwen2", {"tie_word_embeddings": True}),
    "qwen3": ("Qwen3", {"head_dim": 32}),
    "mixtral": ("Mixtral", {**EXPERTS, "num_local_experts": 4, "sliding_window": None}),
    "qwen3, experts": (
        "Qwen3Moe",
        {**EXPERTS, "num_experts": 4, "moe_intermediate_size": 64, "head_dim": 16, "norm_topk_prob": True},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_architecture_says_what_transformers_says(
    name: str, export: Export, run_model: Run, tmp_path: Path
) -> None:
    kind, settings = MODELS[name]
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**SMALL, **settings)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    for parameter_name, parameter in model.named_parameters():
        if parameter_name.endswith("bias") or "norm" in parameter_name:
            # Fresh ones are 0 and 1, with which no mistake would show.
            torch.nn.init.normal_(parameter, mean=float(parameter_name.endswith("weight")), std=0.2)
    folder = tmp_path / "model"
    model.save_pretrained(folder)
    Tokenizer.byte().save(folder / "tokenizer.json")
    client = run_model(export(folder).path, **EXACT)
    prompt = list(b"def main(argv):")
    found = greedy(client, prompt, 100)
    expected = model.generate(
        torch.tensor([prompt]), max_new_tokens=100, do_sample=False, eos_token_id=None, suppress_tokens=[257]
    )[0, len(prompt) :].tolist()
    assert len(found) == 100
    assert found == expected


def test_text_is_split_as_the_tokenizer_splits_it(imported: Path, export: Export, run_model: Run) -> None:
    client = run_model(export(imported, "bf16").path)
    tokenizer = Tokenizer.load(imported)
    for text in TEXTS:
        assert tokens_of(client, text) == tokenizer.encode(text)
    asked = [{"role": "user", "content": "What is the capital of France?"}]
    answer = client.post("/v1/chat/completions", {"messages": asked, "max_tokens": 30, "temperature": 0})
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("form", ["f16", "bf16", "q8_0", "q6_k", "q5_k_m", "q5_0", "q4_k_m", "q4_1", "q4_0"])
def test_a_format_stays_near_to_the_model(form: str, trained: RunFolder, export: Export, run_model: Run) -> None:
    tokenizer = Tokenizer.load(trained.tokenizer_path)
    prompt = tokenizer.encode(TEXTS[0])
    asked = {"prompt": prompt, "n_predict": 1, "n_probs": 512, "temperature": 1, "samplers": []}
    client = run_model(export(trained, form).path)
    answer = client.post("/completion", asked)["completion_probabilities"][0]["top_logprobs"]
    found = {one["id"]: one["logprob"] for one in answer}
    model = load_model(trained.recipe(), read_model(trained))
    with torch.inference_mode():
        logits = model.lm_head(model.hidden(torch.tensor([prompt]), caches=None, start=0)[0, -1])
    exact = torch.log_softmax(logits.float(), dim=-1).numpy()
    ids = np.array(sorted(found))
    there = np.array([found[number] for number in ids])
    probabilities = np.exp(exact[ids])
    divergence = float(np.sum(probabilities * (exact[ids] - there)))
    limit = {"f16": 1e-4, "bf16": 1e-3, "q8_0": 1e-3, "q6_k": 1e-2}.get(form, 0.1)
    assert divergence < limit
