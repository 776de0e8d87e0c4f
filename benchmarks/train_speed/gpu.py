"""Tokens per second and MFU on an accelerator: 160M, 1B and 8B, bf16 and float8, with and without the compiler.

    python -m benchmarks.train_speed.gpu

Each case is a process of its own; one that does not fit or is not supported says so and is passed over. The peak that
MFU is of is the best matrix product measured there and then, in the same format.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

SHAPES: dict[str, dict[str, Any]] = {
    "160M": {"hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 12},
    "1B": {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "8B": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
}
ROWS = {"160M": 32, "1B": 8, "8B": 2}
LENGTH, WARM_UP, STEPS = 2048, 5, 20
_PRODUCT_SIZE = 8192


def recipe_of(shape: str, precision: str, *, compiled: bool) -> Any:
    """Return the recipe of a case."""
    from headway.recipe import resolve_recipe

    model = {**SHAPES[shape], "vocab_size": 32_000, "max_position_embeddings": LENGTH}
    training = {
        "steps": 100,
        "sequence_length": LENGTH,
        "global_batch_size": ROWS[shape],
        "precision": precision,
        "compile": compiled,
    }
    layout = {"micro_batch_size": ROWS[shape], "recompute": "full" if shape == "8B" else "none"}
    # The moments of 8B in 8 bits leave room for its activations.
    optimizer = {"optimizer": "adamw8bit"} if shape == "8B" else {}
    return resolve_recipe({"model": model, "training": {**training, **optimizer}, "layout": layout})


def measure(shape: str, precision: str, *, compiled: bool) -> dict[str, float]:
    """Return tokens per second, and the FLOPs of a token."""
    import numpy as np
    import torch

    from headway.planning.flops import model_flops_per_token
    from headway.training.data import Batch
    from headway.training.engines import build_engine

    recipe = recipe_of(shape, precision, compiled=compiled)
    engine = build_engine(recipe)
    rows = np.random.default_rng(0).integers(0, recipe.model.vocab_size, (ROWS[shape], LENGTH + 1))
    for step in range(WARM_UP + STEPS):
        if step == WARM_UP:
            torch.cuda.synchronize()
            started = time.perf_counter()
        engine.step([Batch(rows)], 1e-4)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    return {
        "tokens_per_second": STEPS * recipe.tokens_per_step / seconds,
        "flops_per_token": model_flops_per_token(recipe.model, LENGTH),
        "peak_bytes": torch.cuda.max_memory_allocated(),
    }


def product_peak(precision: str) -> float:
    """Return the best rate of a large matrix product in a format, FLOP/s."""
    import torch

    size = _PRODUCT_SIZE
    left, right = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    if precision == "fp8":
        scale = torch.ones((), device="cuda")
        left8, right8 = left.to(torch.float8_e4m3fn), right.to(torch.float8_e4m3fn).t()

        def multiply() -> Any:
            return torch._scaled_mm(left8, right8, scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16)
    else:

        def multiply() -> Any:
            return left @ right

    best = float("inf")
    for _ in range(10):
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(10):
            multiply()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - started) / 10)
    return 2 * size**3 / best


def main() -> None:
    """Print the table, or measure one case for the parent process."""
    import torch

    if not torch.cuda.is_available():
        print("accelerator: no GPU here")
        return
    if len(sys.argv) > 1:
        shape, precision, compiled = sys.argv[1:]
        print(json.dumps(measure(shape, precision, compiled=compiled == "compiled")))
        return
    print(f"accelerator: {torch.cuda.get_device_name()}")
    for precision in ("bf16", "fp8"):
        peak = product_peak(precision)
        print(f"{precision}: best matrix product {peak / 1e12:,.0f} TFLOP/s")
        for shape in SHAPES:
            for mode in ("eager", "compiled"):
                command = [sys.executable, "-m", "benchmarks.train_speed.gpu", shape, precision, mode]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"  {shape} {mode}: not measured ({(done.stderr.strip().splitlines() or ['?'])[-1]})")
                    continue
                found = json.loads(done.stdout.splitlines()[-1])
                share = found["tokens_per_second"] * found["flops_per_token"] / peak
                print(
                    f"  {shape} {mode}: {found['tokens_per_second']:,.0f} tokens/s, {share:.1%} of that peak, "
                    f"{found['peak_bytes'] / 2**30:.1f} GiB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
