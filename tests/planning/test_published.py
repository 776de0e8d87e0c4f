"""Predictions against published trainings on accelerators; each bound is the error reached, rounded up."""

from typing import Any

import pytest

from headway.planning import plan
from headway.planning.activations import kept_bytes, weight_copy_parameters
from headway.planning.operations import Workload
from headway.recipe import Recipe, resolve_recipe


def recipe_of(
    model: dict[str, Any], device: tuple[str, int], sequence: int, batch: tuple[int, int], shard: str
) -> Recipe:
    return resolve_recipe(
        {
            "model": {"max_position_embeddings": sequence, **model},
            "training": {"steps": 1, "sequence_length": sequence, "global_batch_size": batch[0]},
            "hardware": {"accelerator": device[0], "devices": device[1]},
            "layout": {
                "data_parallel_degree": device[1],
                "micro_batch_size": batch[1],
                "shard": shard,
                "recompute": "none",
            },
        }
    )


def mpt(layers: int, hidden: int, heads: int) -> dict[str, Any]:
    return {
        "architecture": "gpt2",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": 4 * hidden,
        "vocab_size": 50368,
        "tie_word_embeddings": True,
    }


TINYLLAMA = {
    "num_hidden_layers": 22,
    "hidden_size": 2048,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "intermediate_size": 5632,
    "vocab_size": 32000,
}
# Sources: MosaicML llm-foundry scripts/train/benchmarking (MPT); Lightning-AI litgpt and lightning-thunder benchmarks
# (TinyLlama on one device).
THROUGHPUT = [
    ("mpt-7b on 8 H100", mpt(32, 4096, 32), ("h100", 8), 2048, (48, 6), "parameters", 1.1546, 0.05),
    ("mpt-1b on 8 H100", mpt(24, 2048, 16), ("h100", 8), 2048, (112, 14), "parameters", 0.63077, 0.04),
    ("mpt-13b on 8 A100", mpt(40, 5120, 40), ("a100", 8), 2048, (48, 2), "parameters", 5.4321, 0.05),
    ("mpt-1b on 8 A100", mpt(24, 2048, 16), ("a100", 8), 2048, (448, 14), "parameters", 5.5908, 0.02),
    ("mpt-125m on 8 A100", mpt(12, 768, 12), ("a100", 8), 2048, (640, 40), "parameters", 1.1471, 0.04),
    ("mpt-350m, 65,536 tokens", mpt(24, 1024, 16), ("a100", 8), 65536, (16, 1), "parameters", 17.42, 0.03),
    ("tinyllama on one A100", TINYLLAMA, ("a100-40gb", 1), 2048, (4, 4), "none", 0.44765, 0.03),
]


@pytest.mark.parametrize(
    ("model", "device", "sequence", "batch", "shard", "published_seconds", "bound"),
    [row[1:] for row in THROUGHPUT],
    ids=[row[0] for row in THROUGHPUT],
)
def test_published_step_times(
    model: dict[str, Any],
    device: tuple[str, int],
    sequence: int,
    batch: tuple[int, int],
    shard: str,
    published_seconds: float,
    bound: float,
) -> None:
    found = plan(recipe_of(model, device, sequence, batch, shard)).time
    assert found.step_seconds == pytest.approx(published_seconds, rel=bound)
    assert found.step_seconds_low < published_seconds < found.step_seconds_high


def test_published_memory_of_llama_3_2_3b() -> None:
    """Full fine-tuning, pure bf16, no recomputation, chunked loss, 2 x 4,096 tokens on one A100: 42.9 GiB active.

    Pure bf16 keeps weights, gradients and both moments in 2 bytes each. Source: pytorch/torchtune README.
    """
    model = resolve_recipe({"model": {"preset": "llama-3.2-3b"}, "training": {"steps": 1}}).model
    work = Workload(model=model, sequences=2, sequence_length=4096, dtype="bf16")
    states_bytes = 4 * 2 * 3_212_749_824
    assert states_bytes + kept_bytes(work) == pytest.approx(42.9 * 2**30, rel=0.02)
    assert 2 * weight_copy_parameters(model) < 2 * 3_212_749_824
