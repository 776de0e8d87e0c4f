"""What was measured: the results of the micro-benchmarks, each with how it was taken."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something the reader of the figures must know: a message id and its plain arguments."""

    message_id: str
    arguments: dict[str, str | int | float] = field(default_factory=dict)


BUSY = "machine-note-busy"
"""The note on figures that were taken while other work ran."""

UNEVEN = "machine-note-uneven"
"""The note on figures whose repetitions differed much, whatever the load was."""


@dataclass(frozen=True, kw_only=True)
class MemoryBandwidth:
    """Main-memory bandwidth: the best of the repetitions, bytes counted as STREAM does (no write-allocate).

    Source: McCalpin 1995, "Memory Bandwidth and Machine Balance in Current High Performance Computers".
    """

    method: str
    """``c-openmp``, ``c`` (one thread) or ``numpy`` (blocks, one pool of threads)."""
    threads: int
    array_bytes: int
    """Size of each of the three arrays."""
    copy_bytes_per_second: float
    """``c = a``: 16 bytes per element."""
    triad_bytes_per_second: float
    """``a = b + s * c``: 24 bytes per element."""


@dataclass(frozen=True, kw_only=True)
class MatmulPoint:
    """The rate of one matrix product, ``[m, k] @ [k, n]``: 2 m n k operations over the time of a repetition."""

    dtype: str
    """``fp32``, ``bf16`` or ``int8`` (into int32)."""
    m: int
    n: int
    k: int
    kernel: str
    """``torch.mm``, ``onednn_linear``, ``split``, ``torch._int_mm`` or ``numpy.matmul``."""
    flops_per_second: float
    """Of the best repetition."""
    median_flops_per_second: float
    """Of the median repetition; far below the best where other work disturbed the measurement."""


def matmul_point(dtype: str, shape: tuple[int, int, int], kernel: str, times_seconds: list[float]) -> MatmulPoint:
    """Return the point of a product of shape (m, n, k) from the times of its repetitions."""
    m, n, k = shape
    flops = 2 * m * n * k
    return MatmulPoint(
        dtype=dtype,
        m=m,
        n=n,
        k=k,
        kernel=kernel,
        flops_per_second=flops / min(times_seconds),
        median_flops_per_second=flops / statistics.median(times_seconds),
    )


@dataclass(frozen=True, kw_only=True)
class Matmul:
    """The rates of matrix products."""

    method: str
    """``torch`` or ``numpy`` (fp32 only)."""
    threads: int
    points: tuple[MatmulPoint, ...]

    def rates(self, dtype: str, kernel: str | None = None) -> dict[tuple[int, int, int], float]:
        """Return FLOP/s by shape (m, n, k) for a dtype; the best kernel's where none is named."""
        found: dict[tuple[int, int, int], float] = {}
        for point in self.points:
            if point.dtype == dtype and kernel in (None, point.kernel):
                shape = (point.m, point.n, point.k)
                found[shape] = max(found.get(shape, 0.0), point.flops_per_second)
        return found

    def best_flops_per_second(self, dtype: str, kernel: str | None = None) -> float | None:
        """Return the highest rate of a dtype (and kernel) over all shapes, or None where it was not measured."""
        return max(self.rates(dtype, kernel).values(), default=None)


def mean_ratio(rates: dict[tuple[int, int, int], float], base: dict[tuple[int, int, int], float]) -> float | None:
    """Return how many times faster ``rates`` are than ``base``: the geometric mean over the shapes of both."""
    ratios = [rates[shape] / base[shape] for shape in rates if base.get(shape)]
    return statistics.geometric_mean(ratios) if ratios else None


@dataclass(frozen=True, kw_only=True)
class Framework:
    """What the framework itself costs, before any model."""

    name: str
    version: str
    threads: int
    import_seconds: float
    """One import, files as warm as they were."""
    resident_bytes: int
    """Of a process that imported the framework and ran one forward and backward pass of a small linear layer."""
    training_resident_bytes: int | None = None
    """The peak of a process that imported the whole trainer and made two steps of a model too small to count."""
    private_bytes: int
    """The part of ``resident_bytes`` that further processes on the machine do not share (no file behind it)."""
    small_op_seconds: float
    """Best time of adding two one-element tensors: what the dispatcher costs."""
    small_op_autograd_seconds: float
    """Best time of the same with gradients, forward and backward."""
    elementwise_bytes_per_second: float
    """``c = a + b`` on 64 MiB arrays, 12 bytes per fp32 element, best. Large caches help it; see MemoryBandwidth."""


@dataclass(frozen=True, kw_only=True)
class AttentionPoint:
    """Causal scaled-dot-product attention, forward and backward: the best of the repetitions."""

    dtype: str
    batch_size: int
    num_heads: int
    sequence_length: int
    head_dim: int
    threads: int
    forward_backward_seconds: float
    counted_flops: float
    """Forward 4 b h s^2 d, backward twice that, all halved because the mask leaves half of the scores."""
    flops_per_second: float
    """``counted_flops / forward_backward_seconds``."""


@dataclass(frozen=True, kw_only=True)
class OperationPoint:
    """One operation of the training engine at one shape: the lower quartile of repetitions, with autograd's own cost.

    Cold times are taken after 128 MiB of other data were read, so that nothing of the operation is in a cache.
    """

    kind: str
    """As ``headway.planning.operations`` names it: ``linear``, ``head``, ``norm``, ..."""
    dtype: str
    shape: tuple[int, ...]
    """As ``headway.planning.operations`` defines it for the kind."""
    threads: int
    forward_seconds: float
    backward_seconds: float
    """0 for what has no backward pass."""
    forward_cold_seconds: float
    backward_cold_seconds: float


@dataclass(frozen=True, kw_only=True)
class DiskSpeed:
    """Sequential writing and reading of one file, once each."""

    folder: str
    file_bytes: int
    write_bytes_per_second: float
    """Flushed to the device (fsync included)."""
    read_bytes_per_second: float
    read_method: str
    """``direct`` (O_DIRECT), ``uncached`` (page cache dropped for the file) or ``cached`` (memory may have helped)."""


@dataclass(frozen=True, kw_only=True)
class AllReduce:
    """All-reduce between processes of this machine over the loopback interface."""

    backend: str
    num_ranks: int
    buffer_bytes: int
    bus_bytes_per_second: float
    """``2 (n - 1) / n * buffer_bytes / seconds``, best. Source: NVIDIA nccl-tests, doc/PERFORMANCE.md."""
    latency_seconds: float
    """Best time of an all-reduce of 4 bytes."""


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """All that was measured; what could not be measured is None or empty, and ``notes`` say why."""

    measured_at: str
    """UTC, ISO 8601."""
    elapsed_seconds: float
    memory: MemoryBandwidth | None = None
    matmul: Matmul | None = None
    framework: Framework | None = None
    attention: tuple[AttentionPoint, ...] = ()
    operations: tuple[OperationPoint, ...] = ()
    all_reduce: AllReduce | None = None
    disk: DiskSpeed | None = None
    rounds: int = 1
    """How often all but the disk was measured; on a machine that other work disturbs, the best of them counts."""
    spread: float | None = None
    """How much slower the middle repetition of a product is than the best, in the calmest round: 0 to 1."""
    notes: tuple[Note, ...] = ()


def was_busy(measurements: Measurements) -> bool:
    """Say whether other work ran on the machine while it was measured: the figures then are too low, and unevenly."""
    return any(note.message_id == BUSY for note in measurements.notes)
