"""The keys of a GGUF file: what llama.cpp must know of a model beside its weights.

Source: ggml, docs/gguf.md; llama.cpp, ``convert_hf_to_gguf.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.recipe import ModelConfig
from headway.serving.export.formats import Format
from headway.serving.export.sources import Source
from headway.serving.export.tokens import Vocabulary


def write_metadata(writer: Any, source: Source, form: Format, vocabulary: Vocabulary) -> None:
    """Add all keys to a writer of the package gguf."""
    model = source.model
    writer.add_name(source.name)
    writer.add_file_type(form.file_type)
    writer.add_quantization_version(_QUANTISATION_VERSION)
    writer.add_vocab_size(model.vocab_size)
    writer.add_context_length(context_length(model))
    writer.add_embedding_length(model.hidden_size)
    writer.add_block_count(model.num_hidden_layers)
    writer.add_feed_forward_length(model.intermediate_size)
    writer.add_head_count(model.num_attention_heads)
    writer.add_head_count_kv(model.num_key_value_heads)
    writer.add_key_length(model.head_dim)
    writer.add_value_length(model.head_dim)
    writer.add_layer_norm_rms_eps(model.rms_norm_eps)
    writer.add_rope_dimension_count(model.head_dim)
    writer.add_rope_freq_base(model.rope_theta)
    if model.num_experts is not None:
        writer.add_expert_count(model.num_experts)
        writer.add_expert_used_count(model.num_experts_per_tok)
        if model.moe_intermediate_size is not None:
            writer.add_expert_feed_forward_length(model.moe_intermediate_size)
    _write_vocabulary(writer, vocabulary)


_QUANTISATION_VERSION = 2
"""Source: ggml, ``GGML_QNT_VERSION``."""


def context_length(model: ModelConfig) -> int:
    """Return how many tokens the model can look back on.

    llama.cpp's ``llama`` lets each token see all before it. Within the window of a model with sliding attention that is
    the same; beyond it, it would be another model.
    """
    if model.sliding_window is None:
        return model.max_position_embeddings
    return min(model.max_position_embeddings, model.sliding_window)


def rope_factors(model: ModelConfig) -> NDArray[np.float32] | None:
    """Return what each rotary frequency is divided by; None where they are not stretched.

    Returns:
        [head_dim / 2].

    Source: Llama 3.1's reference implementation, ``apply_scaling`` (meta-llama/llama-models, models/llama3/model.py).
    """
    scaling = model.rope_scaling
    if scaling is None:
        return None
    original = scaling.original_max_position_embeddings
    factors = []
    for index in range(0, model.head_dim, 2):
        wavelength = 2 * math.pi * model.rope_theta ** (index / model.head_dim)
        if wavelength < original / scaling.high_freq_factor:
            factors.append(1.0)
        elif wavelength > original / scaling.low_freq_factor:
            factors.append(scaling.factor)
        else:
            span = scaling.high_freq_factor - scaling.low_freq_factor
            smooth = (original / wavelength - scaling.low_freq_factor) / span
            factors.append(1 / ((1 - smooth) / scaling.factor + smooth))
    return np.array(factors, dtype=np.float32)


def _write_vocabulary(writer: Any, vocabulary: Vocabulary) -> None:
    writer.add_tokenizer_model(vocabulary.model)
    writer.add_tokenizer_pre(vocabulary.split or "default")
    writer.add_token_list(vocabulary.tokens)
    writer.add_token_types(vocabulary.types)
    if vocabulary.merges:
        writer.add_token_merges(vocabulary.merges)
    if vocabulary.scores:
        writer.add_token_scores(vocabulary.scores)
    add = {
        "bos": writer.add_bos_token_id,
        "eos": writer.add_eos_token_id,
        "eot": writer.add_eot_token_id,
        "pad": writer.add_pad_token_id,
    }
    for name, number in vocabulary.special.items():
        add[name](number)
    writer.add_add_bos_token(vocabulary.adds["bos"])
    writer.add_add_eos_token(vocabulary.adds["eos"])
    if vocabulary.model == "llama":
        writer.add_add_space_prefix(vocabulary.adds["space_prefix"])
    if vocabulary.chat_template is not None:
        writer.add_chat_template(vocabulary.chat_template)
