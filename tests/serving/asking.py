"""What tests ask of llama.cpp."""

from __future__ import annotations

from headway.serving.client import Client

EXACT = {"flash_attention": "off", "key_value_type": "f32", "repacks": False}
"""Settings under which llama.cpp computes in fp32 throughout."""


def greedy(client: Client, prompt: list[int], count: int) -> list[int]:
    """Return the tokens that llama.cpp finds most likely after some others, one after the other."""
    asked = {"prompt": prompt, "n_predict": count, "samplers": ["top_k"], "top_k": 1, "return_tokens": True}
    found: list[int] = client.post("/completion", {**asked, "ignore_eos": True, "cache_prompt": False})["tokens"]
    return found


def tokens_of(client: Client, text: str) -> list[int]:
    """Return how llama.cpp spells a text in tokens."""
    found: list[int] = client.post("/tokenize", {"content": text, "add_special": False})["tokens"]
    return found
