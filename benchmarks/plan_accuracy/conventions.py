"""How sources count the FLOPs of a step that publish a rate in TFLOP/s for each device, and no time.

Dividing their own count by their rate gives back the time that they measured. A source whose way of counting nobody
states is not scored: ways of counting differ by up to a third in the same run (recomputation), and by more where
sequences are long (whether half of attention counts).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.plan_accuracy.express import Expressed
from benchmarks.plan_accuracy.shapes import InexpressibleError, number
from benchmarks.plan_accuracy.words import Row


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How a source counts.

    Attributes:
        rows: pattern of the column ``source``.
        flops: FLOPs of a step of all devices.
        reason: why it is known, with its source.
        longest: sequence up to which it is known.
    """

    rows: str
    flops: Callable[[Expressed], float]
    reason: str
    longest: float = float("inf")


def recomputed_gpt_flops(found: Expressed) -> float:
    """Return the FLOPs of a step of a GPT that recomputes all layers: 96 B s l h^2 (1 + s / (6 h) + V / (16 l h)).

    Source: Narayanan et al. 2021 (arXiv:2104.04473), section 5.1, eq. 3 (lower bound, four passes through each layer).
    Leaves out: that causal attention needs half of its products.
    """
    shape, length = found.job.shape, found.job.sequence_length
    layers, hidden = shape.layers, shape.hidden
    inner = 1 + length / (6 * hidden) + shape.vocabulary / (16 * layers * hidden)
    return 96 * found.global_batch * length * layers * hidden**2 * inner


def whole_attention_flops(found: Expressed) -> float:
    """Return the FLOPs of a step, three passes through each matrix and all scores: T (6 N + 12 l w s).

    N are the weights of the matrices that a token passes, the head among them, and w the width of all heads.
    Source: Megatron-LM core r0.8, megatron/training/training.py, ``num_floating_point_operations``; MaxText before pull
    request 1988, MaxText/maxtext_utils.py, ``calculate_tflops_training_per_device``; Chowdhery et al. 2022
    (arXiv:2204.02311), appendix B.
    Leaves out: that causal attention needs half of its products, and recomputation.
    """
    shape, length = found.job.shape, found.job.sequence_length
    weights = (
        sum(matrix.inputs * matrix.outputs * matrix.layers for matrix in shape.dense) + shape.head_matrix_parameters
    )
    weights += sum(matrix.inputs * matrix.outputs * matrix.layers * shape.chosen_experts for matrix in shape.routed)
    width = shape.heads * (shape.key_width + shape.value_width) / 2
    return found.global_batch * length * (6 * weights + 12 * shape.layers * width * length)


CONVENTIONS = (
    Convention(
        rows=r"Narayanan 2021|cases_jan2021|cases_april2021",
        flops=recomputed_gpt_flops,
        reason="The paper states the formula (section 5.1, eq. 3), and its first version has the same rows.",
    ),
    Convention(
        rows=r"NVIDIA/Megatron-LM images/model_table",
        flops=whole_attention_flops,
        reason="The program prints what its own function counts (megatron/training/training.py, release core_r0.8).",
    ),
    Convention(
        rows=r"AI-Hypercomputer/maxtext src/maxtext/configs/tpu",
        flops=whole_attention_flops,
        reason="The program prints what its own function counts; until pull request 1988 it counted all scores.",
    ),
    Convention(
        rows=r"glennklockwood\.com/garden/llama-3\.1",
        flops=whole_attention_flops,
        reason="The paper refers to Chowdhery et al. 2022 for its utilisation (arXiv:2407.21783, section 3.3.2).",
        # Beyond, attention stays within documents, of which nobody states the lengths, and is most of the work.
        longest=8192,
    ),
)
"""Not known: BigScience's logs of February 2022 (their formula was changed within the days that the rows are of),
DeepSpeed on Azure, Levanter and others, which state a number and not how it was counted."""


def flops_of(row: Row, found: Expressed) -> float:
    """Return the FLOPs of a step as the row's source counts them.

    Raises:
        InexpressibleError: nobody states how it counts.
    """
    for one in CONVENTIONS:
        if re.search(one.rows, row["source"]) and found.job.sequence_length <= one.longest:
            return one.flops(found)
    raise InexpressibleError("neither step time nor tokens/s stated, and how FLOPs are counted is not known")


def has_rate_in_flops(row: Row) -> bool:
    """Return whether a row states FLOP/s, and neither a time nor tokens."""
    times = (number(row, "step_time_s"), number(row, "tokens_per_s_per_device"))
    return not any(times) and bool(number(row, "tflops_per_device"))


def step_seconds(row: Row, found: Expressed) -> float:
    """Return the step time that a row's rate stands for.

    Raises:
        InexpressibleError: nobody states how the source counts.
    """
    rate = (number(row, "tflops_per_device") or 0.0) * 1e12
    return flops_of(row, found) / rate / found.devices
