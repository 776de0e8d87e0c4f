from __future__ import annotations

import socket

import pytest

from headway.errors import MissingDependencyError
from headway.web import serving
from tests.command_line import Headway


def test_a_port_that_is_taken(web_headway: Headway) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        done = web_headway("watch", "--port", str(other.getsockname()[1]))
        assert done.code == 1
        assert "another program has it" in done.err
        assert "--port 0" in done.err


def test_an_address_of_somebody_else(web_headway: Headway) -> None:
    done = web_headway("watch", "--host", "203.0.113.7", "--port", "0", "--json")
    assert (done.code, done.json["error"]["id"]) == (1, "web-address")


@pytest.mark.parametrize(
    ("address", "expected"), [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("0.0.0.0", False), ("x", False)]
)
def test_loopback(address: str, expected: bool) -> None:
    assert serving.is_loopback(address) == expected


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "PACKAGES", ("no_such_package",))
    with pytest.raises(MissingDependencyError) as caught:
        serving.listen(port=0)
    assert caught.value.arguments == {"package": "no_such_package", "extra": "web"}


def test_the_address_can_be_opened() -> None:
    with socket.socket() as some:
        listening = serving.Listening(socket=some, host="::1", port=5, token="t")
        assert listening.url == "http://[::1]:5/?token=t"


def test_an_empty_token_lets_nobody_in() -> None:
    listening = serving.listen("0.0.0.0", 0, token="")
    with listening.socket:
        assert listening.token is not None
        assert len(listening.token) >= 32
