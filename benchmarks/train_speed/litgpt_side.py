"""litgpt's side, run by the Python of its own environment: it imports nothing of Headway.

    PYTHON litgpt_side.py SHAPE_JSON PRECISION BATCHES WARM_UP STEPS LEARNING_RATE

The step is that of ``litgpt/pretrain.py`` (0.5.13, ``fit``): forward, chunked cross-entropy, backward, clip, step. Its
precision "bf16-mixed" keeps weights in fp32, as all other sides do.
"""

from __future__ import annotations

import json
import sys
import time

import lightning
import numpy
import torch
from litgpt.config import Config
from litgpt.model import GPT
from litgpt.utils import chunked_cross_entropy


def main(shape: str, precision: str, path: str, warm_up: str, steps: str, learning_rate: str) -> None:
    """Time the steps, and print them as JSON."""
    batches = numpy.load(path)
    fabric = lightning.Fabric(
        devices=1, accelerator="cpu", precision="bf16-mixed" if precision == "bf16" else "32-true"
    )
    fabric.launch()
    fabric.seed_everything(0)
    model = GPT(Config(**json.loads(shape)))
    model.max_seq_length = batches.shape[-1] - 1
    model = fabric.setup(model)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=float(learning_rate), betas=(0.9, 0.95), weight_decay=0.1, fused=True
    )
    optimizer = fabric.setup_optimizers(optimizer)
    times, losses = [], []
    for number in range(int(warm_up) + int(steps)):
        started = time.perf_counter()
        tokens = torch.from_numpy(batches[number])
        logits = model(tokens[:, :-1].contiguous().long())
        loss = chunked_cross_entropy(logits, tokens[:, 1:].contiguous().long())
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        times.append(time.perf_counter() - started)
    print(json.dumps({"times": times[int(warm_up) :], "losses": losses[int(warm_up) :]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
