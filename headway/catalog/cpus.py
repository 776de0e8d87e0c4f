"""Server processors: cores, clock, memory and power of one socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "cpus.toml"


@dataclass(frozen=True, kw_only=True)
class Cpu(Entry):
    """One processor; all numbers are per socket.

    Attributes:
        vendor: who makes it.
        cores: physical cores.
        base_hertz: guaranteed clock of all cores.
        matrix_unit: the instructions that multiply matrices fastest.
        bf16_flops_per_second: peak in bfloat16 at the base clock.
        int8_operations_per_second: peak in 8-bit integers at the base clock.
        fp32_flops_per_second: peak in float32 at the base clock.
        memory_channels: memory channels.
        memory_transfers_per_second: transfers per second and channel.
        memory_bytes_per_second: peak memory bandwidth.
        memory_capacity_bytes: the most memory that the socket takes.
        power_watts: design power.
        max_sockets: the most sockets in one server.
        launched: when it came out, as written by the source.
    """

    vendor: str
    cores: int
    base_hertz: float | None = None
    matrix_unit: str | None = None
    bf16_flops_per_second: float | None = None
    int8_operations_per_second: float | None = None
    fp32_flops_per_second: float | None = None
    memory_channels: int | None = None
    memory_transfers_per_second: float | None = None
    memory_bytes_per_second: float | None = None
    memory_capacity_bytes: int | None = None
    power_watts: float | None = None
    max_sockets: int | None = None
    launched: str | None = None


@cache
def entries() -> Mapping[str, Cpu]:
    """Return all processors by id."""
    return read_facts(FILE, Cpu)


def cpu(name: str) -> Cpu:
    """Return a processor by id or alias: ``epyc-9654``, ``Xeon Platinum 8480+``.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    return find("cpu", name, entries())
