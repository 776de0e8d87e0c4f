"""What a plan takes from the program that a recipe names."""

from __future__ import annotations

from typing import Any

import pytest

from headway.planning.accelerated import job_of
from headway.planning.analytic.holdings import holdings
from headway.planning.analytic.layouts import layouts
from headway.planning.analytic.states import device_states
from headway.planning.plan import plan
from headway.recipe import resolve_recipe


def recipe(layout: dict[str, Any] | None = None, **training: Any) -> Any:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"sequence_length": 4096, "global_batch_size": 64, "steps": 10, **training},
            "hardware": {"accelerator": "h100", "devices": 8},
            "layout": layout or {},
        }
    )


def test_gradients_are_as_the_program_and_the_recipe_say() -> None:
    found = {
        (software, gradients): job_of(recipe(software=software, gradients=gradients)).numerics.gradient_bytes
        for software in ("megatron", "deepspeed")
        for gradients in ("auto", "fp32", "rounded")
    }
    assert found == {
        ("megatron", "auto"): 4, ("megatron", "fp32"): 4, ("megatron", "rounded"): 2,
        ("deepspeed", "auto"): 2, ("deepspeed", "fp32"): 4, ("deepspeed", "rounded"): 2,
    }  # fmt: skip


def test_settings_that_only_plans_know_reach_the_job() -> None:
    job = job_of(recipe({"count_tables_as_layers": True}, dropout=0.1, precision="fp8", low_precision_gather=True))
    assert (job.dropout, job.counts_tables, job.numerics.gathered_bytes) == (True, True, 1)
    plain = job_of(recipe(precision="fp8"))
    assert (plain.dropout, plain.counts_tables, plain.numerics.gathered_bytes) == (False, False, 2)
    assert job_of(recipe(optimizer="adamw-in-backward")).numerics.frees_gradients


def test_a_compiled_model_keeps_what_headways_own_engine_keeps() -> None:
    """Not Megatron's kernels: 8-bit products keep their inputs as they are, and the gate's product is made again."""
    eager, compiled = (job_of(recipe(compile=is_compiled)) for is_compiled in (False, True))
    assert (eager.kernels, compiled.kernels) == ("eager", "fused")
    assert not eager.keeps.rounds_once
    assert not compiled.keeps.rounds_once
    assert (eager.keeps.gated_results, compiled.keeps.gated_results) == (1, 0)
    assert eager.keeps.update_copies == compiled.keeps.update_copies == 0


@pytest.mark.parametrize("is_compiled", [False, True])
def test_replicas_copy_gradients_compiled_or_not(is_compiled: bool) -> None:
    """DistributedDataParallel's buckets: fp32 weights and their rounded copy (6), gradients twice (8)."""
    job, split = job_of(recipe(compile=is_compiled)), layouts(data=8)
    held = holdings(job, split)
    states = device_states(job, split, held)
    assert states.parameters[0] + states.gradients[0] == pytest.approx((6 + 8) * held.local[0])


def test_an_experts_matrices_are_divided_as_wished() -> None:
    mixture = {
        "model": {"preset": "mixtral-8x7b"},
        "training": {"sequence_length": 4096, "global_batch_size": 64, "steps": 10, "software": "megatron"},
        "hardware": {"accelerator": "h100", "devices": 64, "network": "infiniband-ndr400"},
        "layout": {"tensor_parallel_degree": 4, "pipeline_parallel_degree": 1, "expert_parallel_degree": 4},
    }
    whole = plan(resolve_recipe(mixture))
    mixture["layout"] |= {"expert_tensor_parallel_degree": 4}
    divided = plan(resolve_recipe(mixture))
    assert divided.memory.device_peak_bytes < whole.memory.device_peak_bytes


def test_the_plan_tells_the_moment_of_its_peak() -> None:
    whole = plan(recipe({"micro_batch_size": 1, "recompute": "full"}, loss="whole"))
    chunked = plan(recipe({"micro_batch_size": 8, "recompute": "full"}))
    assert (whole.memory.moment, chunked.memory.moment) == ("forward", "backward")
