"""What reaches the terminal: text as it is, JSON that every reader takes."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from rich.console import Console

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


def test_the_probe_says_when_it_measured_and_each_thing_once(capsys: pytest.CaptureFixture[str]) -> None:
    busy = Note(message_id="machine-note-busy", arguments={"load": 1.7, "cores": 2})
    measured = Measurements(measured_at="2026-11-30T16:18:02+00:00", elapsed_seconds=1.0, notes=(busy,))
    show_machine(replace(probe(measure=False), measurements=measured))
    out = " ".join(capsys.readouterr().out.split())
    assert "Measured on 2026-11-30 16:18:02 UTC" in out
    assert out.count("load 1.7") == 1
    assert out.count("headway probe --refresh") == 1


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


ROWS = [("demo", "finished", "60/60", "5,627 tokens/s"), ("k", "interrupted", "89/400", "")]


@pytest.mark.parametrize("width", [40, 80, 110])
def test_a_table_keeps_its_words_whole_at_any_width(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table(["run", "state of the run", "step", "speed"], [*ROWS, ("x" * 20, "created", "0/1", "0")], [2, 3])
    Console(width=width).print(table)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    for row in ROWS:
        for word in " ".join(row).split():
            assert word in shown
    assert ("  step: 60/60" in shown) == (width == 40)


@pytest.mark.parametrize(
    ("width", "shown", "hidden"), [(200, "memory", "?"), (80, "speed", "memory"), (40, "left", "step ")]
)
def test_the_live_line_fits_the_terminal(width: int, shown: str, hidden: str) -> None:
    record = {"step": 161, "loss": 5.62, "step_seconds": 0.35, "tokens_per_second": 5721.0, "resident_bytes": 2**29}
    with _LiveView(_Progress(320, 0.3), width) as view:
        room = view.line_width
    line = _Progress(320, 0.3).update(record, room)
    assert len(line) <= room < width
    assert (shown if shown != "speed" else "tokens/s") in line
    assert hidden not in line
