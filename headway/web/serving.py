"""Starts the server: where it listens, who may ask, and the address to open."""

from __future__ import annotations

import errno
import importlib.util
import ipaddress
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from headway.errors import HeadwayError, MissingDependencyError
from headway.machine.cache import cache_folder

PACKAGES = ("starlette", "uvicorn")
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8642
TOKEN_BYTES = 24
GRACE_SECONDS = 2.0
"""How long open streams may take to end when the server is stopped."""


@dataclass(frozen=True, kw_only=True)
class Listening:
    """A socket that waits for browsers.

    Attributes:
        socket: bound and listening.
        host: as it was asked for.
        port: that was taken.
        token: that everybody must show; None on loopback.
    """

    socket: socket.socket
    host: str
    port: int
    token: str | None

    @property
    def url(self) -> str:
        """The address to open, with the token where there is one."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "") else name
        return f"http://{shown}:{self.port}/" + (f"?token={quote(self.token, safe='')}" if self.token else "")


def listen(host: str = DEFAULT_HOST, port: int = DEFAULT_PORT, *, token: str | None = None) -> Listening:
    """Open the port; beyond loopback everybody must show a token.

    Args:
        host: address or name of this machine.
        port: to listen on; 0 takes any that is free.
        token: to ask for; beyond loopback one is made up where none is given.

    Raises:
        MissingDependencyError: the server's packages are not installed.
        WebSetupError: the address is not one of this machine, or the port is taken.
    """
    require_packages()
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        server = socket.socket(family, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen(128)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WebSetupError("web-port-taken", host=host, port=port) from error
        raise WebSetupError("web-address", host=host, port=port, reason=error.strerror or str(error)) from error
    # An empty one, as of a variable that is not set, would let everybody in.
    token = token or None
    if token is None and not is_loopback(server.getsockname()[0]):
        token = secrets.token_urlsafe(TOKEN_BYTES)
    return Listening(socket=server, host=host, port=int(server.getsockname()[1]), token=token)


class WebSetupError(HeadwayError):
    """The server cannot be started."""


def require_packages() -> None:
    """Refuse to start without the packages of the server.

    Raises:
        MissingDependencyError: one is not installed.
    """
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingDependencyError("web-package-missing", package=package, extra="web")


def is_loopback(address: str) -> bool:
    """Say whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def serve(listening: Listening, runs: Path) -> None:
    """Answer until the process is told to stop.

    Args:
        listening: from `listen`.
        runs: the folder of all runs; it need not be there yet.
    """
    import uvicorn

    from headway.web.app import create_app

    hosts = {listening.host.lower()}
    if listening.token is not None:
        hosts |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    app = create_app(runs, cache=cache_folder(), hosts=frozenset(hosts), token=listening.token)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(GRACE_SECONDS),
        h11_max_incomplete_event_size=64 * 1024,
    )
    uvicorn.Server(config).run(sockets=[listening.socket])
