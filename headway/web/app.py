"""The application: its routes, each a few lines over what the other rooms do."""

from __future__ import annotations

import html
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from headway import __version__, api
from headway.runs.json_values import decode
from headway.web import catalogues, computing
from headway.web.answers import (
    JsonResponse,
    WebError,
    answering,
    error_response,
    query_count,
    query_number,
    read_json,
)
from headway.web.guard import Guard
from headway.web.reading import LARGEST_BUCKETS, Reader
from headway.web.streaming import Hub

FOR_EVER = "public, max-age=31536000, immutable"
ASSETS = Path(__file__).parent / "assets"
"""The front end as the build leaves it."""

EMPTY = '<meta name="headway" content=""'
"""What the page has room for."""

ASSET_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


def create_app(
    root: Path, *, cache: Path | None = None, hosts: frozenset[str] = frozenset(), token: str | None = None
) -> ASGIApp:
    """Return the application.

    Args:
        root: the folder of all runs.
        cache: where columns of metrics are kept; None keeps them in memory only.
        hosts: names under which the server may be asked for, beside those of loopback.
        token: that everybody must show; None where only this machine can ask.
    """
    pages = Pages(root, cache)
    app = Starlette(routes=pages.routes(), exception_handlers={404: _not_found, 405: _not_allowed})
    # Small answers are not worth it, and streams must not wait in a compressor.
    return Guard(_Compressed(app), hosts, token)


class _Compressed:
    """Compresses all answers but streams."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain, self._gzip = app, GZipMiddleware(app, minimum_size=1000, compresslevel=6)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_stream = scope["type"] == "http" and scope["path"].endswith("/stream")
        await (self._plain if is_stream else self._gzip)(scope, receive, send)


class Pages:
    """What can be asked for.

    Args:
        root: the folder of all runs.
        cache: where columns of metrics are kept.
    """

    def __init__(self, root: Path, cache: Path | None) -> None:
        self._reader = Reader(root, cache)
        self._hub = Hub()

    def routes(self) -> list[Route]:
        """Return the routes of the API, then the front end's."""
        run = "/api/v1/runs/{name}"
        gets = {
            "/api/v1/about": self.about,
            "/api/v1/runs": self.runs,
            run: self.run,
            f"{run}/metrics": self.metrics,
            f"{run}/series": self.series,
            f"{run}/events": self.events,
            f"{run}/ledger": self.ledger,
            f"{run}/plan": self.plan_of,
            f"{run}/diagnosis": self.diagnosis_of,
            f"{run}/stream": self.stream,
            "/api/v1/probe": self.probe,
            "/locales/{name}": self.locale,
            "/assets/{name}": self.asset,
        }
        posts = {"/api/v1/plan": self.plan, "/api/v1/diagnose": self.diagnose}
        routes = [Route(path, answering(handler), methods=["GET"]) for path, handler in gets.items()]
        routes += [Route(path, answering(handler), methods=["POST"]) for path, handler in posts.items()]
        # Every other address without a dot is the page, which shows what the address says.
        return [*routes, Route("/{path:path}", answering(self.page), methods=["GET"])]

    async def about(self, request: Request) -> Response:
        """Return what a page needs first: version, and where each language's catalogue is."""
        return JsonResponse({"version": __version__, "locales": catalogues.index()})

    async def runs(self, request: Request) -> Response:
        """Return the list of all runs."""
        return JsonResponse({"runs": await run_in_threadpool(self._reader.summaries)})

    async def run(self, request: Request) -> Response:
        """Return one run: its summary and its recipe."""
        found = self._reader.run(request.path_params["name"])

        def read() -> dict[str, Any]:
            return {**self._reader.summary(found), "settings": found.recipe().model_dump(mode="json")}

        return JsonResponse(await run_in_threadpool(read))

    async def metrics(self, request: Request) -> Response:
        """Return the names of a run's metrics, and how many records there are."""
        found = self._reader.run(request.path_params["name"])
        columns = await run_in_threadpool(self._reader.columns, found)
        return JsonResponse({"names": columns.names, "records": len(columns)})

    async def series(self, request: Request) -> Response:
        """Return one metric or several as few points that keep spikes and NaN."""
        found, query = self._reader.run(request.path_params["name"]), request.query_params
        read = partial(
            self._reader.series,
            found,
            axis=query.get("axis", "step"),
            start=query_number(query, "start"),
            end=query_number(query, "end"),
            buckets=query_count(query, "buckets", 1000, LARGEST_BUCKETS),
            rank=query_count(query, "rank_number", 1, 10**6) - 1,
        )
        names = query.getlist("metric") or ["loss"]
        return JsonResponse({"series": [await run_in_threadpool(read, name) for name in names[:20]]})

    async def events(self, request: Request) -> Response:
        """Return all events of a run, oldest first."""
        found = self._reader.run(request.path_params["name"])
        return JsonResponse({"events": await run_in_threadpool(found.events)})

    async def ledger(self, request: Request) -> Response:
        """Return what was predicted beside what was measured so far."""
        found = self._reader.run(request.path_params["name"])
        return JsonResponse(await run_in_threadpool(computing.ledger_of, found))

    async def plan_of(self, request: Request) -> Response:
        """Return the plan that a run is measured against."""
        found = self._reader.run(request.path_params["name"])
        return JsonResponse(await run_in_threadpool(found.plan))

    async def diagnosis_of(self, request: Request) -> Response:
        """Return why a run failed, from its own logs."""
        found = self._reader.run(request.path_params["name"])
        told = await run_in_threadpool(api.diagnose, found.path)
        return JsonResponse(told.to_dict())

    async def stream(self, request: Request) -> Response:
        """Return what happens to a run from now on, or from ``Last-Event-ID`` on, as server-sent events."""
        found = self._reader.run(request.path_params["name"])
        last = request.headers.get("last-event-id") or request.query_params.get("last_event_id")
        return StreamingResponse(
            self._until_gone(request, self._hub.follow(found, last)),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _until_gone(self, request: Request, messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for message in messages:
            yield message

    async def plan(self, request: Request) -> Response:
        """Return the plan of the recipe in the body."""
        body = await read_json(request)
        return JsonResponse(await run_in_threadpool(computing.plan_of, decode(body), self._reader.root))

    async def diagnose(self, request: Request) -> Response:
        """Return what the log in the body says; its name is in the query, for its format."""
        path = await computing.keep_upload(request)
        try:
            told = await run_in_threadpool(api.diagnose, path)
        finally:
            await run_in_threadpool(computing.drop_upload, path)
        return JsonResponse(told.to_dict())

    async def probe(self, request: Request) -> Response:
        """Return what this server is, and its figures where they are known; nothing is measured."""
        return JsonResponse(await run_in_threadpool(computing.known_server, self._reader.root))

    async def locale(self, request: Request) -> Response:
        """Return the messages of a language."""
        found = catalogues.catalogues().get(request.path_params["name"])
        if found is None:
            raise WebError("web-no-catalogue", status=404, name=request.path_params["name"])
        return Response(found.content, media_type="text/plain; charset=utf-8", headers={"Cache-Control": FOR_EVER})

    async def asset(self, request: Request) -> Response:
        """Return a file of the front end."""
        name = request.path_params["name"]
        known = {file.name: file for file in ASSETS.glob("*")} if ASSETS.is_dir() else {}
        if name not in known or known[name].suffix not in ASSET_TYPES:
            raise WebError("web-not-found", status=404, path=name)
        kind = ASSET_TYPES[known[name].suffix]
        return FileResponse(known[name], media_type=kind, headers={"Cache-Control": FOR_EVER})

    async def page(self, request: Request) -> Response:
        """Return the page that shows everything."""
        path = request.path_params["path"]
        # Names of runs may have dots; elsewhere a dot means a file, and there is none.
        if path.startswith("api/") or ("." in path.rpartition("/")[2] and not path.startswith("runs/")):
            raise WebError("web-not-found", status=404, path=path)
        return HTMLResponse(await run_in_threadpool(shell), headers={"Cache-Control": "no-cache"})


def shell() -> str:
    """Return the page, with what it needs first written into it: that saves a request before anything is shown.

    Raises:
        WebError: the front end was not built.
    """
    try:
        page = (ASSETS / "index.html").read_text(encoding="utf-8")
    except OSError as error:
        raise WebError("web-not-built", status=503) from error
    about = html.escape(json.dumps({"version": __version__, "locales": catalogues.index()}, separators=(",", ":")))
    return page.replace(EMPTY, f'<meta name="headway" content="{about}"')


async def _not_found(request: Request, _error: Exception) -> Response:
    return error_response(WebError("web-not-found", status=404, path=request.url.path))


async def _not_allowed(request: Request, _error: Exception) -> Response:
    return error_response(WebError("web-method", status=405, method=request.method, path=request.url.path))
