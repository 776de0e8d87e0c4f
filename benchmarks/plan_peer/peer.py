"""Runs in the peer's own environment: reads jobs as JSON lines, writes its predictions. It imports nothing of ours."""

import contextlib
import io
import json
import logging
import sys

from llm_analysis.analysis import ActivationRecomputation, DSZeRO, LLMAnalysis
from llm_analysis.config import DtypeConfig, ModelConfig, ParallelismConfig, get_gpu_config_by_name

RECOMPUTE = {
    "none": ActivationRecomputation.NONE,
    "selective": ActivationRecomputation.SELECTIVE,
    "full": ActivationRecomputation.FULL,
}
ZERO = (DSZeRO.NONE, DSZeRO.STAGE_1, DSZeRO.STAGE_2, DSZeRO.STAGE_3)


def predict(job: dict) -> dict:
    """Return the peer's step time and peak memory of one job."""
    analysis = LLMAnalysis(
        ModelConfig(**job["model"]),
        get_gpu_config_by_name(job["gpu"]),
        DtypeConfig(name="w16a16e16", weight_bits=16, activation_bits=16, embedding_bits=16),
        ParallelismConfig(**job["parallelism"]),
        flops_efficiency=job["efficiency"],
        hbm_memory_efficiency=0.9,
        intra_node_memory_efficiency=0.8,
        inter_node_memory_efficiency=0.8,
    )
    found = analysis.training(
        batch_size_per_gpu=job["micro_batch"],
        gradient_accumulation_steps=job["micro_batches"],
        seq_len=job["sequence_length"],
        total_num_tokens=10**9,
        activation_recomputation=RECOMPUTE[job["recompute"]],
        ds_zero=ZERO[job["zero"]],
        flash_attn=job["flash"],
        softmax_dropout=False,
        mlp_gated_linear_units=job["gated"],
    )
    return {
        "step_seconds": found["latency_per_iter"],
        "memory_bytes": found["(weight+op_state+grad+act)_memory_per_gpu"],
    }


def main() -> None:
    """Answer every line with a line."""
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                answer = predict(job)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
