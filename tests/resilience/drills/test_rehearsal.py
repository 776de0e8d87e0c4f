"""What drills are made of, without a run."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from headway.errors import RunError, TrainingError
from headway.recipe import Recipe
from headway.resilience.drills import FAULTS, drill
from headway.resilience.drills import stage as stages
from headway.resilience.drills.fault import Grounds
from headway.resilience.drills.measuring import Seen, judged
from headway.resilience.drills.rehearsal import rehearse
from headway.resilience.drills.seam import REHEARSAL, Order
from headway.resilience.drills.shortening import STEPS, shortened, with_settings
from headway.resilience.drills.stage import Stage


def test_an_order_is_read_as_it_was_written() -> None:
    order = Order(deed="quota", step=3, rank=1, amount=4096)
    assert Order.of({REHEARSAL: order.to_text()}) == order
    assert Order.of({REHEARSAL: "nan:3"}) == Order(deed="nan", step=3)
    assert Order.of({}) is None


@pytest.mark.parametrize("text", ["nan", "wings:1", "nan:x", "nan:1:2:3:4"])
def test_an_order_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(TrainingError, match="training-rehearsal"):
        Order.of({REHEARSAL: text})


def test_only_the_length_and_the_places_change(make_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    recipe = make_recipe(training={"warmup_steps": 100}, resilience={"second_copy": "/elsewhere"})
    short = shortened(recipe, tmp_path)
    assert (short.num_steps, short.training.warmup_steps) == (STEPS, STEPS // 4)
    assert short.data.cache == str(tmp_path / "cache")
    assert short.resilience.second_copy == str(tmp_path / "second-copy")
    assert short.model == recipe.model
    assert short.layout == recipe.layout
    guards = with_settings(short, {"resilience.guards": {"straggler_ratio": 9.0}}).resilience.guards
    assert guards == recipe.resilience.guards.model_copy(update={"straggler_ratio": 9.0})


def test_a_fault_that_does_not_exist_is_refused(make_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    with pytest.raises(RunError, match="drill-fault-unknown"):
        drill(make_recipe(), tmp_path / "drill", ["wings"])


@pytest.fixture
def grounds(make_recipe: Callable[..., Recipe], tmp_path: Path) -> Grounds:
    return Grounds(
        recipe=shortened(make_recipe(2), tmp_path),
        processes=2,
        folder=tmp_path,
        checkpoint_bytes=1000,
        largest_file_bytes=500,
        may_mount=False,
        shard="none",
    )


def stage(folder: Path) -> Stage:
    return Stage(folder / "recipe.toml", folder, "run")


def why_not(name: str, grounds: Grounds) -> str:
    result = rehearse(FAULTS[name](), grounds, stage(grounds.folder))
    assert result.status == "impossible"
    return result.reasons[0].message_id


def test_what_the_machine_does_not_permit_is_no_pass(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert why_not("full-disk", grounds) == why_not("read-only-disk", grounds) == "drill-obstacle-mount"
    huge = replace(grounds, may_mount=True, checkpoint_bytes=2**60)
    assert why_not("full-disk", huge) == "drill-obstacle-memory-disk"


@pytest.mark.parametrize(
    ("name", "section", "setting", "value"),
    [
        ("nan", "resilience.guards", "not_finite", "stop"),
        ("loss-spike", "resilience.guards", "loss_spike", "warn"),
        ("flipped-bit", "resilience.guards", "corruption", "off"),
        ("slow-rank", "resilience.guards", "straggler", "off"),
        ("hang", "resilience", "hang_steps", 0),
        ("unreadable-data", "data", "prepared", "/mine"),
    ],
)
def test_what_the_recipe_does_not_watch_is_no_pass(
    name: str, section: str, setting: str, value: object, grounds: Grounds
) -> None:
    changed = replace(grounds, recipe=with_settings(grounds.recipe, {section: {setting: value}}))
    wanted = {"hang": "drill-obstacle-no-hang-watch", "unreadable-data": "drill-obstacle-own-data"}
    assert why_not(name, changed) == wanted.get(name, "drill-obstacle-guard-off")


def test_that_another_rank_seems_slow_proves_nothing_of_the_slow_one(grounds: Grounds) -> None:
    fault = FAULTS["slow-rank"]()
    assert fault.order(grounds).rank == 1
    told = {"event": "guard", "guard": "straggler"}
    assert [fault.is_told_by({**told, "rank": rank}) for rank in (0, 1)] == [False, True]


def test_parts_of_weights_have_no_copies(grounds: Grounds) -> None:
    assert why_not("flipped-bit", replace(grounds, shard="parameters")) == "drill-obstacle-no-copies"


@pytest.mark.parametrize(
    ("seen", "reason"),
    [(Seen(is_missed=True), "drill-reason-missed"), (Seen(is_overdue=True), "drill-reason-overdue")],
)
def test_a_run_that_the_fault_did_not_meet_has_failed(seen: Seen, reason: str, tmp_path: Path) -> None:
    result = judged(FAULTS["nan"](), stage(tmp_path), stage(tmp_path), seen)
    assert (result.status, result.reasons[0].message_id) == ("failed", reason)


def test_what_a_run_leaves_behind_is_named_and_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "ORPHAN_SECONDS", 0.05)
    with subprocess.Popen(["sleep", "1000"]) as orphan:
        with stage(tmp_path) as left:
            left.seen.add(orphan.pid)
            left.wait_for_end()
            assert left.orphans == {orphan.pid}
        assert orphan.wait() == -signal.SIGKILL


def test_steps_that_are_done_again_after_an_end_in_time_break_a_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = stage(tmp_path)
    monkeypatch.setattr(Stage, "is_finished", lambda _: True)
    run.run.metrics_path().parent.mkdir(parents=True)
    run.run.metrics_path().write_text("".join(f'{{"step":{step},"time":{step}}}\n' for step in (1, 2, 2, 3)))
    (tmp_path / "run" / "events.jsonl").write_text('{"time":5,"event":"attempt-stopped"}\n')
    (reason,) = judged(FAULTS["terminated"](), run, run, Seen(at=1.0)).reasons
    assert (reason.message_id, reason.arguments) == ("drill-reason-repeated", {"steps": 1})
