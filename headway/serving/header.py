"""What a GGUF file says of itself: its keys and tensors, without its weights and without its list of tokens.

llama.cpp answers a damaged file with "failed to load"; whoever serves one must be told what is wrong with it, and how
much memory it will take, before that program is started.
Source: the format's specification (ggml, docs/gguf.md).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from headway.errors import MissingDependencyError, ServingError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_NAME_BYTES = 64 * 2**20
_MAX_COUNT = 10**7
_ALIGNMENT = 32


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """One tensor of a file: its name, its shape as NumPy has it, its type by ggml's name, and its bytes."""

    name: str
    shape: tuple[int, ...]
    kind: str
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a file says of itself.

    Attributes:
        path: of the file.
        size_bytes: of the file.
        keys: values by key; of an array, how many entries it has.
        tensors: in the order of the file.
    """

    path: Path
    size_bytes: int
    keys: Mapping[str, Any]
    tensors: tuple[Tensor, ...]

    @property
    def architecture(self) -> str:
        """llama.cpp's name of the model's architecture."""
        return str(self.keys.get("general.architecture", "unknown"))

    @property
    def name(self) -> str:
        """The model's name; the file's where it has none."""
        return str(self.keys.get("general.name") or self.path.stem)

    @property
    def has_chat_template(self) -> bool:
        """Whether the model says how a conversation is written."""
        return "tokenizer.chat_template" in self.keys

    @property
    def context_length(self) -> int:
        """How many tokens the model was made for.

        Raises:
            ServingError: the file does not say.
        """
        return self.number("context_length")

    def number(self, key: str, default: int | None = None) -> int:
        """Return a number of the architecture, such as ``block_count``.

        Raises:
            ServingError: the file does not say, and there is no default.
        """
        value = self.keys.get(f"{self.architecture}.{key}", default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise _damaged(self.path, f"{self.architecture}.{key} is {value!r}")
        return value

    @property
    def tensor_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(tensor.size_bytes for tensor in self.tensors)


def read_header(path: Path) -> Header:
    """Read the header of a file, and check that the file holds what it says.

    Raises:
        ServingError: it cannot be read, is no GGUF file, or is shorter than it says.
        MissingDependencyError: the package ``gguf`` is not installed.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise ServingError("serving-file-unreadable", path=str(path), reason=error.strerror or str(error)) from error


def _read(path: Path, file: IO[bytes]) -> Header:
    size = path.stat().st_size
    if file.read(4) != _MAGIC:
        raise ServingError("serving-file-no-gguf", path=str(path))
    try:
        (version,) = _unpack(file, "I")
        if version not in _VERSIONS:
            raise ValueError(f"version {version}")
        num_tensors, num_keys = _unpack(file, "QQ")
        if max(num_tensors, num_keys) > _MAX_COUNT:
            raise ValueError(f"{num_tensors} tensors, {num_keys} keys")
        keys = dict(_key(file) for _ in range(num_keys))
        listed = [_tensor(file) for _ in range(num_tensors)]
    except (struct.error, ValueError, KeyError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    alignment = int(keys.get("general.alignment", _ALIGNMENT))
    start = -(-file.tell() // alignment) * alignment
    end = max((start + offset + tensor.size_bytes for tensor, offset in listed), default=start)
    if end > size:
        raise ServingError("serving-file-truncated", path=str(path), size_bytes=size, expected_bytes=end)
    return Header(path=path, size_bytes=size, keys=keys, tensors=tuple(tensor for tensor, _ in listed))


def _unpack(file: IO[bytes], form: str) -> tuple[Any, ...]:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))


def _text(file: IO[bytes]) -> str:
    (length,) = _unpack(file, "Q")
    if length > _MAX_NAME_BYTES:
        raise ValueError(f"a text of {length} bytes")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError("the file ends inside its header")
    return raw.decode("utf-8", "replace")


def _key(file: IO[bytes]) -> tuple[str, Any]:
    name = _text(file)
    (kind,) = _unpack(file, "I")
    return name, _value(file, kind)


def _value(file: IO[bytes], kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind != _ARRAY:
        return _unpack(file, _FORMATS[kind])[0]
    inner, count = _unpack(file, "IQ")
    if count > _MAX_COUNT:
        raise ValueError(f"a list of {count} entries")
    if inner in _FORMATS:
        file.seek(count * struct.calcsize("<" + _FORMATS[inner]), 1)
    else:
        for _ in range(count):
            _value(file, inner)
    return count


def _tensor(file: IO[bytes]) -> tuple[Tensor, int]:
    try:
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
    except ImportError as error:
        raise MissingDependencyError("serving-package-missing", package="gguf", extra="serve") from error
    name = _text(file)
    (dims,) = _unpack(file, "I")
    if dims > 4:
        raise ValueError(f"{name} has {dims} dimensions")
    shape = tuple(reversed(_unpack(file, "Q" * dims)))
    number, offset = _unpack(file, "IQ")
    kind = GGMLQuantizationType(number)
    block, block_bytes = GGML_QUANT_SIZES[kind]
    size_bytes = math.prod(shape) // block * block_bytes
    return Tensor(name=name, shape=shape, kind=kind.name, size_bytes=size_bytes), offset


def _damaged(path: Path, reason: str) -> ServingError:
    return ServingError("serving-file-damaged", path=str(path), reason=reason)
