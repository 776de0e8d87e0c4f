"""Rows of fp32 in the bytes of a ggml type: by llama.cpp's own quantiser where it is there, else by gguf's.

Both give the same bytes for the types that gguf has, which a test holds; only llama.cpp has the K types.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.errors import MissingDependencyError
from headway.serving.export.formats import row_bytes

Rows = NDArray[np.float32]

_ONLY_LLAMA_CPP = ("Q4_K", "Q5_K", "Q6_K")
_BY_NUMPY = ("F32", "F16", "BF16")


def require_quantiser(kinds: set[str]) -> None:
    """Refuse types that nothing here can make, before the work begins.

    Raises:
        MissingDependencyError: llama.cpp is needed, and not installed.
    """
    if kinds & set(_ONLY_LLAMA_CPP) and _library() is None:
        raise MissingDependencyError("serving-package-missing", package="xllamacpp", extra="serve")


def quantise(rows: Rows, kind: str) -> NDArray[np.uint8]:
    """Return rows in the bytes of a type.

    Args:
        rows: [rows, columns] or [numbers], fp32; blocks of the type fill each row.
        kind: by ggml's name.

    Returns:
        [rows, bytes of a row].
    """
    matrix = np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]))
    library = None if kind in _BY_NUMPY else _library()
    convert = _by_gguf if library is None else _by_llama_cpp(library)
    return convert(matrix, kind)


def _by_gguf(matrix: Rows, kind: str) -> NDArray[np.uint8]:
    from gguf import GGMLQuantizationType
    from gguf.quants import quantize

    found = quantize(matrix, GGMLQuantizationType[kind])
    return np.ascontiguousarray(found).view(np.uint8).reshape(matrix.shape[0], -1)


def _by_llama_cpp(library: Any) -> Callable[[Rows, str], NDArray[np.uint8]]:
    def convert(matrix: Rows, kind: str) -> NDArray[np.uint8]:
        from gguf import GGMLQuantizationType

        count, columns = matrix.shape
        number = int(GGMLQuantizationType[kind])
        found = np.empty((count, row_bytes(kind, columns)), dtype=np.uint8)
        threads = max(1, min(len(os.sched_getaffinity(0)), count))
        borders = [count * part // threads for part in range(threads + 1)]

        def part(index: int) -> None:
            start, stop = borders[index], borders[index + 1]
            # The call lets go of the interpreter, so that parts run at the same time.
            library.ggml_quantize_chunk(
                number, matrix[start:].ctypes.data, found[start:].ctypes.data, 0, stop - start, columns, None
            )

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, range(threads)))
        return found

    return convert


@cache
def _library() -> Any:
    """Return llama.cpp's library out of the package xllamacpp; None where it is not installed."""
    try:
        from xllamacpp import xllamacpp
    except ImportError:
        return None
    library = ctypes.CDLL(xllamacpp.__file__)
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    library.ggml_quantize_chunk.argtypes = [
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.c_void_p,
    ]
    return library
