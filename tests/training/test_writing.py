"""What a model is asked, and when it has answered; the model itself is one that says what it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headway.errors import DataError, HeadwayError, TrainingError
from headway.i18n import Translator
from headway.runs import RunFolder
from headway.training import writing
from headway.training.data import Tokenizer
from headway.training.data.templates import ChatTemplate, own_template
from headway.training.engines.torch.generation import Sampling

CHATML = """{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


class Speaker:
    """A run whose model says a text."""

    def __init__(self, make_small_recipe: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.run = RunFolder.create(folder, make_small_recipe(), {}, None)
        self.tokenizer = Tokenizer.byte()
        self.tokenizer.save(self.run.tokenizer_path)
        self.says: list[int] = []
        self.asked: list[int] = []
        monkeypatch.setattr(writing, "read_model", lambda *_: {})
        monkeypatch.setattr(writing, "load_model", lambda *_: None)
        monkeypatch.setattr(writing, "generate", self._generate)

    def _generate(self, _model: Any, prompt: list[int], max_tokens: int, _sampling: Sampling) -> Iterator[int]:
        self.asked = prompt
        yield from self.says[:max_tokens]

    def write(self, prompt: str, **options: Any) -> str:
        return "".join(writing.write_text(self.run, prompt, 100, Sampling(), **options))


@pytest.fixture
def speaker(make_small_recipe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Speaker:
    return Speaker(make_small_recipe, tmp_path, monkeypatch)


def test_a_run_on_text_goes_on_from_the_prompt(speaker: Speaker) -> None:
    end = speaker.tokenizer.end_of_document_id
    speaker.says = [*b" more", end, *b"next"]
    assert speaker.write("some") == " morenext"
    assert speaker.asked == list(b"some")
    speaker.write("")
    assert speaker.asked == [end]


def test_a_run_on_conversations_answers_and_stops(speaker: Speaker) -> None:
    end = speaker.tokenizer.end_of_document_id
    own_template("<|endoftext|>", tuple(speaker.tokenizer.special_tokens)).save(speaker.run.tokenizer_path.parent)
    speaker.says = [*b"yes", end, *b"no"]
    assert speaker.write("is it?") == "yes"
    assert speaker.asked == [*b"<|user|>\nis it?", end, *b"\n<|assistant|>\n"]
    assert speaker.write("is it?", chat=False) == "yesno"
    assert speaker.asked == list(b"is it?")


def test_an_answer_ends_with_the_token_of_its_template() -> None:
    tokens = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    assert ChatTemplate(CHATML, {}, tokens, "t").end_of_answer() == "<|im_end|>"
    assert ChatTemplate("{{ messages[-1].content }} end", {}, tokens, "t").end_of_answer() is None
    text = ChatTemplate(CHATML, {}, tokens, "t").ask([{"role": "user", "content": "q"}], {})
    assert text == "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("prompt", "has_template", "kind", "message_id"),
    [
        ("hello", False, TrainingError, "training-chat-template"),
        (" ", True, TrainingError, "training-chat-prompt"),
        ("<|endoftext|>", True, DataError, "data-chat-special-token"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    prompt: str, has_template: bool, kind: type[HeadwayError], message_id: str, speaker: Speaker
) -> None:
    if has_template:
        own_template("<|endoftext|>", tuple(speaker.tokenizer.special_tokens)).save(speaker.run.tokenizer_path.parent)
    with pytest.raises(kind) as caught:
        speaker.write(prompt, chat=True)
    assert caught.value.message_id == message_id
    text, next_step = Translator("en").error(caught.value)
    assert "{$" not in text and next_step
