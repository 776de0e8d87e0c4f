"""Dumps of PyTorch's flight recorder."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from headway.diagnosis import diagnose


def entry(seq: int, state: str = "completed", name: str = "nccl:all_reduce", size: int = 1024) -> dict[str, Any]:
    return {
        "collective_seq_id": seq,
        "p2p_seq_id": 0,
        "is_p2p": False,
        "profiling_name": name,
        "input_sizes": [[size]],
        "output_sizes": [[size]],
        "state": state,
        "process_group": ("0", "default_pg"),
    }


def dump(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"version": "2.5", "pg_config": {"0": {"name": "0"}}, "pg_status": {}, "entries": list(entries)}


def write(folder: Path, dumps: dict[int, dict[str, Any]], as_json: bool = False) -> None:
    for rank, content in dumps.items():
        data = json.dumps(content).encode() if as_json else pickle.dumps(content, protocol=2)
        (folder / f"nccl_trace_rank_{rank}").write_bytes(data)


@pytest.mark.parametrize("as_json", [False, True])
def test_the_rank_that_had_not_entered(tmp_path: Path, as_json: bool) -> None:
    waiting = dump(entry(98), entry(99), entry(100, "started"))
    write(tmp_path, {rank: dump(entry(98), entry(99)) if rank == 5 else waiting for rank in range(8)}, as_json)
    told = diagnose([tmp_path])
    assert (told.cause, told.first_failure.rank) == ("rank-behind", 5)
    assert told.numbers["operation"] == "ALL_REDUCE"
    assert told.numbers["missing_ranks"] == [5]


def test_the_rank_that_entered_another_operation(tmp_path: Path) -> None:
    write(
        tmp_path,
        {rank: dump(entry(7, "scheduled", "nccl:broadcast" if rank == 2 else "nccl:all_reduce")) for rank in range(4)},
    )
    told = diagnose([tmp_path])
    assert (told.cause, told.first_failure.rank) == ("collective-mismatch", 2)


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_a_dump_can_run_nothing(tmp_path: Path) -> None:
    made = tmp_path / "made"
    content = pickle.dumps({"entries": [], "pg_config": Evil(made)}, protocol=2)
    (tmp_path / "nccl_trace_rank_0").write_bytes(content)
    told = diagnose([tmp_path / "nccl_trace_rank_0"])
    assert not made.exists()
    assert [trouble.message_id for trouble in told.troubles] == ["diagnosis-note-damaged"]


def test_a_cut_dump_is_a_note(tmp_path: Path) -> None:
    write(tmp_path, {0: dump(*(entry(number) for number in range(100)))})
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(path.read_bytes()[:-20])
    assert [trouble.message_id for trouble in diagnose([path]).troubles] == ["diagnosis-note-damaged"]
