"""Memory bandwidth: the C program ``stream.c`` where there is a compiler, NumPy elsewhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

import msgspec

from headway import units
from headway.machine import children
from headway.machine.inventory import Inventory
from headway.machine.measurements import MemoryBandwidth, Note

_SOURCE = Path(__file__).parent / "stream.c"
_FLAGS = (("-O3", "-march=native", "-fopenmp"), ("-O3", "-fopenmp"), ("-O3",))
"""From the fastest program down to one that any C compiler makes."""

LARGEST_ARRAY_BYTES = 512 * units.MIB
_SMALLEST_ARRAY_BYTES = 64 * units.MIB
_COMPILE_TIMEOUT_SECONDS = 60.0
_RUN_TIMEOUT_SECONDS = 60.0


def measure_memory(
    inventory: Inventory, build_folder: Path | None, *, budget_seconds: float = 1.0
) -> tuple[MemoryBandwidth | None, list[Note]]:
    """Measure the bandwidth of the main memory with all usable cores.

    Args:
        inventory: what the machine is.
        build_folder: where the compiled program is kept; None builds it anew in a temporary folder.
        budget_seconds: time for the repetitions, without compiling and filling the arrays.

    Returns:
        The bandwidth, or None where neither way worked, and notes on what did not work.
    """
    array_bytes = choose_array_bytes(inventory.processor.caches.last_level_total_bytes, inventory.memory.usable_bytes)
    threads, compiler = inventory.processor.usable_cores, inventory.software.compiler
    notes: list[Note] = []
    if compiler is None:
        notes.append(Note(message_id="machine-note-no-compiler"))
    else:
        try:
            model_name = inventory.processor.model_name or ""
            return _run_stream(compiler, model_name, build_folder, array_bytes, threads, budget_seconds), notes
        except (OSError, subprocess.SubprocessError, msgspec.MsgspecError, KeyError, ValueError) as error:
            detail = {"stage": "memory", "detail": _detail(error)}
            notes.append(Note(message_id="machine-note-failed", arguments={**detail}))
    numbers = [str(array_bytes), str(budget_seconds)]
    outcome = children.run_module(
        "headway.machine.numpy_benchmarks", [*numbers, "memory"], threads=threads, timeout_seconds=_RUN_TIMEOUT_SECONDS
    )
    result = outcome.results.get("memory")
    return msgspec.convert(result, MemoryBandwidth) if result else None, notes + outcome.notes


def choose_array_bytes(last_level_cache_bytes: int | None, usable_memory_bytes: int | None) -> int:
    """Choose the size of each of the three arrays.

    Four times the last-level cache (STREAM's rule), at least 64 MiB and at most 512 MiB, so that the three together
    take no more than a quarter of the usable memory.
    """
    wanted_bytes = max(4 * (last_level_cache_bytes or 0), _SMALLEST_ARRAY_BYTES)
    bounds = [wanted_bytes, LARGEST_ARRAY_BYTES]
    if usable_memory_bytes is not None:
        bounds.append(usable_memory_bytes // 12)
    return max(units.MIB, min(bounds) // 4096 * 4096)


def _run_stream(
    compiler: str, model_name: str, build_folder: Path | None, array_bytes: int, threads: int, budget_seconds: float
) -> MemoryBandwidth:
    with tempfile.TemporaryDirectory(prefix="headway-") as temporary:
        folders = [Path(temporary)] if build_folder is None else [build_folder, Path(temporary)]
        while True:
            try:
                program = _build(compiler, model_name, folders.pop(0))
                command = [str(program), str(array_bytes // 8), str(budget_seconds)]
                environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
                finished = subprocess.run(
                    command, env=environment, capture_output=True, check=True, timeout=_RUN_TIMEOUT_SECONDS
                )
                break
            except OSError:
                # The cache may be read-only, full, or on a file system that runs no programs.
                if not folders:
                    raise
    figures = msgspec.json.decode(finished.stdout)
    count = array_bytes // 8
    return MemoryBandwidth(
        method="c-openmp" if figures["openmp"] else "c",
        threads=figures["threads"],
        array_bytes=array_bytes,
        copy_bytes_per_second=16 * count / figures["copy_seconds"],
        triad_bytes_per_second=24 * count / figures["triad_seconds"],
    )


def _build(compiler: str, model_name: str, folder: Path) -> Path:
    """Compile the program into a folder, unless it is there already; safe beside others that do the same."""
    # The processor is part of the name: -march=native makes a program for this one, and homes are shared by hosts.
    key = "\0".join((_SOURCE.read_text(encoding="utf-8"), compiler, model_name))
    program = folder / f"stream-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stream-", dir=folder) as temporary:
        made = Path(temporary) / "stream"
        for attempt, flags in enumerate(_FLAGS, start=1):
            command = [compiler, *flags, "-o", str(made), str(_SOURCE)]
            try:
                subprocess.run(command, capture_output=True, check=True, timeout=_COMPILE_TIMEOUT_SECONDS)
                break
            except subprocess.CalledProcessError:
                if attempt == len(_FLAGS):
                    raise
        made.replace(program)
    return program


def _detail(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or b"").decode("utf-8", "replace").strip().splitlines()
        return lines[0][:200] if lines else f"{Path(error.cmd[0]).name}: {error.returncode}"
    return f"{type(error).__name__}: {error}"[:200]
