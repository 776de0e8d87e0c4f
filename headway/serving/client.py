"""A small HTTP client of one's own server, over TCP or a Unix socket, that can stop in the middle of an answer."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, final
from urllib.parse import urlsplit

from headway.errors import ServingError

TIMEOUT_SECONDS = 600.0
"""How long a server may be silent: a long prompt on a slow processor says nothing for minutes."""

_DATA, _END = b"data:", b"[DONE]"


@final
class Client:
    """Asks a server that speaks OpenAI's protocol.

    Args:
        place: the URL of a server, or the path of its Unix socket.
        key: that the server asks for.
    """

    def __init__(self, place: str | Path, key: str | None = None) -> None:
        self._place = place
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def get(self, path: str) -> Any:
        """Return the JSON that is at a path; text where it is none.

        Raises:
            ServingError: nobody answers, or with an error.
        """
        return self._whole("GET", path, None)

    def post(self, path: str, content: Mapping[str, Any]) -> Any:
        """Return the JSON that answers some JSON; see `get`."""
        return self._whole("POST", path, content)

    def stream(self, path: str, content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the pieces of an answer as they come; closing the iterator makes the server stop.

        Raises:
            ServingError: nobody answers, with an error, or the answer breaks off.
        """
        connection, answer = self._ask("POST", path, {**content, "stream": True})
        try:
            for raw in answer:
                line = raw.strip()
                if not line.startswith(_DATA):
                    continue
                data = line[len(_DATA) :].strip()
                if data == _END:
                    return
                piece = json.loads(data)
                if "error" in piece:
                    raise ServingError("serving-answer-error", status=200, reason=_reason(piece))
                yield piece
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServingError("serving-answer-broken", place=str(self._place), reason=str(error)) from error
        finally:
            connection.close()

    def _whole(self, method: str, path: str, content: Mapping[str, Any] | None) -> Any:
        connection, answer = self._ask(method, path, content)
        try:
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ServingError("serving-answer-broken", place=str(self._place), reason=str(error)) from error
        finally:
            connection.close()
        try:
            return json.loads(body)
        except ValueError:
            return body.decode("utf-8", "replace")

    def _ask(
        self, method: str, path: str, content: Mapping[str, Any] | None
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection, prefix = self._connection()
        try:
            body = None if content is None else json.dumps(content).encode()
            connection.request(method, prefix + path, body, self._headers)
            answer = connection.getresponse()
            if answer.status >= 400:
                failed = answer.read(64 * 1024)
                raise ServingError("serving-answer-error", status=answer.status, reason=_reason(failed))
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ServingError("serving-nobody-answers", place=str(self._place), reason=str(error)) from error
        except ServingError:
            connection.close()
            raise
        return connection, answer

    def _connection(self) -> tuple[http.client.HTTPConnection, str]:
        if isinstance(self._place, Path):
            return _UnixConnection(self._place), ""
        parts = urlsplit(self._place)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServingError("serving-address", url=self._place)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        # People paste the address with and without the version that all paths begin with.
        return kind(parts.hostname, parts.port, timeout=TIMEOUT_SECONDS), parts.path.rstrip("/").removesuffix("/v1")


@final
class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT_SECONDS)
        self.sock.connect(str(self._path))


def _reason(body: bytes | Mapping[str, Any]) -> str:
    """Return what a server says is wrong."""
    try:
        content: Any = json.loads(body) if isinstance(body, bytes) else body
        error = content["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:500]
    except (ValueError, KeyError, TypeError):
        return body.decode("utf-8", "replace")[:500] if isinstance(body, bytes) else "?"
