import os
from pathlib import Path

import pytest

from headway.machine.measure_compute import ComputeResults, measure_compute
from headway.machine.measurements import Note

BROKEN = {
    "raises": (
        "raise OSError('libtorch_cpu.so: cannot open shared object file')",
        Note(
            message_id="machine-note-failed",
            arguments={"stage": "import", "detail": "OSError: libtorch_cpu.so: cannot open shared object file"},
        ),
    ),
    "killed": (
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        Note(message_id="machine-note-killed", arguments={"stage": "import", "signal": "SIGKILL"}),
    ),
    "empty": (
        "",
        Note(
            message_id="machine-note-failed",
            arguments={"stage": "framework", "detail": "AttributeError: module 'torch' has no attribute"},
        ),
    ),
}


def put_torch(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "torch").mkdir()
    (folder / "torch/__init__.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


def is_numpy_only(found: ComputeResults) -> bool:
    others = (found.framework, found.attention, found.all_reduce)
    return found.matmul is not None and found.matmul.method == "numpy" and others == (None, (), None)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_framework_is_a_note(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, expected = BROKEN[kind]
    put_torch(tmp_path, program, monkeypatch)
    found = measure_compute(torch_installed=True, threads=2)
    assert is_numpy_only(found)
    first = found.notes[0]
    assert first.message_id == expected.message_id
    assert first.arguments["stage"] == expected.arguments["stage"]
    for name, value in expected.arguments.items():
        assert str(first.arguments[name]).startswith(str(value))


def test_a_framework_that_never_finishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_torch(tmp_path, "import threading; threading.Event().wait()", monkeypatch)
    found = measure_compute(torch_installed=True, threads=2, timeout_seconds=2.0)
    assert found.notes[0] == Note(
        message_id="machine-note-timeout", arguments={"stage": "import", "timeout_seconds": 2.0}
    )


def test_without_the_framework_numpy_measures(tmp_path: Path) -> None:
    begun: list[str] = []
    found = measure_compute(torch_installed=False, threads=2, on_begin=begun.append)
    assert is_numpy_only(found)
    assert found.notes == (Note(message_id="machine-note-no-torch"),)
    assert begun == ["matmul"]
