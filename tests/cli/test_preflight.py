from __future__ import annotations

from tests.command_line import Headway

QUICK = [part for name in ("software", "memory", "disk") for part in ("--check", name)]


def test_a_recipe_that_can_run(headway: Headway) -> None:
    done = headway("preflight", "headway-tiny-4m", "--set", "hardware.accelerator=cpu", *QUICK)
    assert done.code == 0, done.err
    assert "Software\n  + torch 2.13.0" in done.out
    assert "free; the plan needs" in done.out
    assert "Ready" in done.err


def test_a_recipe_that_cannot(headway: Headway) -> None:
    # Ten thousand terabytes of checkpoints.
    settings = ("resilience.keep_last=100000000", "training.steps=1000000000", "hardware.accelerator=cpu")
    wishes = [part for setting in settings for part in ("--set", setting)]
    done = headway("preflight", "headway-tiny-4m", *wishes, *QUICK, "--json")
    assert done.code == 1
    assert not done.json["passed"]
    failed = [check["name"] for check in done.json["checks"] if check["status"] == "failed"]
    assert failed == ["disk"]


def test_an_unknown_check(headway: Headway) -> None:
    done = headway("preflight", "headway-tiny-4m", "--check", "wings")
    assert done.code == 1
    assert "wings" in done.err
