"""What a training program keeps for the backward pass, and beside it, where programs differ.

The numbers count arrays, not bytes: each is one result that autograd, or a kernel written by hand, holds until its
gradient has been computed. Three profiles say what layers keep: PyTorch's operations one by one, kernels written by
hand, and a compiler's; the catalogue's ``programs.toml`` says which one a program has and what else it does, each habit
with its place in the program's code.
Source: Megatron-LM and Transformer Engine (``LayerNormLinear``, ``bias_swiglu``), Hugging Face transformers
(``LlamaRMSNorm``, ``LlamaMLP``, ``repeat_kv``), ``torch.compile`` (the partitioner of AOTAutograd keeps what products
return and computes elementwise results again), PyTorch (``optim/adamw.py``, ``_multi_tensor_adamw``: one array of
roots).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from headway.catalog import Program


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """Arrays that are kept, per operation.

    Attributes:
        norm_inputs: of the stream's width in 16-bit elements, that one RMS norm keeps of its input.
        norm_products: the same, that only the gradient of its weight needs.
        norm_results: its results, which the next products keep as their input.
        gated_inputs: of the MLP's width, that a gated activation keeps (its two inputs, and what it computes of them).
        gated_results: the result, which the last product keeps as its input.
        repeats_keys: whether keys and values are written out for every query head.
        holds_joint_projection: whether queries and keys are kept once more, as parts of the one array that the values
            are a view of.
        turned_results: of attention's results, that the product after it keeps in another order of tokens; none where a
            micro-batch is one sequence, whose order is the same.
        gathers_inputs: whether the inputs of divided products are kept whole, rather than gathered a second time.
        keeps_frozen_inputs: whether inputs of frozen products are kept though nothing needs them.
        rounds_once: whether 8- and 4-bit products keep their inputs rounded in place of the 16-bit ones, and weights
            rounded twice (as they are and transposed) until the step ends.
        keeps_outputs: whether what a stage sends to the next one is kept until the backward pass.
        balances_head: whether the division into stages weighs the output projection as so many layers.
        bucket_copies: copies of all trained gradients in the buckets in which they leave.
        bucket_elements: of one bucket that is written out anew, at most.
        flat_copies: of the gradients that a device updates, in one flat array, unless weights are divided too.
        rounded_gradients: whether gradients stay in 16 bits beside their fp32 sums.
        score_bytes: of one entry of unfused scores, without dropout; None: as wide as other values.
        update_copies: of one moment of all updated weights, that the optimizer writes out for a moment.
        update_elements: weights that the optimizer updates at a time where weights are divided; None: all.
        offloads_weights: whether divided weights and gradients lie in the host's memory where the optimizer does.
        streams_states: whether states in the host's memory come to the device for the update, and go back.
        chunk_tokens: rows whose logits a chunked loss holds at a time; None: one of `activations.LOSS_CHUNKS` pieces.
        holds_unsharded_gradients: whether a pipeline keeps whole gradients until its last micro-batch.
        accumulates_unsharded: whether whole gradients are kept over micro-batches without a pipeline too.
        mixes_frozen: whether frozen weights that are divided have gradients, being divided together with trained ones.
    """

    norm_inputs: float = 1.0
    norm_products: float = 0.0
    norm_results: float = 1.0
    gated_inputs: float = 2.0
    gated_results: float = 1.0
    repeats_keys: bool = False
    holds_joint_projection: bool = False
    turned_results: float = 0.0
    gathers_inputs: bool = False
    keeps_frozen_inputs: bool = False
    rounds_once: bool = False
    keeps_outputs: bool = False
    balances_head: bool = False
    bucket_copies: float = 0.0
    bucket_elements: float = 0.0
    flat_copies: float = 0.0
    rounded_gradients: bool = False
    score_bytes: float | None = None
    update_copies: float = 0.0
    update_elements: float | None = None
    offloads_weights: bool = False
    streams_states: bool = False
    chunk_tokens: float | None = None
    holds_unsharded_gradients: bool = False
    accumulates_unsharded: bool = False
    mixes_frozen: bool = False


HAND_FUSED = Keeping(rounds_once=True)
"""Kernels written by hand: a norm keeps its input and its result, a gate its two inputs and its result. In 8 bits,
Transformer Engine keeps what it has rounded."""

EAGER = Keeping(
    norm_inputs=2.0,
    norm_products=1.0,
    gated_inputs=3.0,
    repeats_keys=True,
    bucket_copies=1.0,
    update_copies=1.0,
    score_bytes=6.0,
)
"""PyTorch's operations one by one: an RMS norm keeps an fp32 copy of its input, and the normalised values; the gate
keeps the activation's input and result and the other factor; a softmax in fp32 is kept before and after rounding.
``DistributedDataParallel`` copies gradients."""

COMPILED = Keeping(gated_results=0.0, repeats_keys=True, bucket_copies=1.0, update_copies=1.0)
"""``torch.compile``: the product of the gate is computed again from its two inputs."""

PROFILES = {"operations": EAGER, "kernels": HAND_FUSED, "compiled": COMPILED}
"""By what `headway.catalog.Program.keeps` calls them."""

_KINDS = {field.name: field.type for field in fields(Keeping)}


@lru_cache(maxsize=512)
def keeping_of(program: Program, *, compiled: bool, tunes: bool, quantized: bool) -> Keeping:
    """Return what a program keeps.

    Args:
        program: of the catalogue.
        compiled: whether the model is compiled.
        tunes: whether a trained model is tuned.
        quantized: whether frozen weights are quantised.
    """
    is_compiled = compiled and program.compiles
    holds = {
        "always": True,
        "eager": not is_compiled,
        "tunes": tunes,
        "quantized": quantized,
        # Of an array of layouts, some divide parameters: `states` asks.
        "parameters": True,
    }
    changes: dict[str, Any] = {
        habit.field: _typed(habit.field, habit.value) for habit in program.habits if holds[habit.when]
    }
    return replace(PROFILES["compiled" if is_compiled else program.keeps], **changes)


def _typed(field: str, value: float) -> float | bool:
    return bool(value) if _KINDS[field] == "bool" else value
