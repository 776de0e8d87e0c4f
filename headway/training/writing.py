"""Text from a run: its newest checkpoint, its tokenizer, and a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from headway.errors import TrainingError
from headway.runs import RunFolder
from headway.training.data import Tokenizer
from headway.training.data.templates import ChatTemplate, find_template
from headway.training.engines.torch.generation import Sampling, generate, load_model
from headway.training.reading import read_model


def write_text(
    run: RunFolder,
    prompt: str,
    max_tokens: int,
    sampling: Sampling,
    step: int | None = None,
    *,
    chat: bool | None = None,
) -> Iterator[str]:
    """Yield pieces of text that continue a prompt, or answer it.

    Args:
        run: a run with at least one checkpoint.
        prompt: the text to go on from; the end-of-document token where it is empty. Of a chat, what the user says.
        max_tokens: how many tokens at most.
        sampling: how each is drawn.
        step: which checkpoint; the newest that verifies by default.
        chat: put the prompt into the model's chat template, and stop where the model ends its answer; by default where
            the run was trained on conversations.

    Raises:
        RunError: the run has no checkpoint yet, or none of that step.
        CheckpointError: the checkpoint is damaged.
        DataError: the chat template refuses the prompt.
        TrainingError: the prompt is too long, or is no valid text; a chat has no template, or nothing to answer.
    """
    _require_text(prompt)
    tokenizer = Tokenizer.load(run.tokenizer_path)
    template = None if chat is False else _template(run, tokenizer, is_needed=chat is True)
    ends: frozenset[int] = frozenset()
    if template is None:
        tokens = tokenizer.encode(prompt) or [tokenizer.end_of_document_id]
    else:
        tokens, ends = _asked(template, tokenizer, prompt), _ends(template, tokenizer)
    model = load_model(run.recipe(), read_model(run, step))
    shown = ""
    written: list[int] = []
    for token in generate(model, tokens, max_tokens, sampling):
        if token in ends:
            return
        written.append(token)
        text = tokenizer.decode(written)
        # A token may end in the middle of a character; it is shown when the rest has come.
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):
            yield text[len(shown) :]
            shown = text


def _template(run: RunFolder, tokenizer: Tokenizer, *, is_needed: bool) -> ChatTemplate | None:
    found = find_template(run.tokenizer_path, tuple(tokenizer.special_tokens))
    if found is None and is_needed:
        raise TrainingError("training-chat-template", name=run.name)
    return found


def _asked(template: ChatTemplate, tokenizer: Tokenizer, prompt: str) -> list[int]:
    if not prompt.strip():
        raise TrainingError("training-chat-prompt")
    text = template.ask([{"role": "user", "content": prompt}], {"path": "--prompt", "line": 1})
    ((tokens, _),) = tokenizer.encode_rendered([text])
    return tokens


def _ends(template: ChatTemplate, tokenizer: Tokenizer) -> frozenset[int]:
    """Return the tokens after which the model has nothing more to say."""
    end = template.end_of_answer()
    known = {tokenizer.end_of_document_id}
    return frozenset(known if end is None else known | {tokenizer.special_tokens[end]})


def _require_text(prompt: str) -> None:
    """Refuse bytes of the command line that are no text in its encoding."""
    try:
        prompt.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TrainingError("training-prompt-text", position=error.start) from error
