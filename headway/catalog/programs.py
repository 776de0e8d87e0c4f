"""What training programs hold in memory, and in which formats they train where a recipe does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "programs.toml"

OWN = "headway"
"""The program that trains what Headway plans."""


@dataclass(frozen=True, kw_only=True)
class Habit:
    """One thing that a program does.

    Attributes:
        field: of `headway.planning.analytic.keeping.Keeping`.
        value: of the field; 1 or 0 for a flag.
        when: ``always``; where operations run one by one (``eager``); where a trained model is tuned (``tunes``), its
            frozen weights are ``quantized``, or ``parameters`` are divided.
        source: where in the program it was read.
    """

    field: str
    value: float
    when: Literal["always", "eager", "tunes", "quantized", "parameters"] = "always"
    source: str


Split = Literal["tensor", "pipeline", "chunks", "context", "experts", "stages with gradients", "heads between devices"]
"""A way to split a model: matrices, stages, several chunks a stage, sequences, experts, stages whose gradients or
parameters are divided too, or matrices among more devices than there are heads of keys and values."""


@dataclass(frozen=True, kw_only=True)
class Lack:
    """One way to split a model that a program has not.

    Attributes:
        split: which.
        source: where in the program it was read.
        yields: whether a plan has it nonetheless where the recipe asks for it.
    """

    split: Split
    source: str
    yields: bool = False


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format of matrix products narrower than 16 bits in which a program trains all weights.

    Attributes:
        format: as in ``training.precision``.
        source: where in the program, or in what its makers publish, it was read.
    """

    format: Literal["fp8", "mxfp8"]
    source: str


@dataclass(frozen=True, kw_only=True)
class Program(Entry):
    """One training program.

    Attributes:
        kernels: whether chains of elementwise operations run one by one or as one kernel.
        keeps: what its layers keep: that of PyTorch's ``operations``, of ``kernels`` written by hand, or of a compiler.
        compiles: whether ``training.compile`` changes what its layers keep.
        weights: where the precise weights are, as in ``training.weights``.
        adapter_weights: the same where adapters are trained.
        rounded_gradients: whether gradients are in 16 bits beside fp32 weights, as in ``training.gradients``.
        attention: kernels, as in ``training.attention``.
        loss: how logits are held, as in ``training.loss``.
        compiled_loss: the same where the model is compiled.
        habits: what else it does.
        lacks: the ways to split a model that it has not; what is not named here may be planned.
        formats: narrower than 16 bits, that are tried where ``training.precision`` is left to the plan.
    """

    kernels: Literal["eager", "fused"]
    keeps: Literal["operations", "kernels", "compiled"]
    compiles: bool = True
    weights: Literal["fp32", "master", "pure"]
    adapter_weights: Literal["fp32", "master", "pure"]
    rounded_gradients: bool
    attention: Literal["fused", "tuned", "unfused"]
    loss: Literal["chunked", "sharded", "whole", "rounded", "compiled"]
    compiled_loss: Literal["chunked", "sharded", "whole", "rounded", "compiled"]
    habits: tuple[Habit, ...] = ()
    lacks: tuple[Lack, ...] = ()
    formats: tuple[Format, ...] = ()

    def settings(self, method: str, *, compiled: bool) -> dict[str, str]:
        """Return its settings of ``[training]``, which hold where a recipe says nothing.

        Args:
            method: of training.
            compiled: whether the model is compiled.
        """
        return {
            "weights": self.weights if method == "full" else self.adapter_weights,
            "attention": self.attention,
            "loss": self.compiled_loss if compiled else self.loss,
        }


@cache
def entries() -> Mapping[str, Program]:
    """Return all programs by id."""
    return read_facts(FILE, Program)


def program(name: str) -> Program:
    """Return a program by id or alias.

    Raises:
        CatalogError: it is not known.
    """
    return find("program", name, entries())
