"""What an operation takes on a catalogued accelerator: the roofline with a few physical losses.

An operation takes as long as its arithmetic or its memory traffic, whichever is longer, and the start of its kernels.
Source: Williams, Waterman and Patterson 2009, "Roofline: an insightful visual performance model".
Leaves out: the quantisation of tiles into waves, clocks under load, and the host's time to start kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog
from headway.planning.operations import Operation

MATMUL_EFFICIENCY = 0.75
"""Share of the stated peak that large products reach where nobody measured it.

Source: measured over stated rates of the catalogue's accelerators; a test shows their range."""

SUSTAINED_SHARE = 0.85
"""Share of the best measured product that products reach on average through a training, with clocks under load.

Source: fitted to the published trainings in ``tests/planning/test_published.py``."""

ATTENTION_EFFICIENCY = 0.45
"""Share of the stated peak that fused attention reaches, forward and backward together.

Source: Dao 2023 (arXiv:2307.08691), section 4.1, for the size of it; fitted like `SUSTAINED_SHARE`."""

PIPELINE_FILL = 128
"""A product's inner loop reaches its rate only after it has filled the pipeline: with inner size k it runs at
k / (k + 128) of it. 128 is the tile depth (64) times two stages in flight.

Source: NVIDIA CUTLASS, efficient_gemm.md."""

LAUNCH_SECONDS = 3e-6
"""Constant time of one kernel. Source: ai-dynamo/aiconfigurator, as in the constant ``memory-bandwidth-achieved``."""


@dataclass(frozen=True, kw_only=True)
class CataloguedDevice:
    """Prices operations by stated peaks and documented losses.

    Attributes:
        peak_flops_per_second: stated dense peak for the precision.
        matmul_efficiency: share of it that large products reach.
        bytes_per_second: bandwidth of the device memory that kernels reach.
    """

    peak_flops_per_second: float
    matmul_efficiency: float
    bytes_per_second: float

    @classmethod
    def of(cls, entry: catalog.Accelerator, precision: str, peak_flops_per_second: float) -> CataloguedDevice:
        """Return the device for a catalogue entry whose bandwidth is known."""
        measured = entry.measured_bf16_flops_per_second if precision == "bf16" else None
        achieved = catalog.constants()["memory-bandwidth-achieved"].value
        assert achieved is not None and entry.memory_bytes_per_second is not None
        return cls(
            peak_flops_per_second=peak_flops_per_second,
            matmul_efficiency=SUSTAINED_SHARE * (measured / peak_flops_per_second if measured else MATMUL_EFFICIENCY),
            bytes_per_second=achieved * entry.memory_bytes_per_second,
        )

    def seconds(self, operation: Operation, reuse_bytes: float = 0.0) -> float:
        """Return the time of one execution.

        Args:
            operation: what runs.
            reuse_bytes: not used: the caches of an accelerator hold no activations.
        """
        rate = self.peak_flops_per_second * self._efficiency(operation)
        busy_seconds = max(operation.flops / rate, operation.moved_bytes / self.bytes_per_second)
        if operation.kind == "head":
            # Its products and its passes over the logits alternate and do not overlap.
            busy_seconds = operation.flops / rate + operation.moved_bytes / self.bytes_per_second
        return busy_seconds + operation.launches * LAUNCH_SECONDS

    def _efficiency(self, operation: Operation) -> float:
        if operation.kind == "attention":
            return ATTENTION_EFFICIENCY
        if operation.kind not in ("linear", "head"):
            return 1.0
        _, inputs, outputs = operation.shape
        inner = min(inputs, outputs)
        return self.matmul_efficiency * inner / (inner + PIPELINE_FILL)
