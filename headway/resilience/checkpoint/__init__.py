"""Framework-neutral checkpoints: safetensors under Hugging Face names, atomic and checksummed."""

from headway.resilience.checkpoint.damage import DamagedCheckpoint
from headway.resilience.checkpoint.snapshot import Snapshot
from headway.resilience.checkpoint.store import CheckpointStore

__all__ = ["CheckpointStore", "DamagedCheckpoint", "Snapshot"]
