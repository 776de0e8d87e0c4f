"""What the program of a published row keeps in memory, and what its column of peak memory counts."""

from __future__ import annotations

import re
from dataclasses import replace

from benchmarks.plan_accuracy.words import Row
from headway.planning.analytic.job import Job
from headway.planning.analytic.keeping import (
    COMPILED,
    DEEPSPEED,
    EAGER,
    HAND_FUSED,
    INTERNEVO,
    LITGPT,
    NANOTRON,
    Keeping,
)

ROUNDED_LOSS_BYTES = 8.0
"""Of one logit where the loss computes in 16 bits: the logit, its shifted copy, its logarithm and its gradient."""

WHOLE_LOSS_BYTES = 14.0
"""Of one logit with its fp32 copies: the same as `activations.LOGIT_BYTES` says of whole losses."""

COMPILED_LOSS_BYTES = 4.0
"""Of one logit where the loss is compiled: the logit and its gradient; what is between stays in registers."""


def keeping_of(row: Row, job: Job) -> Keeping:
    """Return what a row's program keeps."""
    text = f"{row['source']} {row['id']}".lower()
    compiled = row["compile"].lower().startswith("y") or row["compile"] == "thunder"
    if "litgpt" in text:
        return _litgpt(row, compiled)
    if re.search(r"nanotron|smollm", text):
        return NANOTRON
    if re.search(r"internevo|internlm", text):
        return replace(INTERNEVO, flat_copies=0.0) if "FSDP" in row["zero_stage_or_fsdp"] else INTERNEVO
    if "bigscience" in text or re.match(r"bs-", row["id"]):
        return replace(DEEPSPEED, counts_tables="counted as a layer" in row["notes"])
    if "torchtitan" in text:
        return _torchtitan(row, compiled)
    if "torchtune" in text:
        offloads = row["notes"].lower().startswith("cpu offload")
        # The first steps of the published ladder have the whole loss still.
        whole = re.match(r"baseline|\+packed|\+compile", row["notes"]) is not None
        return replace(
            COMPILED if compiled else EAGER, offloads_weights=offloads, logit_bytes=WHOLE_LOSS_BYTES if whole else None
        )
    if "qwenlm" in text:
        return _qwen(row)
    if job.kernels == "eager" and "zero" in row["zero_stage_or_fsdp"].lower():
        # DeepSpeed's own Adam writes nothing out, and its third stage updates a billion weights at a time.
        is_third = "zero3" in row["zero_stage_or_fsdp"].lower().replace("-", "")
        return replace(EAGER, update_copies=0.0, update_elements=1e9 if is_third else None)
    if "cross-entropy-loss-fusion=True" in row["notes"]:
        # Megatron's fused loss keeps each of its steps, in fp32.
        return replace(HAND_FUSED, logit_bytes=WHOLE_LOSS_BYTES)
    return EAGER if job.kernels == "eager" else HAND_FUSED


def _litgpt(row: Row, compiled: bool) -> Keeping:
    """litgpt's loss works on 16-bit logits; bitsandbytes' 4-bit product of that time keeps its input.

    Thunder keeps for nvFuser what the operations keep one by one. Its fine-tuning divides each layer with the adapters
    in it, so that all weights have gradients, which stay whole while they accumulate.
    Source: litgpt/finetune/lora.py (``FSDPStrategy(auto_wrap_policy={Block})``, ``no_backward_sync``) and
    Lightning-AI/litgpt#1417.
    """
    tunes = row["kind"] != "pretrain"
    kept = COMPILED if compiled and "nvfuser" not in row["notes"] else LITGPT
    return replace(
        kept,
        logit_bytes=ROUNDED_LOSS_BYTES,
        keeps_frozen_inputs="bnb" in row["precision"],
        accumulates_unsharded=tunes,
        mixes_frozen=tunes,
    )


def _torchtitan(row: Row, compiled: bool) -> Keeping:
    """The loss is compiled since 2025; with a pipeline, gradients are divided after the last micro-batch."""
    kept = COMPILED if compiled else EAGER
    is_recent = re.search(r"_2025|_2026|nvfp4", row["source"]) is not None
    return replace(
        kept,
        logit_bytes=COMPILED_LOSS_BYTES if is_recent and compiled else None,
        gathers_inputs=True,
        holds_unsharded_gradients=True,
        keeps_outputs=True,
        update_copies=0.0,
    )


def _qwen(row: Row) -> Keeping:
    """Qwen's own model takes the loss of the rounded logits, unless autocast upcasts it, which DeepSpeed does not use.

    All weights, and adapters on a quantised base, are trained under DeepSpeed, whose third stage updates a billion
    weights at a time. Source: QwenLM/Qwen, finetune/finetune_ds.sh, finetune_qlora_single_gpu.sh and
    finetune_lora_single_gpu.sh (which has no DeepSpeed).
    """
    rounded = "q-lora" in row["method"].lower()
    group = 1e9 if row["kind"] == "full-ft" else None
    return replace(EAGER, logit_bytes=ROUNDED_LOSS_BYTES if rounded else None, update_copies=2.0, update_elements=group)


def has_known_lengths(row: Row) -> bool:
    """Return whether samples are as long as the stated length, which unpacked ones are not."""
    if "ms-swift" in row["source"]:
        return "packing" in row["notes"]
    return "torchtune" not in row["source"] or "unpacked" not in row["notes"]


def counts_context(row: Row) -> bool:
    """Return whether the stated memory is what the driver shows, and not what the allocator counts."""
    metric = row["mem_metric"].lower()
    return not re.search(r"alloc|active|reserved|torchtune", f"{metric} {row['source'].lower()}")


def counts_reserve(row: Row) -> bool:
    """Return whether the stated memory holds the allocator's holes too."""
    metric = row["mem_metric"].lower()
    if "torchtune" in row["source"] and "reserved" not in metric:
        return False
    return counts_context(row) or "reserved" in metric or "in log" in metric
