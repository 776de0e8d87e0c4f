"""What nobody should send, and what happens to everybody: the server says what is wrong and stays up."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from headway.errors import ServingError
from headway.serving.client import Client
from tests.serving.served import Served

Start = Callable[..., Served]
JSON = {"Content-Type": "application/json"}
ENDLESS = {"prompt": "def ", "max_tokens": 100_000, "ignore_eos": True, "stream": True}


def ask(
    url: str, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], str]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    connection.request(method, path, body, headers or JSON)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text


def complete(url: str, **more: object) -> tuple[int, dict[str, str], str]:
    return ask(url, "POST", "/v1/completions", json.dumps({"prompt": "def ", "max_tokens": 3, **more}).encode())


def metric(url: str, name: str) -> float:
    lines = ask(url, "GET", "/metrics")[2].splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def served(small_file: Path, shared_cache: Path) -> Iterator[Served]:
    options = ("--ctx", "256", "--parallel", "2", "--queue", "2")
    server = Served(small_file, *options, HEADWAY_CACHE=str(shared_cache))
    yield server
    server.kill()


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("POST", "/v1/completions", b"{", JSON, 400, "malformed_json"),
        ("POST", "/v1/completions", b"[1]", JSON, 400, "malformed_json"),
        ("POST", "/v1/completions", b"\xff\xfe\x00", JSON, 400, "malformed_json"),
        ("POST", "/v1/completions", b"[" * 100_000, JSON, 400, "malformed_json"),
        ("POST", "/v1/completions", b'{"a":' * 500 + b"1" + b"}" * 500, JSON, 400, "malformed_json"),
        ("POST", "/v1/completions", b'"' + b"x" * (9 * 2**20), JSON, 413, "too_large"),
        ("POST", "/v1/completions", b"{}", {"Content-Type": "text/plain"}, 415, "not_json"),
        ("POST", "/v1/completions", b"{}", {**JSON, "Origin": "http://evil.example"}, 403, "cross_origin"),
        ("POST", "/v1/completions", b"{}", {**JSON, "Host": "evil.example"}, 421, "wrong_host"),
        ("GET", "/v1/completions", None, JSON, 405, "wrong_method"),
        ("GET", "/props", None, JSON, 404, "unknown_path"),
        ("GET", "/../slots", None, JSON, 404, "unknown_path"),
    ],
)
def test_what_is_refused(
    served: Served,
    method: str,
    path: str,
    body: bytes | None,
    headers: dict[str, str],
    status: int,
    code: str,
) -> None:
    found, answered, text = ask(served.url, method, path, body, headers)
    assert (found, json.loads(text)["error"]["code"]) == (status, code)
    assert not any(name.startswith("access-control") for name in answered)
    assert complete(served.url)[0] == 200


def test_health_and_metrics(served: Served) -> None:
    assert json.loads(ask(served.url, "GET", "/health")[2]) == {"status": "ok"}
    before = metric(served.url, "llamacpp:tokens_predicted_total")
    assert complete(served.url)[0] == 200
    assert metric(served.url, "llamacpp:tokens_predicted_total") > before
    assert metric(served.url, 'headway_requests_total{path="/v1/completions",status="200"}') > 0
    assert served.told["predicted_tokens_per_second"] > 0


class Listener:
    """A client that reads an endless answer until it goes away."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        body = json.dumps(ENDLESS).encode()
        self.socket = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=120)
        head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        self.socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def read(self) -> bytes:
        return self.socket.recv(4096)

    def leave(self) -> None:
        self.socket.close()


def test_a_client_that_goes_away_frees_its_place(small_file: Path, start: Start) -> None:
    # A long context: the answer lasts until the client leaves.
    url = start(small_file, "--ctx", "32768", "--parallel", "1", "--queue", "1").url
    first, second = Listener(url), Listener(url)
    assert b"200 OK" in first.read()
    until(lambda: metric(url, "headway_requests_waiting") == 1)
    status, headers, text = complete(url)
    assert status == 429
    assert int(headers["retry-after"]) >= 1
    assert json.loads(text)["error"]["code"] == "busy"
    second.leave()
    until(lambda: metric(url, "headway_requests_waiting") == 0)
    first.leave()
    until(lambda: metric(url, "headway_requests_working") == 0)
    assert complete(url)[0] == 200
    until(lambda: metric(url, "llamacpp:requests_processing") == 0)
    assert metric(url, "headway_disconnected_total") == 2


def test_a_thousand_connections(served: Served) -> None:
    parts = urlsplit(served.url)
    idle = [socket.create_connection((parts.hostname or "", parts.port or 0), timeout=120) for _ in range(1000)]
    statuses: list[int] = []

    def one() -> None:
        statuses.append(complete(served.url)[0])

    threads = [threading.Thread(target=one) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in idle:
        connection.close()
    assert set(statuses) <= {200, 429}
    assert 200 in statuses
    assert complete(served.url)[0] == 200


def test_llama_cpp_is_started_again_when_it_dies(small_file: Path, start: Start) -> None:
    server = start(small_file, "--ctx", "32768")
    client = Client(server.url)
    pieces = client.stream("/v1/completions", {name: value for name, value in ENDLESS.items() if name != "stream"})
    next(pieces)
    os.kill(server.told["engine_process_id"], signal.SIGKILL)
    with pytest.raises(ServingError, match="broke off"):
        list(pieces)
    until(lambda: complete(server.url)[0] == 200 and metric(server.url, "llamacpp:") > 0)
    code, done, errors = server.stop()
    assert (code, done["engine_restarts"]) == (0, 1)
    assert "signal 9" in errors
    assert "Traceback" not in errors


def test_nothing_is_left_of_a_server_that_is_killed(small_file: Path, start: Start) -> None:
    server = start(small_file, "--ctx", "256")
    server.kill()
    until(lambda: not Path(f"/proc/{server.told['engine_process_id']}/cmdline").exists())


def test_what_is_being_answered_is_answered_before_the_end(small_file: Path, start: Start) -> None:
    server = start(small_file, "--ctx", "4096")
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    asked = {**ENDLESS, "max_tokens": 1000}
    connection.request("POST", "/v1/completions", json.dumps(asked).encode(), JSON)
    answer = connection.getresponse()
    server.process.send_signal(signal.SIGTERM)
    assert answer.read().rstrip().endswith(b"data: [DONE]")
    connection.close()
    code, done, _ = server.stop()
    assert code == 0
    assert done["tokens"] >= 1000
    assert done["measured_tokens_per_second"] > 0
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((parts.hostname or "", parts.port or 0))


def test_a_key(small_file: Path, start: Start) -> None:
    server = start(small_file, "--ctx", "256", "--host", "0.0.0.0")
    key = server.told["api_key"]
    assert len(key) > 20
    assert complete(server.url)[0] == 401
    assert ask(server.url, "GET", "/health")[0] == 200
    shown = {**JSON, "Authorization": f"Bearer {key}"}
    body = json.dumps({"prompt": "def ", "max_tokens": 2}).encode()
    assert ask(server.url, "POST", "/v1/completions", body, shown)[0] == 200
    assert ask(server.url, "GET", "/v1/models", None, {"Authorization": f"Bearer {key}x"})[0] == 401


def test_what_cannot_be_served(small_file: Path, smollm2: Path, start: Start, tmp_path: Path) -> None:
    short, other = tmp_path / "short.gguf", tmp_path / "other.gguf"
    short.write_bytes(small_file.read_bytes()[:-5000])
    other.write_text("no model")
    port = str(urlsplit(start(small_file, "--ctx", "256").url).port)
    for model, options, expected in (
        (short, (), "serving-file-truncated"),
        (other, (), "serving-file-no-gguf"),
        (tmp_path / "none.gguf", (), "serving-file-unreadable"),
        (smollm2, ("--ctx", "8192", "--parallel", "256", "--kv-type", "f32"), "serving-context-memory"),
        (small_file, ("--ctx", "32769"), "serving-context-model"),
        (small_file, ("--port", port), "serving-port-taken"),
        (small_file, ("--host", "192.0.2.1"), "serving-listen-address"),
    ):
        failed = start(model, *options)
        assert failed.process.returncode == 1
        assert expected in failed.out, (model, options)
