from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from headway.resilience.preflight import meeting
from headway.resilience.preflight.subject import Subject

Make = Callable[..., Subject]


def look(subject: Make, **environment: str) -> tuple[str, str]:
    (finding,) = meeting.port(subject(environment=environment))
    return finding.status, finding.message_id


def test_processes_of_one_server_need_no_port(subject: Make) -> None:
    assert look(subject) == ("passed", "preflight-port-unused")


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
def test_a_port_is_a_number(subject: Make, port: str) -> None:
    assert look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port) == ("failed", "preflight-port-wrong")


def test_a_name_must_be_known(subject: Make) -> None:
    found = look(subject, MASTER_ADDR="no-such-host.invalid", MASTER_PORT="29500")
    assert found == ("failed", "preflight-host-unknown")


def test_the_first_server_must_have_its_port(subject: Make) -> None:
    with socket.socket() as server:
        server.bind(("", 0))
        server.listen(1)
        port = str(server.getsockname()[1])
        assert look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port) == ("failed", "preflight-port-taken")
        # The others find it there.
        found = look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK="1")
        assert found == ("passed", "preflight-port-reached")
    assert look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port) == ("passed", "preflight-port")
    # Nobody listens yet, but the server is there.
    found = look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK="1")
    assert found == ("passed", "preflight-port-reached")


def test_a_server_that_does_not_answer(subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "CONNECT_SECONDS", 0.2)
    with ExitStack() as held, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        # Its queue is full, so that Linux drops what else asks, as a firewall does.
        for _ in range(4):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        port = str(server.getsockname()[1])
        found = look(subject, MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK="3")
        assert found == ("failed", "preflight-port-unreached")
