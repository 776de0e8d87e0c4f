"""The commands on real recipes and real runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from headway.cli.demo import PROMPT
from headway.runs import RunFolder
from tests.command_line import Headway

PLAN_KEYS = {
    "layout": {"data_parallel_degree", "tensor_parallel_degree", "shard", "micro_batch_size", "recompute"},
    "memory": {"device_peak_bytes", "device_capacity_bytes", "fits", "parts"},
    "time": {"step_seconds", "step_seconds_low", "step_seconds_high", "tokens_per_second_per_device", "total_days"},
    "storage": {"checkpoint_bytes", "total_bytes"},
}


def test_recipe_new_makes_a_recipe_that_keeps_every_rule(headway: Headway) -> None:
    assert headway("recipe", "new", "--preset", "smollm2-135m", "--output", "mine.toml").code == 0
    assert headway("recipe", "check", "mine.toml").code == 0
    again = headway("recipe", "new", "--output", "mine.toml")
    assert again.code == 2
    assert "mine.toml" in again.err
    shown = headway("recipe", "show", "mine.toml", "--json").json
    assert shown["model"]["hidden_size"] == 576
    assert headway("recipe", "new", "--output", "no/such/folder/x.toml").code == 2


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 KiB that is full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("mounting needs root")
    with suppress(OSError):
        (folder / "filler").write_bytes(b"x" * 2**20)
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_recipe_that_the_disk_does_not_take_leaves_nothing(headway: Headway, full_disk: Path) -> None:
    failed = headway("recipe", "new", "--output", str(full_disk / "x.toml"))
    assert failed.code == 2
    assert "No space" in failed.err
    assert not (full_disk / "x.toml").exists()


def test_recipe_check_tells_what_cannot_be_trained(headway: Headway) -> None:
    changes = ("--set", "training.precision=mxfp8", "--set", "training.init_from=nowhere")
    checked = headway("recipe", "check", "headway-tiny-1m", *changes)
    assert checked.code == 0
    assert "keeps every rule" in checked.out
    assert "training.precision" in checked.out
    told = headway("recipe", "check", "headway-tiny-1m", *changes, "--json").json
    assert told["trainable_here"] is False
    assert [obstacle["id"] for obstacle in told["obstacles"]] == ["training-setting", "training-no-weights"]
    refused = headway("train", "headway-tiny-1m", *changes)
    assert refused.code == 2
    assert not (headway.folder / "runs").exists()


def test_recipe_show_prints_what_it_reads(headway: Headway) -> None:
    text = headway("recipe", "show", "headway-tiny-1m").out
    (headway.folder / "copy.toml").write_text(text)
    assert headway("recipe", "show", "copy.toml").out == text


def test_plan_for_a_catalogued_accelerator(headway: Headway) -> None:
    arguments = ("plan", "llama-3.1-8b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=8")
    plan = headway(*arguments, "--json").json
    for section, keys in PLAN_KEYS.items():
        assert keys <= set(plan[section]), section
    assert plan["memory"]["device_peak_bytes"] == sum(plan["memory"]["parts"].values())
    text = headway(*arguments).out
    assert "h100-sxm-80gb" in text
    assert "80 GiB" in text


def test_probe_without_measuring(headway: Headway) -> None:
    shown = headway("probe", "--no-measure")
    assert shown.code == 0
    assert "Processor" in shown.out
    assert headway("probe", "--no-measure", "--json").json["measurements"] is None


def test_runs_list_and_show(trained: Headway) -> None:
    listed = trained("runs", "list", "--json").json
    assert ("small", "finished", 20) in [(run["name"], run["status"], run["step"]) for run in listed]
    assert "finished" in trained("runs", "list").out
    assert "Validation at step 20" in trained("runs", "show", "small").out
    assert trained("runs", "show", "small", "--json").json["ledger"]["rows"]
    missing = trained("runs", "show", "smoll")
    assert missing.code != 0
    assert "small" in missing.err


def test_no_runs_is_no_error(headway: Headway) -> None:
    listed = headway("runs", "list")
    assert (listed.code, listed.out) == (0, "")
    assert "headway demo" in listed.err


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_runs_show_draws(suffix: str, trained: Headway, tmp_path: Path) -> None:
    picture = tmp_path / f"loss.{suffix}"
    assert trained("runs", "show", "small", "--plot", str(picture)).code == 0
    assert picture.stat().st_size > 5000
    assert trained("runs", "show", "small", "--plot", str(tmp_path / "loss.xyz")).code != 0
    assert trained("runs", "show", "small", "--plot", str(tmp_path / "no" / "loss.png")).code != 0


def test_runs_ledger_lays_both_sides_beside_each_other(trained: Headway) -> None:
    rows = {row["quantity"]: row for row in trained("runs", "ledger", "small", "--json").json["rows"]}
    for quantity in ("step_seconds", "peak_bytes", "checkpoint_bytes"):
        row = rows[quantity]
        assert row["predicted"] > 0
        assert row["measured"] > 0
        assert row["error"] == pytest.approx(row["predicted"] / row["measured"] - 1)
    # The sizes of files are arithmetic: they must hold.
    assert abs(rows["checkpoint_bytes"]["error"]) < 0.01
    assert "%" in trained("runs", "ledger", "small").out


def test_train_again_and_compare(trained: Headway) -> None:
    done = trained("train", "small.toml", "--name", "other", "--set", "training.learning_rate=1e-3", "--json")
    assert done.code == 0
    compared = trained("runs", "compare", "small", "other", "--json").json
    rows = {row["name"]: row["values"] for row in compared["rows"]}
    assert rows["training.learning_rate"] == [3e-3, 1e-3]
    assert rows["step"] == [20, 20]
    assert "training.learning_rate" in trained("runs", "compare", "small", "other").out
    taken = trained("train", "small.toml", "--name", "other")
    assert taken.code != 0
    assert "--resume" in taken.err
    resumed = trained("train", "small.toml", "--name", "other", "--set", "training.learning_rate=1e-3", "--resume")
    assert resumed.code == 0
    changed = trained("train", "small.toml", "--name", "other", "--resume")
    assert changed.code != 0
    assert "training.learning_rate (0.001 -> 0.003)" in changed.err


def test_generate_is_repeatable(trained: Headway) -> None:
    first = trained("generate", "small", "--prompt", "def ", "--tokens", "20")
    assert first.code == 0
    assert first.out.startswith("def ")
    assert len(first.out) > 10
    assert trained("generate", "small", "--prompt", "def ", "--tokens", "20").out == first.out
    other = trained("generate", "small", "--prompt", "def ", "--tokens", "20", "--seed", "1", "--json").json
    assert other["text"] != first.out[4:-1]
    assert trained("generate", "small", "--tokens", "5", "--temperature", "0").code == 0
    assert trained("generate", "small", "--tokens", "5", "--top-p", "0.5", "--step", "10").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("small", "--prompt", "word " * 500),
        ("small", "--step", "7"),
        ("small", "--tokens", "0"),
        ("small", "--temperature", "-1"),
        ("small", "--temperature", "nan"),
        ("small", "--temperature", "inf"),
        ("small", "--temperature", "1e-300"),
        ("small", "--top-p", "nan"),
        ("small", "--seed", "99999999999999999999999"),
        ("small", "--prompt", b"\xff".decode("utf-8", "surrogateescape")),
        ("../small",),
    ],
)
def test_generate_refuses_bad_input(arguments: tuple[str, ...], trained: Headway) -> None:
    failed = trained("generate", *arguments)
    assert failed.code != 0
    assert failed.err
    assert failed.out == ""


def test_a_checkpoint_that_is_not_there_is_told_with_those_that_are(trained: Headway) -> None:
    assert "10, 20" in trained("generate", "small", "--step", "7").err


def test_a_plan_that_cannot_fit_is_not_trained(trained: Headway) -> None:
    arguments = ("train", "small.toml", "--set", "model.hidden_size=65536", "--set", "model.intermediate_size=262144")
    refused = trained(*arguments, "--name", "huge")
    assert refused.code == 2
    assert not (trained.folder / "runs" / "huge").exists()


def test_bad_data_is_told_by_the_command(trained: Headway) -> None:
    failed = trained("train", "small.toml", "--name", "nodata", "--set", "data.paths=missing.txt")
    assert failed.code == 2
    assert "missing.txt" in failed.err
    assert not (trained.folder / "runs" / "nodata").exists()
    (trained.folder / "blob.txt").write_bytes(b"text\xff")
    failed = trained("train", "small.toml", "--name", "blob", "--set", "data.paths=blob.txt")
    assert failed.code == 2
    assert "blob.txt" in failed.err
    assert not (trained.folder / "runs" / "blob").exists(), "what the first rows tell needs no run"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_interrupt_saves_and_resume_goes_on(number: signal.Signals, trained: Headway) -> None:
    """Ctrl-C at the terminal, or what a scheduler sends, reaches the command; the worker saves, and the run goes on."""
    name = number.name.lower()
    arguments = [
        sys.executable,
        "-m",
        "headway",
        "train",
        "small.toml",
        "--name",
        name,
        "--set",
        "training.steps=5000",
    ]
    process = subprocess.Popen(
        arguments,
        cwd=trained.folder,
        env=trained.environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # A test run that was started in the background hands down that Ctrl-C is ignored; at a terminal it is not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    run = RunFolder(trained.folder / "runs" / name)
    try:
        deadline = time.monotonic() + 120
        while not run.metrics():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(process.pid, number)
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 128 + number
    assert "Traceback" not in told
    assert run.status() == "interrupted"
    reached = run.metrics()[-1]["step"]
    resumed = trained(
        "train", "small.toml", "--name", name, "--resume", "--set", f"training.steps={reached + 3}", "--json"
    )
    assert resumed.code == 0
    assert run.metrics()[-1]["step"] == reached + 3


def test_the_demo_runs_to_its_end(headway: Headway) -> None:
    done = headway("demo", "--steps", "8", "--json")
    assert done.code == 0, done.err
    result = done.json
    assert result["status"] == "finished"
    assert result["text"].startswith(PROMPT)
    assert "SIGKILL" in done.err
    run = RunFolder(headway.folder / result["run"])
    assert [record["step"] for record in run.metrics()] == list(range(1, 9))
    assert [event["event"] for event in run.events() if event["event"] in ("started", "resumed")] == [
        "started",
        "resumed",
    ]
    json.dumps(result["ledger"])
    assert f"headway runs show {run.name}" in done.err
