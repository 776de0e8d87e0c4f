"""From files of conversations to documents: each the text that the model's template makes of it, and its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from headway.errors import DataError
from headway.recipe.sections import DataConfig
from headway.training.data.formats import format_of, opened, read_rows
from headway.training.data.locations import Location, location_of
from headway.training.data.messages import COLUMNS, messages_of, shape_of
from headway.training.data.rows import BadRows, Cursor, Row, parquet_columns
from headway.training.data.sources import Document, Place, SourceFile, each_file, list_files
from headway.training.data.templates import ChatTemplate, find_template, own_template
from headway.training.data.tokenizers import (
    BPE_SPECIAL_TOKENS,
    BYTE_SPECIAL_TOKENS,
    END_OF_DOCUMENT,
    Tokenizer,
    is_built_in,
)


def holds_chats(data: DataConfig, files: Sequence[SourceFile]) -> bool:
    """Say whether the data is conversations: as the recipe says, or as the first row has it.

    Raises:
        DataError: the recipe says so, and a file cannot hold any; or the first file cannot be read.
    """
    if data.format == "text" or not files:
        return False
    if data.format == "auto":
        return _first_fields_are_chat(location_of(files[0].path), data.text_field)
    for file in files:
        if format_of(location_of(file.path)).kind == "text":
            raise DataError("data-chat-file-kind", path=file.path)
    return True


def chat_template(data: DataConfig, tokenizer: Tokenizer | None) -> ChatTemplate:
    """Return the template of the tokenizer's model, or ours for a tokenizer that Headway makes itself.

    Args:
        data: the section ``[data]``.
        tokenizer: that it names; None where it is to be trained.

    Raises:
        DataError: ``data-chat-template-missing``, or the template cannot be read.
        MissingDependencyError: Jinja is not installed.
    """
    if tokenizer is None:
        return own_template(END_OF_DOCUMENT, BPE_SPECIAL_TOKENS)
    special = tuple(tokenizer.special_tokens)
    found = None if is_built_in(data.tokenizer) else find_template(Path(data.tokenizer).expanduser(), special)
    if found is not None:
        return found
    # A run may go on from another that Headway made the tokenizer for; it is a file by then.
    if set(special) not in (set(BPE_SPECIAL_TOKENS), set(BYTE_SPECIAL_TOKENS)):
        raise DataError("data-chat-template-missing", path=data.tokenizer)
    return own_template(END_OF_DOCUMENT, special)


def require_template(data: DataConfig) -> None:
    """Refuse conversations that no template can make text of.

    Raises:
        DataError: the template is missing or cannot be read, as may be the tokenizer, or a file holds no conversations.
        MissingDependencyError: a package is not installed.
    """
    if holds_chats(data, list_files(data)):
        chat_template(data, None if is_built_in(data.tokenizer) else Tokenizer.load(data.tokenizer))


def conversations(
    files: Sequence[SourceFile],
    template: ChatTemplate,
    *,
    needs_answers: bool,
    max_bytes: int | None = None,
    bad: BadRows | None = None,
    at: Place | None = None,
) -> Iterator[Document]:
    """Yield the conversations of the files as documents.

    Args:
        files: of JSON Lines or Parquet.
        template: makes text of messages.
        needs_answers: refuse conversations without an answer.
        max_bytes: stop before the conversation with which there would be more text.
        bad: takes the rows that cannot be used; the first one is an error by default.
        at: where to begin, and where reading is: at each conversation, behind it.

    Raises:
        DataError: a file or a row cannot be used.
        MissingDependencyError: a package that reads the format is not installed.
    """
    bad = bad or BadRows()
    left_bytes = max_bytes

    def read(file: SourceFile, cursor: Cursor) -> Iterator[Row]:
        location = location_of(file.path)
        _require_columns(location)
        return read_rows(location, COLUMNS, bad, cursor)

    for row in each_file(files, at or Place(), read):
        rendered = None
        with bad:
            rendered = template.render(messages_of(row), row.where, needs_answers=needs_answers)
        if rendered is None:
            continue
        content = rendered.text.encode("utf-8")
        if left_bytes is not None:
            left_bytes -= len(content)
            if left_bytes < 0:
                return
        yield Document(rendered.text, len(content), blake2b(content, digest_size=16).digest(), rendered.answers)


def _first_fields_are_chat(path: Location, text_field: str) -> bool:
    kind = format_of(path).kind
    if kind == "text":
        return False
    if kind == "parquet":
        with opened(path) as file:
            fields = dict.fromkeys(parquet_columns(path, file))
    else:
        first = next(read_rows(path, (), BadRows(skips=True)), None)
        fields = {} if first is None else dict.fromkeys(first.fields)
    return text_field not in fields and shape_of(fields) is not None


def _require_columns(path: Location) -> None:
    if format_of(path).kind != "parquet":
        return
    with opened(path) as file:
        present = parquet_columns(path, file)
    if shape_of(dict.fromkeys(present)) is None:
        raise DataError("data-chat-columns", path=str(path), present=", ".join(present) or "none")
