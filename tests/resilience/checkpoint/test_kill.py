"""SIGKILL at any instant of a save: there is always a newest checkpoint that loads, and never a wrong one."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from headway.resilience.checkpoint import CheckpointStore
from tests.resilience.checkpoint.snapshots import require_equal, snapshot_of

SIZE = 20_000
ROOT = Path(__file__).parents[3]
SAVER = """
import sys
from pathlib import Path
from headway.resilience.checkpoint import CheckpointStore
from tests.resilience.checkpoint.snapshots import snapshot_of
store = CheckpointStore(Path(sys.argv[1]), keep_last=1)
step = int(sys.argv[2])
print("ready", flush=True)
while True:
    store.save(snapshot_of(step, int(sys.argv[3])))
    print(step, flush=True)
    step += 1
"""
KILLS = 20


def save_until_killed(store: CheckpointStore, first_step: int, delay_seconds: float) -> int:
    """Save in another process, kill it, and return the last step that it had finished."""
    command = [sys.executable, "-c", SAVER, str(store.folder), str(first_step), str(SIZE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay_seconds)
    process.send_signal(signal.SIGKILL)
    finished, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    return max([first_step - 1, *map(int, finished.split())])


def test_a_kill_at_any_instant(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "checkpoints", keep_last=1)
    store.save(snapshot_of(1, SIZE))
    chosen = random.Random(11)
    step = 1
    for _ in range(KILLS):
        finished = save_until_killed(store, step + 1, chosen.uniform(0, 0.12))
        newest, damaged = store.load_newest()
        assert newest is not None
        assert newest.step in (finished, finished + 1)
        assert damaged == []
        require_equal(newest, newest.step, SIZE)
        step = newest.step
    assert step > 1 + KILLS // 2
    store.save(snapshot_of(step + 1, SIZE))
    assert [path.name for path in store.folder.iterdir()] == [store.path_of(step + 1).name]
