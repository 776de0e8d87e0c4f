"""Weights to start from: a Hugging Face folder."""

from __future__ import annotations

import hashlib
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from headway.errors import CheckpointError, RunError
from headway.recipe import Recipe
from headway.resilience.checkpoint.snapshot import Arrays, Snapshot
from headway.training.adapters import Merged, adapter_alpha
from headway.training.engines import Engine
from headway.training.weight_files import weights_in
from headway.units import MIB

_PIECE_BYTES = 16 * MIB


def load_initial_weights(engine: Engine, recipe: Recipe) -> None:
    """Load ``[training] init_from`` into the engine; nothing happens where the recipe does not name any.

    Raises:
        CheckpointError: the folder holds no safetensors, or they do not fit the model.
    """
    if recipe.training.init_from is not None:
        engine.load_weights(weights_in(Path(recipe.training.init_from)))


def whole_weights(recipe: Recipe, trained: Arrays) -> Arrays:
    """Return the weights of a whole model from those that a recipe trains: with adapters, its base's, merged.

    A base that was in 4 bits is merged as it was then, rounded: that is the model whose loss was measured.

    Raises:
        CheckpointError: the weights that the adapters belong to are gone, or do not fit them.
    """
    if recipe.training.method == "full":
        return trained
    assert recipe.training.init_from is not None, "a rule of training"
    base = weights_in(Path(recipe.training.init_from))
    held = _in_4_bits if recipe.training.method == "qlora" else None
    return Merged(base, trained, adapter_alpha(recipe) / recipe.training.adapter_rank, held)


def _in_4_bits(weight: NDArray[Any]) -> NDArray[Any]:
    import torch

    from headway.training.engines.torch.nf4 import rounded

    found: NDArray[Any] = rounded(torch.from_numpy(weight)).numpy()
    return found


def require_same_base(snapshot: Snapshot, recipe: Recipe, run_name: str) -> None:
    """Refuse weights that are not those beside which the adapters of a checkpoint were trained.

    Raises:
        RunError: they are others.
        CheckpointError: they cannot be read.
    """
    if snapshot.state.get("base") != base_of(recipe):
        raise RunError("run-base-changed", name=run_name, folder=str(recipe.training.init_from))


def base_of(recipe: Recipe) -> str | None:
    """Return a digest of the weights beside which adapters are trained; None where all weights are.

    Raises:
        CheckpointError: a file of them cannot be read.
    """
    if recipe.training.method == "full" or recipe.training.init_from is None:
        return None
    folder = Path(recipe.training.init_from)
    try:
        files = [(file, file.stat()) for file in sorted(folder.glob("model*.safetensors"))]
        return _fingerprint(tuple((file, found.st_size, found.st_mtime_ns) for file, found in files))
    except OSError as error:
        raise CheckpointError("training-weights-unreadable", path=str(folder), reason=str(error)) from error


@lru_cache(maxsize=1)
def _fingerprint(files: tuple[tuple[Path, int, int], ...]) -> str:
    """Return a digest of the files that hold a model's weights, whatever they are called.

    Each file gives its size and CRC-32, at several GB/s: it guards against another model put there by mistake, which is
    what happens, not against somebody who forges one. A process asks several times, and reads them once.

    Args:
        files: path, bytes, and when it was written, in nanoseconds.
    """
    digest = hashlib.sha256()
    for file, size_bytes, _ in files:
        checksum = 0
        with file.open("rb") as opened:
            while piece := opened.read(_PIECE_BYTES):
                checksum = zlib.crc32(piece, checksum)
        digest.update(f"{size_bytes} {checksum}\n".encode())
    return digest.hexdigest()
