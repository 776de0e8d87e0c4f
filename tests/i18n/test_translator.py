from __future__ import annotations

import contextvars
from pathlib import Path
from typing import Any

import pytest

from headway.errors import RunError
from headway.i18n import Translator, current_translator, use_language
from headway.i18n.negotiation import LOCALES_FOLDER
from headway.i18n.translator import _shortened

ENGLISH = """\
tour-hello = Hello, { $name }.
    .next = Say hello to { $name }.
tour-only-english = Only English.
    .next = Read English.
tour-attribute-only =
    .next = Next alone.
tour-count = { $count ->
    [one] one run
   *[other] { $count } runs
}
tour-functions =
    { BYTES($bytes) }|{ COUNT($count) }
    { DECIMAL($ratio) }|{ DECIMAL($ratio, 5) }|{ DECIMAL($ratio, digits: 2) }
    { DURATION($seconds) }|{ FLOPS($flops) }|{ BYTERATE($rate) }
    { PERCENT($share) }|{ USD($cost) }|{ WATTS($power) }
tour-one = { DECIMAL($value) }
tour-plain = <{ $value }>
"""
PSEUDO = """\
tour-hello = [\N{LATIN SMALL LETTER A WITH RING ABOVE}] { $name } \N{EM DASH} h\N{LATIN SMALL LETTER E WITH GRAVE}llo
tour-attribute-only = A value
tour-functions = { BYTES($bytes) }|{ USD($cost) }
"""
FUNCTIONS = {
    "bytes": 80 * 2**30,
    "count": 15.6e12,
    "ratio": 1234.5678,
    "seconds": 5400.0,
    "flops": 989e12,
    "rate": 3.35e12,
    "share": 0.125,
    "cost": 12.5,
    "power": 700.0,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for language, text in (("en", ENGLISH), ("de", PSEUDO), ("xx-pseudo", PSEUDO)):
        (tmp_path / language).mkdir()
        (tmp_path / language / "tour.ftl").write_text(text, encoding="utf-8")
    return tmp_path


def test_every_function_formats_raw_quantities(folder: Path) -> None:
    assert Translator("en", folder).text("tour-functions", **FUNCTIONS).replace("\n", "|").split("|") == [
        "80 GiB", "15.6T", "1,235", "1,234.6", "1,235", "1 h 30 min", "989 TFLOP/s", "3.35 TB/s", "12.5%", "$12.50",
        "700 W",
    ]  # fmt: skip


def test_functions_follow_the_language(folder: Path) -> None:
    text = Translator("de", folder).text("tour-functions", bytes=1.5 * 2**30, cost=12.5)
    assert text == "1,5 GiB|$12,50"


def test_a_pseudo_locale_is_rendered_with_english_numbers(folder: Path) -> None:
    translator = Translator("xx-pseudo", folder)
    assert translator.text("tour-hello", name="Ada") == PSEUDO.splitlines()[0].partition(" = ")[2].replace(
        "{ $name }", "Ada"
    )
    assert translator.text("tour-functions", bytes=1.5 * 2**30, cost=12.5) == "1.5 GiB|$12.50"


def test_what_a_language_lacks_is_taken_from_english_one_by_one(folder: Path) -> None:
    translator = Translator("de", folder)
    assert translator.text("tour-hello", name="Ada").startswith("[")
    assert translator.text("tour-only-english") == "Only English."
    assert translator.next_step("tour-only-english") == "Read English."
    assert translator.next_step("tour-hello", name="Ada") == "Say hello to Ada."
    assert translator.text("tour-attribute-only") == "A value"
    assert translator.next_step("tour-attribute-only") == "Next alone."


def test_a_language_without_a_catalogue_speaks_english(folder: Path) -> None:
    assert Translator("fr", folder).text("tour-only-english") == "Only English."


def test_an_unknown_message_shows_its_id_and_arguments(folder: Path) -> None:
    translator = Translator("en", folder)
    assert translator.text("tour-absent") == "tour-absent"
    assert translator.text("absent", name="a", count=3) == "absent (name=a, count=3)"
    assert translator.text("tour-attribute-only") == "tour-attribute-only"
    assert translator.next_step("tour-absent") is None
    assert translator.next_step("tour-count") is None
    assert not translator.has("tour-absent")
    assert translator.has("tour-hello")


def test_plurals(folder: Path) -> None:
    translator = Translator("en", folder)
    assert translator.text("tour-count", count=1) == "one run"
    assert translator.text("tour-count", count=1200) == "1,200 runs"


@pytest.mark.parametrize(
    ("value", "function_text", "plain_text"),
    [
        (None, "\N{EM DASH}", "<\N{EM DASH}>"),
        (float("nan"), "\N{EM DASH}", "<NaN>"),
        (float("inf"), "\N{EM DASH}", "<\N{INFINITY}>"),
        (-float("inf"), "\N{EM DASH}", "<-\N{INFINITY}>"),
        (0, "0", "<0>"),
        (-0.0, "0", "<-0>"),
        (-1234, "-1,234", "<-1,234>"),
        (1e300, "1.00e+300", "<1e+300>"),
        (10**30, "1.00e+30", f"<{10**30}>"),
        (1e-300, "1.00e-300", None),
        (True, "\N{EM DASH}", "<true>"),
        ("text", "\N{EM DASH}", "<text>"),
        (["a"], "\N{EM DASH}", "<['a']>"),
        (Path("/x"), "\N{EM DASH}", "</x>"),
    ],
)
def test_any_argument_can_be_rendered(folder: Path, value: Any, function_text: str, plain_text: str | None) -> None:
    translator = Translator("en", folder)
    assert translator.text("tour-one", value=value) == function_text
    if plain_text is not None:
        assert translator.text("tour-plain", value=value) == plain_text


def test_a_missing_argument_does_not_hide_the_message(folder: Path) -> None:
    assert Translator("en", folder).text("tour-hello").startswith("Hello, ")
    assert Translator("en", folder).text("tour-one")


def test_text_is_free_of_isolation_marks(folder: Path) -> None:
    assert Translator("en", folder).text("tour-hello", name="Ada") == "Hello, Ada."


def test_an_error_is_rendered_as_text_and_next_step() -> None:
    error = RunError("run-unknown", name="a", root="/runs", closest="none", known="none")
    text, next_step = Translator("en").error(error)
    assert '"a"' in text
    assert next_step is not None
    assert "headway train" in next_step


def test_the_current_translator_belongs_to_its_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_LANG", "en")

    def inside() -> None:
        chosen = use_language("en")
        assert current_translator() is chosen

    context = contextvars.Context()
    context.run(inside)
    assert context.run(current_translator) is context.run(current_translator)
    assert contextvars.Context().run(current_translator) is not context.run(current_translator)
    assert contextvars.Context().run(current_translator).language == "en"


def test_every_catalogue_loads() -> None:
    for file in LOCALES_FOLDER.glob("*/*.ftl"):
        assert Translator(file.parent.name)._bundle(file.parent.name, file.stem) is not None


@pytest.mark.parametrize("lengths", [(5000,), (5000, 5000), (10, 5000), (1, 2, 9000, 3), (700, 700, 700, 700)])
def test_long_arguments_are_cut_in_their_middle(lengths: tuple[int, ...]) -> None:
    shortened = _shortened({str(index): "a" * length for index, length in enumerate(lengths)})
    texts = [str(text) for text in shortened.values()]
    assert sum(map(len, texts)) <= 1800
    assert all(text == "a" * length for text, length in zip(texts, lengths, strict=True) if length < 100)
    error = RunError("run-unknown", name="n" * 30_000, root="r" * 30_000, closest="c" * 9000, known="k" * 30_000)
    for text in Translator("en").error(error):
        assert text
        assert "{" not in text
