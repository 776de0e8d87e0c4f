"""A minimal training loop in the manner of nanoGPT: a Llama in plain PyTorch, and as few lines around it as will train.

It is what one writes by hand: scaled-dot-product attention, autocast, a fused AdamW, clipping by PyTorch.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.train_speed.cases import LEARNING_RATE


class Block(nn.Module):
    """A layer of a Llama."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.heads, self.groups, self.size = model.num_attention_heads, model.num_key_value_heads, model.head_dim
        width, inner = model.hidden_size, model.intermediate_size
        self.norm_attention = nn.RMSNorm(width, eps=model.rms_norm_eps)
        self.norm_mlp = nn.RMSNorm(width, eps=model.rms_norm_eps)
        self.query_key_value = nn.Linear(width, (self.heads + 2 * self.groups) * self.size, bias=False)
        self.out = nn.Linear(self.heads * self.size, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Return [B, T, E] of [B, T, E]."""
        rows, length, _ = x.shape
        sizes = [self.heads * self.size, self.groups * self.size, self.groups * self.size]
        parts = self.query_key_value(self.norm_attention(x)).split(sizes, dim=-1)
        query, key, value = (part.view(rows, length, -1, self.size).transpose(1, 2) for part in parts)
        query, key = turned(query, cos, sin), turned(key, cos, sin)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=self.heads != self.groups)
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, -1))
        gate, up = self.gate_up(self.norm_mlp(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Apply rotary embeddings."""
    first, second = x.chunk(2, dim=-1)
    return x * cos.to(x.dtype) + torch.cat((-second, first), dim=-1) * sin.to(x.dtype)


class Llama(nn.Module):
    """A Llama."""

    def __init__(self, model: Any, length: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(model.vocab_size, model.hidden_size)
        self.blocks = nn.ModuleList(Block(model) for _ in range(model.num_hidden_layers))
        self.norm = nn.RMSNorm(model.hidden_size, eps=model.rms_norm_eps)
        self.head = nn.Linear(model.hidden_size, model.vocab_size, bias=False)
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)
        if model.tie_word_embeddings:
            self.head.weight = self.embed.weight
        speeds = model.rope_theta ** -(torch.arange(0, model.head_dim, 2) / model.head_dim)
        angles = torch.outer(torch.arange(length), speeds).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy."""
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1).float(), targets.flatten())


class Loop:
    """The loop: forward, backward, clip, step."""

    def __init__(
        self, model: Any, precision: str, batches: Any, *, device: str = "cpu", compiled: bool = False
    ) -> None:
        torch.manual_seed(0)
        self._batches, self._device, self._precision = batches, device, precision
        self._model = Llama(model, batches.shape[-1] - 1).to(device)
        self._run = torch.compile(self._model) if compiled else self._model
        decayed = [weight for weight in self._model.parameters() if weight.dim() > 1]
        others = [weight for weight in self._model.parameters() if weight.dim() == 1]
        groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        self._optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.95), fused=True)

    def step(self, number: int) -> float:
        """Do one step; return its loss."""
        tokens = torch.from_numpy(self._batches[number]).to(self._device)
        with self._casting():
            loss = self._run(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def _casting(self) -> AbstractContextManager[Any]:
        return torch.autocast(self._device, torch.bfloat16) if self._precision == "bf16" else nullcontext()
