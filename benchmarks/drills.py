"""Every drill, on one process and on two: ``python -m benchmarks.drills``; the tests do each of them once."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.machine_line import machine_line
from benchmarks.survive.small_run import recipe_of
from headway.cli.drill_view import show_drill
from headway.recipe import Recipe
from headway.resilience.drills import drill
from headway.resilience.drills.shortening import with_settings


def main() -> int:
    """Rehearse all faults; return 1 where a promise was broken."""
    print(machine_line())
    with tempfile.TemporaryDirectory() as folder:
        done = [drill(_recipe(processes, Path(folder)), Path(folder) / f"of-{processes}") for processes in (1, 2)]
    for one in done:
        show_drill(one)
    return 0 if all(one.passed for one in done) else 1


def _recipe(processes: int, folder: Path) -> Recipe:
    changes = {
        "layout": {"data_parallel_degree": processes, "shard": "none"},
        "hardware": {"devices": processes, "devices_per_node": processes},
    }
    return with_settings(recipe_of(1, folder), changes)


if __name__ == "__main__":
    raise SystemExit(main())
