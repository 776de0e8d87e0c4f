"""What is trained, apart from how it is split over devices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from headway.planning.analytic.keeping import HAND_FUSED, Keeping
from headway.planning.analytic.numerics import Numerics
from headway.planning.analytic.schedules import PLAIN_SCHEDULE
from headway.planning.analytic.shape import Shape, shape_of
from headway.recipe.model import ModelConfig

Kernels = Literal["eager", "fused"]
"""Whether chains of elementwise operations run one by one, or as one kernel (a compiler's, or written by hand)."""

Attention = Literal["fused", "tuned", "unfused"]
"""Fused kernels hold no scores in memory: portable ones, or those that a vendor tuned for the generation."""

Loss = Literal["whole", "sharded", "chunked", "rounded", "compiled"]
"""How many logits exist at a time: all of them with fp32 copies; all of them, in place; those of a few rows; all of
them with 16-bit copies; or all of them and their gradient, with what is between in registers."""

Method = Literal["full", "lora", "qlora"]
Targets = Literal["all", "attention", "query-value", "fused-qkv"]


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """Low-rank adapters on frozen weights.

    Attributes:
        rank: of each adapter.
        targets: which projections have one.
        base_bytes: of a frozen weight of the layers.
        expands: whether frozen weights are expanded to 16 bits before each product.
        trains_embeddings: whether embedding and head are trained too.
    """

    rank: int
    targets: Targets = "all"
    base_bytes: float = 2.0
    expands: bool = False
    trains_embeddings: bool = False


@dataclass(frozen=True, kw_only=True)
class Job:
    """One training.

    Attributes:
        model: the shape.
        sequence_length: tokens of a sequence.
        global_batch_size: sequences of a step.
        numerics: number formats.
        kernels: of the elementwise operations.
        attention: which kernels.
        loss: how the logits are held.
        adapter: None where all weights are trained.
        dropout: whether activations are dropped at random, which takes masks and passes of its own.
        is_causal: whether a token attends to those before it only.
        overlaps_communication: whether gradients and weights travel while the device computes.
        overlaps_tensor_communication: whether products are cut into pieces, so that they hide what tensor-parallel
            devices send each other.
        overlaps_expert_communication: whether kernels exchange tokens between experts beside computation, and send each
            once to a server.
        captures_graphs: whether a step's operations are started as one, so that the host is never too slow.
        keeps: what the program keeps for the backward pass.
        refused: ways to split a model that the program has not (`headway.catalog.programs.Split`).
        avoided: ways that it has not either, but that a recipe may ask for.
        schedule: in which order a pipeline takes its passes; see `headway.planning.choice`.
        counts_tables: whether the division into stages counts the embedding and the output projection as a layer each.
        document_length: tokens that attend to each other where several documents share a sequence.
    """

    model: ModelConfig
    sequence_length: int
    global_batch_size: int
    numerics: Numerics
    kernels: Kernels = "fused"
    attention: Attention = "fused"
    loss: Loss = "whole"
    adapter: Adapter | None = None
    dropout: bool = False
    is_causal: bool = True
    overlaps_communication: bool = True
    overlaps_tensor_communication: bool = False
    overlaps_expert_communication: bool = False
    captures_graphs: bool = False
    schedule: str = PLAIN_SCHEDULE
    counts_tables: bool = False
    document_length: int | None = None
    keeps: Keeping = HAND_FUSED
    refused: frozenset[str] = frozenset()
    avoided: frozenset[str] = frozenset()

    @property
    def splits_backward(self) -> bool:
        """Whether a pipeline makes the weights' gradients in passes of their own."""
        return self.schedule != PLAIN_SCHEDULE

    def lacks(self, split: str, wish: int | None) -> bool:
        """Return whether the program has not a way to split a model, given what the recipe asks of it."""
        return split in self.refused or (wish is None and split in self.avoided)

    @cached_property
    def shape(self) -> Shape:
        """The model's matrices by kind."""
        return shape_of(self.model)

    @property
    def tokens_per_step(self) -> int:
        """Tokens of a step."""
        return self.sequence_length * self.global_batch_size
