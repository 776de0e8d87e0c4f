"""Hardware of round numbers, on which times can be worked by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from headway import catalog
from headway.catalog import Efficiency
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.keeping import Keeping, keeping_of
from headway.planning.analytic.layouts import Floats
from headway.planning.analytic.losses import losses
from headway.planning.analytic.numerics import numerics
from headway.recipe.model import ModelConfig

IDEAL = Efficiency(
    id="ideal",
    basis="invented",
    source="invented",
    read_on=date(2026, 1, 1),
    accelerators=("h100-sxm-80gb",),
    matmul_16bit_efficiency=0.5,
    matmul_8bit_efficiency=0.5,
    matmul_4bit_efficiency=None,
    attention_forward_efficiency=0.25,
    attention_backward_efficiency=0.2,
    tuned_attention_forward_efficiency=0.5,
    tuned_attention_backward_efficiency=0.4,
    wave_outputs=1e6,
    memory_efficiency=1.0,
    kernel_seconds=0.0,
    host_seconds=0.0,
    up_efficiency=1.0,
    out_efficiency=0.5,
    start_latency_seconds=0.0,
    up_latency_seconds=0.0,
    out_latency_seconds=0.0,
    tree_up_latency_seconds=0.0,
    tree_out_latency_seconds=0.0,
)


def machines(devices: int = 1, **changes: Any) -> Hardware:
    """Return devices of 1e15 16-bit FLOP/s and 1e12 B/s, eight to a domain: 1e11 B/s inside it and 2e10 beyond."""
    entry = replace(
        catalog.accelerator("h100"),
        bf16_dense_flops_per_second=1e15,
        fp16_dense_flops_per_second=1e15,
        fp8_dense_flops_per_second=2e15,
        memory_bytes_per_second=1e12,
        scale_up_bytes_per_second=1e11,
    )
    found = Hardware(
        entry=entry,
        efficiency=IDEAL,
        devices=devices,
        devices_per_node=min(8, devices),
        domain_devices=min(8, devices),
        up_bytes_per_second=1e11,
        out_bytes_per_second=2e10,
        losses=replace(losses(), waiting_per_doubling=0.0, contention=0.0, tensor_overlap=0.5),
    )
    efficiency = {name: changes.pop(name) for name in list(changes) if hasattr(IDEAL, name)}
    return replace(found, efficiency=replace(IDEAL, **efficiency), **changes)


def llama(**changes: Any) -> ModelConfig:
    """Return a small Llama of round sizes: 4 layers of width 1,024, 8 heads of 128, MLP 4,096, 32,000 tokens."""
    content: dict[str, Any] = {
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 4,
        "num_attention_heads": 8,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 32000,
        "max_position_embeddings": 4096,
        **changes,
    }
    return ModelConfig.model_validate(content)


def job(model: ModelConfig | None = None, **changes: Any) -> Job:
    """Return a training of the small Llama: 64 sequences of 2,048 tokens in bf16 with a master copy, fused kernels."""
    content: dict[str, Any] = {
        "sequence_length": 2048,
        "global_batch_size": 64,
        "numerics": numerics("bf16", "master"),
        **changes,
    }
    return Job(model=model or llama(), **content)


def habits(program: str, *, compiled: bool = False, tunes: bool = False, quantized: bool = False) -> Keeping:
    """Return what a program of the catalogue keeps."""
    return keeping_of(catalog.program(program), compiled=compiled, tunes=tunes, quantized=quantized)


def array(*values: float) -> Floats:
    """Return an array of layouts."""
    return np.asarray(values, dtype=np.float64)
