"""Text from a run: its newest checkpoint, its tokenizer, and a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from headway.errors import TrainingError
from headway.runs import RunFolder
from headway.training.data import Tokenizer
from headway.training.engines.torch.generation import Sampling, generate, load_model
from headway.training.reading import read_model


def write_text(
    run: RunFolder, prompt: str, max_tokens: int, sampling: Sampling, step: int | None = None
) -> Iterator[str]:
    """Yield pieces of text that continue a prompt.

    Args:
        run: a run with at least one checkpoint.
        prompt: the text to go on from; the end-of-document token where it is empty.
        max_tokens: how many tokens at most.
        sampling: how each is drawn.
        step: which checkpoint; the newest that verifies by default.

    Raises:
        RunError: the run has no checkpoint yet, or none of that step.
        CheckpointError: the checkpoint is damaged.
        TrainingError: the prompt is too long, or is no valid text.
    """
    _require_text(prompt)
    parameters = read_model(run, step)
    tokenizer = Tokenizer.load(run.tokenizer_path)
    model = load_model(run.recipe(), parameters)
    tokens = tokenizer.encode(prompt) or [tokenizer.end_of_document_id]
    shown = ""
    written: list[int] = []
    for token in generate(model, tokens, max_tokens, sampling):
        written.append(token)
        text = tokenizer.decode(written)
        # A token may end in the middle of a character; it is shown when the rest has come.
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):
            yield text[len(shown) :]
            shown = text


def _require_text(prompt: str) -> None:
    """Refuse bytes of the command line that are no text in its encoding."""
    try:
        prompt.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TrainingError("training-prompt-text", position=error.start) from error
