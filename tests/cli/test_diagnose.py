"""``headway diagnose``."""

from __future__ import annotations

import json
from pathlib import Path

from headway.i18n import Translator
from tests.command_line import Headway

LOG = (
    "Nov 30 12:00:00 dgx-bob kernel: NVRM: Xid (PCI:0000:65:00): 79, pid=1, GPU has fallen off the bus.\n"
    "[rank3]: torch.AcceleratorError: CUDA error: unspecified launch failure\n"
    "RuntimeError: Connection closed by peer [10.0.0.1]:4000\n"
)


def test_one_screen_says_it_all(tmp_path: Path, headway: Headway) -> None:
    (tmp_path / "job.log").write_text(LOG)
    shown = headway("diagnose", str(tmp_path / "job.log"))
    english = Translator("en")
    assert shown.code == 0
    for message in ("diagnosis-cause-gpu-lost", "diagnosis-cause-peer-gone", "diagnosis-remedy-drain-node"):
        assert english.text(message).split(":")[0] in " ".join(shown.out.split())
    assert "job.log:1" in shown.out
    assert "dgx-bob" in shown.out


def test_json_holds_stable_ids(tmp_path: Path, headway: Headway) -> None:
    (tmp_path / "job.log").write_text(LOG)
    told = json.loads(headway("diagnose", str(tmp_path), "--json").out)
    assert told["cause"] == "gpu-lost"
    assert told["chain"][0] == "gpu-lost"
    assert told["first_failure"]["host"] == "dgx-bob"
    assert told["evidence"][0]["line"] == 1
    assert 0.5 < told["confidence"] <= 1


def test_redacted_text_names_nobody(tmp_path: Path, headway: Headway) -> None:
    (tmp_path / "job.log").write_text(LOG)
    for more in ([], ["--json"]):
        shown = headway("diagnose", str(tmp_path / "job.log"), "--redact", *more).out
        assert "dgx-bob" not in shown
        assert "10.0.0.1" not in shown
        assert str(tmp_path) not in shown


def test_escapes_of_a_log_never_reach_the_terminal(tmp_path: Path, headway: Headway) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"\x1b]0;owned\x07\x1b[2J\x1bPq#\x1b\\ No space left on device \x9b31m\x07\x08\n")
    shown = headway("diagnose", str(log))
    assert "No space left on device" in shown.out
    assert not [letter for letter in shown.out if ord(letter) < 32 and letter not in "\n\t"]
    assert "\x9b" not in shown.out


def test_every_cause_is_listed(headway: Headway) -> None:
    listed = json.loads(headway("diagnose", "--list", "--json").out)
    assert len(listed) > 200
    assert {"id", "kind", "area", "source"} == set(listed[0])
    assert "gpu-lost" in headway("diagnose", "--list").out


def test_nothing_named_and_nothing_there_are_errors(headway: Headway) -> None:
    for arguments in (["diagnose"], ["diagnose", "missing.log"]):
        refused = headway(*arguments)
        assert refused.code == 2
        assert refused.err
        assert not refused.out


def test_a_healthy_and_an_unknown_log(tmp_path: Path, headway: Headway) -> None:
    (tmp_path / "a.log").write_text("{'loss': 2.0, 'epoch': 0.1}\n" * 9)
    (tmp_path / "b.log").write_text("hello\n")
    assert json.loads(headway("diagnose", str(tmp_path / "a.log"), "--json").out)["cause"] == "healthy"
    assert json.loads(headway("diagnose", str(tmp_path / "b.log"), "--json").out)["cause"] == "unknown"
