"""What reaches the terminal: text as it is, JSON that every reader takes."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from headway import api
from headway.cli import main as main_module
from headway.cli.output import make_table, print_json, stderr_console, stdout_console
from headway.cli.plan_view import show_plan
from headway.cli.probe import show_machine
from headway.cli.training_view import _LiveView, _Progress
from headway.errors import RunError
from headway.machine import probe
from headway.machine.measurements import Measurements, Note
from headway.planning.choice import Alternative
from headway.planning.message import Message
from headway.recipe import find_recipe

BRACKETS = "a[/x] [bold]b headway[torch] :smile:"
CATALOGUED = ["hardware.accelerator=h100-sxm-80gb", "hardware.devices=8"]


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_brackets_are_text_in_lines_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    stdout_console().print(BRACKETS)
    stdout_console().print(make_table([BRACKETS], [[BRACKETS]]))
    stderr_console().print(BRACKETS)
    out, err = capsys.readouterr()
    assert out.count(BRACKETS) == 3
    assert err.count(BRACKETS) == 1


def test_brackets_are_text_in_the_live_view(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "200")):
        monkeypatch.setenv(name, value)
    with _LiveView(_Progress(10, None)) as view:
        arguments = {"path": BRACKETS, "file": "b"}
        view.on_event({"event": "notice", "id": "data-cache-damaged", "arguments": arguments})
        view.on_event({"event": "stage", "message": BRACKETS, "fraction": 0.5})
    err = capsys.readouterr().err
    assert "\x1b[" in err
    assert f"{BRACKETS} 50%" in err
    assert err.count(BRACKETS) >= 2


def test_brackets_are_text_in_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    plan = api.plan(find_recipe("llama-3.1-8b", CATALOGUED))
    show_plan(replace(plan, warnings=(Message(id="recipe-unreadable", arguments={"path": "[/x]", "reason": "[b]"}),)))
    out = capsys.readouterr().out
    assert "[/x]" in out
    assert "[b]" in out


def test_the_plan_shows_the_best_alternatives(capsys: pytest.CaptureFixture[str]) -> None:
    plan = api.plan(find_recipe("llama-3.1-8b", CATALOGUED))
    others = tuple(
        Alternative(
            layout=replace(plan.layout, data_parallel_degree=size),
            step_seconds=1.5,
            device_peak_bytes=2**30,
            fits=True,
        )
        for size in (71, 72, 73, 74)
    )
    show_plan(replace(plan, alternatives=others))
    lines = capsys.readouterr().out.splitlines()
    below = lines[lines.index("Alternatives") :]
    shown = [line.split() for line in below if line.split()[-1:] == ["GiB"]]
    assert [line[1].strip(",") for line in shown] == ["71", "72", "73"]
    assert {tuple(line[-4:]) for line in shown} == {("1.5", "s", "1", "GiB")}
    show_plan(replace(plan, alternatives=()))
    assert "Alternatives" not in capsys.readouterr().out


def test_a_note_of_the_probe_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    notes = (Note(message_id="machine-note-no-torch"),)
    measured = Measurements(measured_at="", elapsed_seconds=1.0, notes=notes)
    show_machine(replace(probe(measure=False), measurements=measured))
    assert 'pip install ".[torch]"' in capsys.readouterr().out


def test_json_is_strict(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"loss": math.nan, "rows": [math.inf, -math.inf, 1.5]})
    printed = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert printed == {"loss": "NaN", "rows": ["Infinity", "-Infinity", 1.5]}


def test_an_error_in_json_is_strict(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_settings: object) -> None:
        raise RunError("run-no-metrics", name=math.nan)

    monkeypatch.setattr(main_module.cli, "main", fail)
    monkeypatch.setattr("sys.argv", ["headway", "runs", "ledger", "x", "--json"])
    with pytest.raises(SystemExit) as ended:
        main_module.main()
    assert ended.value.code == 1
    body = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert body == {"error": {"id": "run-no-metrics", "arguments": {"name": "NaN"}}}
