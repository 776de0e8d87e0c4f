"""Where the endpoint listens, and the key that is asked for beyond this machine."""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket
from dataclasses import dataclass

from headway.errors import ServingError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
_KEY_BYTES = 24


@dataclass(frozen=True, kw_only=True)
class Listening:
    """A socket that is bound; who connects before it listens is refused.

    Attributes:
        socket: bound.
        host: as it was asked for.
        port: that was taken.
        key: that everybody must show; None on loopback where none was given.
    """

    socket: socket.socket
    host: str
    port: int
    key: str | None

    @property
    def url(self) -> str:
        """The address to ask."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{'127.0.0.1' if self.host in ('0.0.0.0', '') else name}:{self.port}"


def listen(host: str, port: int, key: str | None) -> Listening:
    """Take a port; beyond loopback everybody must show a key.

    Args:
        host: address or name of this machine.
        port: 0 takes any that is free.
        key: to ask for; beyond loopback one is made up where none is given.

    Raises:
        ServingError: the address is not one of this machine, or the port is taken.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServingError("serving-port-taken", host=host, port=port) from error
        reason = error.strerror or str(error)
        raise ServingError("serving-listen-address", host=host, port=port, reason=reason) from error
    name = bound.getsockname()
    # An empty key, as of a variable that is not set, would let everybody in.
    key = key or (None if _is_loopback(name[0]) else secrets.token_urlsafe(_KEY_BYTES))
    return Listening(socket=bound, host=host, port=int(name[1]), key=key)


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
