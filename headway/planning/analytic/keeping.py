"""What a training program keeps for the backward pass, and beside it, where programs differ.

The numbers count arrays, not bytes: each is one result that autograd, or a kernel written by hand, holds until its
gradient has been computed. Source: the programs' own layers: Megatron-LM and Transformer Engine (``LayerNormLinear``,
``bias_swiglu``), Hugging Face transformers (``LlamaRMSNorm``, ``LlamaMLP``, ``repeat_kv``), litgpt (``RMSNorm``,
``CausalSelfAttention``), torchtitan and torchtune under ``torch.compile`` (the partitioner of AOTAutograd keeps what
products return and computes elementwise results again), nanotron (``tensor_parallel/nn.py``), DeepSpeed
(``pipe/engine.py``, ``zero/stage_1_and_2.py``), PyTorch (``optim/adamw.py``, ``_multi_tensor_adamw``: one array of
roots, and until version 2.0 another of roots with epsilon).
"""

from __future__ import annotations

from dataclasses import dataclass


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
        gathers_inputs: whether the inputs of divided products are kept whole, rather than gathered a second time.
        keeps_frozen_inputs: whether inputs of frozen products are kept though nothing needs them.
        rounds_once: whether 8- and 4-bit products keep their inputs rounded in place of the 16-bit ones, and weights
            rounded twice (as they are and transposed) until the step ends.
        keeps_outputs: whether what a stage sends to the next one is kept until the backward pass.
        balances_head: whether the division into stages weighs the output projection as so many layers.
        counts_tables: whether the division into stages counts the embedding and the output projection as a layer each.
        bucket_copies: copies of all trained gradients in the buckets in which they leave.
        bucket_elements: of one bucket that is written out anew, at most.
        flat_copies: of the gradients that a device updates, in one flat array.
        rounded_gradients: whether gradients stay in 16 bits beside their fp32 sums.
        fragmentation: share of what is allocated that the allocator holds besides, in holes; None where the kernels
            say it.
        score_bytes: of one entry of unfused scores, without dropout; None: as wide as other values.
        update_copies: of one moment of all updated weights, that the optimizer writes out for a moment.
        update_elements: weights that the optimizer updates at a time; None: all.
        offloads_weights: whether weights and gradients lie in the host's memory where the optimizer does.
        logit_bytes: of one logit at the peak with all its copies; None where `job.Loss` says it.
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
    gathers_inputs: bool = False
    keeps_frozen_inputs: bool = False
    rounds_once: bool = False
    keeps_outputs: bool = False
    balances_head: bool = False
    counts_tables: bool = False
    bucket_copies: float = 0.0
    bucket_elements: float = 0.0
    flat_copies: float = 0.0
    rounded_gradients: bool = False
    fragmentation: float | None = None
    score_bytes: float | None = None
    update_copies: float = 0.0
    update_elements: float | None = None
    offloads_weights: bool = False
    logit_bytes: float | None = None
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

LITGPT = Keeping(
    norm_inputs=2.0,
    norm_products=2.0,
    gated_inputs=3.0,
    repeats_keys=True,
    holds_joint_projection=True,
    bucket_copies=1.0,
    update_copies=1.0,
)
"""Eager, with the norm's product in fp32 and one projection for queries, keys and values."""

NANOTRON = Keeping(
    norm_inputs=1.0,
    norm_results=1.0,
    gated_inputs=3.0,
    holds_joint_projection=True,
    gathers_inputs=True,
    balances_head=True,
    keeps_outputs=True,
)
"""A fused norm, an eager gate; the inputs of divided products stay gathered. That queries and keys are kept once more
is what its published peaks show; which of its operations does it was not found."""

INTERNEVO = Keeping(update_copies=2.0, flat_copies=2.0)
"""Fused kernels, PyTorch's own AdamW of version 1.13, and gradients that are averaged in buckets and flattened again
for the update; FSDP needs neither of the two copies."""

DEEPSPEED = Keeping(
    keeps_outputs=True, bucket_elements=5e8, flat_copies=1.0, rounded_gradients=True, fragmentation=0.14
)
"""Megatron's kernels under DeepSpeed's pipeline and its default bucket of 500 million elements.

Unfused scores and the arrays of recomputed layers come and go between checkpoints that stay, and leave more holes:
0.14 is fitted to BigScience's trainings, which read the driver's figure."""


def keeping(kernels: str) -> Keeping:
    """Return what a program keeps that says no more of itself than how its elementwise operations run."""
    return EAGER if kernels == "eager" else HAND_FUSED
