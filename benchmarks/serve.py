"""How fast models write here, beside what was predicted: ``python -m benchmarks.serve [PRESET]``.

A model of a preset's shape with random weights is exported in several formats. For each it prints decoded tokens/s, the
share of the memory's bandwidth that they use, the prediction and its error. Then it prints the throughput of the
endpoint over that of llama.cpp's own server with the same model and settings, in turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine_line import machine_line
from headway.planning.parameters import weight_shapes
from headway.planning.serving import tokens_per_second
from headway.recipe import resolve_recipe, to_hf_config
from headway.resilience.checkpoint.snapshot import LazyArrays
from headway.resilience.checkpoint.tensor_file import write_tensor_file
from headway.serving.client import Client
from headway.serving.engine import Engine, EngineSettings
from headway.serving.export import export_gguf
from headway.serving.export.sources import find_source
from headway.serving.header import read_header
from headway.serving.placement import Wishes, decoding_of, place, this_machine
from headway.training.data import Tokenizer

PRESET, FORMATS = "llama-3.2-1b", ("q4_0", "q4_k_m", "q8_0", "bf16")
TOKENS, REPEATS, TURNS, CLIENTS = 48, 3, 6, 4
OWN_SHAPE = "smollm2-135m"
"""Of the model on which the endpoint is compared: the smaller the model, the more the endpoint matters."""


class Random(LazyArrays):
    """Weights of a shape, each made when it is asked for."""

    def __init__(self, shapes: dict[str, tuple[int, ...]]) -> None:
        self.shapes = shapes
        self._some = np.random.default_rng(0).normal(0, 0.02, 2**24).astype(np.float16)

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return fp16, in which the file is small."""
        return np.dtype(np.float16)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a weight; all are cut from the same numbers."""
        return np.resize(self._some, prod(self.shapes[name])).reshape(self.shapes[name])


def make(preset: str, folder: Path) -> Path:
    """Write a model of a preset's shape."""
    model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    folder.mkdir()
    write_tensor_file(folder / "model.safetensors", Random(weight_shapes(model)))
    (folder / "config.json").write_text(json.dumps(to_hf_config(model)))
    Tokenizer.byte().save(folder / "tokenizer.json")
    return folder


def decode(client: Client) -> float:
    """Return the tokens per second of one answer, as llama.cpp counts them."""
    asked = {"prompt": [1, 2, 3, 4], "n_predict": TOKENS, "ignore_eos": True, "cache_prompt": False}
    return float(client.post("/completion", asked)["timings"]["predicted_per_second"])


def formats(folder: Path) -> None:
    """Print one line for each format."""
    inventory, bandwidth = this_machine()
    print(f"memory bandwidth (triad): {(bandwidth or 0) / 1e9:.1f} GB/s")
    for form in FORMATS:
        begin = time.monotonic()
        file = export_gguf(find_source(str(folder), folder), folder / f"{form}.gguf", form).path
        seconds = time.monotonic() - begin
        header = read_header(file)
        placement = place(header, Wishes(context=512), inventory, bandwidth)
        decoding = decoding_of(header, "f16")
        with Engine(placement.settings) as engine:
            client = Client(engine.socket_path)
            measured = statistics.median(decode(client) for _ in range(REPEATS))
        read = decoding.bytes_per_token(TOKENS / 2) * measured
        predicted = tokens_per_second(decoding, bandwidth, TOKENS / 2) if bandwidth else float("nan")
        size, share = header.tensor_bytes / 1e9, read / (bandwidth or 1)
        print(f"{form:7} {size:5.2f} GB, exported in {seconds:4.0f} s; decode {measured:6.2f} tokens/s,", end=" ")
        print(f"{share:4.0%} of the bandwidth; predicted {predicted:6.2f}, error {predicted / measured - 1:+.0%}")
        file.unlink()


def throughput(ask: Callable[[], Any]) -> float:
    """Return the tokens per second of some clients together."""
    begin = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda _: ask(), range(2 * CLIENTS)))
    return 2 * CLIENTS * TOKENS / (time.monotonic() - begin)


def endpoint(folder: Path) -> None:
    """Print the endpoint's throughput over that of llama.cpp's own server."""
    file = export_gguf(find_source(str(folder), folder), folder / "q8_0.gguf", "q8_0").path
    threads = str(len(os.sched_getaffinity(0)))
    command = [sys.executable, "-m", "headway", "serve", str(file), "--port", "0", "--json", "--ctx", "512"]
    asked = {"prompt": "def", "max_tokens": TOKENS, "ignore_eos": True}

    def ask(client: Client) -> Callable[[], list[Any]]:
        return lambda: list(client.stream("/v1/completions", asked))

    settings = EngineSettings(
        model=str(file), alias="own", context=512, parallel=CLIENTS, threads=int(threads), repacks=True
    )
    ours, theirs = [], []
    with subprocess.Popen([*command, "--threads", threads], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        client = Client(json.loads(server.stdout.readline())["url"])
        with Engine(settings) as engine:
            both = [(ours, client), (theirs, Client(engine.socket_path))]
            for turn in range(TURNS):
                # Each is first in turn: what else runs on the machine changes slowly.
                for found, one in both[:: 1 - 2 * (turn % 2)]:
                    found.append(throughput(ask(one)))
        server.terminate()
    for name, found in (("endpoint", ours), ("llama.cpp's own", theirs)):
        print(f"{name:16} {statistics.median(found):6.1f} tokens/s, {CLIENTS} clients, streamed")
    print(f"endpoint over own: {statistics.median(ours) / statistics.median(theirs):.2f}")


def main(names: list[str]) -> int:
    """Run the benchmark."""
    print(machine_line())
    with tempfile.TemporaryDirectory(prefix="headway-") as folder:
        formats(make(names[0] if names else PRESET, Path(folder) / "model"))
        endpoint(make(OWN_SHAPE, Path(folder) / "own"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
