"""The compiled operations against the composed ones, and what happens where they cannot be made."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from headway.training.engines.torch import native
from headway.training.engines.torch.composed import ComposedOperations
from headway.training.engines.torch.kernels import (
    COMPOSED,
    NATIVE,
    RMSNorm,
    choose_elementwise_kernel,
    use_elementwise_kernel,
)
from headway.training.engines.torch.native import NativeOperations, load_native

DTYPES = [torch.float32, torch.bfloat16]
SHAPES = [(1, 2), (7, 12), (33, 64), (130, 100)]
TOLERANCE = {torch.float32: 3e-6, torch.bfloat16: 1.6e-2}


@pytest.fixture(scope="module")
def compiled() -> NativeOperations:
    operations = load_native()
    assert operations is not None, "the tests need a C compiler"
    return operations


def draw(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def same(ours: Any, expected: Any, dtype: torch.dtype) -> None:
    ours, expected = (value if isinstance(value, tuple) else (value,) for value in (ours, expected))
    for first, second in zip(ours, expected, strict=True):
        assert first.dtype == second.dtype
        assert first.shape == second.shape
        scale = second.float().abs().max().clamp(min=1e-6)
        torch.testing.assert_close(first.float() / scale, second.float() / scale, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_operation_equals_the_composed_one(
    shape: tuple[int, int], dtype: torch.dtype, compiled: NativeOperations
) -> None:
    composed = ComposedOperations()
    rows, channels = shape
    x, other, grad = (draw(*shape, dtype=dtype, seed=seed) for seed in (1, 2, 3))
    weight = draw(channels).abs() + 0.5
    same(compiled.rms_norm_forward(x, weight, 1e-5), composed.rms_norm_forward(x, weight, 1e-5), dtype)
    _, inverse = composed.rms_norm_forward(x, weight, 1e-5)
    arguments = (grad, x, weight, inverse)
    same(compiled.rms_norm_backward(*arguments), composed.rms_norm_backward(*arguments), dtype)
    same(compiled.swiglu_forward(x, other), composed.swiglu_forward(x, other), dtype)
    same(compiled.swiglu_backward(grad, x, other), composed.swiglu_backward(grad, x, other), dtype)
    heads = draw(3, rows, 2, channels, dtype=dtype)
    angles = draw(rows, channels // 2)
    for sign in (1.0, -1.0):
        arguments = (heads, angles.cos(), angles.sin(), sign)
        same(compiled.rotate(*arguments), composed.rotate(*arguments), dtype)
    targets = torch.arange(rows) % channels
    targets[::4] = -100
    expected = composed.cross_entropy(x, targets, -100)
    same(compiled.cross_entropy(x.clone(), targets, -100), expected, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_that_are_not_contiguous(dtype: torch.dtype, compiled: NativeOperations) -> None:
    composed = ComposedOperations()
    x = draw(24, 10, dtype=dtype).t()
    weight = draw(24)
    same(compiled.rms_norm_forward(x, weight, 1e-5), composed.rms_norm_forward(x, weight, 1e-5), dtype)
    same(compiled.swiglu_forward(x, x), composed.swiglu_forward(x, x), dtype)


@pytest.mark.parametrize("size", [0.0, 1e-30, 80.0, 200.0, 1e30])
def test_large_and_small_numbers(size: float, compiled: NativeOperations) -> None:
    composed = ComposedOperations()
    x = draw(5, 16) * size
    same(compiled.swiglu_forward(x, torch.ones_like(x)), composed.swiglu_forward(x, torch.ones_like(x)), torch.float32)
    targets = torch.arange(5)
    same(compiled.cross_entropy(x.clone(), targets, -100), composed.cross_entropy(x, targets, -100), torch.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_not_hidden(bad: float, dtype: torch.dtype, compiled: NativeOperations) -> None:
    """A guard must see a broken run: no operation may turn NaN into a number."""
    x = draw(4, 16, dtype=dtype)
    x[1, 3] = bad
    loss, _ = compiled.cross_entropy(x.clone(), torch.arange(4), -100)
    assert not torch.isfinite(loss)
    assert not torch.isfinite(compiled.rms_norm_forward(x, torch.ones(16), 1e-5)[0][1].float()).all()
    assert not torch.isfinite(compiled.swiglu_forward(x, torch.ones_like(x)).float()).all()


def test_a_target_outside_the_vocabulary_is_not_hidden(compiled: NativeOperations) -> None:
    loss, _ = compiled.cross_entropy(draw(2, 8), torch.tensor([1, 8]), -100)
    assert torch.isnan(loss)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_result_depends_on_nothing_but_the_threads(threads: int, compiled: NativeOperations) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        x, weight, grad = draw(257, 96), draw(96), draw(257, 96, seed=1)
        inverse = draw(257, 1).abs()
        first = compiled.rms_norm_backward(grad, x, weight, inverse)
        for _ in range(20):
            again = compiled.rms_norm_backward(grad, x, weight, inverse)
            assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
    finally:
        torch.set_num_threads(before)


def test_without_a_compiler_the_composed_operations_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    load_native.cache_clear()
    monkeypatch.setenv("PATH", "")
    try:
        assert load_native() is None
        assert choose_elementwise_kernel(torch.device("cpu")) == COMPOSED
        use_elementwise_kernel(NATIVE)
        assert RMSNorm.apply(draw(2, 4), torch.ones(4), 1e-5).shape == (2, 4)
    finally:
        load_native.cache_clear()
        use_elementwise_kernel(COMPOSED)


@pytest.mark.parametrize("program", ["exit 1", "exit 0"])
def test_a_compiler_that_makes_nothing_is_no_error(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{program}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path / "cache"))
    load_native.cache_clear()
    try:
        assert load_native() is None
        assert not list((tmp_path / "cache" / "native").glob("*.so"))
    finally:
        load_native.cache_clear()


def test_two_processes_compile_at_once(tmp_path: Path) -> None:
    code = "from headway.training.engines.torch.native import load_native; assert load_native() is not None"
    environment = {**os.environ, "HEADWAY_CACHE": str(tmp_path)}
    processes = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert len(list((tmp_path / "native").iterdir())) == 1


def test_an_unwritable_cache_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build: Callable[..., Path] = native._build
    library = build("cc", None)
    assert library.exists()
    assert NativeOperations(library).swiglu_forward(torch.zeros(2, 2), torch.ones(2, 2)).sum() == 0


def test_an_accelerator_composes() -> None:
    assert choose_elementwise_kernel(torch.device("cuda")) == COMPOSED
