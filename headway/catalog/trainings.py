"""Whole trainings that were published: what they took, beside the settings that a recipe needs to plan them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from headway.catalog.schema import Entry, plain
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "published_trainings.toml"


@dataclass(frozen=True, kw_only=True)
class TrainedShape:
    """The shape of a model that is no preset, in the names of a recipe's ``[model]``."""

    architecture: Literal["llama", "gpt2"]
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    vocab_size: int
    max_position_embeddings: int
    tie_word_embeddings: bool = False


@dataclass(frozen=True, kw_only=True)
class PublishedTraining(Entry):
    """One training.

    Attributes:
        title: as people name it.
        preset: of the catalogue; None where ``shape`` says it.
        shape: of the model; None where ``preset`` says it.
        tokens: that were trained on.
        accelerator: id in the catalogue.
        devices: accelerators.
        sequence_length: tokens of a sequence.
        global_batch_size: sequences of a step.
        precision: of the products.
        attention: which kernels: unfused before fused ones were in use (2022), tuned from 2023 on.
        network: id in the catalogue; None where its rate is said, or not known.
        network_bytes_per_second: of a device.
        storage_write_bytes_per_second: at which checkpoints were written.
        data_parallel_degree: as published, like all other settings of the layout; None leaves it to the search.
        assumed: settings above that nobody published: the entry's choice.
        device_hours: published.
        days: published.
        model_flops_utilization: published.
        energy_kilowatt_hours: published.
        energy_basis: ``design`` (device hours times design power), ``site`` (that times the site's overhead),
            ``measured`` (of devices and servers, times the site's overhead).
        kg_co2e: published emissions of the operation.
        kg_co2e_basis: whether they are of the devices alone, or with the site.
        power_usage_effectiveness: of the site.
        grid: id in the catalogue, of the site's country.
        grid_kg_co2e_per_kilowatt_hour: as published.
        interruptions: that stopped the job unexpectedly.
        interruption_days: over which they were counted.
        goodput: useful share of the time.
    """

    title: str
    preset: str | None = None
    shape: TrainedShape | None = None
    tokens: int
    accelerator: str
    devices: int
    sequence_length: int
    global_batch_size: int
    precision: Literal["bf16", "fp16", "fp8"] = "bf16"
    attention: Literal["unfused", "fused", "tuned"] = "tuned"
    network: str | None = None
    network_bytes_per_second: float | None = None
    storage_write_bytes_per_second: float | None = None
    data_parallel_degree: int | None = None
    tensor_parallel_degree: int | None = None
    pipeline_parallel_degree: int | None = None
    virtual_pipeline_stages: int | None = None
    context_parallel_degree: int | None = None
    micro_batch_size: int | None = None
    shard: Literal["none", "optimizer", "gradients", "parameters"] | None = None
    recompute: Literal["none", "selective", "products", "full"] | None = None
    sequence_parallel: bool | None = None
    overlap_communication: bool | None = None
    assumed: tuple[str, ...] = ()
    device_hours: float | None = None
    days: float | None = None
    model_flops_utilization: float | None = None
    energy_kilowatt_hours: float | None = None
    energy_basis: Literal["design", "site", "measured"] | None = None
    kg_co2e: float | None = None
    kg_co2e_basis: Literal["design", "site", "measured"] | None = None
    power_usage_effectiveness: float | None = None
    grid: str | None = None
    grid_kg_co2e_per_kilowatt_hour: float | None = None
    interruptions: int | None = None
    interruption_days: float | None = None
    goodput: float | None = None

    @property
    def has_layout(self) -> bool:
        """Whether the way in which the work was split is published."""
        return any(getattr(self, name) is not None for name in _LAYOUT)

    def to_recipe(self) -> dict[str, Any]:
        """Return the training as the sections of a recipe."""
        known = plain(self)
        model = {"preset": self.preset} if self.shape is None else plain(self.shape)
        site = ("power_usage_effectiveness", "grid", "grid_kg_co2e_per_kilowatt_hour")
        return {
            "name": self.id,
            "model": model,
            "training": {
                "tokens": self.tokens,
                "compile": True,
                "weights": "master",
                "loss": "sharded",
                **_taken(known, ("sequence_length", "global_batch_size", "precision", "attention")),
            },
            "hardware": _taken(known, ("accelerator", "devices", "network", "network_bytes_per_second")),
            "layout": _taken(known, _LAYOUT),
            "site": _taken(known, site),
            "resilience": {"checkpoint_every": "auto", **_taken(known, ("storage_write_bytes_per_second",))},
        }


_LAYOUT = (
    "data_parallel_degree",
    "tensor_parallel_degree",
    "pipeline_parallel_degree",
    "virtual_pipeline_stages",
    "context_parallel_degree",
    "micro_batch_size",
    "shard",
    "recompute",
    "sequence_parallel",
    "overlap_communication",
)


def _taken(known: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: known[name] for name in names if name in known}


@cache
def entries() -> Mapping[str, PublishedTraining]:
    """Return all published trainings by id, in the order of the file."""
    return read_facts(FILE, PublishedTraining)


def published_training(name: str) -> PublishedTraining:
    """Return one training.

    Raises:
        CatalogError: the catalogue does not know it.
    """
    return find("training", name, entries())
