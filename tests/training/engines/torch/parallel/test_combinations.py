"""Whatever the planner calls legal for this engine builds and steps, or a rule of training says by name why not."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from headway.errors import HeadwayError
from headway.machine.inventory import Inventory, take_inventory
from headway.planning import accelerated
from headway.planning.analytic.legal import legal_layouts
from headway.planning.analytic.search import row_of
from headway.recipe import Recipe, resolve_recipe
from headway.training.support import (
    adapters_have_an_optimizer,
    compiling_is_possible,
    for_training,
    matrices_divide,
    settings_are_supported,
)
from tests.training.engines.torch.parallel.test_layouts import RECIPE, run_layouts

ACCELERATOR = "h100-sxm-80gb"
DRAWS = {1: 4, 2: 10, 4: 6}
STEPS = 2
SEED = 11

CHOICES: dict[str, tuple[Any, ...]] = {
    "precision": ("fp32", "fp16", "bf16", "int8", "fp8"),
    "optimizer": ("adamw", "adamw16bit", "adamw8bit", "muon"),
    "method": ("full", "lora", "qlora"),
    "compile": (False, False, False, False, True),
}
SPLITS: dict[str, tuple[Any, ...]] = {
    "pipeline_schedule": ("1f1b", "1f1b", "zero-bubble", "zero-bubble-v"),
    "offload_optimizer": (False, False, True),
    "tensor_parallel_degree": ("auto", "auto", 2, 4),
}
RULES = (settings_are_supported, compiling_is_possible, matrices_divide, adapters_have_an_optimizer)


def drawn(generator: random.Random, devices: int) -> dict[str, Any]:
    """Return a recipe of a small model with settings by chance."""
    training = {name: generator.choice(values) for name, values in CHOICES.items()}
    layout = {name: generator.choice(values) for name, values in SPLITS.items()}
    return {
        "model": {**RECIPE["model"], "tie_word_embeddings": generator.random() < 0.3},
        "training": {**RECIPE["training"], "steps": STEPS, "adapter_rank": 4, **training},
        "layout": layout,
        "hardware": {"accelerator": ACCELERATOR, "devices": devices, "threads": 1},
    }


def a_legal_layout(recipe: Recipe, generator: random.Random) -> dict[str, Any] | None:
    """Return one of the layouts that the planner would look at; None where there is none."""
    job = accelerated.job_of(recipe)
    found = legal_layouts(job, accelerated.hardware_of(recipe, ACCELERATOR), accelerated.wishes_of(recipe)).splits
    if found is None:
        return None
    return asdict(accelerated._layout(job, row_of(found, generator.randrange(len(found)))))


def tasks_of(devices: int, inventory: Inventory) -> Iterator[tuple[dict[str, Any], list[HeadwayError]]]:
    """Yield what is drawn for so many devices, with the rules that refuse it."""
    generator = random.Random(SEED + devices)
    made = 0
    while made < DRAWS[devices]:
        raw = drawn(generator, devices)
        try:
            recipe = for_training(resolve_recipe(raw))
        except HeadwayError:
            continue
        refused = [error for rule in RULES for error in rule(recipe, inventory)]
        layout = a_legal_layout(recipe, generator)
        if layout is None:
            continue
        made += not refused
        raw["hardware"] = {"accelerator": "cpu", "threads": 1}
        yield {"recipe": raw, "layout": layout, "steps": STEPS}, refused


@pytest.mark.parametrize("devices", DRAWS)
def test_what_is_legal_trains_or_is_refused_by_name(devices: int, tmp_path: Path) -> None:
    drawn_tasks = list(tasks_of(devices, take_inventory(Path())))
    tasks = {str(number): task for number, (task, refused) in enumerate(drawn_tasks) if not refused}
    run_layouts(tmp_path, devices, tasks)
    for number, task in tasks.items():
        told = json.loads((tmp_path / number / "results.json").read_text())
        loss, _ = told["results"][0]
        assert loss == pytest.approx(math.log(97), rel=0.03), task
        assert all(math.isfinite(one) for one, _ in told["results"]), task
        assert math.isfinite(told["evaluated"]), task
    names = {error.message_id for _, refused in drawn_tasks for error in refused}
    assert names <= {"training-compile-layout", "training-tensor-parallel", "training-adapter-optimizer"}
