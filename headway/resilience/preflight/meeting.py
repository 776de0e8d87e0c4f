"""Where processes meet: the port and the name of the first server."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator

from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

CONNECT_SECONDS = 2.0
"""How long a connection to the first server may take."""


def port(subject: Subject) -> Iterator[Finding]:
    """Look whether the port at which processes meet can be had; processes of one server meet at a file."""
    address, text = subject.environment.get("MASTER_ADDR"), subject.environment.get("MASTER_PORT")
    if not address or not text:
        yield Finding(status="passed", message_id="preflight-port-unused")
        return
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        yield Finding(status="failed", message_id="preflight-port-wrong", arguments={"port": text})
        return
    try:
        found = socket.getaddrinfo(address, int(text), type=socket.SOCK_STREAM)
    except OSError as error:
        reason = error.strerror or str(error)
        yield Finding(
            status="failed", message_id="preflight-host-unknown", arguments={"host": address, "reason": reason}
        )
        return
    # Under srun each process has its number from Slurm alone.
    if subject.environment.get("RANK", subject.environment.get("SLURM_PROCID", "0")) == "0":
        yield _can_listen(address, int(text), found[0][0])
    else:
        yield _can_reach(address, int(text))


def _can_listen(address: str, number: int, family: int) -> Finding:
    """Say whether this server, the first, can open the port."""
    where: dict[str, str | int | float] = {"host": address, "port": number}
    try:
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("", number))
            server.listen(1)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        return Finding(
            status="failed",
            message_id="preflight-port-taken" if taken else "preflight-port-closed",
            arguments=where if taken else {**where, "reason": error.strerror or str(error)},
        )
    return Finding(status="passed", message_id="preflight-port", arguments=where)


def _can_reach(address: str, number: int) -> Finding:
    """Say whether the first server answers; that it refuses only means that it is not there yet."""
    where: dict[str, str | int | float] = {"host": address, "port": number}
    try:
        with socket.create_connection((address, number), timeout=CONNECT_SECONDS):
            return Finding(status="passed", message_id="preflight-port-reached", arguments=where)
    except ConnectionRefusedError:
        return Finding(status="passed", message_id="preflight-port-reached", arguments=where)
    except OSError as error:
        reason = error.strerror or str(error)
        return Finding(status="failed", message_id="preflight-port-unreached", arguments={**where, "reason": reason})
