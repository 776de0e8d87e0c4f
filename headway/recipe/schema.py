"""The recipe: one frozen object made of the sections."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import tomli_w

from headway.recipe.model import ModelConfig, Section
from headway.recipe.phases import Phases
from headway.recipe.sections import (
    BudgetConfig,
    DataConfig,
    HardwareConfig,
    LayoutConfig,
    ResilienceConfig,
    SiteConfig,
    TrainingConfig,
)

_LATER_DEFAULTS: dict[str, dict[str, Any]] = {
    "model": {"n_group": 1, "topk_group": 1},
    "data": {"format": "text", "loss_on": "answers"},
    "training": {
        "method": "full",
        "adapter_rank": 16,
        "adapter_alpha": None,
        "adapter_targets": "all",
        "weights": "fp32",
        "attention": "fused",
        "loss": "chunked",
        "capture_graphs": False,
        "software": "headway",
        "gradients": "auto",
        "dropout": 0.0,
        "low_precision_gather": False,
    },
}
"""Settings that came later, by section: at their defaults they do not count, so that older runs go on."""


_NOT_IN_TRAINING_DIGEST = (
    "steps", "tokens", "init_from", "evaluate_every_steps", "evaluate_batches", "early_stopping_patience",
)  # fmt: skip
"""Settings of ``[training]`` that say how long a run is, or how it is watched."""


class Recipe(Section):
    """A whole training job: what is trained, on what, how, where and within which limits."""

    name: str = "run"
    model: ModelConfig
    data: DataConfig
    training: TrainingConfig
    hardware: HardwareConfig
    layout: LayoutConfig
    site: SiteConfig
    resilience: ResilienceConfig
    budget: BudgetConfig
    phases: Phases = ()

    @property
    def tokens_per_step(self) -> int:
        """Tokens of one optimizer step."""
        return self.training.global_batch_size * self.training.sequence_length

    @property
    def num_steps(self) -> int:
        """Optimizer steps of the whole run; a started step is a whole step."""
        if self.training.steps is not None:
            return self.training.steps
        assert self.training.tokens is not None, "the rule training-length fills one of the two"
        return -(-self.training.tokens // self.tokens_per_step)

    @property
    def num_tokens(self) -> int:
        """Tokens of the whole run."""
        return self.num_steps * self.tokens_per_step

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain data; fields without a value are left out, and phases where there are none."""
        content = self.model_dump(mode="json", exclude_none=True)
        content["phases"] = [{name: value for name, value in phase.items() if value} for phase in content["phases"]]
        if not self.phases:
            del content["phases"]
        if not self.data.sources:
            del content["data"]["sources"]
        return content

    @property
    def keeps_best(self) -> bool:
        """Whether the checkpoint of the lowest validation loss stays; early stopping goes back to it."""
        return self.resilience.keep_best or self.training.early_stopping_patience is not None

    def to_toml(self) -> str:
        """Return the resolved recipe as TOML that `load_recipe` reads back to an equal recipe."""
        return tomli_w.dumps(self.to_dict())

    def digest(self) -> str:
        """Return a digest of everything that a resumed run must share with the run before, but for its length.

        Where it runs, what it costs and how often it saves do not: a run may go on elsewhere. Neither does the name
        of the shape, since the shape itself counts, nor where files lie, since a checkpoint names its tokens.
        """
        kept = {name: self.to_dict()[name] for name in ("model", "data", "training")}
        for name in ("preset", "config"):
            kept["model"].pop(name, None)
        for table in (kept["data"], *kept["data"].get("sources", ())):
            for name in ("paths", "prepared", "cache", "dataset_tokens", "on_bad_row"):
                table.pop(name, None)
        if Path(kept["data"]["tokenizer"]).is_absolute():
            kept["data"].pop("tokenizer")
        for name in _NOT_IN_TRAINING_DIGEST:
            kept["training"].pop(name, None)
        for section, defaults in _LATER_DEFAULTS.items():
            for name, value in defaults.items():
                if kept[section].get(name) == value:
                    kept[section].pop(name, None)
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
