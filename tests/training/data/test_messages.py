from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fluent.syntax import FluentParser, ast

from headway.i18n.negotiation import LOCALES_FOLDER
from headway.training import data
from headway.training.data.messages import messages_of, strings_of
from headway.training.data.rows import Row


def test_every_id_in_the_code_has_a_message_and_the_reverse() -> None:
    catalogue = FluentParser().parse((LOCALES_FOLDER / "en" / "data.ftl").read_text())
    assert not [entry.content for entry in catalogue.body if isinstance(entry, ast.Junk)]
    messages = {entry.id.name for entry in catalogue.body if isinstance(entry, ast.Message)}
    folder = Path(data.__file__).parent
    used = {name for file in folder.glob("*.py") for name in re.findall(r'"(data-[a-z0-9-]+)"', file.read_text())}
    assert used == messages


def row(**fields: Any) -> Row:
    return Row(fields, "a.jsonl", 3)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}], "id": 1},
            [("system", "s"), ("user", "u")],
        ),
        ({"prompt": "p", "completion": "c"}, [("user", "p"), ("assistant", "c")]),
        (
            {"prompt": [{"role": "user", "content": "p"}], "completion": [{"role": "assistant", "content": "c"}]},
            [("user", "p"), ("assistant", "c")],
        ),
        ({"instruction": "i", "output": "o"}, [("user", "i"), ("assistant", "o")]),
        ({"instruction": "i", "input": "", "output": "o"}, [("user", "i"), ("assistant", "o")]),
        ({"instruction": "i", "input": "n", "output": "o"}, [("user", "i\n\nn"), ("assistant", "o")]),
    ],
)
def test_every_shape_becomes_messages(fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert [(message["role"], message["content"]) for message in messages_of(row(**fields))] == expected


def test_what_a_table_leaves_open_is_left_out() -> None:
    """In Parquet each message has the fields of all."""
    (message,) = messages_of(row(messages=[{"role": "user", "content": "u", "name": None}]))
    assert message == {"role": "user", "content": "u"}


def test_a_call_of_a_tool_needs_no_text() -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    assert messages_of(row(messages=[call])) == [call]


USER = {"role": "user", "content": "u"}
WRONG: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"text": "t", "prompt": "p"}, "data-chat-shape", {"present": "prompt, text"}),
    ({}, "data-chat-shape", {"present": "none"}),
    ({"messages": "hello"}, "data-chat-messages-type", {"field": "messages", "found": "string"}),
    ({"messages": []}, "data-chat-messages-type", {"found": "empty"}),
    ({"prompt": [], "completion": "c"}, "data-chat-messages-type", {"field": "prompt", "found": "empty"}),
    ({"messages": [USER, "hello"]}, "data-chat-message-type", {"message": 2, "found": "string"}),
    ({"prompt": "p", "completion": 1}, "data-chat-text-type", {"field": "completion", "found": "number"}),
    ({"instruction": None, "output": "o"}, "data-chat-text-type", {"field": "instruction", "found": "null"}),
    ({"instruction": "i", "input": ["n"], "output": "o"}, "data-chat-text-type", {"field": "input", "found": "array"}),
    ({"messages": [{"role": "robot", "content": "c"}]}, "data-chat-role", {"message": 1, "role": "robot"}),
    ({"messages": [{"content": "c"}]}, "data-chat-role", {"message": 1, "role": "None"}),
    ({"messages": [{"role": "user", "content": [1]}]}, "data-chat-content-type", {"message": 1, "found": "array"}),
    ({"messages": [USER, {"role": "user", "content": " \n"}]}, "data-chat-empty-message", {"message": 2}),
    ({"messages": [{"role": "user"}]}, "data-chat-empty-message", {"message": 1, "role": "user"}),
    ({"prompt": "", "completion": "c"}, "data-chat-empty-message", {"message": 1}),
    ({"messages": [{"role": "user", "content": "\ud83d"}]}, "data-lone-surrogate", {"field": "content"}),
]


@pytest.mark.parametrize(("fields", "message_id", "arguments"), WRONG)
def test_other_conversations_are_refused_with_their_place(
    fields: dict[str, Any], message_id: str, arguments: dict[str, Any], refused
) -> None:
    with refused(message_id, path="a.jsonl", line=3, **arguments):
        messages_of(row(**fields))


def test_all_strings_are_found_however_deep_they_lie() -> None:
    deep: object = "bottom"
    for _ in range(100_000):
        deep = [deep]
    assert sorted(strings_of({"a": "x", "b": [1, None, {"c": "y"}], "d": deep})) == ["bottom", "x", "y"]
