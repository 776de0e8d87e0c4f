"""Writes the file: checks first, then one piece of one tensor after the other, complete or not at all.

The format, its header and its keys are gguf's; only the bytes of the tensors are written here, since that package takes
a tensor whole.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from headway.errors import MissingDependencyError, ServingError
from headway.runs.durable import flush_folder
from headway.serving.export.formats import Format, format_named, row_bytes, type_of
from headway.serving.export.metadata import rope_factors, write_metadata
from headway.serving.export.names import Target, architecture_of, interleaved, targets_of
from headway.serving.export.quantising import quantise, require_quantiser
from headway.serving.export.sources import Source
from headway.serving.export.tokens import read_vocabulary
from headway.serving.export.weights import Weights
from headway.units import MIB

_PIECE_NUMBERS = 16 * MIB
"""Weights that are held at a time: 64 MiB in fp32."""

_ALIGNMENT = 32
"""Of each tensor in the file. Source: ggml, docs/gguf.md, ``general.alignment``."""

_ROPE_FACTORS = "rope_freqs.weight"

Report = Callable[[int, int], None]
"""Called with the bytes that are written and the bytes of the whole file."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written.

    Attributes:
        path: the file.
        format: its name.
        size_bytes: of the file.
        parameters: weights in it; a tied head counts once.
        tensor_bytes: of all tensors.
    """

    path: Path
    format: str
    size_bytes: int
    parameters: int
    tensor_bytes: int

    @property
    def bits_per_weight(self) -> float:
        """Bits that a weight takes on the average."""
        return 8 * self.tensor_bytes / self.parameters

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "path": str(self.path),
            "format": self.format,
            "size_bytes": self.size_bytes,
            "parameters": self.parameters,
            "bits_per_weight": self.bits_per_weight,
        }


@dataclass(frozen=True, kw_only=True)
class _Planned:
    target: Target
    kind: str

    @property
    def size_bytes(self) -> int:
        return math.prod(self.target.shape[:-1]) * row_bytes(self.kind, self.target.shape[-1])


def export_gguf(source: Source, output: Path, form: str = "f16", report: Report | None = None) -> Exported:
    """Write a model as one GGUF file.

    Args:
        source: the model.
        output: the file; it must not exist.
        form: one of `FORMATS`.
        report: told of the progress.

    Raises:
        ServingError: the format, the architecture, a weight or the tokenizer is of a kind that is not written; the file
            exists or cannot be written; the disk has no room; a weight is not finite.
        CheckpointError: the weights cannot be read.
        DataError: the tokenizer cannot be read.
        MissingDependencyError: a package is not installed.
    """
    if output.exists():
        raise ServingError("serving-output-exists", path=str(output))
    chosen, targets = format_named(form), targets_of(source.model, source.weights.shapes)
    _require_shapes(targets, source.weights)
    planned = [_Planned(target=target, kind=type_of(target, chosen, source.model)) for target in targets]
    require_quantiser({one.kind for one in planned})
    writer = _header(source, chosen, planned)
    tensor_bytes = sum(one.size_bytes for one in planned)
    _require_space(output, tensor_bytes)
    _write(writer, source, planned, output, report or (lambda _done, _total: None))
    return Exported(
        path=output,
        format=form.lower(),
        size_bytes=output.stat().st_size,
        parameters=sum(math.prod(target.shape) for target in targets),
        tensor_bytes=tensor_bytes,
    )


def _header(source: Source, form: Format, planned: list[_Planned]) -> Any:
    try:
        from gguf import GGMLQuantizationType, GGUFWriter
    except ImportError as error:
        raise MissingDependencyError("serving-package-missing", package="gguf", extra="serve") from error
    logging.getLogger("gguf").setLevel(logging.WARNING)
    vocabulary = read_vocabulary(source.tokenizer_folder, source.model, source.stated)
    writer = GGUFWriter(None, architecture_of(source.model))
    write_metadata(writer, source, form, vocabulary)
    factors = rope_factors(source.model)
    if factors is not None:
        writer.add_tensor_info(_ROPE_FACTORS, factors.shape, factors.dtype, factors.nbytes)
    for one in planned:
        kind = GGMLQuantizationType[one.kind]
        writer.add_tensor_info(one.target.name, one.target.shape, np.dtype(np.float32), one.size_bytes, kind)
    return writer


def _require_shapes(targets: list[Target], weights: Weights) -> None:
    for target in targets:
        for name in target.sources:
            found, expected = weights.shapes[name], target.source_shape
            if found != expected:
                raise ServingError("serving-weight-shape", name=name, found=str(found), expected=str(expected))


def _require_space(output: Path, needed_bytes: int) -> None:
    try:
        free_bytes = shutil.disk_usage(output.absolute().parent).free
    except OSError as error:
        raise _unwritable(output, error) from error
    if free_bytes < needed_bytes:
        raise ServingError(
            "serving-disk-full", folder=str(output.absolute().parent), needed_bytes=needed_bytes, free_bytes=free_bytes
        )


def _write(writer: Any, source: Source, planned: list[_Planned], output: Path, report: Report) -> None:
    temporary = output.with_name(f".writing-{output.name}-{uuid4().hex[:8]}")
    total = sum(one.size_bytes for one in planned)
    try:
        writer.write_header_to_file(temporary)
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        with temporary.open("ab") as file:
            _write_tensors(file, source, planned, lambda done: report(done, total))
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(output)
        flush_folder(output.absolute().parent)
    except OSError as error:
        raise _unwritable(output, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _write_tensors(file: IO[bytes], source: Source, planned: list[_Planned], report: Callable[[int], None]) -> None:
    factors = rope_factors(source.model)
    _pad(file)
    if factors is not None:
        file.write(factors.tobytes())
        _pad(file)
    done = 0
    for one in planned:
        for rows in _pieces(one.target, source.weights, source.model.head_dim):
            if not np.isfinite(rows).all():
                raise ServingError("serving-not-finite", name=one.target.name)
            piece = quantise(rows, one.kind)
            file.write(piece.data)
            done += piece.nbytes
            report(done)
        _pad(file)


def _pieces(target: Target, weights: Weights, head_dim: int) -> Iterator[NDArray[np.float32]]:
    """Yield a tensor's rows in order, some at a time; those of reordered heads come as whole heads."""
    shape = target.source_shape
    count = shape[0]
    width = math.prod(shape[1:])
    if len(shape) == 1:
        step = count
    elif target.heads is None:
        step = max(1, _PIECE_NUMBERS // width)
    else:
        step = head_dim * max(1, _PIECE_NUMBERS // width // head_dim)
    for name in target.sources:
        for start in range(0, count, step):
            rows = weights.rows(name, start, min(start + step, count))
            yield rows if target.heads is None else interleaved(rows, head_dim)


def _pad(file: IO[bytes]) -> None:
    file.write(b"\0" * (-file.tell() % _ALIGNMENT))


def _unwritable(output: Path, error: OSError) -> ServingError:
    return ServingError("serving-output-unwritable", path=str(output), reason=error.strerror or str(error))
