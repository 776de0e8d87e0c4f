"""How fast logs are read: ``python -m benchmarks.diagnose_speed [--bytes 2000000000] [--ranks 512]``.

Aims: 2 GB of 512 ranks at 300 MB/s on two cores in less than 300 MB resident, the processes together; a log of 100 kB
in less than 0.5 s, start included. The logs are written anew to a temporary folder, and read once before.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from benchmarks.machine_line import machine_line

ROUNDS = 5
SMALL_BYTES = 100_000

OUT_OF_MEMORY = "[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
WAITED = (
    "[rank{rank}]:[E1130 22:20:54.1 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum={step}, OpType=ALLREDUCE, NumelIn=1) ran for 600023 milliseconds\n"
)


def line_of(rank: int, step: int) -> str:
    """Return a line as Megatron writes it for each step."""
    clock = f"{10 + step // 3600 % 12:02d}:{step // 60 % 60:02d}:{step % 60:02d},{step % 1000:03d}"
    return (
        f"[2026-11-30 {clock}] [INFO] [rank{rank}]: iteration {step}/ 500000 | consumed samples: {step * 512} | "
        f"elapsed time per iteration (ms): {1200 + step % 77}.5 | learning rate: 3.0E-04 | "
        f"lm loss: {2.5 - step % 100 / 1000:.6E} | grad norm: 0.{step % 999:03d} | number of skipped iterations: 0\n"
    )


def write_logs(folder: Path, size_bytes: int, ranks: int) -> None:
    """Write the log of each rank: steps, then one rank without memory and the others that waited for it."""
    for rank in range(ranks):
        with (folder / f"rank_{rank}.log").open("w") as file:
            written = step = 0
            while written < size_bytes // ranks:
                written += file.write(line_of(rank, step))
                step += 1
            file.write(OUT_OF_MEMORY.format(rank=rank) if rank == ranks // 7 else WAITED.format(rank=rank, step=step))


class Resident:
    """Watches the resident memory of a process and its children together."""

    def __init__(self, pid: int) -> None:
        self.peak_bytes = 0
        self._process = psutil.Process(pid)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while True:
            try:
                family = [self._process, *self._process.children(recursive=True)]
                # Pages that several share count once: the unique ones of each, and the parent's.
                self.peak_bytes = max(self.peak_bytes, sum(one.memory_full_info().pss for one in family))
            except psutil.Error:
                return
            time.sleep(0.05)


def timed(paths: list[str]) -> tuple[float, int, str]:
    """Return the wall time of a diagnosis, the peak of its memory, and what it said."""
    command = [sys.executable, "-m", "headway", "diagnose", *paths, "--json"]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    resident = Resident(process.pid)
    said, _ = process.communicate()
    return time.perf_counter() - started, resident.peak_bytes, said


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("--ranks", type=int, default=512)
    given = parser.parse_args()
    print(machine_line())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logs(folder, given.bytes, given.ranks)
        size = sum(file.stat().st_size for file in folder.iterdir())
        results = [timed([name]) for _ in range(3)][1:]
        seconds = min(result[0] for result in results)
        right = '"cause": "device-memory"' in results[0][2] and f'"rank": {given.ranks // 7}' in results[0][2]
        peak = max(result[1] for result in results)
        rate = f"{size / 1e6:,.0f} MB of {given.ranks} ranks: {seconds:.2f} s, {size / 1e6 / seconds:,.0f} MB/s"
        print(f"{rate}, peak {peak / 1e6:.0f} MB resident, diagnosis {'right' if right else 'wrong'}")
        small = folder / "small.log"
        small.write_text("".join(line_of(0, step) for step in range(SMALL_BYTES // 250)) + "CUDA out of memory\n")
        times = sorted(timed([str(small)])[0] for _ in range(ROUNDS))
        print(f"{small.stat().st_size / 1e3:.0f} kB: median {statistics.median(times):.2f} s, worst {times[-1]:.2f} s")


if __name__ == "__main__":
    main()
