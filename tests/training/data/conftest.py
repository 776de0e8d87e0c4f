"""What the tests of the data share: a check of refusals, and small corpora."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from headway.errors import DataError, HeadwayError
from headway.i18n import Translator

Refused = Callable[..., AbstractContextManager[pytest.ExceptionInfo[HeadwayError]]]


@contextmanager
def _refused(
    message_id: str, kind: type[HeadwayError] = DataError, /, **arguments: Any
) -> Iterator[pytest.ExceptionInfo[HeadwayError]]:
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert error.message_id == message_id, str(error)
    assert {name: error.arguments.get(name) for name in arguments} == arguments
    translator = Translator("en")
    text, next_step = translator.error(error)
    # A catalogue entry that names an argument which was not passed shows it as {$name}.
    assert text != message_id and "{$" not in text
    assert next_step and "{$" not in next_step


@pytest.fixture
def refused() -> Refused:
    """Expect an error with this id and these arguments, whose message can be rendered in full."""
    return _refused


def _prose(seed: int, num_words: int) -> str:
    generator = random.Random(seed)
    words = ["".join(generator.choices("abcdefghij", k=generator.randint(1, 8))) for _ in range(50)]
    return " ".join(generator.choices(words, k=num_words)) + "\n"


@pytest.fixture
def prose() -> Callable[[int, int], str]:
    """Make text of a number of words; the same seed gives the same text."""
    return _prose


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    """A folder of 40 small documents."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02d}.txt").write_text(_prose(number, 200))
    return folder
