"""How llama.cpp runs a model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self

KEY_VALUE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0")
"""Types of the key-value cache, by llama.cpp's names; those with 8 and 4 bits need flash attention."""

NUMA_POLICIES = ("disabled", "distribute", "isolate", "numactl")
"""Source: llama.cpp, ``enum ggml_numa_strategy``."""

FLASH_ATTENTION = ("auto", "on", "off")


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """How llama.cpp runs one model.

    Attributes:
        model: path of the GGUF file.
        alias: the model's name in answers.
        context: tokens of one request, prompt and answer together.
        parallel: requests that are worked on at the same time.
        threads: that compute.
        batch: tokens of a prompt that are taken at a time.
        key_value_type: of the cache of keys and values.
        flash_attention: ``auto``, ``on`` or ``off``.
        numa: policy for the threads and the model's pages.
        locks: keep the model's pages in memory.
        repacks: copy the weights into an order that multiplies faster; not for a model that is larger than the memory.
        embeds: answer requests for embeddings too, for which each token of a prompt goes through the head.
        warms_up: run once before the first request.
    """

    model: str
    alias: str
    context: int
    parallel: int = 1
    threads: int = 1
    batch: int = 512
    key_value_type: str = "f16"
    flash_attention: str = "auto"
    numa: str = "disabled"
    locks: bool = False
    repacks: bool = True
    embeds: bool = False
    warms_up: bool = True

    def to_json(self) -> str:
        """Return the settings as text for the process that runs the model."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the settings that `to_json` wrote."""
        return cls(**json.loads(text))
