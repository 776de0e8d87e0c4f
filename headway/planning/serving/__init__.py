"""What a model in service will take: memory, and tokens per second by the bandwidth that feeds them."""

from headway.planning.serving.decoding import Decoding, key_value_bytes, tokens_per_second

__all__ = ["Decoding", "key_value_bytes", "tokens_per_second"]
