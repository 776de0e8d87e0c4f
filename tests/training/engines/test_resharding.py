"""A state that goes from two processes to one and to four keeps every bit. Real processes, which talk by gloo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.training.place import RENDEZVOUS, Place

ROOT = Path(__file__).parents[3]
DEADLINE_SECONDS = 300.0
MEMBER = """
import os, sys
from pathlib import Path
import numpy as np
from headway.planning.choice import Layout
from headway.recipe import resolve_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint.divided import DividedWrite
from headway.training.data import Batch
from headway.training.engines import build_engine

source, target, data, tensor = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rank, size = int(os.environ["RANK"]), data * tensor
recipe = resolve_recipe({
    "model": {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
              "num_key_value_heads": 4, "vocab_size": 130, "max_position_embeddings": 32},
    "data": {"paths": ["."]},
    "training": {"steps": 10, "global_batch_size": 4, "sequence_length": 16, "precision": "fp32"},
    "hardware": {"accelerator": "cpu", "threads": 1},
})
layout = Layout(data_parallel_degree=data, tensor_parallel_degree=tensor, sequence_parallel=tensor > 1,
                shard="parameters" if data > 1 else "none", shard_group_size=data, micro_batch_size=1,
                gradient_accumulation_steps=1)
engine = build_engine(recipe, layout=layout)
found, _ = CheckpointStore(source).load_newest()
if found is None:
    engine.step([Batch(tokens=np.arange(17)[None] + rank)], 1e-2)
else:
    engine.load(found)
store = CheckpointStore(target)
part = engine.part(lambda _, array: array.copy())
if part is None:
    engine.save(lambda taken: store.save(Snapshot(
        parameters=taken.parameters, optimizer=taken.optimizer, state={**taken.state, "step": 1})))
else:
    snapshot = Snapshot(parameters={}, optimizer={}, state={**part.state, "step": 1})
    write = DividedWrite(store=store, part=part, snapshot=snapshot, rank=rank, size=size)
    if rank == 0:
        write.begin()
    engine.any([False])
    write.run()
    engine.any([False])
engine.close()
"""


def pass_on(source: Path, target: Path, data: int, tensor: int) -> Snapshot:
    """Load a state in some processes, if there is one, and let them write it again."""
    size = data * tensor
    members = []
    for rank in range(size):
        place = Place(rank=rank, size=size, local_rank=rank, local_size=size).to_environment()
        command = [sys.executable, "-c", MEMBER, str(source), str(target), str(data), str(tensor)]
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **place, RENDEZVOUS: f"file://{target}.meet"}
        members.append(subprocess.Popen(command, env=environment, cwd=ROOT))
    assert [member.wait(DEADLINE_SECONDS) for member in members] == [0] * size
    return CheckpointStore(target).load(1)


def test_two_one_four(tmp_path: Path) -> None:
    two = pass_on(tmp_path / "none", tmp_path / "two", 2, 1)
    one = pass_on(tmp_path / "two", tmp_path / "one", 1, 1)
    four = pass_on(tmp_path / "one", tmp_path / "four", 2, 2)
    assert any(array.any() for array in two.optimizer.values())
    for other in (one, four):
        for kind in ("parameters", "optimizer"):
            ours: Any = getattr(other, kind)
            expected: Any = getattr(two, kind)
            assert set(ours) == set(expected)
            for name, array in expected.items():
                assert np.array_equal(array, ours[name]), name
