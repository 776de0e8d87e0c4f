"""``headway chat``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headway.cli.localized import command, error_lines, option
from headway.cli.output import say
from headway.cli.serve import KEY_VARIABLE, placed
from headway.errors import ServingError
from headway.i18n import current_translator

if TYPE_CHECKING:
    from headway.serving.client import Client

LEAVE = ("/exit", "/quit")
FORGET = "/new"


@command("chat")
@click.argument("place", metavar="MODEL|URL")
@option("--system", help_id="cli-option-system", metavar="TEXT")
@option("--tokens", help_id="cli-option-tokens", type=click.IntRange(1), default=1024, show_default=True)
@option("--temperature", help_id="cli-option-temperature", type=click.FloatRange(0), default=0.8, show_default=True)
@option("--ctx", "context", help_id="cli-option-ctx", type=click.IntRange(16), metavar="TOKENS")
@option("--api-key", "key", help_id="cli-option-api-key", envvar=KEY_VARIABLE, metavar="KEY")
def chat(place: str, system: str | None, tokens: int, temperature: float, context: int | None, key: str | None) -> None:
    """Talk with a model."""
    from headway.serving.conversation import Conversation

    with _client(place, context, key) as client:
        conversation = Conversation(client, system=system, max_tokens=tokens, temperature=temperature)
        say(current_translator().text("cli-chat-hint"))
        for asked in _lines():
            if asked == FORGET:
                conversation.forget()
                continue
            _show(conversation.ask(asked))


def _lines() -> Iterator[str]:
    """Yield what is asked, until the input ends, the user leaves, or interrupts where nothing is being said."""
    while True:
        try:
            # A terminal gets a prompt, and its own editing of the line.
            line = input("> ") if sys.stdin.isatty() else input()
        except EOFError:
            return
        if line.strip() in LEAVE:
            return
        if line.strip():
            yield line.strip()


def _show(pieces: Iterator[str]) -> None:
    """Print an answer as it comes; Ctrl-C stops the answer, and not the conversation."""
    try:
        for piece in pieces:
            click.echo(piece, nl=False)
    except KeyboardInterrupt:
        say(current_translator().text("cli-chat-stopped"))
    except ServingError as error:
        say("\n".join(error_lines(error)))
    click.echo()


@contextmanager
def _client(place: str, context: int | None, key: str | None) -> Iterator[Client]:
    from headway.serving.client import Client

    if place.startswith(("http://", "https://")):
        client = Client(place, key)
        client.get("/v1/models")
        yield client
        return
    from headway.serving.engine import Engine
    from headway.serving.placement import Wishes

    placement = placed(Path(place), Wishes(context=context))
    say(current_translator().text("cli-serve-loading", model=placement.settings.alias))
    with Engine(placement.settings) as engine:
        yield Client(engine.socket_path)
