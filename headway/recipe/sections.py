"""The other sections of a recipe. What each field means is in the catalogue of messages (``recipe-doc-...``)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from headway.recipe.guards import GuardsConfig
from headway.recipe.model import Section
from headway.recipe.quantities import (
    Bytes,
    Count,
    Devices,
    FailureRate,
    Fraction,
    Layers,
    NonNegativeFloat,
    Positions,
    PositiveCount,
    PositiveFloat,
    Price,
    Rate,
    Seconds,
    Sequences,
    Steps,
    Tokens,
    Watts,
    Width,
)

Auto = Literal["auto"]

Software = Literal[
    "headway", "pytorch", "transformers", "deepspeed", "megatron", "megatron-bridge", "megatron-deepspeed",
    "torchtitan", "torchtune", "litgpt", "nanotron", "internevo", "maxtext",
]  # fmt: skip
"""The programs of the catalogue; a test holds that the two agree."""

VALIDATION_BATCH_SEQUENCES = 8
"""Sequences in one of ``training.evaluate_batches``, whatever the layout: the same text is measured everywhere."""


def _as_tuple(value: object) -> object:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


Paths = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
"""One path or glob, or a list of them."""


NamedSource = Literal["python-stdlib"]


class SourceConfig(Section):
    """One of ``[[data.sources]]``: text that is mixed with that of others, and its part in the mixture."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    weight: PositiveFloat = 1.0
    source: NamedSource | None = None
    paths: Paths = ()
    prepared: str | None = None
    dataset_tokens: Tokens | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """The settings that say where the text is; one of them must."""
        return tuple(name for name in PLACES if getattr(self, name, None))


def _as_sections(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Sources = Annotated[tuple[SourceConfig, ...], BeforeValidator(_as_sections)]
"""Sources in the order in which they are written."""

PLACES = ("source", "paths", "prepared", "sources")
"""The settings of ``[data]`` that say where the text is."""


class DataConfig(Section):
    """``[data]``: the text and how it becomes tokens."""

    source: NamedSource | None = None
    paths: Paths = ()
    prepared: str | None = None
    sources: Sources = ()
    format: Literal["text", "chat"] | Auto = "text"
    text_field: str = "text"
    loss_on: Literal["answers", "all"] = "answers"
    on_bad_row: Literal["stop", "skip"] = "stop"
    tokenizer: str = "bpe"
    validation_fraction: Annotated[float, Field(ge=0, lt=1)] = 0.01
    attention_within_documents: bool = False
    dataset_tokens: Tokens | None = None
    cache: str | None = None
    max_bytes: Bytes | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """The settings that say where the text is; one of them must."""
        return tuple(name for name in PLACES if getattr(self, name))

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each source in the training sequences."""
        total = sum(source.weight for source in self.sources)
        return tuple(source.weight / total for source in self.sources)

    @property
    def known_tokens(self) -> int | None:
        """Tokens of the whole data set, as far as the recipe says; sources count where it says all of them."""
        counts = [source.dataset_tokens for source in self.sources]
        if self.dataset_tokens is not None or not counts or None in counts:
            return self.dataset_tokens
        return sum(count for count in counts if count is not None)

    @property
    def masks_documents(self) -> bool:
        """Whether attention needs a mask of documents; conversations are always kept apart."""
        return self.attention_within_documents or self.format == "chat"


class TrainingConfig(Section):
    """``[training]``: what the optimizer does, for how long, in which precision."""

    phase: Literal["pretrain", "finetune"] = "pretrain"
    method: Literal["full", "lora", "qlora"] = "full"
    adapter_rank: Width = 16
    adapter_alpha: PositiveFloat | None = None
    adapter_targets: Literal["all", "attention", "query-value", "fused-qkv"] = "all"
    engine: Literal["torch"] = "torch"
    software: Software = "headway"
    steps: Steps | None = None
    tokens: Tokens | None = None
    sequence_length: Positions
    global_batch_size: Sequences = 32
    precision: Literal["auto", "fp32", "tf32", "fp16", "bf16", "int8", "fp8", "mxfp8", "nvfp4"] = "bf16"
    weights: Literal["fp32", "master", "pure"] = "fp32"
    gradients: Literal["fp32", "rounded"] | Auto = "auto"
    attention: Literal["fused", "tuned", "unfused"] = "fused"
    loss: Literal["chunked", "sharded", "whole", "rounded", "compiled"] = "chunked"
    dropout: Fraction = 0.0
    low_precision_gather: bool = False
    compile: bool = False
    capture_graphs: bool = False
    seed: Count = 1234
    init_from: str | None = None
    optimizer: Literal["adamw", "adamw16bit", "adamw8bit", "adamw-in-backward", "adamw8bit-in-backward", "muon"] = (
        "adamw"
    )
    learning_rate: PositiveFloat = 3e-4
    beta1: Annotated[float, Field(ge=0, lt=1)] = 0.9
    beta2: Annotated[float, Field(ge=0, lt=1)] = 0.95
    epsilon: PositiveFloat = 1e-8
    weight_decay: NonNegativeFloat = 0.1
    gradient_clip_norm: PositiveFloat | None = 1.0
    schedule: Literal["cosine", "wsd", "linear", "constant"] = "cosine"
    warmup_steps: Count = 0
    decay_fraction: Fraction = 0.2
    min_learning_rate_ratio: Fraction = 0.1
    evaluate_every_steps: PositiveCount | None = None
    evaluate_batches: Sequences = 8
    early_stopping_patience: PositiveCount | None = None


class HardwareConfig(Section):
    """``[hardware]``: the machines that the run will have."""

    accelerator: str = "auto"
    devices: Devices = 1
    devices_per_node: Devices | None = None
    network: str | None = None
    network_bytes_per_second: Rate | None = None
    threads: PositiveCount | None = None


class LayoutConfig(Section):
    """``[layout]``: how the work is split over the devices; ``auto`` leaves it to the planner."""

    data_parallel_degree: Devices | Auto = "auto"
    tensor_parallel_degree: Devices | Auto = "auto"
    pipeline_parallel_degree: Devices | Auto = "auto"
    virtual_pipeline_stages: Layers | Auto = "auto"
    pipeline_schedule: Literal["1f1b", "zero-bubble", "zero-bubble-v"] = "1f1b"
    context_parallel_degree: Devices | Auto = "auto"
    expert_parallel_degree: Devices | Auto = "auto"
    expert_tensor_parallel_degree: Devices | Auto = "auto"
    count_tables_as_layers: bool = False
    shard: Literal["none", "optimizer", "gradients", "parameters"] | Auto = "auto"
    shard_group_size: Devices | Auto = "auto"
    reshard_after_forward: bool | Auto = "auto"
    micro_batch_size: Sequences | Auto = "auto"
    recompute: Literal["none", "selective", "products", "full"] | Auto = "auto"
    offload_optimizer: bool = False
    offload_activations: bool = False
    sequence_parallel: bool | Auto = "auto"
    overlap_communication: bool = True
    overlap_tensor_communication: bool = False
    overlap_expert_communication: bool = False


class SiteConfig(Section):
    """``[site]``: where the machines stand, and what power costs there."""

    grid: str | None = None
    grid_kg_co2e_per_kilowatt_hour: Price | None = None
    power_usage_effectiveness: Annotated[float, Field(ge=1, le=10)] = 1.0
    electricity_usd_per_kilowatt_hour: Price | None = None
    device_usd_per_hour: Price | None = None
    node_watts: Watts | None = None
    water_usage_effectiveness: Annotated[float, Field(ge=0, le=100)] | None = None
    electricity_price_series: str | None = None
    grid_intensity_series: str | None = None
    start_hour: Count = 0
    power_capacity: Watts | None = None
    cooling_capacity: Watts | None = None
    rack_capacity: Watts | None = None
    nodes_per_rack: Devices | None = None
    cooling: Literal["air", "rear-door", "direct-to-chip"] | Auto = "auto"
    air_temperature_rise: Annotated[float, Field(ge=0.1, le=100)] = 12.0
    liquid_temperature_rise: Annotated[float, Field(ge=0.1, le=100)] = 10.0
    ownership: Literal["rent", "buy"] = "rent"
    node_usd: Annotated[float, Field(ge=0, le=1e12)] | None = None
    infrastructure_usd_per_watt: Annotated[float, Field(ge=0, le=1e9)] | None = None
    service_life: Annotated[Seconds, Field(ge=1)] | None = None
    infrastructure_life: Annotated[Seconds, Field(ge=1)] | None = None
    utilization: Annotated[float, Field(ge=0.01, le=1)] = 1.0
    interest_rate: Annotated[float, Field(ge=0, le=1)] = 0.0
    max_stall_share: Annotated[float, Field(ge=1e-6, le=0.99)] = 0.05


class ResilienceConfig(Section):
    """``[resilience]``: how often the run saves itself, what it keeps, when it restarts, what failures are expected."""

    checkpoint_every: Seconds | Auto = 60.0
    checkpoint_every_steps: PositiveCount | None = None
    keep_last: Annotated[int, Field(ge=1)] = 2
    keep_best: bool = False
    max_restarts: Count = 3
    hang_steps: NonNegativeFloat = 10.0
    grace_time: Seconds = 120.0
    keep_every: Annotated[Seconds, Field(gt=0)] | None = None
    second_copy: str | None = None
    second_copy_keep_last: Annotated[int, Field(ge=1)] = 2
    storage_write_bytes_per_second: Rate | None = None
    asynchronous_checkpoints: bool = False
    asynchronous_stall_share: Fraction | None = None
    detection_time: Seconds | None = None
    restart_time: Seconds | None = None
    warm_up_time: Seconds = 0.0
    failure_basis: str = "published-fleets"
    failures_per_1000_devices_per_day: FailureRate | None = None
    repair_time: Seconds | None = None
    spare_nodes: Annotated[Count, Field(le=10**7)] | Auto = "auto"
    guards: GuardsConfig = GuardsConfig()

    def interval_seconds(self, best_seconds: float | None) -> float:
        """Return the time between two checkpoints; "auto" is the best one, or the default where that is not known."""
        if self.checkpoint_every != "auto":
            return self.checkpoint_every
        return float(type(self).model_fields["checkpoint_every"].default) if best_seconds is None else best_seconds

    @property
    def held_spare_nodes(self) -> int:
        """Spare servers that the run pays for: none where it is left open how failed ones are replaced."""
        return 0 if self.spare_nodes == "auto" else self.spare_nodes


class BudgetConfig(Section):
    """``[budget]``: limits that the plan warns about."""

    max_usd: PositiveFloat | None = None
    max_duration: Seconds | None = None
    max_kg_co2e: PositiveFloat | None = None
    max_kilowatt_hours: PositiveFloat | None = None
    max_litres: PositiveFloat | None = None
    search_share: Annotated[float, Field(ge=0, le=0.99)] = 0.0
