from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headway.recipe import resolve_recipe
from headway.runs import EventLog, MetricLog, RunFolder
from tests.command_line import Headway

RECIPE = {"name": "first", "model": {"preset": "headway-tiny-1m"}, "training": {"steps": 1000}}


def make_run(root: Path, name: str, steps: int = 100) -> RunFolder:
    run = RunFolder.create(root, resolve_recipe({**RECIPE, "hardware": {"accelerator": "cpu"}}), {}, name)
    with EventLog(run.events_path) as events:
        events.record("started", pid=1, step=0)
    log = MetricLog(run.metrics_path())
    for step in range(1, steps + 1):
        log.append(
            {
                "step": step,
                "time": 1.7e9 + step,
                "loss": float("nan") if step == 50 else 5.0 / step,
                "tokens": step * 100,
                "tokens_per_second": 1000.0,
                "step_seconds": 0.1,
                "resident_bytes": 10**8,
            }
        )
    log.close()
    return run


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """A real `headway watch`."""

    def __init__(self, headway: Headway, root: Path, *arguments: str) -> None:
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, "-m", "headway", "watch", str(root), "--port", "0", "--json", *arguments],
            env={**headway.environment, "HEADWAY_PSEUDO": "1"},
            cwd=headway.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            assert line, "the server ended before it listened"
            text += line
        self.url, self.port = json.loads(text)["url"], json.loads(text)["port"]

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def stop(self) -> int:
        self.process.terminate()
        with self.process:
            return self.process.wait()


@pytest.fixture(scope="session")
def web_headway(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Headway:
    return Headway(tmp_path_factory.mktemp("web"), shared_cache)


@pytest.fixture(scope="session")
def server(web_headway: Headway) -> Iterator[Server]:
    root = web_headway.folder / "runs"
    root.mkdir()
    make_run(root, "first")
    running = Server(web_headway, root)
    yield running
    running.stop()
