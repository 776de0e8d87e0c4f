from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.command_line import Headway
from tests.web.conftest import Server, make_run


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "", "[", "0.0.0.0"])
def test_another_name_is_not_answered(server: Server, host: str) -> None:
    answer = server.ask("/api/v1/runs", Host=host)
    assert (answer.status, answer.json["error"]["id"]) == (421, "web-host")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_names_of_this_machine_are(server: Server, name: str) -> None:
    assert server.ask("/api/v1/runs", Host=f"{name}:{server.port}").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ],
)
def test_pages_of_others_are_refused(server: Server, headers: dict[str, str]) -> None:
    for method, path in (("GET", "/api/v1/runs"), ("POST", "/api/v1/plan")):
        answer = server.ask(path, method, b"{}", **headers)
        assert (answer.status, answer.json["error"]["id"]) == (403, "web-origin")


def test_our_own_page_may_ask(server: Server) -> None:
    own = f"http://127.0.0.1:{server.port}"
    assert server.ask("/api/v1/runs", Origin=own, Sec_Fetch_Site="same-origin").status == 200
    # A link on another site may lead here.
    assert server.ask("/api/v1/runs", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200


def test_every_answer_keeps_the_page_to_itself(server: Server) -> None:
    for path in ("/api/v1/runs", "/nothing.here", "/"):
        headers = server.ask(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_beyond_loopback_a_token_is_asked_for(web_headway: Headway, tmp_path: Path) -> None:
    make_run(tmp_path, "first", steps=1)
    server = Server(web_headway, tmp_path, "--host", "0.0.0.0")
    try:
        token = server.url.partition("?token=")[2]
        assert len(token) >= 32
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "headway_token=wrong"}):
            answer = server.ask("/api/v1/runs", **given)
            assert (answer.status, answer.json["error"]["id"]) == (401, "web-token")
        assert server.ask("/api/v1/runs?token=wrong").status == 401
        assert server.ask("/api/v1/runs", Authorization=f"Bearer {token}").status == 200
        moved = server.ask(f"/plan?token={token}&a=1")
        assert (moved.status, moved.headers["location"]) == (303, "/plan?a=1")
        cookie = moved.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert server.ask("/api/v1/runs", Cookie=cookie.partition(";")[0]).status == 200
        # No redirection leaves this server.
        assert server.ask(f"//evil.example/?token={token}").headers["location"].startswith("/evil")
    finally:
        assert server.stop() == -signal.SIGTERM
