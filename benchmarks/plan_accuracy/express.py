"""A published row as a job, hardware and the layouts that it leaves open."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.plan_accuracy import words
from benchmarks.plan_accuracy.shapes import InexpressibleError, model_of, number
from benchmarks.plan_accuracy.words import Row
from headway.catalog.programs import OWN
from headway.errors import HeadwayError
from headway.planning.accelerated import job_from
from headway.planning.analytic.axes import MAX_UNEVEN_LAYERS
from headway.planning.analytic.hardware import Hardware, hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import Layouts, layouts
from headway.planning.analytic.numerics import BLOCK_SCALED
from headway.recipe.loading import program_settings
from headway.recipe.model import ModelConfig
from headway.recipe.sections import LayoutConfig, TrainingConfig

ACCELERATORS = {
    "a100-80": "a100-sxm-80gb", "a100-40": "a100-sxm-40gb", "a100": "a100-sxm-80gb", "h100": "h100-sxm-80gb",
    "v100": "v100-sxm2-32gb", "gb200": "gb200-nvl72", "gb300": "gb300-nvl72", "b200": "b200-sxm-180gb",
    "b300": "b300-sxm-288gb", "h200": "h200-sxm-141gb", "l40s": "l40s", "b200-class": "b200-sxm-180gb",
    "tpuv4": "tpu-v4", "tpuv5e": "tpu-v5e", "tpuv5p": "tpu-v5p", "tpuv6e": "tpu-v6e", "mi300x": "mi300x",
    "mi325x": "mi325x", "a800-80": "a800-sxm-80gb", "h800": "h800-sxm-80gb", "rtxa6000": "rtx-a6000",
    "t4": "t4", "mi355x": "mi355x", "rtx4090": "rtx-4090", "h20": "h20-96gb", "mi250x": "mi250x",
}  # fmt: skip
"""The column ``accel`` in the catalogue's ids."""

USUAL_NODE_GIGABITS = {
    "v100-sxm2-32gb": 400, "a100-sxm-40gb": 1600, "a100-sxm-80gb": 1600, "h100-sxm-80gb": 3200,
    "h200-sxm-141gb": 3200, "b200-sxm-180gb": 3200, "gb200-nvl72": 1600, "b300-sxm-288gb": 6400,
    "gb300-nvl72": 3200, "mi300x": 3200, "mi325x": 3200, "mi355x": 3200, "tpu-v4": 200, "tpu-v5e": 200,
    "tpu-v5p": 200, "tpu-v6e": 200,
}  # fmt: skip
"""What joins the servers where a row does not say: the vendor's own system of that generation."""

DEVICES_PER_NODE = {"gb200-nvl72": 4, "gb300-nvl72": 4, "tpu-v4": 4, "tpu-v5p": 4, "tpu-v5e": 4, "tpu-v6e": 4}


@dataclass(frozen=True)
class Expressed:
    """A row in the planner's terms.

    Attributes:
        job: what is trained.
        hardware: on what.
        splits: the layouts that the row allows; several where it leaves something open.
        devices: of the row.
        global_batch: sequences of a step.
    """

    job: Job
    hardware: Hardware
    splits: Layouts
    devices: int
    global_batch: float


def express(row: Row, *, longest: bool = False, stated: bool = True) -> Expressed:
    """Return a row in the planner's terms.

    Args:
        row: the published row.
        longest: whether sequences are as long as the stated limit, as for the peak of memory, or as long as they were
            on average.
        stated: whether the recipe names the program that trained, or leaves it at its default.

    Raises:
        InexpressibleError: something that nobody can guess is missing, or is outside what the planner models.
    """
    if "inconsistent as published" in row["notes"].lower():
        raise InexpressibleError("inconsistent as published")
    model = model_of(row)
    devices = int(number(row, "devices") or 0) or _usual_devices(row)
    processes = re.search(r"NPROC_PER_NODE=(\d+)", row["notes"])
    devices = max(devices, int(processes[1])) if processes else devices
    length = int(number(row, "seq_len") or 0) if longest else _length(row)
    if not devices or not length:
        raise InexpressibleError("devices or sequence length not stated")
    try:
        machines = _hardware(row, devices)
        job = _job(row, model, length, machines, stated=stated)
        splits, batch = _splits(row, job, devices)
        machines.product_flops_per_second(job.numerics.product)
    except HeadwayError as error:
        raise InexpressibleError(f"{error.message_id}") from error
    return Expressed(replace(job, global_batch_size=int(batch)), machines, splits, devices, batch)


def _length(row: Row) -> int:
    """Return the tokens of a sequence: those that were trained on, where the stated length is a limit only."""
    stated = number(row, "seq_len") or 0.0
    step, rate, batch, devices = (
        number(row, column) for column in ("step_time_s", "tokens_per_s_per_device", "global_batch", "devices")
    )
    if step and rate and batch and devices:
        trained = step * rate * devices / batch
        if trained < 0.8 * stated:
            return max(int(trained), 1)
    return int(stated)


def _hardware(row: Row, devices: int) -> Hardware:
    name = ACCELERATORS.get(row["accel"].lower())
    if name is None:
        if row["accel"]:
            raise InexpressibleError(f"accelerator {row['accel']} not in the catalogue")
        name = "a100-sxm-80gb"
    per_node = DEVICES_PER_NODE.get(name, 8)
    stated = re.search(r"\((\d+)/node\)|(\d+) GPUs/node", f"{row['hardware']} {row['interconnect']}")
    if stated:
        per_node = int(next(group for group in stated.groups() if group))
    per_node = min(per_node, devices)
    gigabits = words.node_gigabits(row) or USUAL_NODE_GIGABITS.get(name)
    node_devices = DEVICES_PER_NODE.get(name, 8) if stated is None else per_node
    rate = None if gigabits is None else gigabits * 1e9 / 8 / node_devices
    found = hardware(name, devices=devices, devices_per_node=per_node, out_bytes_per_second=rate)
    slices = re.search(r"(\d+) slice", row["interconnect"])
    if slices and int(slices[1]) > 1:
        found = replace(found, domain_devices=max(devices // int(slices[1]), 1))
    return found


def _job(row: Row, model: ModelConfig, length: int, machines: Hardware, *, stated: bool) -> Job:
    """Return the job that the planner makes of the row's sections of a recipe.

    Besides, three things that no recipe says: attention that looks both ways, frozen weights of 8 bits, and embeddings
    that are trained beside adapters.
    """
    training = TrainingConfig.model_validate(training_of(row, length, machines))
    habits = words.family(row)
    layout = LayoutConfig(
        overlap_communication=habits.overlaps,
        overlap_tensor_communication=habits.overlaps_tensor,
        # Programs that schedule one of the two beside computation schedule the other too.
        overlap_expert_communication=habits.overlaps_tensor,
        count_tables_as_layers=words.counts_tables(row),
    )
    if not stated:
        training = training.model_copy(update={"software": OWN})
    job = job_from(model, training, layout)
    job = replace(job, is_causal="bert" not in row["model"].lower())
    if job.adapter is None:
        return job
    base = _frozen_bytes(row, training.precision, habits)
    adapter = replace(job.adapter, trains_embeddings="emb" in row["method"].lower())
    if base is not None:
        adapter = replace(adapter, base_bytes=base, expands=not habits.low_precision_base)
    return replace(job, adapter=adapter)


def training_of(row: Row, length: int, machines: Hardware) -> dict[str, Any]:
    """Return the section ``[training]`` of the recipe that a row describes."""
    habits = words.family(row)
    stated = {
        "software": words.program(row),
        "phase": "pretrain" if row["kind"] == "pretrain" else "finetune",
        "sequence_length": length,
        "precision": _precision(row, machines),
        "optimizer": _optimizer(row),
        "compile": words.is_compiled(row),
        "capture_graphs": words.captures_graphs(row, habits),
        "gradients": words.gradients(row),
        "low_precision_gather": "all-gather" in f"{row['precision']} {row['zero_stage_or_fsdp']}".lower(),
        "weights": words.weights(row),
        "loss": words.loss(row),
        "attention": _attention(row, machines),
        **_method(row, habits),
    }
    training = program_settings({name: value for name, value in stated.items() if value is not None})
    training["dropout"] = 0.1 if _drops(row, training["attention"]) else 0.0
    return training


def _precision(row: Row, machines: Hardware) -> str:
    product = words.precision(row)
    if product is None:
        product = "fp8" if machines.entry.fp8_dense_flops_per_second else "bf16"
    return "fp16" if product == "bf16" and machines.efficiency.id == "volta" else product


def _attention(row: Row, machines: Hardware) -> str | None:
    """Return the kernels of attention, where the row says them or its date and device imply them."""
    text = row["attention"].lower()
    if "unfused" in text or "not flash" in text or text == "local" or "transformer-impl=local" in row["notes"]:
        return "unfused"
    if text:
        return "tuned" if "cudnn" in text else None
    # No fused kernel of a training program runs on these (Dao-AILab/flash-attention, README: Ampere and later).
    is_old = machines.efficiency.id == "volta" or words.is_before(row, words.FUSED_ATTENTION_SINCE)
    return "unfused" if is_old else None


def _usual_devices(row: Row) -> int:
    """Return the devices of a row that names none: Megatron-LM's own tests run on one server or more."""
    if not _states_all(row):
        return 0
    degrees = [int(number(row, name) or 1) for name in ("tp", "pp", "cp")]
    return max(8, degrees[0] * degrees[1] * degrees[2])


def _states_all(row: Row) -> bool:
    """Return whether a row's notes hold every option that is not the program's default."""
    return "functional_tests" in row["source"]


def _drops(row: Row, attention: str) -> bool:
    """Return whether there is dropout; Megatron-LM has it unless told otherwise."""
    if _states_all(row):
        return "hidden-dropout=0.0" not in row["notes"]
    return attention == "unfused" and row["kind"] == "pretrain"


def _optimizer(row: Row) -> str:
    text = f"{row['optimizer']} {row['notes']}".lower()
    eight = "8-bit" in text or "8bit" in text or "paged" in text
    # torchtune's full fine-tuning on one device applies the optimizer in the backward pass unless told otherwise.
    single = is_paged_recipe(row)
    eight = eight or single
    backward = "in backward" in text or single
    name = "adamw8bit" if eight else "adamw"
    return f"{name}-in-backward" if backward else name


def is_paged_recipe(row: Row) -> bool:
    """Return whether a row is torchtune's recipe of one device for all weights: bitsandbytes' paged 8-bit AdamW."""
    plain = not row["optimizer"] and row["devices"] == "1" and row["kind"] == "full-ft"
    return plain and "torchtune" in row["source"]


def _method(row: Row, habits: words.Family) -> dict[str, Any]:
    """Return the settings of a recipe that say which weights are trained."""
    method = row["method"].lower()
    if row["kind"] in ("pretrain", "full-ft") or method.startswith("full"):
        return {"method": "full"}
    if not re.search(r"lora", method):
        raise InexpressibleError("fine-tuning method not modelled")
    rank = re.search(r"\br(?:ank)?[ =]?(\d+)", f"{method} {row['notes'].lower()}")
    note = row["notes"].lower()
    targets = habits.adapter_targets
    if re.search(r"all attn\+mlp|all-linear|all linear|up_proj", note) or "swift" in row["source"]:
        targets = "all"
    return {
        "method": "qlora" if _is_quantized(row) else "lora",
        "adapter_rank": int(rank[1]) if rank else 16,
        "adapter_targets": targets,
    }


def _is_quantized(row: Row) -> bool:
    """Return whether the frozen weights have 4 bits."""
    text = f"{row['precision']} {row['method']} {row['model']}".lower().replace("nvfp4", "").replace("mxfp4", "")
    return re.search(r"int4|nf4|fp4|4-bit|awq|gptq|qlora|q-lora", text) is not None and not _has_8_bits(row)


def _has_8_bits(row: Row) -> bool:
    text = f"{row['precision']} {row['method']} {row['model']}".lower()
    return "8bit" in text or "8-bit" in text


def _frozen_bytes(row: Row, product: str, habits: words.Family) -> float | None:
    """Return the bytes of a frozen weight of 8 bits, which no recipe can ask for; None where it has more or fewer."""
    if _has_8_bits(row) or (habits.low_precision_base and product in BLOCK_SCALED):
        return 1.0
    return None


def _splits(row: Row, job: Job, devices: int) -> tuple[Layouts, float]:
    habits = words.family(row)
    if not row["tp"] and not row["pp"] and not row["ep"] and devices > 1 and number(row, "dp") is None:
        return _searched(row, job, devices)
    degree = {name: number(row, column) for name, column in (
        ("tensor", "tp"), ("pipeline", "pp"), ("context", "cp"), ("expert", "ep"), ("virtual", "virtual_pp"),
        ("data", "dp"),
    )}  # fmt: skip
    tensor, pipeline, context = (degree[name] or 1.0 for name in ("tensor", "pipeline", "context"))
    data = max(devices / (tensor * pipeline * context), 1.0)
    if data != int(data):
        raise InexpressibleError("degrees do not divide the devices")
    batch, micros = _batches(row, data)
    stage, reshards = words.shard(row, habits)
    level, share, offload = words.recompute(row, job.attention != "unfused")
    replicas = data * context
    stages = [float(stage)] if stage is not None else ([0.0, 1.0, 3.0] if replicas > 1 else [0.0])
    levels = [(float(level), share)] if level is not None else _unknown_recompute(row)
    options = [
        (micro, batch / data / micro, chosen, again[0], again[1], chunks)
        for micro, chosen, again, chunks in itertools.product(
            micros,
            stages,
            levels,
            _virtual(degree["virtual"] or (1.0 if _states_all(row) else None), pipeline, job, habits),
        )
    ]
    expert = degree["expert"] or (1.0 if not job.shape.experts else min(float(job.shape.experts), replicas * tensor))
    splits = layouts(
        data=data,
        tensor=tensor,
        pipeline=pipeline,
        virtual=[option[5] for option in options],
        sequence_parallel=float(tensor > 1 and _divides_sequences(row, habits)),
        context=context,
        expert=min(expert, replicas * tensor) if job.shape.experts else 1.0,
        expert_tensor=_expert_tensor(row, tensor) if job.shape.experts else None,
        shard=[option[2] for option in options],
        shard_group=words.shard_group(row, replicas, devices),
        reshards=1.0 if reshards else 0.0,
        micro_batch=[option[0] for option in options],
        micro_batches=[option[1] for option in options],
        recompute=[option[3] for option in options],
        recompute_share=[option[4] for option in options],
        offload_optimizer=float(_offloads(row)),
        offload_activations=1.0 if offload else 0.0,
    )
    return splits, batch


def _divides_sequences(row: Row, habits: words.Family) -> bool:
    """Return whether the tensor group divides the activations between products too."""
    return "sequence-parallel=True" in row["notes"] if _states_all(row) else habits.sequence_parallel


def _expert_tensor(row: Row, tensor: float) -> float | None:
    """Return among how many devices an expert's matrices are divided; None where nothing says it.

    Megatron-LM divides them as it does the other matrices, unless it is told otherwise.
    """
    stated = re.search(r"expert-tensor-parallel-size=(\d+)", row["notes"])
    if stated:
        return float(stated[1])
    return tensor if _states_all(row) else None


def _offloads(row: Row) -> bool:
    """Return whether optimizer states are in the host's memory."""
    stated = f"{row['zero_stage_or_fsdp']} {row['method']}".lower()
    noted = row["notes"].lower()
    return (
        "offload" in stated or "paged" in noted or noted.startswith("cpu offload") or "optimizer cpu offload" in noted
    )


def _searched(row: Row, job: Job, devices: int) -> tuple[Layouts, float]:
    """Return the layouts of a row that says nothing of its degrees: all that the planner would look at."""
    batch = number(row, "global_batch")
    if batch is None:
        raise InexpressibleError("batch not stated")
    habits = words.family(row)
    stage, _ = words.shard(row, habits)
    stated, stated_share, _ = words.recompute(row, job.attention != "unfused")
    columns: dict[str, list[float]] = {}
    for tensor, pipeline, micro in itertools.product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4)):
        data = devices / tensor / pipeline
        if data < 1 or data != int(data) or job.shape.layers % pipeline or job.shape.heads % tensor:
            continue
        rounds = batch / data / micro
        context = 1.0
        if rounds < 1:
            context, data = data / batch, batch
            if context != int(context) or micro > 1:
                continue
            rounds = 1.0
        if pipeline > 1 and rounds < pipeline:
            continue
        for level, share in [(stated, stated_share)] if stated is not None else UNKNOWN_RECOMPUTE:
            for chunks in _virtual(None, pipeline, job, habits):
                values = {
                    "data": data, "tensor": tensor, "pipeline": pipeline, "context": context, "micro_batch": micro,
                    "micro_batches": rounds, "recompute": level, "recompute_share": share, "virtual": chunks,
                }  # fmt: skip
                for name, value in values.items():
                    columns.setdefault(name, []).append(float(value))
    if not columns:
        raise InexpressibleError("degrees not stated")
    return layouts(**columns, shard=1.0 if stage is None else float(stage)), batch


def _unknown_recompute(row: Row) -> list[tuple[float, float]]:
    """Return the levels and shares of recomputation that a row's program may have been set to."""
    if "torchtune" not in row["source"]:
        return UNKNOWN_RECOMPUTE
    # Its recipes recompute whole layers or nothing; those with a quantised base always do.
    return [(3.0, 1.0)] if row["kind"] == "qlora" else [(0.0, 1.0), (3.0, 1.0)]


UNKNOWN_RECOMPUTE = [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), *((3.0, share) for share in (0.125, 0.25, 0.5, 0.75, 1.0))]


def _virtual(stated: float | None, pipeline: float, job: Job, habits: words.Family) -> list[float]:
    """Return how many chunks of layers a stage may hold."""
    if stated:
        return [stated]
    layers = job.shape.layers
    if pipeline == 1 or not habits.interleaves:
        return [1.0]
    # As the planner's own rule has it: the first and the last stage may lack a layer each.
    return [float(chunks) for chunks in range(1, 13) if -layers % (pipeline * chunks) <= MAX_UNEVEN_LAYERS] or [1.0]


def _batches(row: Row, data: float) -> tuple[float, list[float]]:
    """Return the sequences of a step, and the micro-batches that the row allows."""
    batch, micro, rounds = (number(row, column) for column in ("global_batch", "micro_batch", "grad_accum"))
    if batch is None and micro is not None:
        batch = micro * data * (rounds or 1.0)
    if batch is None:
        raise InexpressibleError("batch not stated")
    if micro is not None:
        return batch, [micro]
    per_device = batch / data
    stages = number(row, "pp") or 1.0
    if "torchtitan" in row["source"] and stages > 1 and per_device >= stages:
        # torchtitan cuts a device's batch into as many micro-batches as there are stages.
        return batch, [per_device / stages]
    if rounds:
        return batch, [per_device / rounds]
    sizes = [float(size) for size in (1, 2, 4, 8, 16) if size <= per_device and per_device % size == 0]
    return batch, sizes or [per_device]
