import json
import subprocess
import sys

from headway.machine.stages import describe

PROGRAM = """
from headway.machine.stages import run_stages
stages = {"good": lambda: {"value": 1}, "bad": lambda: 1 / 0, "odd": lambda: object()}
run_stages(stages, ["good", "bad", "odd", "good"])
"""


def test_a_bad_stage_costs_only_itself() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert [line["begin"] for line in lines if "begin" in line] == ["good", "bad", "odd", "good"]
    assert lines[1] == {"stage": "good", "result": {"value": 1}}
    assert lines[3] == {"stage": "bad", "error": "ZeroDivisionError: division by zero"}
    assert lines[5]["error"].startswith("TypeError: ")


def test_errors_become_one_short_line() -> None:
    assert describe(ValueError("first\nsecond")) == "ValueError: first"
    assert describe(ValueError()) == "ValueError"
    assert len(describe(ValueError("x" * 1000))) < 300
