from pathlib import Path

from headway.i18n.lazy_bundle import LazyBundle

TEXT = """# A comment.
first = One
    .next = Two
# About the second.
second = { first } and { -term }, { DOUBLE($count) }
-term = three
several =
    { $count ->
        [one] one line
       *[other] { $count } lines
    }

### A group
circle-a = { circle-b }
circle-b = { circle-a }
broken = { $
last = the end"""


def bundle(folder: Path) -> LazyBundle:
    file = folder / "x.ftl"
    file.write_text(TEXT, encoding="utf-8")
    return LazyBundle(file, "en", {"DOUBLE": lambda value: str(2 * float(value))})


def text(found: LazyBundle, message_id: str, **arguments: str | int | float) -> str:
    message = found.message(message_id)
    assert message is not None
    return found.format(message.value, arguments)


def test_messages_with_attributes_references_terms_and_functions(tmp_path: Path) -> None:
    found = bundle(tmp_path)
    assert text(found, "second", count=3) == "One and three, 6.0"
    first = found.message("first")
    assert first is not None
    assert found.format(first.attributes["next"], {}) == "Two"
    assert text(found, "several", count=1) == "one line"
    assert text(found, "several", count=5) == "5 lines"
    assert text(found, "last") == "the end"


def test_a_message_is_the_same_when_asked_for_again(tmp_path: Path) -> None:
    found = bundle(tmp_path)
    assert text(found, "first") == text(found, "first") == "One"


def test_what_is_not_there(tmp_path: Path) -> None:
    found = bundle(tmp_path)
    assert found.message("none") is None
    assert found.message("broken") is None
    assert text(found, "first") == "One"


def test_reading_a_circle_of_references_ends(tmp_path: Path) -> None:
    assert bundle(tmp_path).message("circle-a") is not None
