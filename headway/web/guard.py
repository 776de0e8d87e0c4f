"""Who may ask: this machine only, unless a token is asked for; and only pages of this server, in a browser.

A page of any other site can make a browser send requests to this machine. What keeps it out: the name in ``Host`` must
be ours (against DNS rebinding), a request must not come from another origin, and beyond loopback everybody must show
the token.
"""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headway.web.answers import WebError, error_response

COOKIE = "headway_token"
TOKEN_PARAMETER = "token"

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names and addresses of this machine that a browser may show."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""No inline script, no other site's resource, and nobody's frame. Source: OWASP Secure Headers Project."""


class Guard:
    """Lets through what may be answered, and adds the headers that keep a page to itself.

    Args:
        app: what answers.
        hosts: names under which this server may be asked for, beside those of loopback.
        token: that everybody must show; None where only this machine can ask.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset(), token: str | None = None) -> None:
        self._app = app
        self._hosts = LOOPBACK | hosts
        self._token = token or None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(Request(scope))
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        headers = request.headers
        host = host_name(headers.get("host", ""))
        # With a token to show, a page of another name is no danger, and a server has many addresses.
        if host not in self._hosts and not (self._token is not None and is_address(host)):
            return error_response(WebError("web-host", status=421, host=host))
        if not is_same_origin(headers):
            return error_response(WebError("web-origin", status=403, origin=headers.get("origin", "?")))
        return None if self._token is None else self._without_token(request, self._token)

    def _without_token(self, request: Request, token: str) -> Response | None:
        """Return what is answered to somebody who does not show the token in a cookie or a header."""
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and is_equal(bearer.strip(), token):
            return None
        if is_equal(request.cookies.get(COOKIE, ""), token):
            return None
        given = request.query_params.get(TOKEN_PARAMETER, "")
        if request.method == "GET" and is_equal(given, token):
            # The address that the command printed: the token moves to a cookie, and out of the history.
            left = [(name, value) for name, value in parse_qsl(request.url.query) if name != TOKEN_PARAMETER]
            target = request.url.path + (f"?{urlencode(left)}" if left else "")
            # Two slashes at the beginning would be another server's name.
            answer = RedirectResponse("/" + target.lstrip("/"), status_code=303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https")
            return answer
        return error_response(WebError("web-token", status=401))


def is_address(host: str) -> bool:
    """Say whether a host is named by its number."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_equal(given: str, token: str) -> bool:
    """Compare in a time that does not tell how much of it is right."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


def host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without its port and the brackets of an address."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_same_origin(headers: Headers) -> bool:
    """Say whether a request comes from a page of this server, or from no page at all.

    Browsers state the origin with every request that is no plain navigation. Source: Fetch Standard, "Origin header".
    """
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin") or (
            headers.get("sec-fetch-mode") == "navigate"
        )
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False
