"""Settings of a recipe that change nothing in its plan: the reader asked for something, and is told that it is not had.

What contradicts the rest of a recipe is an error, and named by `nearest`; what merely has no effect is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway.errors import PlanError
from headway.planning.device import CPU
from headway.planning.message import Message
from headway.recipe import Recipe
from headway.recipe.sections import TrainingConfig

if TYPE_CHECKING:
    from headway.planning.plan import Plan

NARROW = ("int8", "fp8", "mxfp8", "nvfp4")
"""Formats that are chosen for their speed."""


def without_effect(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield the settings that change nothing, each with the reason.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    for setting, value, reason in (*_of_layout(recipe, plan), *_of_others(recipe, plan)):
        yield Message(
            id="plan-warning-no-effect",
            arguments={"setting": setting, "value": str(value).lower(), "reason": reason},
        )
    yield from _no_faster(recipe, plan)


_Found = Iterator[tuple[str, object, str]]
"""Setting, value, and the name of the reason."""


def _of_layout(recipe: Recipe, plan: Plan) -> _Found:
    wished, layout = recipe.layout, plan.layout
    if wished.shard not in ("auto", "none") and layout.shard == "none":
        yield "layout.shard", wished.shard, "replicas"
    if wished.reshard_after_forward != "auto" and layout.shard != "parameters":
        yield "layout.reshard_after_forward", wished.reshard_after_forward, "gathered"
    if wished.overlap_tensor_communication and layout.tensor_parallel_degree == 1:
        yield "layout.overlap_tensor_communication", True, "tensor"
    if wished.overlap_expert_communication and layout.expert_parallel_degree == 1:
        yield "layout.overlap_expert_communication", True, "exchange"
    if wished.count_tables_as_layers and layout.pipeline_parallel_degree == 1:
        yield "layout.count_tables_as_layers", True, "stages"
    if not wished.overlap_communication and layout.data_parallel_degree * layout.context_parallel_degree == 1:
        yield "layout.overlap_communication", False, "replicas"


def _of_others(recipe: Recipe, plan: Plan) -> _Found:
    training, resilience = recipe.training, recipe.resilience
    if training.method == "full":
        for setting in ("adapter_rank", "adapter_targets"):
            value = getattr(training, setting)
            if value != TrainingConfig.model_fields[setting].default:
                yield f"training.{setting}", value, "adapters"
    if recipe.data.attention_within_documents and plan.hardware.accelerator != CPU:
        yield "data.attention_within_documents", True, "documents"
    if resilience.asynchronous_stall_share is not None and not resilience.asynchronous_checkpoints:
        yield "resilience.asynchronous_stall_share", resilience.asynchronous_stall_share, "asynchronous"


def _no_faster(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield a warning where narrower products gain nothing, since the device does not multiply them any faster."""
    precision = recipe.training.precision
    if plan.hardware.accelerator == CPU or precision not in NARROW:
        return
    from headway.planning.accelerated import hardware_of

    machines = hardware_of(recipe, plan.hardware.accelerator)
    try:
        wide = machines.product_flops_per_second("bf16")
    except PlanError:
        return
    if machines.product_flops_per_second(precision) <= wide:
        yield Message(
            id="plan-warning-precision-no-faster",
            arguments={"precision": precision, "accelerator": machines.entry.id},
        )
