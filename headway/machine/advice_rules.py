"""What the owner of a machine should know or change before training: one named function per rule.

A rule speaks only of what was read or measured; where a figure is unknown, it is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from headway import units
from headway.machine.measurements import BUSY, Matmul, mean_ratio, was_busy
from headway.machine.probing import Machine

_SMALL_SHARED_MEMORY_BYTES = units.GIB
"""Docker gives 64 MiB; PyTorch's documentation asks for more wherever data loaders have workers (docker --shm-size)."""
_FEW_OPEN_FILES = 4096
"""A rank holds shards, sockets and loader pipes at once; 1,024 is the usual default that runs out."""
_SWAP_SHARE = 0.01
_SLOW_DISK_BYTES_PER_SECOND = 100e6
"""Below a single hard disk: an 8-billion-parameter checkpoint with optimizer state (about 96 GB) takes over 16 min."""
_CLEARLY_FASTER = 1.15
"""Rates nearer than this differ by noise on a shared machine."""

_BF16_SETS = frozenset({"amx_bf16", "avx512_bf16", "bf16"})


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One piece of advice: a message id and its arguments; the message's ``.next`` says what to do."""

    message_id: str
    level: Literal["info", "warning"]
    arguments: dict[str, str | int | float] = field(default_factory=dict)


def advice(machine: Machine) -> tuple[Advice, ...]:
    """Return the advice that applies to a machine, warnings first."""
    found = [one for rule in _RULES for one in rule(machine)]
    return tuple(sorted(found, key=lambda one: one.level != "warning"))


def _cpu_quota(machine: Machine) -> Iterator[Advice]:
    quota_cores = machine.inventory.limits.cpu_quota_cores
    num_allowed = machine.inventory.processor.num_allowed_logical_cores
    if quota_cores is not None and num_allowed is not None and quota_cores < num_allowed:
        usable_cores = machine.inventory.processor.usable_cores
        yield Advice(
            message_id="machine-advice-cpu-quota",
            level="warning",
            arguments={"quota_cores": quota_cores, "visible_cores": num_allowed, "usable_cores": usable_cores},
        )


def _swap_in_use(machine: Machine) -> Iterator[Advice]:
    memory = machine.inventory.memory
    if memory.swap_used_bytes and memory.total_bytes and memory.swap_used_bytes > _SWAP_SHARE * memory.total_bytes:
        arguments: dict[str, str | int | float] = {"swap_used_bytes": memory.swap_used_bytes}
        yield Advice(message_id="machine-advice-swap-in-use", level="warning", arguments=arguments)


def _huge_pages_off(machine: Machine) -> Iterator[Advice]:
    if machine.inventory.memory.transparent_huge_pages == "never":
        yield Advice(message_id="machine-advice-huge-pages-off", level="info")


def _small_shared_memory(machine: Machine) -> Iterator[Advice]:
    shared_bytes = machine.inventory.limits.shared_memory_bytes
    if shared_bytes is not None and shared_bytes < _SMALL_SHARED_MEMORY_BYTES:
        yield Advice(
            message_id="machine-advice-small-shared-memory",
            level="warning",
            arguments={"shared_memory_bytes": shared_bytes},
        )


def _few_open_files(machine: Machine) -> Iterator[Advice]:
    open_files = machine.inventory.limits.open_files
    if open_files is not None and open_files < _FEW_OPEN_FILES:
        yield Advice(
            message_id="machine-advice-few-open-files",
            level="warning",
            arguments={"open_files": open_files, "wanted_files": _FEW_OPEN_FILES},
        )


def _no_compiler(machine: Machine) -> Iterator[Advice]:
    if machine.inventory.software.compiler is None:
        yield Advice(message_id="machine-advice-no-compiler", level="info")


def _rapl_unreadable(machine: Machine) -> Iterator[Advice]:
    if not machine.inventory.limits.rapl_readable:
        yield Advice(message_id="machine-advice-rapl-unreadable", level="info")


def _folder_in_memory(machine: Machine) -> Iterator[Advice]:
    disk = machine.inventory.disk
    if disk.device == "tmpfs":
        yield Advice(message_id="machine-advice-folder-in-memory", level="warning", arguments={"folder": disk.folder})


def _slow_disk(machine: Machine) -> Iterator[Advice]:
    disk = machine.measurements.disk if machine.measurements else None
    if disk is not None and disk.write_bytes_per_second < _SLOW_DISK_BYTES_PER_SECOND:
        yield Advice(
            message_id="machine-advice-slow-disk",
            level="warning",
            arguments={"folder": disk.folder, "write_bytes_per_second": disk.write_bytes_per_second},
        )


def _precision(machine: Machine) -> Iterator[Advice]:
    """Recommend bf16 or fp32 by the measured rates; by the instruction sets alone only where bf16 cannot be fast."""
    matmul = _trusted_products(machine)
    ratio = mean_ratio(matmul.rates("bf16"), matmul.rates("fp32")) if matmul else None
    sets = machine.inventory.processor.instruction_sets
    if ratio is not None and ratio >= _CLEARLY_FASTER:
        yield Advice(message_id="machine-advice-use-bf16", level="info", arguments={"ratio": ratio})
    elif ratio is not None and ratio <= 1 / _CLEARLY_FASTER:
        yield Advice(message_id="machine-advice-use-fp32", level="info", arguments={"ratio": 1 / ratio})
    elif ratio is None and sets and not _BF16_SETS & set(sets) and not machine.inventory.accelerators:
        yield Advice(message_id="machine-advice-no-bf16", level="info")


def _onednn(machine: Machine) -> Iterator[Advice]:
    """Tell where the framework's default fp32 product is the slower one: it depends on the processor's maker."""
    matmul = _trusted_products(machine)
    ratio = mean_ratio(matmul.rates("fp32", "onednn_linear"), matmul.rates("fp32", "torch.mm")) if matmul else None
    if ratio is not None and ratio >= _CLEARLY_FASTER:
        yield Advice(message_id="machine-advice-use-onednn", level="info", arguments={"ratio": ratio})


def _trusted_products(machine: Machine) -> Matmul | None:
    """Return the rates of matrix products, unless other work spoilt them: it slows some kernels tenfold, others not."""
    if machine.measurements is None or was_busy(machine.measurements):
        return None
    return machine.measurements.matmul


def _measured_while_busy(machine: Machine) -> Iterator[Advice]:
    notes = machine.measurements.notes if machine.measurements else ()
    for note in notes:
        if note.message_id == BUSY:
            yield Advice(message_id="machine-advice-measured-busy", level="warning", arguments=note.arguments)


_RULES: tuple[Callable[[Machine], Iterator[Advice]], ...] = (
    _cpu_quota,
    _swap_in_use,
    _small_shared_memory,
    _few_open_files,
    _folder_in_memory,
    _slow_disk,
    _measured_while_busy,
    _precision,
    _onednn,
    _huge_pages_off,
    _no_compiler,
    _rapl_unreadable,
)
