from __future__ import annotations

import torch
from torch import nn

from headway.training.engines.torch.optimizers.fused import FusedAdamW


def test_updates_are_those_of_pytorch_to_the_last_bit() -> None:
    torch.manual_seed(0)
    ours = [nn.Parameter(torch.randn(37, 11)), nn.Parameter(torch.randn(5)), nn.Parameter(torch.randn(3))]
    theirs = [nn.Parameter(weight.detach().clone()) for weight in ours]

    def groups(weights: list[nn.Parameter]) -> list[dict[str, object]]:
        return [{"params": weights[:1], "weight_decay": 0.1}, {"params": weights[1:], "weight_decay": 0.0}]

    own = FusedAdamW(groups(ours), lr=0.0, betas=(0.9, 0.95), eps=1e-7)
    other = torch.optim.AdamW(groups(theirs), lr=0.0, betas=(0.9, 0.95), eps=1e-7, fused=True)
    for step in range(4):
        for optimizer in (own, other):
            for group in optimizer.param_groups:
                group["lr"] = 0.01 * (step + 1)
        for mine, its in zip(ours, theirs, strict=True):
            # The last weight takes part from the third step on only.
            mine.grad = None if step < 2 and mine is ours[2] else torch.randn_like(mine)
            its.grad = None if mine.grad is None else mine.grad.clone()
        own.step()
        other.step()
        for mine, its in zip(ours, theirs, strict=True):
            assert torch.equal(mine, its)
    for mine, its in zip(ours, theirs, strict=True):
        for name, value in other.state[its].items():
            assert torch.equal(own.state[mine][name], value), name


def test_gradients_are_let_go_of() -> None:
    weight = nn.Parameter(torch.ones(2))
    optimizer = FusedAdamW([{"params": [weight], "weight_decay": 0.0}], lr=0.1, betas=(0.9, 0.95), eps=1e-7)
    weight.grad = torch.ones(2)
    optimizer.zero_grad(set_to_none=False)
    assert weight.grad.tolist() == [0, 0]
    optimizer.zero_grad(set_to_none=True)
    assert weight.grad is None
    optimizer.step()
    assert not optimizer.state
