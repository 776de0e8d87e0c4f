"""The endpoint as an ASGI application: checks who asks and what, waits for a place, and passes the answer on.

Errors have OpenAI's form, ``{"error": {"message", "type", "code"}}``, so that its clients understand them; their texts
are English, since they are for programs and their logs.
Source: OpenAI API reference, "Error codes"; its Python client retries 429, and waits as ``Retry-After`` says.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, final
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from headway.serving.endpoint.counting import Counts
from headway.serving.endpoint.rules import FullError, Gate, Rules
from headway.serving.endpoint.upstream import UpstreamError, ask

_ASKED = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings")
_MODELS, _HEALTH, _METRICS = "/v1/models", "/health", "/metrics"
_PATHS = {**dict.fromkeys(_ASKED, "POST"), _MODELS: "GET", _HEALTH: "GET", _METRICS: "GET"}
_MAX_DEPTH = 64
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Host(Protocol):
    """Keeps llama.cpp alive."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked."""

    async def get(self, path: str) -> tuple[int, bytes]:
        """Return status and body of what is at a path of llama.cpp; see `ask` for errors."""

    @property
    def socket_path(self) -> Path:
        """Where it listens."""

    async def knows_tools(self) -> bool:
        """Whether the model's template has a form for calls of tools."""


class RefusalError(Exception):
    """A request that is not passed on.

    Args:
        status: of HTTP.
        code: stable name of the reason.
        message: for whoever reads the client's log.
        headers: more of them.
    """

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})

    def response(self) -> JSONResponse:
        """Return the answer, in OpenAI's form."""
        kind = "invalid_request_error" if self.status < 500 and self.status != 429 else "server_error"
        body = {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}
        return JSONResponse(body, status_code=self.status, headers=self.headers)


@final
class Endpoint:
    """Answers HTTP.

    Args:
        host: of llama.cpp.
        rules: what is let through.
        model: the name under which the model is listed.
    """

    def __init__(self, host: Host, rules: Rules, model: str) -> None:
        self._host, self._rules, self._model = host, rules, model
        self.gate = Gate(rules.parallel, rules.queue)
        self.counts = Counts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        path = scope["path"].rstrip("/") or "/"
        counted = path if path in _PATHS else "other"

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.counts.requests[counted, message["status"]] += 1
                # Nobody else's page reads an answer, and no cache keeps it.
                message["headers"] = [*message.get("headers", []), (b"cache-control", b"no-store")]
            await send(message)

        try:
            self._check(scope, path)
            if path in _ASKED:
                body = await self._body(scope, receive)
                await self._check_content(path, body)
                await self._pass_on(path, body, receive, counting)
            else:
                await (await self._own(path))(scope, receive, counting)
        except RefusalError as refusal:
            await refusal.response()(scope, receive, counting)
        except ClientGoneError:
            self.counts.disconnected += 1

    def _check(self, scope: Scope, path: str) -> None:
        headers = Headers(scope=scope)
        if self._rules.hosts is not None and _host_name(headers.get("host", "")) not in _LOOPBACK | self._rules.hosts:
            raise RefusalError(421, "wrong_host", "This server is not asked for by that name.")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            raise RefusalError(403, "cross_origin", "Pages of other sites may not ask this server.")
        if path != _HEALTH and self._rules.key is not None:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._rules.key.encode()):
                raise RefusalError(401, "invalid_api_key", "Show the API key as `Authorization: Bearer KEY`.")
        if path not in _PATHS and not path.startswith(f"{_MODELS}/"):
            raise RefusalError(404, "unknown_path", f"There is nothing here; there is {', '.join(_PATHS)}.")
        method = _PATHS.get(path, "GET")
        if scope["method"] != method:
            raise RefusalError(405, "wrong_method", f"Ask for {path} with {method}.", {"Allow": method})

    async def _own(self, path: str) -> Response:
        if path == _HEALTH:
            ready = self._host.is_ready
            return JSONResponse({"status": "ok" if ready else "loading"}, status_code=200 if ready else 503)
        if path == _METRICS:
            return PlainTextResponse(self.counts.text(self.gate) + await self._metrics_of_engine())
        entry = {"id": self._model, "object": "model", "created": 0, "owned_by": "headway"}
        if path == _MODELS:
            return JSONResponse({"object": "list", "data": [entry]})
        if path.removeprefix(f"{_MODELS}/") != self._model:
            raise RefusalError(404, "model_not_found", f"This server has one model: {self._model}.")
        return JSONResponse(entry)

    async def _metrics_of_engine(self) -> str:
        try:
            _, body = await self._host.get(_METRICS)
        except UpstreamError:
            return ""
        return body.decode("utf-8", "replace")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        if not Headers(scope=scope).get("content-type", "").lower().startswith("application/json"):
            # A page can send anything else without asking first.
            raise RefusalError(415, "not_json", "Send JSON, with `Content-Type: application/json`.")
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._rules.max_body_bytes:
                raise RefusalError(413, "too_large", f"A request has at most {self._rules.max_body_bytes} bytes.")
            if not message.get("more_body"):
                break
        return b"".join(parts)

    async def _check_content(self, path: str, body: bytes) -> None:
        try:
            content = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusalError(400, "malformed_json", f"The body is no JSON: {str(error)[:200]}.") from error
        if not isinstance(content, dict):
            raise RefusalError(400, "malformed_json", "The body must be a JSON object.")
        if _is_deeper(content, _MAX_DEPTH):
            raise RefusalError(400, "malformed_json", f"The body nests deeper than {_MAX_DEPTH} levels.")
        if "/chat/" in path:
            await self._check_tools(content)

    async def _check_tools(self, content: Mapping[str, Any]) -> None:
        """Refuse what llama.cpp would pass over without a word.

        Source: ggml-org/llama.cpp issues 27129 (tools without a template), 27217 ("required" is not enforced) and
        26849 (a named tool is taken for "auto").
        """
        if content.get("tools") and not await self._host.knows_tools():
            raise RefusalError(400, "model_without_tools", "This model's chat template has no form for tools.")
        if content.get("tool_choice") not in (None, "auto", "none"):
            raise RefusalError(400, "tool_choice", "llama.cpp enforces no call: tool_choice is auto or none.")

    async def _pass_on(self, path: str, body: bytes, receive: Receive, send: Send) -> None:
        """Wait for a place and pass the answer on, as long as the client is there."""
        gone = is_answered = False
        failure: RefusalError | None = None
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                nonlocal gone
                while (await receive())["type"] != "http.disconnect":
                    pass
                # An answer that has ended is followed by this message too.
                gone = not is_answered
                group.cancel_scope.cancel()

            async def noting(message: Message) -> None:
                nonlocal is_answered
                is_answered = message["type"] == "http.response.body" and not message.get("more_body")
                await send(message)

            group.start_soon(watch)
            try:
                await self._answer(path, body, noting)
            except RefusalError as refusal:
                failure = refusal
            group.cancel_scope.cancel()
        if gone:
            raise ClientGoneError
        if failure is not None:
            raise failure

    async def _answer(self, path: str, body: bytes, send: Send) -> None:
        kind = None
        try:
            async with self.gate.place():
                self._require_engine()
                async with ask(self._host.socket_path, "POST", path, body) as answer:
                    headers = [(b"content-type", answer.content_type.encode("latin-1"))]
                    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
                    kind = answer.content_type
                    async for piece in answer.pieces:
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        except FullError as full:
            retry = {"Retry-After": str(full.retry_seconds)}
            raise RefusalError(429, "busy", "Too many requests wait already; come back later.", retry) from full
        except UpstreamError as error:
            refusal = RefusalError(503, "engine_lost", f"llama.cpp broke off: {error}.", {"Retry-After": "5"})
            if kind is None:
                raise refusal from error
            if kind.startswith("text/event-stream"):
                event = b"data: " + bytes(refusal.response().body) + b"\n\n"
                await send({"type": "http.response.body", "body": event, "more_body": False})
            # Any other answer stays without an end, by which the client knows that it is not whole.

    def _require_engine(self) -> None:
        if not self._host.is_ready:
            raise RefusalError(503, "engine_loading", "The model is being loaded again.", {"Retry-After": "5"})


class ClientGoneError(Exception):
    """The client went away; nobody waits for an answer."""


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_deeper(content: object, depth: int) -> bool:
    """Say whether JSON nests deeper than so many levels: llama.cpp's templates walk it by recursion."""
    level = [content]
    for _ in range(depth):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
        if not level:
            return False
    return True
