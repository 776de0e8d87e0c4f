"""One request to llama.cpp over its Unix socket, whose answer comes piece by piece.

Closing the connection is how llama.cpp learns that nobody waits for the answer any more: it stops writing it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import h11

_READ_BYTES = 64 * 1024


class UpstreamError(Exception):
    """llama.cpp did not answer, or broke off."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer that has begun.

    Attributes:
        status: of HTTP.
        content_type: of its body.
        pieces: of its body.
    """

    status: int
    content_type: str
    pieces: AsyncIterator[bytes]


@asynccontextmanager
async def ask(socket_path: Path, method: str, path: str, body: bytes) -> AsyncIterator[Answer]:
    """Send a request and give its answer; leaving the block closes the connection.

    Args:
        socket_path: where llama.cpp listens.
        method: of HTTP.
        path: to ask for.
        body: JSON, or nothing.

    Raises:
        UpstreamError: it does not listen, or breaks off; also out of `Answer.pieces`.
    """
    try:
        stream = await anyio.connect_unix(socket_path)
    except OSError as error:
        raise UpstreamError(str(error)) from error
    async with stream:
        connection = h11.Connection(h11.CLIENT)
        headers = [("Host", "engine"), ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        request = h11.Request(method=method, target=path, headers=[*headers, ("Connection", "close")])
        try:
            sent = connection.send(request) or b""
            sent += connection.send(h11.Data(data=body)) or b""
            sent += connection.send(h11.EndOfMessage()) or b""
            await stream.send(sent)
            event = await _next(connection, stream)
            while isinstance(event, h11.InformationalResponse):
                event = await _next(connection, stream)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise UpstreamError(str(error) or type(error).__name__) from error
        if not isinstance(event, h11.Response):
            raise UpstreamError("no answer")
        kind = next((value for name, value in event.headers if name == b"content-type"), b"application/json")
        yield Answer(status=event.status_code, content_type=kind.decode("latin-1"), pieces=_pieces(connection, stream))


async def _pieces(connection: h11.Connection, stream: anyio.abc.ByteStream) -> AsyncIterator[bytes]:
    while True:
        event = await _next(connection, stream)
        if isinstance(event, h11.Data):
            yield bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return
        else:
            raise UpstreamError("the answer broke off")


async def _next(connection: h11.Connection, stream: anyio.abc.ByteStream) -> object:
    while True:
        try:
            event = connection.next_event()
            if event is not h11.NEED_DATA:
                return event
            connection.receive_data(await stream.receive(_READ_BYTES))
        except anyio.EndOfStream:
            try:
                connection.receive_data(b"")
            except h11.RemoteProtocolError as error:
                raise UpstreamError(str(error)) from error
        except (h11.RemoteProtocolError, anyio.BrokenResourceError) as error:
            raise UpstreamError(str(error)) from error
