from __future__ import annotations

import http.client
import json
import signal
import threading
from pathlib import Path
from typing import Any

from headway.runs import EventLog, MetricLog, RunFolder
from tests.command_line import Headway
from tests.web.conftest import Server, make_run


class Listener:
    """A page that follows a run."""

    def __init__(self, server: Server, run: str, last_id: str | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        headers = {} if last_id is None else {"Last-Event-ID": last_id}
        self._connection.request("GET", f"/api/v1/runs/{run}/stream", headers=headers)
        self._answer = self._connection.getresponse()
        assert self._answer.getheader("Content-Type", "").startswith("text/event-stream")
        self.last_id = ""

    def next(self) -> tuple[str, Any]:
        """Return the kind and the content of the next message."""
        fields: dict[str, str] = {}
        while True:
            line = self._answer.readline().decode().rstrip("\n")
            if not line:
                if "data" in fields:
                    self.last_id = fields["id"]
                    return fields["event"], json.loads(fields["data"])
                fields = {}
                continue
            name, _, value = line.partition(": ")
            fields[name] = value

    def steps(self, until: int) -> list[int]:
        """Return the steps that are told up to one."""
        found: list[int] = []
        while not found or found[-1] < until:
            kind, content = self.next()
            if kind == "records":
                found += [one["record"]["step"] for one in content if one["kind"] == "metric"]
        return found

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


def append(run: RunFolder, *steps: int) -> None:
    log = MetricLog(run.metrics_path())
    for step in steps:
        log.append({"step": step, "loss": 1.0})
    log.close()


def test_what_happens_is_told_as_it_happens(server: Server) -> None:
    run = make_run(server.root, "live", steps=2)
    page = Listener(server, "live")
    assert page.next() == ("hello", {"run": "live", "status": "interrupted"})
    append(run, 3)
    kind, content = page.next()
    assert (kind, content[0]["record"]["step"]) == ("records", 3)
    with EventLog(run.events_path) as events:
        events.record("finished", pid=1)
    told = [page.next(), page.next()]
    assert {kind for kind, _ in told} == {"records", "status"}
    assert dict(told)["status"] == {"run": "live", "status": "finished"}
    page.close()


def test_many_pages_hear_everything_once_whenever_they_come(server: Server) -> None:
    run = make_run(server.root, "crowd", steps=1)
    heard: dict[int, list[int]] = {}

    def follow(number: int) -> None:
        page = Listener(server, "crowd", "0.0")
        heard[number] = page.steps(400)
        page.close()

    threads = []
    for step in range(2, 401):
        append(run, step)
        if step % 40 == 0:
            threads.append(threading.Thread(target=follow, args=(step,)))
            threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(heard) == len(threads) == 10
    assert all(steps == list(range(1, 401)) for steps in heard.values())


def test_a_page_goes_on_after_the_server_was_started_anew(web_headway: Headway, tmp_path: Path) -> None:
    run = make_run(tmp_path, "long", steps=5)
    first = Server(web_headway, tmp_path)
    page = Listener(first, "long", "0.0")
    assert page.steps(5) == [1, 2, 3, 4, 5]
    assert first.stop() == -signal.SIGTERM
    page.close()
    append(run, 6, 7)
    second = Server(web_headway, tmp_path)
    again = Listener(second, "long", page.last_id)
    append(run, 8)
    assert again.steps(8) == [6, 7, 8]
    again.close()
    second.stop()


def test_a_position_of_another_log_is_no_harm(server: Server) -> None:
    run = make_run(server.root, "short", steps=1)
    for wrong in ("999999.999999", "nonsense", "-1.5", "1" * 400):
        page = Listener(server, "short", wrong)
        assert page.next()[0] == "hello"
        page.close()
    page = Listener(server, "short", "999999.999999")
    page.next()
    append(run, 2)
    assert page.steps(2) == [2]
    page.close()
