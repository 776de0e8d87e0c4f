from __future__ import annotations

import platform
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from headway.telemetry.process import peak_resident_bytes, resident_bytes


def status(folder: Path, text: str) -> Path:
    (folder / "status").write_text(text)
    return folder


def test_the_status_of_a_process_is_read(tmp_path: Path) -> None:
    proc = status(tmp_path, "Name:\tpython\nVmPeak:\t 900 kB\nVmHWM:\t     300 kB\nVmRSS:\t     200 kB\n")
    assert resident_bytes(proc) == 200 * 1024
    assert peak_resident_bytes(proc) == 300 * 1024


@pytest.mark.parametrize("text", ["", "VmRSS:\nVmHWM:\n", "VmRSS: x kB\nVmHWM: x kB\n", "Name:\t\xff\n", None])
def test_what_the_status_does_not_tell_is_asked_of_the_system(tmp_path: Path, text: str | None) -> None:
    proc = tmp_path if text is None else status(tmp_path, text)
    for size_bytes in (resident_bytes(proc), peak_resident_bytes(proc)):
        assert size_bytes > 2**20


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_memory_that_is_taken_and_given_back_is_seen() -> None:
    before = resident_bytes()
    block = np.ones(64 * 2**20, np.uint8)
    during = resident_bytes()
    assert during - before > 60 * 2**20
    del block
    assert resident_bytes() < during - 60 * 2**20
    # The kernel brings its counters of a process up to date in batches.
    assert peak_resident_bytes() > during - 4 * 2**20


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_the_peak_is_that_of_this_process_and_not_of_who_started_it() -> None:
    block = np.ones(200 * 2**20, np.uint8)
    code = "from headway.telemetry.process import peak_resident_bytes; print(peak_resident_bytes())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(printed) < block.nbytes


def test_the_system_decides_the_unit_of_the_peak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(ru_maxrss=5 * 2**20)
    monkeypatch.setattr(resource, "getrusage", lambda _who: usage)
    for system, unit_bytes in (("Linux", 1024), ("Darwin", 1)):
        monkeypatch.setattr(platform, "system", lambda name=system: name)
        assert peak_resident_bytes(tmp_path) == 5 * 2**20 * unit_bytes
