"""Runs the endpoint and llama.cpp together: starts one behind the other, mends, drains and ends both."""

from __future__ import annotations

import asyncio
import json
import re
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from headway.errors import ServingError
from headway.serving.endpoint.app import Endpoint
from headway.serving.endpoint.listening import Listening
from headway.serving.endpoint.rules import Rules
from headway.serving.endpoint.upstream import UpstreamError, ask
from headway.serving.engine import Engine

_POLL_SECONDS = 0.2
_BACKLOG = 2048
"""Connections that may wait to be taken: more than the thousand that come at once."""

_MAX_RESTARTS = 5
"""Of llama.cpp, after which the endpoint gives up: what kills it so often will kill it again."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """What was done until the end.

    Attributes:
        requests: that were answered.
        tokens: that were written.
        tokens_per_second: of one answer, measured; None where none was written.
        prompt_tokens_per_second: that were read; None where none was.
        restarts: of llama.cpp.
    """

    requests: int
    tokens: int
    tokens_per_second: float | None
    prompt_tokens_per_second: float | None
    restarts: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "requests": self.requests,
            "tokens": self.tokens,
            "measured_tokens_per_second": self.tokens_per_second,
            "measured_prompt_tokens_per_second": self.prompt_tokens_per_second,
            "engine_restarts": self.restarts,
        }


@final
class _Host:
    """Keeps llama.cpp alive: where it dies, it is started again, and whoever asks meanwhile is told to come back."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_starting = False
        self.restarts = 0
        self.failure: ServingError | None = None
        self._knows_tools: bool | None = None

    @property
    def is_ready(self) -> bool:
        return self._engine.is_running and not self._is_starting

    @property
    def socket_path(self) -> Path:
        return self._engine.socket_path

    async def get(self, path: str) -> tuple[int, bytes]:
        if not self.is_ready:
            raise UpstreamError("not ready")
        async with ask(self.socket_path, "GET", path, b"") as answer:
            return answer.status, b"".join([piece async for piece in answer.pieces])

    async def knows_tools(self) -> bool:
        if self._knows_tools is None:
            try:
                _, body = await self.get("/props")
            except UpstreamError:
                # Not known now: the request itself will say that nobody answers.
                return True
            self._knows_tools = bool(json.loads(body).get("chat_template_caps", {}).get("supports_tools"))
        return self._knows_tools

    async def keep(self, on_restart: Callable[[ServingError], None]) -> None:
        """Start llama.cpp again whenever it dies; return when it dies too often."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if self._engine.is_running:
                continue
            self.failure = self._engine.failure()
            if self.restarts >= _MAX_RESTARTS:
                return
            on_restart(self.failure)
            self.restarts += 1
            self._is_starting = True
            try:
                await asyncio.to_thread(self._engine.start)
            except ServingError as error:
                self.failure = error
                return
            finally:
                self._is_starting = False
            self.failure = None


def serve(
    engine: Engine,
    listening: Listening,
    rules: Rules,
    *,
    on_ready: Callable[[], None] = lambda: None,
    on_restart: Callable[[ServingError], None] = lambda _why: None,
) -> Served:
    """Answer until SIGTERM or Ctrl-C; then let requests end, and take no new ones.

    Args:
        engine: that is running.
        listening: where to answer.
        rules: what is let through.
        on_ready: called when everybody can ask.
        on_restart: called with the reason when llama.cpp died and is started again.

    Raises:
        ServingError: llama.cpp died too often, or did not start again.
    """
    _allow_many_connections()
    # uvicorn raises a signal again after it has drained; it must not end us then.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        return asyncio.run(_serve(engine, listening, rules, on_ready, on_restart))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _serve(
    engine: Engine,
    listening: Listening,
    rules: Rules,
    on_ready: Callable[[], None],
    on_restart: Callable[[ServingError], None],
) -> Served:
    import uvicorn

    host = _Host(engine)
    endpoint = Endpoint(host, rules, engine.settings.alias)
    config = uvicorn.Config(
        endpoint,
        lifespan="off",
        # What it has to say is of answers that broke off, whose clients were told.
        log_level="critical",
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=max(1, round(rules.grace_seconds)),
    )
    server = uvicorn.Server(config)

    async def keep() -> None:
        await host.keep(on_restart)
        server.should_exit = True

    async def tell() -> None:
        while not server.started:
            await asyncio.sleep(_POLL_SECONDS / 4)
        on_ready()

    tasks = [asyncio.create_task(keep()), asyncio.create_task(tell())]
    try:
        await server.serve(sockets=[listening.socket])
    finally:
        for task in tasks:
            task.cancel()
        listening.socket.close()
    if host.failure is not None:
        raise host.failure
    return await _summary(host, endpoint)


async def _summary(host: _Host, endpoint: Endpoint) -> Served:
    metrics: dict[str, float] = {}
    with suppress(UpstreamError):
        _, text = await host.get("/metrics")
        metrics = {name: float(value) for name, value in _METRIC.findall(text.decode())}
    return Served(
        requests=endpoint.counts.requests.total(),
        tokens=round(metrics.get("tokens_predicted_total", 0)),
        tokens_per_second=_rate(metrics, "tokens_predicted_total", "tokens_predicted_seconds_total"),
        prompt_tokens_per_second=_rate(metrics, "prompt_tokens_total", "prompt_seconds_total"),
        restarts=host.restarts,
    )


_METRIC = re.compile(r"^llamacpp:(\w+) ([\d.e+-]+)$", re.MULTILINE)


def _rate(metrics: dict[str, float], tokens: str, seconds: str) -> float | None:
    return metrics[tokens] / metrics[seconds] if metrics.get(tokens) and metrics.get(seconds) else None


def _allow_many_connections() -> None:
    """Each connection is a file, and each request two; the usual limit of a shell is 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
