"""The faults that can be rehearsed, in the order in which they are."""

from __future__ import annotations

from headway.resilience.drills.fault import Fault
from headway.resilience.drills.faults.damage import CheckpointBit, CheckpointCut, UnreadableData
from headway.resilience.drills.faults.disks import FullDisk, FullQuota, ReadOnlyDisk, SlowDisk
from headway.resilience.drills.faults.halting import Hang, SlowRank
from headway.resilience.drills.faults.killing import AllKilled, KilledSupervisor, KilledWorker, Terminated
from headway.resilience.drills.faults.numbers import FlippedBit, LossSpike, NotANumber
from headway.resilience.drills.faults.surroundings import ClockJump, ExhaustedMemory, NetworkCut

FAULTS: dict[str, type[Fault]] = {
    fault.name: fault
    for fault in (
        KilledWorker,
        KilledSupervisor,
        AllKilled,
        Terminated,
        Hang,
        SlowRank,
        NotANumber,
        LossSpike,
        FlippedBit,
        CheckpointBit,
        CheckpointCut,
        FullDisk,
        FullQuota,
        ReadOnlyDisk,
        SlowDisk,
        UnreadableData,
        ExhaustedMemory,
        NetworkCut,
        ClockJump,
    )
}
"""By name."""
