"""Hand-written operations against the composed ones, values and gradients, in fp64 where they allow it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F

from headway.training.engines.torch import kernels
from headway.training.engines.torch.kernels import (
    COMPOSED,
    NATIVE,
    LinearCrossEntropy,
    RMSNorm,
    Rotary,
    SwiGLU,
    use_elementwise_kernel,
)


@pytest.fixture(autouse=True, params=[COMPOSED, NATIVE])
def _kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    use_elementwise_kernel(request.param)
    yield
    use_elementwise_kernel(COMPOSED)


def check(ours: torch.Tensor, expected: torch.Tensor, inputs: list[torch.Tensor]) -> None:
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=1e-5)
    weights = torch.randn(expected.shape, generator=torch.Generator().manual_seed(3))
    ours_gradients = torch.autograd.grad((ours * weights).sum(), inputs)
    expected_gradients = torch.autograd.grad((expected * weights).sum(), inputs)
    for first, second in zip(ours_gradients, expected_gradients, strict=True):
        torch.testing.assert_close(first, second, atol=1e-5, rtol=1e-4)


def leaf(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape) + shape[0])).requires_grad_()


def test_rms_norm() -> None:
    x, weight = leaf(7, 12), leaf(12)
    check(RMSNorm.apply(x, weight, 1e-3), F.rms_norm(x, (12,), weight, 1e-3), [x, weight])


def test_rms_norm_of_zeros_has_finite_gradients() -> None:
    x = torch.zeros(2, 4, requires_grad=True)
    RMSNorm.apply(x, torch.ones(4), 1e-5).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_swiglu() -> None:
    gate, up = leaf(5, 9), leaf(6, 9)[:5].detach().requires_grad_()
    check(SwiGLU.apply(gate, up), F.silu(gate) * up, [gate, up])


def test_rotary_turns_pairs_by_their_angle() -> None:
    x = leaf(2, 3, 4, 6)
    angles = torch.outer(torch.arange(3.0), torch.tensor([1.0, 0.1, 0.01]))
    cos, sin = angles.cos(), angles.sin()
    pairs = torch.complex(x[..., :3], x[..., 3:]) * torch.polar(torch.ones_like(angles), angles)[:, None]
    check(Rotary.apply(x, cos, sin), torch.cat((pairs.real, pairs.imag), -1), [x])


@pytest.mark.parametrize("tokens", [1, 511, 512, 1025])
def test_linear_cross_entropy_over_chunks(tokens: int) -> None:
    hidden, weight = leaf(tokens, 8), leaf(30, 8)
    targets = torch.arange(tokens) % 30
    targets[::3] = -100
    if tokens == 1:
        targets[0] = 4
    loss = LinearCrossEntropy.apply(hidden, weight, targets, -100)
    check(loss, F.cross_entropy(hidden @ weight.t(), targets), [hidden, weight])


def test_linear_cross_entropy_without_targets_is_zero() -> None:
    hidden, weight = leaf(4, 8), leaf(30, 8)
    loss = LinearCrossEntropy.apply(hidden, weight, torch.full((4,), -100), -100)
    loss.backward()
    assert float(loss.detach()) == 0.0
    assert not hidden.grad.any()


def test_linear_cross_entropy_never_holds_all_logits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest array that it makes is one chunk of logits."""
    monkeypatch.setattr(kernels, "CROSS_ENTROPY_CHUNK_TOKENS", 16)
    sizes = []

    class Recorder(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = function(*args, **(kwargs or {}))
            sizes.extend(
                item.numel() for item in torch.utils._pytree.tree_leaves(result) if isinstance(item, torch.Tensor)
            )
            return result

    hidden, weight = leaf(256, 8), leaf(50, 8)
    with Recorder():
        LinearCrossEntropy.apply(hidden, weight, torch.arange(256) % 50, -100).backward()
    assert max(sizes) <= max(16 * 50, 256 * 8)
