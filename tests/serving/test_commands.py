"""Export, serve and chat, from the command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headway.runs import RunFolder
from tests.command_line import Headway
from tests.serving.served import Served


def test_a_run_becomes_a_file(headway: Headway, trained: RunFolder) -> None:
    shutil.copytree(trained.path, headway.folder / "runs" / "mine")
    done = headway("export", "mine", "--quant", "Q8_0", "--json")
    assert done.code == 0
    assert done.json["size_bytes"] == (headway.folder / "mine-q8_0.gguf").stat().st_size
    assert 8 < done.json["bits_per_weight"] < 9
    again = headway("export", "mine", "--quant", "q8_0")
    assert again.code == 1
    assert "mine-q8_0.gguf" in again.err
    text = headway("export", str(headway.folder / "runs" / "mine"), "--output", "other.gguf")
    assert "other.gguf" in text.out
    assert headway("export", "mine", "--quant", "q9").code == 1


@pytest.fixture
def chat(shared_cache: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    begun: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> subprocess.Popen[str]:
        talk = subprocess.Popen(
            [sys.executable, "-m", "headway", "chat", *arguments],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HEADWAY_CACHE": str(shared_cache)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Tests that run in the background ignore Ctrl-C, and so would their children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        begun.append(talk)
        return talk

    yield begin
    for talk in begun:
        with talk:
            talk.kill()


def test_a_chat_with_a_file(chat: Callable[..., Any], smollm2: Path) -> None:
    talk = chat(str(smollm2), "--ctx", "512", "--temperature", "0", "--tokens", "12")
    out, errors = talk.communicate("What is 2 + 2?\n/new\n\n/exit\n", timeout=300)
    assert talk.returncode == 0, errors
    assert "4" in out or "2 + 2" in out
    assert "/exit" in errors


def test_ctrl_c_stops_an_answer_and_not_the_chat(
    chat: Callable[..., Any], small_file: Path, start: Callable[..., Served]
) -> None:
    server = start(small_file, "--ctx", "32768", "--parallel", "1")
    talk = chat(server.url, "--tokens", "1000000", "--temperature", "2")
    assert talk.stdin is not None and talk.stdout is not None and talk.stderr is not None
    for _ in range(20):
        # The small model may end an answer by itself; one of them is long enough to be stopped.
        talk.stdin.write("def\n")
    talk.stdin.flush()
    assert talk.stdout.read(1)
    talk.send_signal(signal.SIGINT)
    # Nobody waits for the other answers, nor for ever for this one.
    threading.Thread(target=talk.stdout.read, daemon=True).start()
    patience = threading.Timer(300, talk.kill)
    patience.start()
    assert any("(stopped)" in line for line in talk.stderr)
    patience.cancel()


def test_nobody_to_talk_to(headway: Headway) -> None:
    refused = headway("chat", "http://127.0.0.1:9")
    assert refused.code == 1
    assert "127.0.0.1:9" in refused.err
    assert headway("chat", "no-such-file.gguf").code == 1
    shown = headway("serve", "no-such-file.gguf", "--json")
    assert json.loads(shown.out)["error"]["id"] == "serving-file-unreadable"
