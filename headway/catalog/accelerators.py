"""GPUs, TPUs and other training accelerators: rates, memory, links and power of one device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "accelerators.toml"


@dataclass(frozen=True, kw_only=True)
class Accelerator(Entry):
    """One accelerator as it is sold; `basis` says whether that is a chip, a card or a GPU of a rack.

    Every rate is a dense peak that the vendor states. None means that nobody knows, or that the device cannot do it.

    Attributes:
        vendor: who makes it.
        bf16_dense_flops_per_second: matrix rate in bfloat16.
        fp16_dense_flops_per_second: matrix rate in float16.
        fp8_dense_flops_per_second: matrix rate in 8-bit floats.
        fp4_dense_flops_per_second: matrix rate in 4-bit floats.
        int8_dense_operations_per_second: matrix rate in 8-bit integers.
        tf32_dense_flops_per_second: matrix rate in TF32.
        fp32_flops_per_second: vector rate in float32.
        measured_bf16_flops_per_second: the best matrix rate that somebody measured.
        memory_label: the size of the device memory as the vendor prints it.
        memory_bytes: the same in bytes; `memory_basis` says how.
        memory_basis: "visible" (what software sees, as stated by a source), "gib" (the label counted as GiB, since
            memory stacks come in powers of two; drivers show up to 1 % less) or "gb" (the label counted as 10^9 bytes).
        memory_type: HBM3, GDDR6, ...
        memory_bytes_per_second: peak bandwidth of the device memory.
        scale_up_bytes_per_second: rate of the fast link to the peers, per device and per direction.
        scale_up_domain_devices: how many devices that link joins; 1 where there is only PCIe.
        usual_out_bytes_per_second: rate between servers, per device and per direction, of the vendor's own system.
        devices_per_node: of one server, where it is not as many as the fast link joins.
        power_watts: the design power of the device.
        launch_year: the year of the launch.
        announced: true where the numbers are pre-release.
    """

    vendor: str
    bf16_dense_flops_per_second: float | None = None
    fp16_dense_flops_per_second: float | None = None
    fp8_dense_flops_per_second: float | None = None
    fp4_dense_flops_per_second: float | None = None
    int8_dense_operations_per_second: float | None = None
    tf32_dense_flops_per_second: float | None = None
    fp32_flops_per_second: float | None = None
    measured_bf16_flops_per_second: float | None = None
    memory_label: str | None = None
    memory_bytes: int | None = None
    memory_basis: str | None = None
    memory_type: str | None = None
    memory_bytes_per_second: float | None = None
    scale_up_bytes_per_second: float | None = None
    scale_up_domain_devices: int | None = None
    usual_out_bytes_per_second: float | None = None
    devices_per_node: int | None = None
    power_watts: float | None = None
    launch_year: int | None = None
    announced: bool = False


@cache
def entries() -> Mapping[str, Accelerator]:
    """Return all accelerators by id."""
    return read_facts(FILE, Accelerator)


def accelerator(name: str) -> Accelerator:
    """Return an accelerator by id or alias: ``h100-sxm-80gb``, ``h100``, ``NVIDIA H100 80GB HBM3``.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    return find("accelerator", name, entries())
