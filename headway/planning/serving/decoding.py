"""How fast a model writes: each token reads every weight that it passes, and the keys and values of all before it.

Source: Pope et al. 2022 (arXiv:2211.05102), section 2.1: the time of a step of decoding with small batches is that of
loading weights and key-value cache.
Leaves out: activations, which stay in the caches, and the time of the products, which hides behind the reading.
"""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_VALUE = {"f32": 4.0, "f16": 2.0, "bf16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}
"""Of a number in the key-value cache, by llama.cpp's name. Source: ggml-common.h, sizes of the blocks."""


def key_value_bytes(layers: int, key_value_size: int, kind: str = "f16") -> float:
    """Return the bytes that one token of context takes in the cache.

    Args:
        layers: of the model.
        key_value_size: width of all key heads together; the values have the same.
        kind: one of `BYTES_PER_VALUE`.
    """
    return 2 * layers * key_value_size * BYTES_PER_VALUE[kind]


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """What one more token of an answer reads.

    Attributes:
        weight_bytes: of all weights that a token passes: of a mixture, the chosen experts' only.
        key_value_bytes: of one token of context.
    """

    weight_bytes: float
    key_value_bytes: float

    def bytes_per_token(self, context: float = 0.0) -> float:
        """Return the bytes that a token reads after so many tokens of context."""
        return self.weight_bytes + context * self.key_value_bytes


def tokens_per_second(decoding: Decoding, read_bytes_per_second: float, context: float = 0.0) -> float:
    """Return the speed of one answer where reading is all that takes time: the most that the memory allows.

    Args:
        decoding: what a token reads.
        read_bytes_per_second: of the memory that holds the model.
        context: tokens before it.
    """
    return read_bytes_per_second / decoding.bytes_per_token(context)
