"""Models in llama.cpp's file format, read into the forms that training uses."""

from headway.training.gguf.reading import GgufModel

__all__ = ["GgufModel"]
