"""How a model is put onto this machine: threads, context, memory, and the speed that follows from its memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.errors import ServingError
from headway.machine import Inventory
from headway.machine.cache import cache_folder
from headway.machine.measure_memory import measure_memory
from headway.machine.probing import known_machine
from headway.planning.serving import Decoding, key_value_bytes, tokens_per_second
from headway.serving.engine import EngineSettings
from headway.serving.header import Header, Tensor
from headway.units import MIB

_STEP = 256
"""The context is a multiple of this many tokens. Source: llama.cpp pads its cache to it."""

_SMALLEST_CONTEXT = 512
_CACHE_SHARE = 0.5
"""Of the memory beside the weights, what the cache of keys and values may take where nobody says: others live here too,
and a longer context can be asked for."""

_RESERVE_BYTES = 512 * MIB
"""For llama.cpp's buffers of one batch, its tables and our own process."""

_TYPICAL_SHARE = 0.25
"""Of the context, how much a typical token of an answer looks back on; the predicted speed is for that."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the user asks for; None leaves it to the machine."""

    context: int | None = None
    parallel: int = 1
    threads: int | None = None
    key_value_type: str = "f16"
    numa: str | None = None
    locks: bool = False
    embeds: bool = False


@dataclass(frozen=True, kw_only=True)
class Placement:
    """How a model runs here.

    Attributes:
        settings: for llama.cpp.
        weight_bytes: of the file's tensors.
        cache_bytes: of keys and values of all requests at their full context.
        usable_bytes: of this machine's memory; None where nobody can say.
        is_larger_than_memory: the weights are read from the disk again and again.
        read_bytes_per_second: of the memory, measured; None where it was not.
        bytes_per_token: that one token of one answer reads.
        tokens_per_second: predicted for one answer; None where the bandwidth is unknown, or the disk's.
    """

    settings: EngineSettings
    weight_bytes: int
    cache_bytes: int
    usable_bytes: int | None
    is_larger_than_memory: bool
    read_bytes_per_second: float | None
    bytes_per_token: float
    tokens_per_second: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "model": self.settings.alias,
            "path": self.settings.model,
            "context": self.settings.context,
            "parallel": self.settings.parallel,
            "threads": self.settings.threads,
            "key_value_type": self.settings.key_value_type,
            "numa": self.settings.numa,
            "weight_bytes": self.weight_bytes,
            "cache_bytes": self.cache_bytes,
            "usable_bytes": self.usable_bytes,
            "is_larger_than_memory": self.is_larger_than_memory,
            "read_bytes_per_second": self.read_bytes_per_second,
            "bytes_per_token": self.bytes_per_token,
            "predicted_tokens_per_second": self.tokens_per_second,
        }


def place(header: Header, wishes: Wishes, inventory: Inventory, read_bytes_per_second: float | None) -> Placement:
    """Put a model onto a machine.

    Args:
        header: of the model's file.
        wishes: what the user asks for.
        inventory: the machine.
        read_bytes_per_second: of its memory; None where it was not measured.

    Raises:
        ServingError: the context that is asked for is longer than the model's, or its cache does not fit beside the
            weights.
    """
    usable = inventory.memory.usable_bytes
    decoding = decoding_of(header, wishes.key_value_type)
    is_larger = usable is not None and header.tensor_bytes + _RESERVE_BYTES > usable
    per_token = decoding.key_value_bytes * wishes.parallel
    # Of a model that is larger than the memory, the pages of the weights make room for the cache.
    beside = None if usable is None else usable - _RESERVE_BYTES - (0 if is_larger else header.tensor_bytes)
    context = _context(header, wishes, per_token, beside)
    settings = EngineSettings(
        model=str(header.path.absolute()),
        alias=header.name,
        context=context,
        parallel=wishes.parallel,
        threads=wishes.threads or inventory.processor.usable_cores,
        key_value_type=wishes.key_value_type,
        numa=wishes.numa or _numa_policy(inventory),
        locks=wishes.locks,
        embeds=wishes.embeds,
        # Weights in another order are a copy, which a model that fills the memory has no room for.
        repacks=not is_larger and (usable is None or 2 * header.tensor_bytes < usable),
        warms_up=not is_larger,
    )
    typical = _TYPICAL_SHARE * context
    known = None if is_larger else read_bytes_per_second
    return Placement(
        settings=settings,
        weight_bytes=header.tensor_bytes,
        cache_bytes=round(per_token * context),
        usable_bytes=usable,
        is_larger_than_memory=is_larger,
        read_bytes_per_second=read_bytes_per_second,
        bytes_per_token=decoding.bytes_per_token(typical),
        tokens_per_second=None if known is None else tokens_per_second(decoding, known, typical),
    )


def _context(header: Header, wishes: Wishes, bytes_per_token: float, beside: int | None) -> int:
    longest = header.context_length
    if wishes.context is None:
        if beside is not None and bytes_per_token:
            longest = min(longest, int(_CACHE_SHARE * max(beside, 0) / bytes_per_token))
        longest = longest // _STEP * _STEP if longest > _STEP else longest
        return max(longest, min(_SMALLEST_CONTEXT, header.context_length))
    if wishes.context > longest:
        raise ServingError("serving-context-model", context=wishes.context, longest=longest)
    if beside is not None and wishes.context * bytes_per_token > beside:
        raise ServingError(
            "serving-context-memory",
            context=wishes.context,
            parallel=wishes.parallel,
            needed_bytes=round(wishes.context * bytes_per_token),
            free_bytes=max(beside, 0),
            fits=int(max(beside, 0) / bytes_per_token) // _STEP * _STEP,
        )
    return wishes.context


def decoding_of(header: Header, key_value_type: str) -> Decoding:
    """Return what a token reads: of a mixture of experts only the chosen, and of the embedding one row.

    Raises:
        ServingError: the file does not say how its attention is shaped.
    """
    heads = header.number("attention.head_count")
    width = header.number("attention.key_length", header.number("embedding_length") // max(heads, 1))
    size = header.number("attention.head_count_kv", heads) * width
    is_tied = all(tensor.name != "output.weight" for tensor in header.tensors)
    experts, used = header.number("expert_count", 0), header.number("expert_used_count", 0)
    share = used / experts if experts else 1.0
    read = sum(_read_bytes(tensor, is_tied, share) for tensor in header.tensors)
    return Decoding(
        weight_bytes=read, key_value_bytes=key_value_bytes(header.number("block_count"), size, key_value_type)
    )


def _read_bytes(tensor: Tensor, is_tied: bool, expert_share: float) -> float:
    if tensor.name == "token_embd.weight" and not is_tied:
        return tensor.size_bytes / tensor.shape[0]
    return tensor.size_bytes * (expert_share if "_exps." in tensor.name else 1.0)


def _numa_policy(inventory: Inventory) -> str:
    """Spread threads and pages where the memory has several parts; each part alone has its share of the bandwidth."""
    return "distribute" if len(inventory.processor.numa_nodes) > 1 else "disabled"


def this_machine() -> tuple[Inventory, float | None]:
    """Return what this machine is, and its memory's bandwidth in bytes per second: from the probe, or measured now."""
    machine = known_machine(Path())
    known = machine.measurements.memory if machine.measurements else None
    if known is None:
        known, _ = measure_memory(machine.inventory, cache_folder())
    return machine.inventory, None if known is None else known.triad_bytes_per_second
