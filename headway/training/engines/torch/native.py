"""The C program ``native.c`` and ``split.c``, compiled for this processor at first use, as functions of CPU tensors.

A composed operation in PyTorch passes over memory once for each of its parts; these pass once. Without a C compiler
the composed ones are used (`headway.training.engines.torch.composed`).

Shape suffixes as in ``kernels.py``.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import final

import torch
from torch import Tensor

from headway.machine import cache as machine_cache
from headway.machine import take_inventory

_SOURCES = tuple(Path(__file__).with_name(name) for name in ("native.c", "split.c"))
_FLAGS = ("-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC")
_COMPILE_TIMEOUT_SECONDS = 60.0
_SUFFIXES = {torch.float32: "fp32", torch.bfloat16: "bf16"}


@final
class NativeOperations:
    """The compiled program.

    Args:
        library: the shared library.
    """

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self.has_split_product = bool(self._library.split_is_available())
        """Whether this processor and this system let `split_product` run."""
        self._room = _Room()
        if self.has_split_product:
            self._library.split_room.restype = ctypes.c_int64

    def rms_norm_forward(self, x_NE: Tensor, weight_E: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
        """Return the normalised rows and 1 / rms of each row [N, 1]."""
        x_NE = x_NE.contiguous()
        y_NE, inverse_N1 = torch.empty_like(x_NE), torch.empty(x_NE.shape[0], 1)
        rows, channels = x_NE.shape
        self._call("rms_norm_forward", x_NE, (x_NE, weight_E, y_NE, inverse_N1), (rows, channels), (epsilon,))
        return y_NE, inverse_N1

    def rms_norm_backward(
        self, grad_NE: Tensor, x_NE: Tensor, weight_E: Tensor, inverse_N1: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the gradients of the input and of the weight."""
        grad_NE, x_NE = grad_NE.contiguous(), x_NE.contiguous()
        grad_x_NE = torch.empty_like(x_NE)
        partial_SE = torch.zeros(torch.get_num_threads(), x_NE.shape[1])
        arrays = (grad_NE, x_NE, weight_E, inverse_N1, grad_x_NE, partial_SE)
        self._call("rms_norm_backward", x_NE, arrays, tuple(x_NE.shape))
        return grad_x_NE, partial_SE.sum(0)

    def swiglu_forward(self, gate_NF: Tensor, up_NF: Tensor) -> Tensor:
        """Return silu(gate) * up."""
        gate_NF, up_NF = gate_NF.contiguous(), up_NF.contiguous()
        y_NF = torch.empty_like(gate_NF)
        self._call("swiglu_forward", gate_NF, (gate_NF, up_NF, y_NF), (gate_NF.numel(),))
        return y_NF

    def swiglu_backward(self, grad_NF: Tensor, gate_NF: Tensor, up_NF: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of gate and up."""
        grad_NF, gate_NF, up_NF = grad_NF.contiguous(), gate_NF.contiguous(), up_NF.contiguous()
        grad_gate_NF, grad_up_NF = torch.empty_like(gate_NF), torch.empty_like(up_NF)
        arrays = (grad_NF, gate_NF, up_NF, grad_gate_NF, grad_up_NF)
        self._call("swiglu_backward", gate_NF, arrays, (gate_NF.numel(),))
        return grad_gate_NF, grad_up_NF

    def rotate(self, x_BTHD: Tensor, cos_TD: Tensor, sin_TD: Tensor, sign: float) -> Tensor:
        """Turn the channel pairs of ``x_BTHD``."""
        x_BTHD = x_BTHD.contiguous()
        y_BTHD = torch.empty_like(x_BTHD)
        batch, length, heads, channels = x_BTHD.shape
        sizes = (batch, length, heads, channels // 2)
        self._call("rotate", x_BTHD, (x_BTHD, cos_TD.contiguous(), sin_TD.contiguous(), y_BTHD), sizes, (sign,))
        return y_BTHD

    def cross_entropy(self, logits_NV: Tensor, targets_N: Tensor, ignore_index: int) -> tuple[Tensor, Tensor]:
        """Return the sum of the losses, and the gradient of that sum, written over the logits."""
        targets_N = targets_N.contiguous()
        losses_N = torch.empty(logits_NV.shape[0])
        self._call("cross_entropy", logits_NV, (logits_NV, targets_N, losses_N), (*logits_NV.shape, ignore_index))
        return losses_N.sum(), logits_NV

    def nf4_expand(self, codes_OW: Tensor, constants_OK: Tensor, scales_O4: Tensor, weight_OI: Tensor) -> None:
        """Write the matrix that codes in 4 bits stand for; see `headway.training.engines.torch.nf4`."""
        arrays = (codes_OW.contiguous(), constants_OK.contiguous(), scales_O4.contiguous(), weight_OI)
        self._call("nf4_expand", weight_OI, arrays, (*weight_OI.shape, constants_OK.shape[1]))

    def adamw_16bit(
        self, weight: Tensor, gradient: Tensor, moments: Sequence[Tensor], numbers: Tensor, piece: int, step: int
    ) -> None:
        """Update a weight whose moments are in bf16; see `headway.training.engines.torch.optimizers.compact`."""
        self._run("adamw_16bit", (weight, gradient, *moments, numbers), (weight.numel(), piece, step))

    def adamw_8bit(
        self,
        weight: Tensor,
        gradient: Tensor,
        moments: Sequence[Tensor],
        tables: Sequence[Tensor],
        numbers: Tensor,
        blocks: int,
    ) -> None:
        """Update a matrix whose moments are in 8 bits; see `headway.training.engines.torch.optimizers.compact`."""
        self._run("adamw_8bit", (weight, gradient, *moments, *tables, numbers), (blocks, weight.numel() // blocks))

    def split_product(self, a_MK: Tensor, b_KN: Tensor) -> Tensor:
        """Return ``a @ b`` of fp32 matrices, each contiguous or the transpose of one that is; see ``split.c``."""
        (rows, depth), columns = a_MK.shape, b_KN.shape[1]
        c_MN = torch.empty(rows, columns)
        sizes = (rows, columns, depth)
        room_sizes = map(ctypes.c_int64, (columns, depth, torch.get_num_threads()))
        room = self._room.of(self._library.split_room(*room_sizes))
        self._run("split_product", (a_MK, b_KN, c_MN, room), (*sizes, *a_MK.stride(), *b_KN.stride()))
        return c_MN

    def _call(
        self,
        name: str,
        typed: Tensor,
        arrays: tuple[Tensor, ...],
        sizes: tuple[int, ...],
        numbers: tuple[float, ...] = (),
    ) -> None:
        self._run(f"{name}_{_SUFFIXES[typed.dtype]}", arrays, sizes, numbers)

    def _run(
        self, name: str, arrays: tuple[Tensor, ...], sizes: tuple[int, ...], numbers: tuple[float, ...] = ()
    ) -> None:
        getattr(self._library, name)(
            *(ctypes.c_void_p(_arrived(array).data_ptr()) for array in arrays),
            *(ctypes.c_int64(size) for size in sizes),
            *(ctypes.c_float(number) for number in numbers),
            ctypes.c_int(torch.get_num_threads()),
        )


class _Room(threading.local):
    """Memory to work in that each thread keeps for itself, so that the processor's caches keep it too."""

    def __init__(self) -> None:
        self._words = torch.empty(0, dtype=torch.int16)

    def of(self, words: int) -> Tensor:
        """Return room for so many words of 16 bits; what was there before is gone."""
        if self._words.numel() < words:
            self._words = torch.empty(words, dtype=torch.int16)
        return self._words


def _arrived(array: Tensor) -> Tensor:
    """Return a tensor whose memory can be read: the result of a collective may still be on its way."""
    if type(array) in (Tensor, torch.nn.Parameter):
        return array
    from torch.distributed._functional_collectives import AsyncCollectiveTensor

    if not isinstance(array, AsyncCollectiveTensor):
        # Its pointer would be null, and the program would end without a word.
        raise TypeError(f"not a plain tensor: {type(array).__name__}")
    arrived: Tensor = array.wait()
    return arrived


_active: NativeOperations | None = None


def activate_native(*, is_active: bool) -> None:
    """Let operations on CPU tensors use the program, in this whole process, where it can be had; or not."""
    global _active
    _active = load_native() if is_active else None


def active_native(x: Tensor) -> NativeOperations | None:
    """Return the program if it is in use and takes such tensors."""
    return _active if x.device.type == "cpu" and x.dtype in _SUFFIXES else None


@cache
def load_native() -> NativeOperations | None:
    """Compile and load the program; None where there is no compiler, or it cannot make or run this program."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    try:
        return NativeOperations(_build(compiler, machine_cache.cache_folder()))
    except (OSError, subprocess.SubprocessError):
        return None


def _build(compiler: str, cache_folder: Path | None) -> Path:
    """Return the compiled library, from the cache where it is there for this source, compiler and processor."""
    if cache_folder is None:
        # Loaded libraries stay usable after their file is gone, but not all loaders agree: keep it for the process.
        folder = Path(tempfile.mkdtemp(prefix="headway-native-"))
    else:
        folder = cache_folder / "native"
        folder.mkdir(parents=True, exist_ok=True)
    processor = take_inventory(Path()).processor
    sources = [source.read_bytes() for source in _SOURCES]
    key = repr((sources, compiler, _FLAGS, processor.model_name, processor.instruction_sets))
    library = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.so"
    if not library.exists():
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".so", delete=False) as temporary:
            made = Path(temporary.name)
        try:
            command = [compiler, *_FLAGS, *map(str, _SOURCES), "-o", str(made), "-lm"]
            subprocess.run(command, check=True, capture_output=True, timeout=_COMPILE_TIMEOUT_SECONDS)
            # A file that does not load must not be kept as if it did.
            ctypes.CDLL(str(made))
            made.replace(library)
        finally:
            made.unlink(missing_ok=True)
    return library
