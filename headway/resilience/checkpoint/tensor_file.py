"""One safetensors file, written straight from the arrays' memory and hashed on the way.

The safetensors library copies every array before it writes, which doubles the memory of a checkpoint, and it leaves
the checksum to a second pass over the file. The format is small, so the writer is ours; the library reads.
Source: the format's specification in the safetensors README: 8 bytes of little-endian header length, a JSON header,
then the arrays' bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, described

_DTYPE_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_WRITE_BYTES = 8 * 2**20
_HEADER_ALIGNMENT = 8


def write_tensor_file(path: Path, arrays: Arrays) -> tuple[int, str]:
    """Write arrays to a new safetensors file and flush it to the disk.

    Args:
        path: the file; it must not exist.
        arrays: by name.

    Returns:
        The file's size in bytes and its SHA-256 in hexadecimal.

    Raises:
        OSError: as the file system reports it.
        CheckpointError: the format has no such type of numbers.
    """
    header = _header(arrays)
    digest = hashlib.sha256()
    size_bytes = 0
    with path.open("xb", buffering=0) as file:
        pieces: Iterator[bytes | NDArray[Any]] = chain((len(header).to_bytes(8, "little"), header), arrays.values())
        # Arrays that are made when they are asked for are held one at a time.
        for piece in pieces:
            view = _view(piece)
            for start in range(0, len(view), _WRITE_BYTES):
                part = view[start : start + _WRITE_BYTES]
                digest.update(part)
                size_bytes += _write_all(file, part)
        os.fsync(file.fileno())
    return size_bytes, digest.hexdigest()


def read_tensor_file(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of a safetensors file.

    Raises:
        OSError: as the file system reports it.
        ValueError: it is no safetensors file.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(path))
    except SafetensorError as error:
        raise ValueError(str(error)) from error


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _header(arrays: Arrays) -> bytes:
    # Transformers refuses a file that does not say which framework's layout it has; "pt" is row-major, as here.
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name in arrays:
        found = described(arrays, name)
        if found.dtype.name not in _DTYPE_NAMES:
            raise CheckpointError("checkpoint-dtype", name=name, dtype=found.dtype.name, known=", ".join(_DTYPE_NAMES))
        end = offset + found.nbytes
        entries[name] = {
            "dtype": _DTYPE_NAMES[found.dtype.name],
            "shape": list(found.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    header = json.dumps(entries, separators=(",", ":")).encode()
    return header + b" " * (-len(header) % _HEADER_ALIGNMENT)


def _view(piece: bytes | NDArray[Any]) -> memoryview:
    if isinstance(piece, bytes):
        return memoryview(piece)
    # The format is little-endian and row-major; arrays that are so already are not copied.
    little = piece.astype(piece.dtype.newbyteorder("<"), order="C", copy=False)
    return little.reshape(-1).view(np.uint8).data


def _write_all(file: Any, part: memoryview) -> int:
    written = 0
    while written < len(part):
        written += file.write(part[written:])
    return written
