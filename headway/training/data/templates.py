"""A model's chat template: from messages to the text that the model sees, and which of it is answers.

A template is written in Jinja and comes with the tokenizer, as Hugging Face keeps it: ``chat_template.jinja`` beside
the tokenizer.json, or ``chat_template`` in ``tokenizer_config.json``. It runs in Jinja's immutable sandbox, since it is
somebody else's program. It is not told the date: the same file must give the same tokens every day.

What an answer is follows from the template itself:

- where it marks answers with ``{% generation %}``, what is between the marks;
- else what an assistant's message adds after the generation prompt, the text after which the model begins to speak when
  it is used: ``render(messages[:i], with prompt)`` up to ``render(messages[:i + 1])``. White space after the token that
  ends the turn is not part of it: the model has stopped by then.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, final

from headway.errors import DataError, MissingDependencyError
from headway.training.data.messages import ANSWERING_ROLE, Message, strings_of
from headway.training.data.rows import INSTALL_COMMAND

TEMPLATE_NAME, CONFIG_NAME = "chat_template.jinja", "tokenizer_config.json"

OWN_TEMPLATE = """{% for message in messages %}\
{{ '<|' ~ message.role ~ '|>\\n' ~ message.content ~ eos_token ~ '\\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"""
"""For tokenizers that Headway makes itself, which have no tokens for roles: a role is spelled, and the end of a
document ends each message. Source: the template of Zephyr (Tunstall et al. 2023, arXiv:2310.16944)."""

_START, _END = (f"\ufdd0{secrets.token_hex(8)}\ufdd1" for _ in range(2))
"""What stands for the marks while a template runs: not characters, and in no text by chance."""

_SPECIAL_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class Rendered(NamedTuple):
    """A conversation as text."""

    text: str
    answers: tuple[tuple[int, int], ...]
    """Where answers are: first character, and the one after the last."""


@final
class ChatTemplate:
    """Turns conversations into text.

    Args:
        source: the template.
        names: the special tokens that the template may name, such as ``eos_token``.
        special_tokens: every spelling that the tokenizer reads as one token, whoever writes it.
        path: where the template came from, for errors.

    Raises:
        DataError: ``data-chat-template-invalid``.
        MissingDependencyError: Jinja is not installed.
    """

    def __init__(self, source: str, names: Mapping[str, str], special_tokens: Sequence[str], path: str) -> None:
        self.source = source
        self._names = dict(names)
        self._special_tokens = tuple(special_tokens)
        self._path = path
        self._program = self._compiled()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self._names, self._special_tokens, self._path)

    @property
    def digest(self) -> str:
        """Names what the template makes of a conversation."""
        content = json.dumps([self.source, sorted(self._names.items())])
        return hashlib.sha256(content.encode()).hexdigest()

    def save(self, folder: Path) -> None:
        """Write the template, and the tokens that it may name, as `find_template` finds them beside a tokenizer."""
        for name, content in self.files().items():
            (folder / name).write_bytes(content)

    def files(self) -> dict[str, bytes]:
        """Return the files of `save` by name."""
        names = json.dumps(self._names, indent=1) + "\n"
        return {TEMPLATE_NAME: self.source.encode("utf-8"), CONFIG_NAME: names.encode("utf-8")}

    def render(self, messages: Sequence[Message], where: Mapping[str, Any], *, needs_answers: bool = True) -> Rendered:
        """Return a conversation as text.

        Args:
            messages: of the conversation.
            where: names its place in errors.
            needs_answers: find out which of the text is answers, of which there must be one.

        Raises:
            DataError: the template refuses the conversation or does not tell its answers, there are none, or a message
                spells a special token, or has tool calls that the template does not know.
        """
        self._refuse_special_tokens(messages, where)
        self._refuse_tool_calls(messages, where)
        marked = self._text(messages, where)
        rendered = _without_marks(marked)
        if not needs_answers:
            return Rendered(rendered.text, ())
        if not rendered.answers:
            rendered = Rendered(marked, tuple(self._added_by_answers(messages, marked, where)))
        if not rendered.answers:
            raise DataError("data-chat-without-answer", **where)
        return rendered

    def _added_by_answers(
        self, messages: Sequence[Message], text: str, where: Mapping[str, Any]
    ) -> Iterator[tuple[int, int]]:
        for number, message in enumerate(messages):
            if message["role"] != ANSWERING_ROLE:
                continue
            before = self._text(messages[:number], where, prompts=True)
            after = self._text(messages[: number + 1], where)
            if not (text.startswith(after) and after.startswith(before)):
                raise DataError("data-chat-answer-unclear", **where, message=number + 1, template=self._path)
            yield len(before), self._end_of_turn(after, len(before))

    def _end_of_turn(self, text: str, start: int) -> int:
        trimmed = text.rstrip()
        ends_with_token = trimmed.endswith(self._special_tokens)
        return len(trimmed) if ends_with_token and len(trimmed) > start else len(text)

    def _text(self, messages: Sequence[Message], where: Mapping[str, Any], *, prompts: bool = False) -> str:
        try:
            return str(self._program.render(messages=messages, add_generation_prompt=prompts, **self._names))
        except Exception as error:  # a template is a program: it may fail in any way
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DataError("data-chat-template-refuses", **where, template=self._path, reason=reason) from error

    def _refuse_special_tokens(self, messages: Sequence[Message], where: Mapping[str, Any]) -> None:
        """Nobody may end a turn or speak for another by spelling the token that does."""
        for number, message in enumerate(messages, start=1):
            for text in strings_of(message):
                for token in self._special_tokens:
                    if token in text:
                        raise DataError("data-chat-special-token", **where, message=number, token=token)

    def _refuse_tool_calls(self, messages: Sequence[Message], where: Mapping[str, Any]) -> None:
        """Tool calls that the template says nothing of would be lost without a word."""
        if "tool_calls" in self.source:
            return
        for number, message in enumerate(messages, start=1):
            if message.get("tool_calls"):
                raise DataError("data-chat-tool-calls", **where, message=number, template=self._path)

    def ask(self, messages: Sequence[Message], where: Mapping[str, Any]) -> str:
        """Return a conversation up to where the model is to speak.

        Raises:
            DataError: the template refuses it, or a message spells a special token.
        """
        self._refuse_special_tokens(messages, where)
        return _without_marks(self._text(messages, where, prompts=True)).text

    def end_of_answer(self) -> str | None:
        """Return the special token with which the template ends an answer; None where it ends it with none."""
        answer = secrets.token_hex(8)
        messages = [{"role": "user", "content": "."}, {"role": ANSWERING_ROLE, "content": answer}]
        text = _without_marks(self._text(messages, {"path": self._path, "line": 1})).text
        rest = text.partition(answer)[2].lstrip()
        return next((token for token in self._special_tokens if rest.startswith(token)), None)

    def _compiled(self) -> Any:
        try:
            from headway.training.data.template_language import TemplateError, compiled
        except ImportError as error:
            raise MissingDependencyError("data-package-missing", package="jinja2", command=INSTALL_COMMAND) from error
        try:
            return compiled(self.source, (_START, _END))
        except TemplateError as error:
            raise DataError("data-chat-template-invalid", path=self._path, reason=str(error)) from error


def _without_marks(text: str) -> Rendered:
    if _START not in text:
        return Rendered(text, ())
    parts = text.split(_START)
    clean, answers = parts[0], []
    for part in parts[1:]:
        answer, _, rest = part.partition(_END)
        if answer:
            answers.append((len(clean), len(clean) + len(answer)))
        clean += answer + rest
    return Rendered(clean, tuple(answers))


def find_template(tokenizer_path: Path, special_tokens: Sequence[str]) -> ChatTemplate | None:
    """Return the chat template that lies beside a tokenizer; None where there is none.

    Args:
        tokenizer_path: a tokenizer.json, or its folder.
        special_tokens: of that tokenizer.

    Raises:
        DataError: ``data-chat-template-invalid``.
        MissingDependencyError: Jinja is not installed.
    """
    folder = tokenizer_path if tokenizer_path.is_dir() else tokenizer_path.parent
    config, names = _read_config(folder / CONFIG_NAME), special_names(folder)
    file = folder / TEMPLATE_NAME
    if os.path.lexists(file):
        return ChatTemplate(_read(file), names, special_tokens, str(file))
    source = config.get("chat_template")
    if isinstance(source, list):
        # Several by name; "default" is the one for plain conversations.
        source = next(
            (one.get("template") for one in source if isinstance(one, dict) and one.get("name") == "default"), None
        )
    if not isinstance(source, str):
        return None
    return ChatTemplate(source, names, special_tokens, str(folder / CONFIG_NAME))


def special_names(folder: Path) -> dict[str, str]:
    """Return the spellings of the special tokens that a tokenizer's configuration names, such as ``eos_token``.

    Raises:
        DataError: ``data-chat-template-invalid``.
    """
    config = _read_config(folder / CONFIG_NAME)
    return {name: text for name in _SPECIAL_NAMES if (text := _spelling(config.get(name))) is not None}


def own_template(end_token: str, special_tokens: Sequence[str]) -> ChatTemplate:
    """Return the template for a tokenizer that Headway makes itself."""
    return ChatTemplate(OWN_TEMPLATE, {"eos_token": end_token}, special_tokens, TEMPLATE_NAME)


def _read_config(file: Path) -> dict[str, Any]:
    if not os.path.lexists(file):
        return {}
    try:
        config = json.loads(_read(file))
    except ValueError as error:
        raise DataError("data-chat-template-invalid", path=str(file), reason=str(error)) from error
    return config if isinstance(config, dict) else {}


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError("data-chat-template-invalid", path=str(file), reason=str(error)) from error


def _spelling(token: object) -> str | None:
    """Return the text of a token, which a configuration gives as such or as an object."""
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else None
