"""The plan beside a lack of memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headway.diagnosis import diagnose
from headway.diagnosis.planned import memory_beside
from headway.errors import HeadwayError

GIB = 1 << 30
RECIPE = """
[model]
preset = "llama-3.1-8b"
[training]
tokens = "1T"
[hardware]
accelerator = "h100-sxm-80gb"
devices = 8
[layout]
micro_batch_size = 1
"""
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB "
    "of which 1.01 GiB is free. Including non-PyTorch memory, this process has 78.08 GiB memory in use. Of the "
    "allocated memory 70.00 GiB is allocated by PyTorch, and 612.43 MiB is reserved by PyTorch but unallocated.\n"
)


def layout(micro_batch_size: int, recompute: str) -> dict[str, object]:
    return {"micro_batch_size": micro_batch_size, "recompute": recompute, "gradient_accumulation_steps": 8}


def test_the_fastest_layout_that_fits_is_named() -> None:
    """The job took 72 GiB where 60 were planned: 60 x 1.2. Of the others 50 x 1.2 and 40 x 1.2 fit in 64."""
    plan = {
        "layout": layout(2, "none"),
        "memory": {"device_peak_bytes": 60 * GIB, "device_capacity_bytes": 64 * GIB, "parts": {"logits_bytes": 1.0}},
        "alternatives": [
            {"layout": layout(1, "none"), "device_peak_bytes": 55 * GIB, "step_seconds": 1.0, "fits": True},
            {"layout": layout(2, "selective"), "device_peak_bytes": 50 * GIB, "step_seconds": 2.0, "fits": True},
            {"layout": layout(1, "full"), "device_peak_bytes": 40 * GIB, "step_seconds": 3.0, "fits": True},
        ],
    }
    figures = memory_beside(plan, 72 * GIB)
    assert figures["change"] == {"recompute": "selective"}
    assert figures["planned_parts"] == {"logits_bytes": 1.0}
    assert "change" not in memory_beside(plan, 200 * GIB)


@pytest.mark.parametrize(
    "plan", [{}, {"memory": 3, "layout": {}}, {"memory": {"device_peak_bytes": "many"}, "layout": {}}]
)
def test_a_plan_that_lacks_something_is_none(plan: dict[str, object]) -> None:
    assert memory_beside(plan, None) == {}


def test_a_run_folder_holds_its_own_plan(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "rank-0.log").write_text(OOM)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    told = diagnose([tmp_path / "logs"])
    assert told.numbers["planned_peak_bytes"] > 30 * GIB
    assert set(told.numbers["planned_parts"]) >= {"parameters_bytes", "activations_bytes", "logits_bytes"}
    (tmp_path / "plan.json").write_text(json.dumps({"memory": {}}))
    assert "planned_peak_bytes" not in diagnose([tmp_path / "logs"]).numbers


def test_a_recipe_that_is_named_is_planned_or_refused(tmp_path: Path) -> None:
    log, recipe = tmp_path / "a.log", tmp_path / "r.toml"
    log.write_text(OOM)
    recipe.write_text(RECIPE)
    assert "planned_parts" in diagnose([log], recipe=str(recipe)).numbers
    recipe.write_text(RECIPE.replace("h100", "h999"))
    with pytest.raises(HeadwayError):
        diagnose([log], recipe=str(recipe))
    log.write_text("OSError: [Errno 28] No space left on device\n")
    assert diagnose([log], recipe=str(recipe)).cause == "disk-full", "a plan is made only where it is of use"
