"""Runs from the outside: real worker processes, and what a user is told when something is wrong."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import HeadwayError, RunError, TrainingError
from headway.i18n import Translator
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.runs import RunFolder
from headway.runs.goodput import measure_goodput
from headway.training.loop import odd_state
from headway.training.session import Followers, Session, open_run

Make = Callable[..., Recipe]


def start(recipe: Recipe, root: Path, **settings: Any) -> RunFolder:
    return open_run(recipe, {}, root=root, **settings)


def failure(run: RunFolder) -> HeadwayError:
    with pytest.raises(HeadwayError) as raised:
        Session(run).wait()
    text, next_step = Translator("en").error(raised.value)
    assert not text.startswith(raised.value.message_id), "the error has a text"
    assert "{" not in text, "every argument of the text was given"
    assert next_step
    assert run.status() == "failed"
    return raised.value


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_learns_and_leaves_everything_behind(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(training={"evaluate_every_steps": 20}), tmp_path)
    seen: list[dict[str, Any]] = []
    assert Session(run, Followers(on_metric=seen.append)).wait() == 0
    assert run.status() == "finished"
    assert [record["step"] for record in seen] == list(range(1, 41))
    metrics = run.metrics()
    assert metrics[-1]["loss"] < metrics[0]["loss"] - 0.5
    assert metrics[-1]["tokens"] == 40 * 8 * 64
    evaluated = [event for event in run.events() if event["event"] == "evaluated"]
    assert [event["step"] for event in evaluated] == [20, 40]
    last = evaluated[-1]
    assert last["perplexity"] == pytest.approx(math.exp(last["loss"]))
    data = next(event for event in run.events() if event["event"] == "data-ready")
    assert last["bits_per_byte"] == pytest.approx(last["loss"] / math.log(2) / data["bytes_per_token"])
    assert CheckpointStore(run.checkpoints_folder).steps() == [30, 40]
    ledger = {row["quantity"]: row for row in (run.ledger() or {})["rows"]}
    assert ledger["checkpoint_bytes"]["measured"] == sum(
        file.stat().st_size for file in (run.checkpoints_folder / "step-00000040").iterdir()
    )
    assert 0 < ledger["goodput"]["measured"] <= 1
    assert ledger["interruptions"]["measured"] == 0


def test_the_validation_loss_does_not_depend_on_the_micro_batch(make_small_recipe: Make, tmp_path: Path) -> None:
    evaluated = []
    for size in (1, 8):
        recipe = make_small_recipe(
            training={"steps": 1, "precision": "fp32", "evaluate_batches": 2}, layout={"micro_batch_size": size}
        )
        run = start(recipe, tmp_path, name=f"micro-{size}")
        assert Session(run).wait() == 0
        evaluated += [event for event in run.events() if event["event"] == "evaluated"]
    assert [event["tokens"] for event in evaluated] == [2 * 8 * 64] * 2
    assert evaluated[0]["loss"] == pytest.approx(evaluated[1]["loss"], rel=1e-5)


def test_attention_within_documents_trains(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(data={"attention_within_documents": True}, training={"steps": 3}), tmp_path)
    assert Session(run).wait() == 0
    assert run.metrics()[-1]["step"] == 3


def test_a_stopped_run_saves_and_goes_on(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(training={"steps": 3000}, resilience={"checkpoint_every_steps": 100_000})
    run = start(recipe, tmp_path)
    session = Session(run)
    wait_until(lambda: len(run.metrics()) > 3)
    session.stop()
    assert session.process.returncode == 0
    assert run.status() == "interrupted"
    saved = CheckpointStore(run.checkpoints_folder).steps()
    assert saved == [run.metrics()[-1]["step"]]
    shorter = make_small_recipe(training={"steps": saved[0] + 2})
    again = start(shorter, tmp_path, resume=True)
    assert again.path == run.path
    assert Session(again).wait() == 0
    assert run.status() == "finished"
    assert run.metrics()[-1]["step"] == saved[0] + 2
    resumed = [event for event in run.events() if event["event"] == "resumed"]
    assert [event["step"] for event in resumed] == saved


def test_a_killed_worker_is_reported_with_its_signal(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(training={"steps": 3000}), tmp_path)
    session = Session(run)
    wait_until(lambda: bool(run.metrics()))
    os.kill(session.process.pid, signal.SIGKILL)
    with pytest.raises(TrainingError) as killed:
        session.wait()
    assert killed.value.arguments["signal"] == signal.SIGKILL
    assert run.status() == "interrupted"


def test_a_worker_that_cannot_start_is_reported(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(), tmp_path)
    (run.path / "recipe.toml").write_text("not = [toml")
    assert failure(run).message_id == "recipe-not-toml"


def test_the_worker_stops_when_its_parent_is_killed(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(training={"steps": 100_000}), tmp_path)
    code = (
        "import sys; from pathlib import Path; from headway.runs import RunFolder;"
        "from headway.training.session import Session; Session(RunFolder(Path(sys.argv[1]))).wait()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(run.path)])
    wait_until(lambda: len(run.metrics()) > 2)
    parent.kill()
    parent.wait()
    wait_until(lambda: run.status() == "interrupted")
    assert CheckpointStore(run.checkpoints_folder).steps()


def test_one_process_at_a_time(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(training={"steps": 100_000}), tmp_path)
    first = Session(run)
    wait_until(lambda: bool(run.metrics()))
    try:
        with pytest.raises(HeadwayError, match="run-locked"):
            Session(run).wait()
        assert run.status() == "running"
        assert first.process.poll() is None
        before = (run.path / "recipe.toml").read_text()
        with pytest.raises(RunError, match="run-locked"):
            start(make_small_recipe(training={"steps": 7}), tmp_path, resume=True)
        assert (run.path / "recipe.toml").read_text() == before
    finally:
        first.stop()
    # The one that was refused leaves no trace in the run of the other.
    assert first.wait() == 0
    assert run.status() == "interrupted"


def test_a_stop_during_preparation_is_heeded(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(
        data={"source": "python-stdlib", "paths": [], "cache": str(tmp_path / "cache")}, model={"vocab_size": 4096}
    )
    run = start(recipe, tmp_path)
    session = Session(run)
    wait_until(lambda: any(event["event"] == "stage" for event in run.events()))
    session.stop()
    assert session.process.returncode == 0
    assert run.status() == "interrupted"
    assert not run.metrics()


@pytest.mark.parametrize("section", ["model", "data", "training"])
def test_a_changed_recipe_is_not_resumed(section: str, make_small_recipe: Make, tmp_path: Path) -> None:
    assert Session(start(make_small_recipe(training={"steps": 1}), tmp_path)).wait() == 0
    change = {"model": {"hidden_size": 128}, "data": {"max_bytes": 50_000}, "training": {"learning_rate": 1.0}}
    with pytest.raises(RunError) as refused:
        start(make_small_recipe(**{section: change[section]}), tmp_path, resume=True)
    assert refused.value.message_id == "run-recipe-changed"
    (name, value), told = next(iter(change[section].items())), refused.value.arguments["sections"]
    assert f"{section}.{name} (" in told
    assert f"-> {value})" in told


def test_changed_text_is_not_resumed(make_small_recipe: Make, text_folder: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.mkdir()
    for file in text_folder.iterdir():
        (text / file.name).write_bytes(file.read_bytes())
    recipe = make_small_recipe(data={"paths": [str(text)]}, training={"steps": 4})
    run = start(recipe, tmp_path / "runs")
    assert Session(run).wait() == 0
    (text / "more.py").write_text("x = 1\n" * 1000)
    longer = make_small_recipe(data={"paths": [str(text)]}, training={"steps": 8})
    again = start(longer, tmp_path / "runs", resume=True)
    assert failure(again).message_id == "run-data-changed"


def test_every_second_of_a_run_that_was_killed_is_accounted_for(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(training={"steps": 24, "evaluate_every_steps": 12}, hardware={"threads": 1})
    run = start(recipe, tmp_path)
    session = Session(run)
    wait_until(lambda: any(record["step"] >= 13 for record in run.metrics()))
    session.kill()
    at_kill = len(run.metric_records())
    run = start(recipe, tmp_path, resume=True)
    assert Session(run).wait() == 0
    spent = measure_goodput(run)
    records, events = run.metric_records(), run.events()
    assert sum(spent.microseconds.values()) == spent.wall_microseconds
    resumed = next(event for event in events if event["event"] == "resumed")
    done_in_vain = sum(record["step_seconds"] for record in records[resumed["step"] : at_kill])
    assert spent.seconds("lost_work") == pytest.approx(done_in_vain, abs=0.01)
    assert spent.seconds("restart") > resumed["process_seconds"] > 0.2
    assert spent.seconds("start") > events[0]["process_seconds"]
    assert min(spent.seconds(part) for part in ("step", "checkpoint_stall", "evaluation")) > 0
    ledger = {row["quantity"]: row for row in (run.ledger() or {})["rows"]}
    assert 0 < ledger["goodput"]["measured"] <= 1


def test_there_is_nothing_to_resume(make_small_recipe: Make, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-nothing-to-resume"):
        start(make_small_recipe(), tmp_path, resume=True)
    with pytest.raises(RunError, match="run-unknown"):
        start(make_small_recipe(), tmp_path, resume=True, name="other")


def test_resuming_takes_the_newest_run_of_the_recipe(make_small_recipe: Make, tmp_path: Path) -> None:
    names = [start(make_small_recipe(), tmp_path).name for _ in range(3)]
    assert names == ["small", "small-2", "small-3"]
    start(make_small_recipe(), tmp_path, name="small-but-other")
    os.utime(tmp_path / "small-2" / "recipe.toml")
    assert start(make_small_recipe(), tmp_path, resume=True).name == "small-2"


@pytest.mark.parametrize(
    ("changes", "message_id"),
    [
        ({"data": {"paths": ["/nowhere/at/all.txt"]}}, "data-path-missing"),
        ({"data": {"tokenizer": "byte"}, "model": {"vocab_size": 100}}, "data-vocabulary-too-large"),
        ({"training": {"init_from": "/nowhere"}}, "training-no-weights"),
        ({"training": {"learning_rate": 1e30, "precision": "fp32"}}, "training-loss-not-finite"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], message_id: str, make_small_recipe: Make, tmp_path: Path) -> None:
    error = failure(start(make_small_recipe(**changes), tmp_path))
    assert error.message_id == message_id


def test_an_empty_data_set_is_named(make_small_recipe: Make, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    recipe = make_small_recipe(data={"paths": [str(tmp_path / "empty.txt")]})
    assert failure(start(recipe, tmp_path)).message_id == "data-empty"


def test_too_little_validation_text_is_no_reason_to_stop(
    make_small_recipe: Make, text_folder: Path, tmp_path: Path
) -> None:
    for number in range(40):
        (tmp_path / f"short{number}.txt").write_text(f"Short {number}.")
    (tmp_path / "long.txt").write_text((text_folder / "ast.py").read_text())
    recipe = make_small_recipe(
        data={"paths": [str(tmp_path / "*.txt")], "validation_fraction": 0.01}, training={"steps": 2}
    )
    run = start(recipe, tmp_path / "runs")
    assert Session(run).wait() == 0
    notices = [event["id"] for event in run.events() if event["event"] == "notice"]
    evaluated = [event for event in run.events() if event["event"] == "evaluated"]
    assert notices == ["training-no-plan", "training-no-validation"]
    assert not evaluated


def test_the_planned_interval_decides_where_the_recipe_leaves_it_open(make_small_recipe: Make, tmp_path: Path) -> None:
    settings = {"checkpoint_every": "auto", "checkpoint_every_steps": None, "keep_last": 50}
    recipe = make_small_recipe(training={"steps": 5}, resilience=settings)
    often = open_run(
        recipe, {"reliability": {"checkpoint_interval_seconds": 0.0}}, root=tmp_path / "often", name="often"
    )
    unknown = open_run(recipe, {}, root=tmp_path / "unknown", name="unknown")
    for run in (often, unknown):
        assert Session(run).wait() == 0
    # Of the default, a minute, these few steps take little; the last step is always saved.
    assert CheckpointStore(often.checkpoints_folder).steps() == [1, 2, 3, 4, 5]
    assert CheckpointStore(unknown.checkpoints_folder).steps() == [5]


def test_the_last_good_checkpoint_outlives_a_nan(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(
        training={"learning_rate": 1e30, "precision": "fp32", "warmup_steps": 0, "gradient_clip_norm": 1e9},
        resilience={"checkpoint_every_steps": 1},
    )
    run = start(recipe, tmp_path)
    error = failure(run)
    snapshot, _ = CheckpointStore(run.checkpoints_folder).load_newest()
    last = run.metrics()[-1]
    assert not math.isfinite(last["loss"]) or not math.isfinite(last["gradient_norm"])
    assert error.arguments["step"] == run.metrics()[-1]["step"]
    if snapshot is not None:
        assert snapshot.step < error.arguments["step"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_nothing(make_small_recipe: Make, small_disk: Path) -> None:
    run = start(make_small_recipe(resilience={"checkpoint_every_steps": 5, "keep_last": 5}), small_disk)
    error = failure(run)
    assert error.message_id == "checkpoint-disk-full"
    assert error.arguments["needed_bytes"] > error.arguments["free_bytes"] or error.arguments["free_bytes"] == 0
    snapshot, damaged = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    assert not damaged
    assert not list(run.checkpoints_folder.glob(".writing-*"))


def test_a_damaged_checkpoint_falls_back_to_the_one_before(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(), tmp_path)
    assert Session(run).wait() == 0
    expected = CheckpointStore(run.checkpoints_folder).load(40).parameters
    weights = run.checkpoints_folder / "step-00000040" / "model-00001-of-00001.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    again = start(make_small_recipe(), tmp_path, resume=True)
    assert Session(again).wait() == 0
    events = run.events()
    assert [event["id"] for event in events if event["event"] == "checkpoint-damaged"] == ["checkpoint-file-checksum"]
    assert [event["step"] for event in events if event["event"] == "resumed"] == [30]
    repaired = CheckpointStore(run.checkpoints_folder).load(40).parameters
    assert all(np.array_equal(array, repaired[name]) for name, array in expected.items())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"data": None}, "data"),
        ({"engine": []}, "engine"),
        ({"micro_batch_size": 0}, "micro_batch_size"),
        ({"micro_batch_size": "7"}, "micro_batch_size 7"),
        ({"optimizer_steps": -1}, "optimizer_steps -1"),
        ({"engine": {"threads": 2, "linear_kernel": "default"}}, "engine.elementwise_kernel"),
    ],
)
def test_an_odd_state_is_what_no_training_wrote(change: dict[str, Any], told: str) -> None:
    engine = {"threads": 1, "linear_kernel": "default", "elementwise_kernel": "native", "versions": {}, "name": "torch"}
    good = {"data": {"corpus": "c"}, "engine": engine, "recipe_digest": "d"}
    good |= {"optimizer_steps": 1, "micro_batch_size": 1}
    assert odd_state(Snapshot(parameters={}, optimizer={}, state=good)) is None
    assert told in (odd_state(Snapshot(parameters={}, optimizer={}, state={**good, **change})) or "")


def test_a_state_that_no_training_wrote_falls_back(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe(training={"steps": 20}), tmp_path)
    assert Session(run).wait() == 0
    store = CheckpointStore(run.checkpoints_folder)
    good = store.load(20)
    shutil.rmtree(store.path_of(20))
    store.save(replace(good, state={**good.state, "engine": None}, files={}))
    assert Session(start(make_small_recipe(training={"steps": 20}), tmp_path, resume=True)).wait() == 0
    events = run.events()
    assert [event["id"] for event in events if event["event"] == "checkpoint-damaged"] == ["checkpoint-state-odd"]
    assert [event["step"] for event in events if event["event"] == "resumed"] == [10]


def test_weights_come_from_a_hugging_face_folder(make_small_recipe: Make, tmp_path: Path) -> None:
    first = start(make_small_recipe(), tmp_path)
    assert Session(first).wait() == 0
    import transformers

    folder = first.checkpoints_folder / "step-00000040"
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.save_pretrained(tmp_path / "exported")
    recipe = make_small_recipe(training={"init_from": str(tmp_path / "exported"), "steps": 1, "learning_rate": 1e-12})
    second = start(recipe, tmp_path, name="second")
    assert Session(second).wait() == 0
    losses = [
        next(event["loss"] for event in reversed(run.events()) if event["event"] == "evaluated")
        for run in (first, second)
    ]
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_a_run_goes_on_after_its_text_has_moved(make_small_recipe: Make, text_folder: Path, tmp_path: Path) -> None:
    recipe = make_small_recipe(training={"steps": 4})
    run = start(recipe, tmp_path / "runs")
    assert Session(run).wait() == 0
    moved = tmp_path / "moved"
    moved.mkdir()
    for file in text_folder.iterdir():
        (moved / file.name).write_bytes(file.read_bytes())
    longer = make_small_recipe(data={"paths": [str(moved)]}, training={"steps": 6})
    assert Session(start(longer, tmp_path / "runs", resume=True)).wait() == 0
    assert run.metrics()[-1]["step"] == 6
