from __future__ import annotations

import pytest

from headway.training.data.encoding import answer_tokens
from headway.training.data.tokenizers import Tokenizer


@pytest.mark.parametrize(
    ("offsets", "answers", "expected"),
    [
        ([(0, 2), (2, 4), (4, 5)], [(2, 4)], [False, True, False]),
        # A token that begins before the answer and ends in it; the character of another takes two tokens.
        ([(0, 3), (3, 4), (3, 4), (4, 5)], [(2, 4)], [True, True, True, False]),
        ([(0, 2), (2, 4), (4, 5)], [(0, 1), (4, 5)], [True, False, True]),
        ([(0, 2), (2, 2), (2, 4)], [(2, 4)], [False, True, True]),
        ([(0, 2)], [], [False]),
        ([], [(0, 1)], []),
    ],
)
def test_tokens_of_answers(
    offsets: list[tuple[int, int]], answers: list[tuple[int, int]], expected: list[bool]
) -> None:
    assert answer_tokens(offsets, answers) == expected


@pytest.mark.parametrize("tokenizer", [Tokenizer.byte(), Tokenizer.train_bpe(["the answer is four"] * 9, 290)])
def test_the_tokens_of_an_answer_spell_it(tokenizer: Tokenizer) -> None:
    text = "what is it? the answer \N{SNOWMAN} is four! good"
    first, last = text.index("the"), text.index(" good")
    ((ids, offsets),) = tokenizer.encode_rendered([text])
    marks = answer_tokens(offsets, [(first, last)])
    answer = tokenizer.decode([token for token, mark in zip(ids, marks, strict=True) if mark])
    # A token of the trained one begins with the space before the word.
    assert answer.strip() == text[first:last]
