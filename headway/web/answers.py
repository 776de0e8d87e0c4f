"""Requests and answers as JSON: one shape for all errors, strict numbers, bounded bodies."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from headway.errors import CatalogError, HeadwayError, MissingDependencyError, RunError
from headway.runs.json_values import encode

LARGEST_JSON_BYTES = 2**20
"""A recipe is a few kilobytes; more in one request is a mistake or an attack."""

_NOT_FOUND = frozenset({"run-unknown", "web-not-found", "web-no-metric", "web-no-catalogue"})
_CONFLICT = frozenset({"run-locked", "run-exists"})


class WebError(HeadwayError):
    """A request that cannot be answered.

    Args:
        message_id: id of the message.
        status: of the HTTP answer.
    """

    def __init__(self, message_id: str, /, status: int = 400, **arguments: Any) -> None:
        super().__init__(message_id, **arguments)
        self.status = status


class JsonResponse(Response):
    """An answer of strict JSON: NaN and infinity are text, as in all of Headway's files."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the bytes of a body."""
        return json.dumps(encode(content), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def status_of(error: HeadwayError) -> int:
    """Return the status of the HTTP answer to an error."""
    if isinstance(error, WebError):
        return error.status
    if error.message_id in _NOT_FOUND:
        return 404
    if error.message_id in _CONFLICT:
        return 409
    if isinstance(error, MissingDependencyError):
        return 501
    if isinstance(error, RunError):
        return 500 if error.message_id.endswith(("-damaged", "-unwritable")) else 400
    return 422 if error.exit_code == 2 or isinstance(error, CatalogError) else 500


def error_response(error: HeadwayError) -> JsonResponse:
    """Return an error as the body that the command line prints too: an id and arguments, no sentence."""
    return JsonResponse(error.to_dict(), status_code=status_of(error))


async def read_json(request: Request) -> dict[str, Any]:
    """Return the object that a request carries.

    Raises:
        WebError: it is too large, or is no JSON object.
    """
    content = await read_bytes(request, LARGEST_JSON_BYTES)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise WebError("web-body-json", reason=str(error)) from error
    if not isinstance(found, dict):
        raise WebError("web-body-json", reason=type(found).__name__)
    return found


async def read_bytes(request: Request, limit_bytes: int) -> bytes:
    """Return the body of a request.

    Raises:
        WebError: it is larger than the limit.
    """
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit_bytes:
            raise WebError("web-body-large", status=413, limit_bytes=limit_bytes)
        parts.append(part)
    return b"".join(parts)


def query_number(query: Mapping[str, str], name: str, default: float | None = None) -> float | None:
    """Return a number of the query; the default where it is not given.

    Raises:
        WebError: it is no finite number.
    """
    text = query.get(name)
    if text is None or not text:
        return default
    try:
        value = float(text)
    except ValueError as error:
        raise WebError("web-query-number", name=name, value=text) from error
    if value != value or value in (float("inf"), float("-inf")):
        raise WebError("web-query-number", name=name, value=text)
    return value


def query_count(query: Mapping[str, str], name: str, default: int, largest: int) -> int:
    """Return a whole number of the query, from 1 to ``largest``.

    Raises:
        WebError: it is none, or outside the range.
    """
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:20]) <= largest:
        raise WebError("web-query-count", name=name, value=text, largest=largest)
    return int(text)


Handler = Callable[[Request], Awaitable[Response]]


def answering(handler: Handler) -> Handler:
    """Turn the errors of a handler into answers."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except HeadwayError as error:
            return error_response(error)

    return answer
