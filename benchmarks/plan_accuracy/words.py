"""What the words of a published row say about software, formats and links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Row = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Rows of one program, and how it is usually run where a row does not say; each is a setting that a recipe has.

    Attributes:
        program: name of it in the catalogue (``training.software``).
        shard: what data-parallel devices divide; None leaves it open.
        overlaps_tensor: whether products hide tensor-parallel communication.
        overlaps: whether data-parallel communication is hidden.
        captures: whether the host's start of operations was captured before.
        sequence_parallel: whether the tensor group also divides activations between products.
        interleaves: whether stages of a pipeline may hold several chunks of layers.
        recompute: level; None leaves it open.
        low_precision_base: whether frozen weights are kept in the products' format.
        adapter_targets: which projections have an adapter.
    """

    program: str
    shard: int | None = None
    overlaps_tensor: bool = False
    overlaps: bool = True
    captures: bool = False
    sequence_parallel: bool = True
    interleaves: bool = False
    adapter_targets: str = "query-value"
    low_precision_base: bool = False
    recompute: int | None = None


FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"maxtext|levanter|\bxla|\btpu", Family(program="maxtext", shard=3, captures=True)),
    (
        r"mlcommons|mlperf",
        Family(
            program="megatron",
            shard=1,
            overlaps_tensor=True,
            captures=True,
            interleaves=True,
            adapter_targets="attention",
            low_precision_base=True,
        ),
    ),
    (
        r"megatron-bridge|nemo",
        Family(program="megatron-bridge", shard=1, overlaps_tensor=True, interleaves=True, adapter_targets="fused-qkv"),
    ),
    (r"longlora", Family(program="transformers", recompute=3)),
    (r"ms-swift(?!.*megatron)|qwenlm|peft-bench|huggingface/peft|transformers", Family(program="transformers")),
    (
        r"bigscience|megatron-deepspeed|deepspeed",
        Family(program="megatron-deepspeed", shard=1, overlaps=False, sequence_parallel=False),
    ),
    (r"megatron|mcore|calculon|narayanan", Family(program="megatron", shard=1, interleaves=True)),
    (r"internevo|internlm", Family(program="internevo", shard=1)),
    (r"nanotron|smollm", Family(program="nanotron", shard=1)),
    (r"torchtitan", Family(program="torchtitan", shard=3, recompute=2)),
    (r"llm-foundry|mosaic", Family(program="pytorch", shard=3)),
    (r"litgpt", Family(program="litgpt")),
    (r"torchtune", Family(program="torchtune")),
    # A program of their own: Llama Team 2024 (arXiv:2407.21783), section 3.3.2, "Pipeline parallelism improvements".
    (r"garden/llama-3\.1", Family(program="pytorch", interleaves=True)),
)
GENERAL = Family(program="pytorch")


def family(row: Row) -> Family:
    """Return what is usual of the program that a row comes from."""
    text = f"{row['source']} {row.get('zero_stage_or_fsdp', '')}".lower()
    for pattern, found in FAMILIES:
        if re.search(pattern, text):
            return found
    return GENERAL


def program(row: Row) -> str:
    """Return the name of the program that a row comes from, as a recipe states it."""
    name = family(row).program
    return "deepspeed" if name == "transformers" and uses_deepspeed(row) else name


Month = tuple[int, int]

FUSED_ATTENTION_SINCE: Month = (2023, 1)
"""FlashAttention was published in June 2022 (arXiv:2205.14135). Megatron-LM has had it since January 2023
(``--use-flash-attn``), PyTorch since 2.0 of March 2023."""

DISTRIBUTED_OPTIMIZER_SINCE: Month = (2022, 7)
"""Megatron-LM's ``--use-distributed-optimizer`` came with its release 3.0 of 2022 (docs/distrib_optimizer.md)."""

COMPILED_LOSS_SINCE: Month = (2025, 1)
"""torchtitan compiles its loss with the model since January 2025 (torchtitan/components/loss.py)."""


def stated_month(row: Row) -> Month | None:
    """Return the year and the month that a row's source or notes state, the earliest of several; None where none is.

    A year alone counts as its first month; a paper's number holds year and month; nothing before 2018 is a date.
    """
    text = f"{row['source']} {row['notes']}"
    found = [(int(year), int(month)) for year, month in re.findall(r"(20[12]\d)-?(0[1-9]|1[0-2])", text)]
    found += [(2000 + int(year), int(month)) for year, month in re.findall(r"arXiv[: ](\d\d)(\d\d)\.", text)]
    if not found:
        found = [(int(year), 1) for year in re.findall(r"(?<![\d.])(?:[A-Za-z_ (])(20[12]\d)(?!\d)", f" {text}")]
    likely = [month for month in found if (2018, 1) <= month < (2030, 1)]
    return min(likely, default=None)


def is_before(row: Row, month: Month) -> bool:
    """Return whether a row says that it is from before a month; one that states none is taken as recent."""
    stated = stated_month(row)
    return stated is not None and stated < month


def captures_graphs(row: Row, habits: Family) -> bool:
    """Return whether the host's start of operations was captured before.

    NVIDIA's containers from 26.06 on capture whole iterations of mixtures too, on racks. Source: NVIDIA/Megatron-LM,
    examples of Qwen3-235B ("paged_stash_fullcg"); dense models since 25.11 (Megatron-Bridge, CHANGELOG 0.2.0).
    """
    release = re.search(r"(\d\d)\.(\d\d)(?:\.\d+)? NeMo Container", row["source"])
    if release is None:
        return habits.captures
    version = (int(release[1]), int(release[2]))
    return habits.captures or (version >= (26, 6) and row["accel"].startswith("GB"))


def precision(row: Row) -> str | None:
    """Return the format of the products, or None where the row does not say."""
    text = f"{row['precision']} {row['source'] if not row['precision'] else ''}".lower()
    for word, name in (
        ("nvfp4", "nvfp4"),
        ("fp4.sh", "nvfp4"),
        ("mxfp8", "mxfp8"),
        ("bf16 (pure)", "bf16"),
        ("fp8", "fp8"),
        ("fp16", "fp16"),
        ("bf16", "bf16"),
        ("bfloat16", "bf16"),
        ("tf32", "tf32"),
        ("fp32", "fp32"),
    ):
        if word in text:
            return name
    return None


def weights(row: Row) -> str | None:
    """Return where the precise weights are, where a row says it; None where the program decides."""
    text = row["precision"].lower()
    if "pure" in text or "true" in text:
        return "pure"
    if "fp32 master" in text or "fp32 weights" in text or "fp32 params" in row["zero_stage_or_fsdp"].lower():
        return "fp32"
    if "main params" in row["optimizer"].lower() or "fp32 master" in row["optimizer"].lower():
        return "master"
    # Embeddings that are trained beside adapters are trained as they were loaded.
    return "pure" if "emb" in row["method"] and program(row) == "transformers" else None


def loss(row: Row) -> str | None:
    """Return how the logits are held, where a row says it or its date implies it; None where the program decides."""
    if "cross-entropy-loss-fusion=True" in row["notes"]:
        # Megatron's fused loss is compiled operation by operation, and keeps each of its steps in fp32.
        return "whole"
    if "qwenlm" in row["source"].lower() and uses_deepspeed(row):
        # Its model takes the loss of the logits as they are (QwenLM/Qwen, modeling_qwen.py); DeepSpeed has no autocast.
        return "rounded"
    if program(row) == "torchtitan" and is_before(row, COMPILED_LOSS_SINCE):
        return "whole"
    return None


def gradients(row: Row) -> str:
    """Return the format of the gradients, as a recipe states it."""
    text = f"{row['precision']} {row['zero_stage_or_fsdp']}".lower()
    if "fp32 grad" in text:
        return "fp32"
    # Megatron's fp16 optimizer takes 16-bit gradients; only bf16 accumulates in fp32 (megatron/training/arguments.py).
    return "rounded" if precision(row) == "fp16" else "auto"


def counts_tables(row: Row) -> bool:
    """Return whether a pipeline's stages count the embedding and the output projection as layers."""
    return re.search(r"counted as a layer|account-for-embedding-in-pipeline-split=True", row["notes"]) is not None


def is_compiled(row: Row) -> bool:
    """Return whether the model was compiled."""
    return row["compile"].lower().startswith("y") or row["compile"] == "thunder"


def uses_deepspeed(row: Row) -> bool:
    """Return whether DeepSpeed trains a model of transformers: as the row says, or as Qwen's own scripts do.

    Source: QwenLM/Qwen finetune/finetune_ds.sh, finetune_qlora_single_gpu.sh and finetune_qlora_ds.sh pass a DeepSpeed
    configuration; finetune_lora_single_gpu.sh passes none.
    """
    if re.search(r"zero|deepspeed", row["zero_stage_or_fsdp"].lower()):
        return True
    return "qwenlm" in row["source"].lower() and row["kind"] in ("full-ft", "qlora")


def shard(row: Row, habits: Family) -> tuple[int | None, bool]:
    """Return what is divided (an index into ``SHARDS``), or None; and whether gathered weights are dropped again."""
    text = row["zero_stage_or_fsdp"].lower()
    if not text:
        is_early = habits.program == "megatron" and is_before(row, DISTRIBUTED_OPTIMIZER_SINCE)
        return 0 if is_early else habits.shard, True
    if "shard_grad_op" in text or "no reshard" in text:
        return 3, False
    if "torchtitan" in row["source"] and (row["pp"] or "1") != "1":
        # With a pipeline, torchtitan keeps gathered weights until the step ends.
        return 3, False
    if "megatron-fsdp" in text or "fsdp2" in text or "full_shard" in text or "gemini" in text:
        return 3, True
    if "zero-1" in text or "distributed" in text or "3d" in text or "fsdp=0" in text:
        return 1, True
    if "zero-2" in text or "zero2" in text:
        return 2, True
    if "zero-0" in text or text.startswith(("none", "ddp")):
        return 0, True
    if "zero-3" in text or "zero3" in text or "fsdp" in text:
        return 3, True
    return habits.shard, True


def shard_group(row: Row, replicas: float, devices: float) -> float:
    """Return among how many devices states are divided."""
    text = row["zero_stage_or_fsdp"]
    slices = re.search(r"DP over (\d+) slices", text)
    if slices:
        return max(devices / float(slices[1]), 1.0)
    within = re.search(r"within (\d+)|shard=(\d+)|FSDP (\d+) in node", text)
    if within:
        return min(float(next(group for group in within.groups() if group)), replicas)
    if "hybrid" in text.lower():
        return min(8.0, replicas)
    return replicas


def recompute(row: Row, flash: bool) -> tuple[int | None, float, bool]:
    """Return the level (an index into ``RECOMPUTE``), the share of layers, and whether activations are offloaded.

    Args:
        row: the published row.
        flash: whether attention is fused.
    """
    text = row["recompute"].lower()
    offload = "offload" in text
    if not text:
        if "litgpt" in row["source"]:
            # Fine-tuning recomputes whole layers with FSDP, and nothing without.
            return (3 if "FSDP" in row["zero_stage_or_fsdp"] and row["kind"] != "pretrain" else 0), 1.0, False
        if "ms-swift" in row["source"] and "megatron" in row["source"]:
            # Megatron-SWIFT's default: the scores only, where there are any.
            return (0 if flash else 1), 1.0, False
        if "torchtitan" in row["source"] and "nvfp4" in row["precision"]:
            # What its selective recomputation keeps are results of PyTorch's own products; NVFP4's are not among them.
            return 3, 1.0, False
        return family(row).recompute, 1.0, False
    if text.startswith("none"):
        return 0, 1.0, False
    if "every other layer" in text:
        return 3, 0.5, offload
    if text.startswith("full"):
        return 3, 1.0, offload
    if "op)" in text or "default of llama3" in text or "per-op" in text:
        return 2, 1.0, False
    if "qkv_proj_offloaded" in text or "except_mlp" in text:
        return 2, 1.0, False
    if "minimal" in text:
        return 1, 1.0, False
    if "selective" in text:
        return (0 if flash else 1), 1.0, False
    return None, 1.0, offload


def node_gigabits(row: Row) -> float | None:
    """Return the network rate of one node in Gb/s, where the row's words say it; None where they do not.

    "per GPU" rates are returned as eight times the rate.
    """
    text = row["interconnect"]
    compute = re.search(r"Compute:([^;]*?)(?:,\s*Man|,\s*Stor|$)", text)
    if compute:
        text = compute[1]
    per_device = re.search(r"(\d+)\s*Gb(?:/s|ps)[^,;]*per GPU", text)
    if per_device:
        return 8 * float(per_device[1])
    per_node = re.search(r"(\d+)\s*Gbps (?:node-node|IB measured per node)", text)
    if per_node:
        return float(per_node[1])
    many = re.findall(r"(\d+)\s*x\s?(?:[A-Za-z][A-Za-z0-9\-]*\s+)*\(?(\d+)\s*Gb", text)
    if many:
        return max(float(count) * float(rate) for count, rate in many)
    if re.search(r"[;:]|Ethernet", text):
        return None
    single = re.search(r"(\d+)\s*Gbps", text)
    return None if single is None else 8 * float(single[1])
