"""Which shares of their stated rates generations of accelerators reach in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, read_facts

FILE = FACTS_FOLDER / "efficiencies.toml"


@dataclass(frozen=True, kw_only=True)
class Efficiency(Entry):
    """One generation of accelerators: a few physical parameters, each for a class of operations.

    Attributes:
        accelerators: ids of its members.
        matmul_16bit_efficiency: share of the stated dense peak that large products in 16 bits, TF32 or fp32 hold.
        matmul_8bit_efficiency: the same of 8-bit products; None where there are none.
        matmul_4bit_efficiency: the same of 4-bit products.
        attention_forward_efficiency: share of the stated 16-bit peak that portable fused attention holds, forward.
        attention_backward_efficiency: the same, backward.
        tuned_attention_forward_efficiency: the same of kernels that were tuned for the generation.
        tuned_attention_backward_efficiency: the same, backward.
        wave_outputs: elements of a product's result that the device works on at one time: its cores times the tile of
            each. A result that is not a whole number of these leaves cores idle at its end.
        memory_efficiency: share of the stated memory bandwidth that long reads and writes hold.
        kernel_seconds: constant time of one kernel on the device.
        host_seconds: time of the host to start one operation of a framework, where nothing was captured before.
        up_efficiency: share of the fast link's rate that large collectives hold.
        out_efficiency: share of the network's rate that large collectives hold.
        start_latency_seconds: constant time of one collective.
        up_latency_seconds: the same of each device that a ring passes on the fast link.
        out_latency_seconds: the same of each server that it passes.
        tree_up_latency_seconds: the same of each doubling of the devices that a tree climbs on the fast link.
        tree_out_latency_seconds: the same of each doubling of the servers.
    """

    accelerators: tuple[str, ...]
    matmul_16bit_efficiency: float
    matmul_8bit_efficiency: float | None = None
    matmul_4bit_efficiency: float | None = None
    attention_forward_efficiency: float
    attention_backward_efficiency: float
    tuned_attention_forward_efficiency: float
    tuned_attention_backward_efficiency: float
    wave_outputs: float
    memory_efficiency: float
    kernel_seconds: float
    host_seconds: float
    up_efficiency: float
    out_efficiency: float
    start_latency_seconds: float
    up_latency_seconds: float
    out_latency_seconds: float
    tree_up_latency_seconds: float
    tree_out_latency_seconds: float


@cache
def entries() -> Mapping[str, Efficiency]:
    """Return all generations by id."""
    return read_facts(FILE, Efficiency)


@cache
def efficiency_of(accelerator: str) -> Efficiency | None:
    """Return the generation that an accelerator belongs to, or None: nobody published enough trainings on it.

    Args:
        accelerator: its id in the catalogue.
    """
    return next((entry for entry in entries().values() if accelerator in entry.accelerators), None)
