"""What the words of a published row say about software, formats and links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Row = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Software:
    """How a family of training programs does the things that a row does not say.

    Attributes:
        kernels: of elementwise chains, where the row does not say that it was compiled.
        weights: where the precise weights are (`numerics.Weights`).
        loss: how logits are held (`job.Loss`).
        shard: what data-parallel devices divide where the row does not say; None leaves it open.
        overlaps_tensor: whether products hide tensor-parallel communication.
        overlaps: whether data-parallel communication is hidden.
        captures: whether the host's start of operations was captured before.
        tuned_attention: whether attention kernels are the vendor's.
        sequence_parallel: whether the tensor group also divides activations between products.
        half_gradients: whether gradients are kept in 16 bits.
        interleaves: whether stages of a pipeline may hold several chunks of layers without the row saying so.
        recompute: level where the row does not say; None leaves it open.
        low_precision_base: whether frozen weights are kept in the products' format.
        adapter_targets: which projections have an adapter where the row does not say.
    """

    kernels: str
    weights: str
    loss: str
    shard: int | None = None
    overlaps_tensor: bool = False
    overlaps: bool = True
    captures: bool = False
    tuned_attention: bool = False
    sequence_parallel: bool = True
    half_gradients: bool = False
    interleaves: bool = False
    adapter_targets: str = "query-value"
    low_precision_base: bool = False
    recompute: int | None = None


FAMILIES: tuple[tuple[str, Software], ...] = (
    (
        r"maxtext|levanter|\bxla|\btpu",
        Software(kernels="fused", weights="fp32", loss="whole", shard=3, captures=True, tuned_attention=True),
    ),
    (
        r"mlcommons|mlperf",
        Software(
            kernels="fused",
            weights="master",
            loss="sharded",
            shard=1,
            overlaps_tensor=True,
            captures=True,
            tuned_attention=True,
            interleaves=True,
            adapter_targets="attention",
            low_precision_base=True,
        ),
    ),
    (
        r"megatron-bridge|nemo",
        Software(
            kernels="fused",
            weights="master",
            loss="sharded",
            shard=1,
            overlaps_tensor=True,
            tuned_attention=True,
            interleaves=True,
            adapter_targets="fused-qkv",
            half_gradients=True,
        ),
    ),
    (r"longlora", Software(kernels="eager", weights="pure", loss="whole", half_gradients=True, recompute=3)),
    (
        r"ms-swift(?!.*megatron)|qwenlm|peft-bench",
        Software(kernels="eager", weights="master", loss="whole", half_gradients=True),
    ),
    (
        r"bigscience|deepspeed",
        Software(
            kernels="fused",
            weights="master",
            loss="sharded",
            shard=1,
            overlaps=False,
            sequence_parallel=False,
            half_gradients=True,
        ),
    ),
    (r"sc21|korthikanti|calculon", Software(kernels="fused", weights="master", loss="sharded", shard=0)),
    (
        r"megatron",
        Software(kernels="fused", weights="master", loss="sharded", shard=1, tuned_attention=True, interleaves=True),
    ),
    (r"internevo|internlm", Software(kernels="fused", weights="master", loss="sharded", shard=1, half_gradients=True)),
    (r"nanotron|smollm", Software(kernels="eager", weights="master", loss="sharded", shard=1)),
    (r"torchtitan", Software(kernels="eager", weights="fp32", loss="whole", shard=3, recompute=2)),
    (r"llm-foundry|mosaic", Software(kernels="eager", weights="fp32", loss="whole", shard=3)),
    (r"litgpt", Software(kernels="eager", weights="pure", loss="chunked")),
    (r"torchtune", Software(kernels="eager", weights="pure", loss="chunked")),
)
GENERAL = Software(kernels="eager", weights="master", loss="whole")


def software(row: Row) -> Software:
    """Return the habits of the program that a row comes from."""
    text = f"{row['source']} {row['id']} {row.get('zero_stage_or_fsdp', '')}".lower()
    for pattern, habits in FAMILIES:
        if re.search(pattern, text):
            return habits
    return GENERAL


def captures_graphs(row: Row, habits: Software) -> bool:
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
        ("fp32", "fp32"),
    ):
        if word in text:
            return name
    return None


def weights(row: Row, habits: Software) -> str:
    """Return where the precise weights are."""
    text = row["precision"].lower()
    if "pure" in text or "true" in text:
        return "pure"
    if "fp32 master" in text or "fp32 weights" in text or "fp32 params" in row["zero_stage_or_fsdp"].lower():
        return "fp32"
    if "main params" in row["optimizer"].lower() or "fp32 master" in row["optimizer"].lower():
        return "master"
    is_eager_peft = habits.kernels == "eager" and row["kind"] in ("peft", "full-ft") and habits.half_gradients
    if is_eager_peft and "zero" not in row["zero_stage_or_fsdp"].lower() and not _uses_deepspeed(row):
        # Weights loaded in 16 bits are trained as they are; PEFT makes its adapters fp32.
        return "fp32" if row["kind"] == "peft" and "emb" not in row["method"] else "pure"
    return habits.weights


def _uses_deepspeed(row: Row) -> bool:
    """Return whether DeepSpeed trains a row that does not say so: Qwen's scripts use it for all weights."""
    return "qwenlm" in row["source"].lower() and row["kind"] == "full-ft"


def shard(row: Row, habits: Software) -> tuple[int | None, bool]:
    """Return what is divided (an index into ``SHARDS``), or None; and whether gathered weights are dropped again."""
    text = row["zero_stage_or_fsdp"].lower()
    if not text:
        return habits.shard, True
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
        return software(row).recompute, 1.0, False
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
