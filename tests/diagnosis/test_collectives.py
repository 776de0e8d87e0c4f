"""Who was waited for."""

from __future__ import annotations

from headway.diagnosis.collectives import Waited, waited_for, world_size
from headway.diagnosis.sighting import Sighting


def timeout(rank: int | None, seq: int = 7, op: str = "ALLREDUCE", numel: int = 1) -> Sighting:
    caught = {"seq": str(seq), "op": op, "numel": str(numel)}
    return Sighting("collective-timeout", "a.log", 1, 0, "", rank=rank, caught=caught)


def fact(world: str) -> Sighting:
    return Sighting("world-size", "a.log", 1, 0, "", caught={"world": world})


def test_the_rank_that_says_nothing() -> None:
    said = [timeout(rank) for rank in range(8) if rank != 3]
    assert waited_for(said, [], None) == Waited("silent", (3,), "ALLREDUCE")
    assert waited_for([timeout(rank) for rank in range(7)], [], 8) == Waited("silent", (7,), "ALLREDUCE")


def test_the_rank_that_is_behind() -> None:
    said = [timeout(rank, seq=6 if rank == 2 else 7) for rank in range(8)]
    assert waited_for(said, [], 8) == Waited("behind", (2,), "ALLREDUCE")


def test_the_rank_that_does_something_else() -> None:
    said = [timeout(rank, op="BROADCAST" if rank == 5 else "ALLREDUCE") for rank in range(8)]
    assert waited_for(said, [], 8) == Waited("mismatch", (5,), "ALLREDUCE")


def test_other_sizes_alone_are_no_mismatch() -> None:
    """A gather has other sizes at its root."""
    said = [timeout(rank, numel=rank + 1) for rank in range(4)]
    assert waited_for(said, [], 4) == Waited("together", (), "ALLREDUCE")


def test_where_most_are_silent_nothing_is_known() -> None:
    assert waited_for([timeout(0)], [], 8) == Waited("together", (), "ALLREDUCE")
    assert waited_for([timeout(None)], [], 8) is None
    assert waited_for([], [], 8) is None


def test_the_number_of_ranks() -> None:
    assert world_size([fact("8"), fact("8"), fact("99999999")]) == 8
    assert world_size([timeout(1)]) is None
