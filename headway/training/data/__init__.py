"""From text to batches: sources, tokenizers, tokens on disk, and the order of the samples; free of any framework."""

from headway.training.data.batches import Batch, BatchStream, validation_batches
from headway.training.data.building import Progress
from headway.training.data.corpus import Corpus, Notice, Statistics
from headway.training.data.prepare import is_prepared, prepare
from headway.training.data.shards import Split
from headway.training.data.tokenizers import Tokenizer

__all__ = [
    "Batch",
    "BatchStream",
    "Corpus",
    "Notice",
    "Progress",
    "Split",
    "Statistics",
    "Tokenizer",
    "is_prepared",
    "prepare",
    "validation_batches",
]
