import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.machine import take_inventory
from headway.machine.inventory import Inventory
from headway.machine.measure_memory import LARGEST_ARRAY_BYTES, choose_array_bytes, measure_memory

MIB = 1 << 20
BUDGET_SECONDS = 0.05


@pytest.fixture
def small() -> Inventory:
    """This machine, but with so little usable memory that the arrays are small and the test is quick."""
    inventory = take_inventory(Path())
    return replace(inventory, memory=replace(inventory.memory, usable_bytes=12 * 8 * MIB))


def with_compiler(inventory: Inventory, path: str | None) -> Inventory:
    return replace(inventory, software=replace(inventory.software, compiler=path))


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_c_program(small: Inventory, tmp_path: Path) -> None:
    found, notes = measure_memory(small, tmp_path / "build", budget_seconds=BUDGET_SECONDS)
    assert notes == []
    assert found is not None
    assert (found.method, found.threads, found.array_bytes) == ("c-openmp", small.processor.usable_cores, 8 * MIB)
    assert 5e8 < found.triad_bytes_per_second < 2e12
    assert 5e8 < found.copy_bytes_per_second < 2e12


def test_it_is_compiled_once(small: Inventory, tmp_path: Path) -> None:
    measure_memory(small, tmp_path, budget_seconds=BUDGET_SECONDS)
    (program,) = tmp_path.iterdir()
    before = program.stat()
    _, notes = measure_memory(with_compiler(small, small.software.compiler), tmp_path, budget_seconds=BUDGET_SECONDS)
    assert notes == []
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [before.st_mtime_ns]


def test_without_a_build_folder_nothing_is_left(small: Inventory, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found, _ = measure_memory(small, None, budget_seconds=BUDGET_SECONDS)
    assert found is not None and found.method == "c-openmp"
    assert list(tmp_path.iterdir()) == []


def test_a_build_folder_that_cannot_be_used(small: Inventory) -> None:
    found, notes = measure_memory(small, Path("/proc/no/such"), budget_seconds=BUDGET_SECONDS)
    assert found is not None and found.method == "c-openmp"
    assert notes == []


def test_a_compiler_without_openmp_makes_a_program_of_one_thread(small: Inventory, tmp_path: Path) -> None:
    real = shutil.which("cc")
    compiler = script(tmp_path / "cc", f'case "$*" in *-fopenmp*) exit 1;; esac\nexec {real} "$@"')
    found, notes = measure_memory(with_compiler(small, compiler), tmp_path / "b", budget_seconds=BUDGET_SECONDS)
    assert found is not None and (found.method, found.threads) == ("c", 1)
    assert notes == []


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("echo 'cc: fatal error: no input' >&2; exit 1", "cc: fatal error: no input"),
        ("exit 3", "cc: 3"),
        ('while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\necho 7{" > "$2"; chmod 755 "$2"', "DecodeError"),
        ('while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\necho {}" > "$2"; chmod 755 "$2"', "KeyError"),
        ('while [ "$1" != -o ]; do shift; done; printf "no program" > "$2"; chmod 755 "$2"', "OSError"),
        ("exit 0", "FileNotFoundError"),
    ],
)
def test_a_broken_compiler_leaves_numpy(small: Inventory, tmp_path: Path, text: str, detail: str) -> None:
    compiler = script(tmp_path / "cc", text)
    found, (note,) = measure_memory(with_compiler(small, compiler), tmp_path / "b", budget_seconds=BUDGET_SECONDS)
    assert found is not None and found.method == "numpy"
    assert note.message_id == "machine-note-failed"
    assert note.arguments["stage"] == "memory"
    assert str(note.arguments["detail"]).startswith(detail)


def test_no_compiler_leaves_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Inventory) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    inventory = replace(small, software=take_inventory(tmp_path).software)
    found, (note,) = measure_memory(inventory, tmp_path, budget_seconds=BUDGET_SECONDS)
    assert found is not None and found.method == "numpy"
    assert note.message_id == "machine-note-no-compiler"


@pytest.mark.parametrize(
    ("cache_bytes", "usable_bytes", "expected"),
    [
        (None, None, 64 * MIB),
        (4 * MIB, 16 << 30, 64 * MIB),
        (32 * MIB, 16 << 30, 128 * MIB),
        (480 * MIB, 24 << 30, 512 * MIB),
        (480 * MIB, 1200 * MIB, 100 * MIB),
        (None, 0, MIB),
    ],
)
def test_array_sizes(cache_bytes: int | None, usable_bytes: int | None, expected: int) -> None:
    assert choose_array_bytes(cache_bytes, usable_bytes) == expected


@given(st.integers(0, 1 << 32), st.integers(12 * MIB, 1 << 42))
def test_three_arrays_take_no_more_than_a_quarter_of_the_memory(cache_bytes: int, usable_bytes: int) -> None:
    array_bytes = choose_array_bytes(cache_bytes, usable_bytes)
    assert 3 * array_bytes <= usable_bytes / 4
    assert array_bytes <= LARGEST_ARRAY_BYTES
