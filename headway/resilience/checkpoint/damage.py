"""Whether a checkpoint is as it was written: its manifest, its files, their checksums, and its numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.resilience.checkpoint.tensor_file import sha256_of

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
STATE = "state.json"
NEWER = "checkpoint-version"
READING_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a manifest of arbitrary content may raise."""


@dataclass(frozen=True, kw_only=True)
class DamagedCheckpoint:
    """A checkpoint that cannot be trusted, and why (a message id with arguments)."""

    path: Path
    message_id: str
    arguments: dict[str, Any]

    @property
    def is_newer(self) -> bool:
        """Say whether it is not damaged but of a later version of Headway, which no earlier one may touch."""
        return self.message_id == NEWER


def find_damage(path: Path, checksums: bool = True, parameters_only: bool = False) -> DamagedCheckpoint | None:
    """Verify a checkpoint's folder against its manifest.

    Args:
        path: the ``step-...`` folder.
        checksums: False compares sizes only.
        parameters_only: pass over the optimizer's files.

    Returns:
        None where everything is as it was written, else the first thing that is not.
    """

    def damage(message_id: str, **arguments: Any) -> DamagedCheckpoint:
        return DamagedCheckpoint(path=path, message_id=message_id, arguments={"path": str(path), **arguments})

    try:
        version, listed = read_manifest(path)
    except READING_ERRORS as error:
        return damage("checkpoint-no-manifest", reason=reason_of(error))
    if type(version) is int and version > FORMAT_VERSION:
        return damage(NEWER, found=version, known=FORMAT_VERSION)
    if version != FORMAT_VERSION:
        return damage("checkpoint-no-manifest", reason=f"format_version {version}")
    if STATE not in listed:
        return damage("checkpoint-no-manifest", reason=STATE)
    for name, (size_bytes, sha256) in listed.items():
        if parameters_only and is_of("optimizer", name):
            continue
        file = path / name
        try:
            if not file.is_file():
                return damage("checkpoint-file-missing", file=name)
            found_bytes = file.stat().st_size
            if found_bytes != size_bytes:
                return damage("checkpoint-file-size", file=name, expected_bytes=size_bytes, found_bytes=found_bytes)
            if checksums and sha256_of(file) != sha256:
                return damage("checkpoint-file-checksum", file=name)
        except OSError as error:
            # A failing disk reports what it cannot read.
            return damage("checkpoint-file-unreadable", file=name, reason=reason_of(error))
    return None


def read_manifest(path: Path) -> tuple[Any, dict[str, tuple[int, str]]]:
    """Return the format's version, and size and SHA-256 of every file by name."""
    manifest = json.loads((path / MANIFEST).read_bytes())
    listed = {str(name): (int(entry["bytes"]), str(entry["sha256"])) for name, entry in manifest["files"].items()}
    return manifest.get("format_version"), listed


def reason_of(error: BaseException) -> str:
    """Return what an error says, in as few words as there are."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def is_newer(path: Path) -> bool:
    """Say whether a later version of Headway wrote a checkpoint."""
    try:
        version = read_manifest(path)[0]
    except READING_ERRORS:
        return False
    return type(version) is int and version > FORMAT_VERSION


def is_of(kind: str, name: str) -> bool:
    """Say whether a file holds arrays of a kind: ``model`` or ``optimizer``."""
    return name.startswith(f"{kind}-") and name.endswith(".safetensors")
