"""Framework-neutral checkpoints: safetensors under Hugging Face names, atomic and checksummed."""

from headway.resilience.checkpoint.snapshot import Snapshot
from headway.resilience.checkpoint.store import CheckpointStore, DamagedCheckpoint

__all__ = ["CheckpointStore", "DamagedCheckpoint", "Snapshot"]
