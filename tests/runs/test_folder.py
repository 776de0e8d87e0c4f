from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from headway.errors import RecipeError, RunError
from headway.recipe import Recipe
from headway.runs import EventLog, MetricLog, RunFolder, list_runs

HOLDER = """
import sys
from pathlib import Path
from headway.runs import RunFolder
with RunFolder(Path(sys.argv[1])).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(run: RunFolder) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDER, str(run.path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate()


def test_a_new_run_holds_its_recipe_and_plan(run: RunFolder, recipe: Recipe) -> None:
    assert run.name == "demo"
    assert run.recipe() == recipe
    assert run.plan() == {"time": {"step_seconds": 0.5}}
    assert run.ledger() is None
    assert run.status() == "created"
    assert run.metrics() == run.events() == []
    for path in (run.metrics_folder, run.logs_folder, run.checkpoints_folder):
        assert path.is_dir()
    assert run.log_path(3).parent == run.logs_folder
    assert run.tokenizer_path.parent == run.path
    assert sorted(path.name for path in run.path.iterdir()) == [
        "checkpoints",
        "logs",
        "metrics",
        "plan.json",
        "recipe.toml",
    ]


def test_runs_of_one_recipe_are_numbered(run: RunFolder, recipe: Recipe) -> None:
    root = run.path.parent
    assert [RunFolder.create(root, recipe, {}).name for _ in range(2)] == ["demo-2", "demo-3"]
    assert RunFolder.create(root, recipe, {}, "mine").name == "mine"
    with pytest.raises(RunError, match="run-exists"):
        RunFolder.create(root, recipe, {}, "mine")


def test_a_long_name_leaves_room_for_its_number(tmp_path: Path, recipe: Recipe) -> None:
    long = recipe.model_copy(update={"name": "n" * 128})
    names = [RunFolder.create(tmp_path, long, {}).name for _ in range(2)]
    for name in names:
        assert RunFolder.open(tmp_path, name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        ".hidden",
        "a/b",
        "/etc",
        "../x",
        "a b",
        "",
        "n" * 129,
        "-rf",
        "a\n",
        "\N{LATIN SMALL LETTER E WITH ACUTE}",
        "a\x00",
    ],
)
def test_names_that_are_no_folder_names_are_refused(tmp_path: Path, recipe: Recipe, name: str) -> None:
    if name:
        with pytest.raises(RunError, match="run-name-invalid"):
            RunFolder.create(tmp_path / "runs", recipe, {}, name)
    with pytest.raises(RunError, match="run-name-invalid"):
        RunFolder.create(tmp_path / "runs", recipe.model_copy(update={"name": name}), {})
    with pytest.raises(RunError, match="run-unknown"):
        RunFolder.open(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_run_names_the_closest(run: RunFolder) -> None:
    root = run.path.parent
    assert RunFolder.open(root, "demo").recipe() == run.recipe()
    with pytest.raises(RunError) as caught:
        RunFolder.open(root, "demoo")
    assert (caught.value.arguments["closest"], caught.value.arguments["known"]) == ("demo", "demo")
    with pytest.raises(RunError) as caught:
        RunFolder.open(root / "absent", "demo")
    assert (caught.value.arguments["closest"], caught.value.arguments["known"]) == ("none", "none")


def test_a_folder_without_a_recipe_is_no_run(run: RunFolder) -> None:
    root = run.path.parent
    (root / "stray").mkdir()
    (root / "file").touch()
    assert [found.name for found in list_runs(root)] == ["demo"]
    (run.path / "recipe.toml").unlink()
    assert list_runs(root) == []
    with pytest.raises(RunError, match="run-unknown"):
        RunFolder.open(root, "demo")
    with pytest.raises(RecipeError, match="recipe-unreadable"):
        run.recipe()
    assert run.status() == "created"


def test_runs_are_listed_by_when_they_were_touched(run: RunFolder, recipe: Recipe) -> None:
    root = run.path.parent
    other = RunFolder.create(root, recipe, {}, "other")
    for number, name in enumerate(("other", "demo")):
        os.utime(root / name / "recipe.toml", (number, number))
    assert list_runs(root) == [other, run]
    assert list_runs(root / "absent") == []


def test_what_json_cannot_say_survives_in_plan_and_ledger(run: RunFolder) -> None:
    run.write_plan({"a": math.inf, "b": [math.nan]})
    rows = [{"resource": "time", "quantity": "step_seconds", "error": -math.inf}]
    run.write_ledger({"rows": rows})
    assert run.plan()["a"] == math.inf
    assert math.isnan(run.plan()["b"][0])
    assert run.ledger() == {"rows": rows}
    json.loads((run.path / "plan.json").read_text(), parse_constant=pytest.fail)
    assert not list(run.path.glob(".*"))


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_named(run: RunFolder, content: bytes) -> None:
    (run.path / "plan.json").write_bytes(content)
    with pytest.raises(RunError, match="run-file-damaged") as caught:
        run.plan()
    assert caught.value.arguments["path"].endswith("plan.json")


def test_a_missing_plan_is_damage_and_a_missing_ledger_is_none(run: RunFolder) -> None:
    (run.path / "plan.json").unlink()
    with pytest.raises(RunError, match="run-file-damaged"):
        run.plan()
    assert run.ledger() is None


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([], "created"),
        (["stage"], "created"),
        (["started"], "interrupted"),
        (["started", "stopped"], "interrupted"),
        (["started", "finished"], "finished"),
        (["started", "finished", "resumed"], "interrupted"),
        (["started", "failed"], "failed"),
        (["started", "evaluated"], "interrupted"),
    ],
)
def test_the_state_follows_from_the_events(run: RunFolder, events: list[str], status: str) -> None:
    with EventLog(run.events_path) as log:
        for event in events:
            log.record(event)
    assert run.status() == status


def test_metrics_are_the_last_of_each_step(run: RunFolder) -> None:
    with MetricLog(run.metrics_path(1)) as log:
        log.append({"step": 1, "loss": 2.0})
        log.append({"step": 1, "loss": 3.0})
    assert run.metrics(1) == [{"step": 1, "loss": 3.0}]
    assert run.metrics() == []


def test_one_process_at_a_time(run: RunFolder) -> None:
    process = hold(run)
    try:
        assert run.status() == "running"
        with pytest.raises(RunError, match="run-locked"), run.lock():
            pass
    finally:
        end(process)
    assert run.status() == "created"
    with run.lock():
        assert run.status() == "running"
    with run.lock():
        pass


def test_a_kill_lets_go_of_the_run(run: RunFolder) -> None:
    process = hold(run)
    process.send_signal(signal.SIGKILL)
    end(process)
    assert process.returncode == -signal.SIGKILL
    assert run.status() == "created"
    with run.lock():
        pass


def test_who_asks_for_the_state_does_not_keep_the_owner_out(run: RunFolder) -> None:
    with run.lock():
        pass
    asking = os.open(run.path / ".lock", os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    answered = threading.Timer(0.05, os.close, [asking])
    answered.start()
    with run.lock():
        answered.join()


def test_an_idle_run_is_never_taken_for_running(run: RunFolder) -> None:
    with run.lock():
        pass
    seen: list[str] = []
    askers = [threading.Thread(target=lambda: seen.extend(run.status() for _ in range(300))) for _ in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert set(seen) == {"created"}


def test_a_read_only_run_can_be_read(trained: RunFolder, recipe: Recipe, tmp_path: Path, read_only: Path) -> None:
    run = RunFolder(read_only / trained.path.relative_to(tmp_path))
    with trained.lock():
        assert run.status() == "running"
    assert run.status() == "finished"
    assert run.recipe() == recipe
    assert len(run.metrics()) == 40
    assert list_runs(run.path.parent) == [run]
    for write in (
        lambda: run.write_plan({}),
        lambda: run.write_ledger({}),
        lambda: run.write_recipe(recipe),
        lambda: RunFolder.create(run.path.parent, recipe, {}),
        lambda: RunFolder.create(run.path.parent, recipe, {}, "other"),
        lambda: RunFolder.create(run.path.parent / "new", recipe, {}),
        lambda: EventLog(run.events_path),
        lambda: run.lock().__enter__(),
    ):
        with pytest.raises(RunError, match="run-unwritable"):
            write()


def test_a_run_that_was_never_locked_is_read_only_too(run: RunFolder, tmp_path: Path, read_only: Path) -> None:
    assert RunFolder(read_only / run.path.relative_to(tmp_path)).status() == "created"


def test_a_run_that_could_not_be_filled_leaves_its_name_free(tmp_path: Path, recipe: Recipe) -> None:
    with pytest.raises(TypeError):
        RunFolder.create(tmp_path, recipe, {"a": object()}, "mine")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_name_free_and_the_old_file_whole(tmp_path: Path, recipe: Recipe) -> None:
    run = RunFolder.create(tmp_path, recipe, {"a": 1}, "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(RunError, match="run-unwritable"):
            RunFolder.create(tmp_path, recipe, {"a": "x" * 1000}, "mine")
        with pytest.raises(RunError, match="run-unwritable"):
            run.write_plan({"a": "x" * 1000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert run.plan() == {"a": 1}
    assert not list(run.path.glob(".*"))


def answer_locks_with(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Stand in for file systems that cannot be mounted here."""

    def flock(descriptor: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_locks_is_no_obstacle(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    answer_locks_with(monkeypatch, number)
    with run.lock():
        assert run.status() == "created"


def test_a_lock_that_fails_otherwise_is_reported(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_locks_with(monkeypatch, errno.EIO)
    with pytest.raises(RunError, match="run-unwritable") as caught, run.lock():
        pass
    assert caught.value.arguments["reason"] == os.strerror(errno.EIO)
