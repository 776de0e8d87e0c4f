"""Conversations: rows of several spellings, each turned into one list of messages.

| fields | messages |
|---|---|
| `messages` | as they are: objects with `role` and `content` |
| `prompt`, `completion` | a user's and an assistant's; each may also be a list of messages |
| `instruction`, `output`, perhaps `input` | a user's (the input below the instruction) and an assistant's |

Source: the conversational and prompt-completion formats of TRL (huggingface.co/docs/trl/dataset_formats); Taori et al.
2023 (Stanford Alpaca) for instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headway.errors import DataError
from headway.training.data.rows import Row, json_type, require_unicode

Message = Mapping[str, Any]

ANSWERING_ROLE = "assistant"
ROLES = ("system", "developer", "user", ANSWERING_ROLE, "tool")
SHAPES = (("messages",), ("prompt", "completion"), ("instruction", "output"))
"""The fields that a row must have, one of these; the first that fits counts."""

COLUMNS = ("messages", "prompt", "completion", "instruction", "input", "output")
"""Every field that is read."""


def shape_of(fields: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return which of `SHAPES` a row or a table has; None where it has none."""
    return next((shape for shape in SHAPES if all(name in fields for name in shape)), None)


def messages_of(row: Row) -> list[Message]:
    """Return the conversation of a row.

    Raises:
        DataError: ``data-chat-shape``, or a message has another form, no text, or a role that nobody knows.
    """
    shape = shape_of(row.fields)
    if shape is None:
        present = ", ".join(sorted(row.fields)) or "none"
        raise DataError("data-chat-shape", **row.where, present=present)
    if shape == ("messages",):
        messages = _listed(row, "messages", row.fields["messages"])
    elif shape == ("prompt", "completion"):
        messages = [
            *_turn(row, "prompt", "user", row.fields["prompt"]),
            *_turn(row, "completion", ANSWERING_ROLE, row.fields["completion"]),
        ]
    else:
        asked = _text(row, "instruction", row.fields["instruction"])
        if row.fields.get("input"):
            asked = f"{asked}\n\n{_text(row, 'input', row.fields['input'])}"
        messages = [
            {"role": "user", "content": asked},
            {"role": ANSWERING_ROLE, "content": _text(row, "output", row.fields["output"])},
        ]
    for number, message in enumerate(messages, start=1):
        _check(row, number, message)
    return messages


def _turn(row: Row, field: str, role: str, value: object) -> list[Message]:
    if isinstance(value, list):
        return _listed(row, field, value)
    return [{"role": role, "content": _text(row, field, value)}]


def _text(row: Row, field: str, value: object) -> str:
    if not isinstance(value, str):
        raise DataError("data-chat-text-type", **row.where, field=field, found=json_type(value))
    return value


def _listed(row: Row, field: str, value: object) -> list[Message]:
    if not isinstance(value, list) or not value:
        found = "empty" if value == [] else json_type(value)
        raise DataError("data-chat-messages-type", **row.where, field=field, found=found)
    for number, message in enumerate(value, start=1):
        if not isinstance(message, dict):
            raise DataError("data-chat-message-type", **row.where, message=number, found=json_type(message))
    # In a table every message has every field, most of them without a value.
    return [{name: one for name, one in message.items() if one is not None} for message in value]


def _check(row: Row, number: int, message: Message) -> None:
    where = {**row.where, "message": number}
    role, content = message.get("role"), message.get("content", "")
    if role not in ROLES:
        raise DataError("data-chat-role", **where, role=str(role), known=", ".join(ROLES))
    if not isinstance(content, str):
        raise DataError("data-chat-content-type", **where, found=json_type(content))
    if not content.strip() and not message.get("tool_calls"):
        raise DataError("data-chat-empty-message", **where, role=role)
    for text in strings_of(message):
        require_unicode(text, row.where, "content")


def strings_of(value: object) -> list[str]:
    """Return every string in nested objects and arrays, however deep; names of fields are none."""
    found, left = [], [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Mapping):
            left.extend(one.values())
        elif isinstance(one, Sequence):
            left.extend(one)
    return found
