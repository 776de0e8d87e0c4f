import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.i18n import Translator
from headway.i18n.plain import without_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("llama", "llama"),
        ("\x1b[31mred\x07\x00\x9b2J", "[31mred2J"),
        ("two\nlines\tand a tab\r", "two\nlines\tand a tab"),
        ("a\u202etxt.exe\u2066", "atxt.exe"),
        ("\u4f60\u597d \u0926\u0947\u0935", "\u4f60\u597d \u0926\u0947\u0935"),
        ("half \ud800", "half ?"),
        ("", ""),
    ],
)
def test_control_characters_are_left_out(text: str, shown: str) -> None:
    assert without_controls(text) == shown


@given(st.text())
def test_what_is_shown_moves_no_cursor_and_can_be_written(text: str) -> None:
    shown = without_controls(text)
    assert not set(shown) & ({chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"})
    shown.encode()
    assert without_controls(shown) == shown


def test_messages_show_none() -> None:
    translator = Translator("en")
    assert "\x1b" not in translator.text("recipe-not-found", name="\x1b]0;owned\x07", closest="none")
    assert translator.text("no-such-message", name="\x1b[2J") == "no-such-message (name=[2J)"
