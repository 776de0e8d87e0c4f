"""The model of a published row: from its columns, or from the catalogue's preset of that name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from benchmarks.plan_accuracy.words import Row
from headway import catalog
from headway.errors import HeadwayError
from headway.planning.parameters import count_parameters
from headway.recipe import resolve_recipe
from headway.recipe.model import ModelConfig


class InexpressibleError(Exception):
    """The row cannot be expressed; the argument is the reason, a short English phrase for the benchmark's table."""


VOCABULARIES = (
    (r"llama[-_ ]?2|^llama-(7|13|33|65)b|mistral|mixtral|tinyllama", 32000),
    (r"llama[-_ ]?3", 128256),
    (r"qwen", 151936),
    (r"bert", 29056),
    (r"gpt|mcore|bloom|opt", 50257),
)
"""Where a row has no vocabulary: that of the family, from the published configurations."""

_PADDED_TO = 128

UNTIED = r"^qwen-|llama[-_ ]?2|^llama-(7|13|33|65)b|llama[-_ ]?3(\.1)?[-_ ]|mistral|mixtral|internlm"
"""Families whose input and output embeddings differ whatever a rounded number of parameters suggests, from their
published configurations."""


def number(row: Row, column: str) -> float | None:
    """Return a column as a number, or None where it is empty or no number."""
    try:
        return float(row[column])
    except (KeyError, ValueError):
        return None


def model_of(row: Row) -> ModelConfig:
    """Return the model of a row.

    Raises:
        InexpressibleError: it is no decoder-only transformer, or nothing says its shape.
    """
    name = row["model"].lower()
    if re.search(r"t5|t0_|mt0|hybrid|mamba|nemotron_3|multimodal|vlm|-vl|omni|retro|next", name):
        raise InexpressibleError("not a decoder-only transformer of text")
    layers = number(row, "layers")
    if not layers:
        return _preset(row["model"])
    if row["kv_heads"] == "MLA":
        return _preset(row["model"])
    columns: dict[str, Any] = {
        "layers": int(layers),
        "hidden": int(number(row, "hidden") or 0),
        "heads": int(number(row, "heads") or 0),
        "kv_heads": int(number(row, "kv_heads") or number(row, "heads") or 0),
        "ffn": int(number(row, "ffn") or 0),
        "vocab": int(number(row, "vocab") or _vocabulary(name, number(row, "tp") or 1)),
        "positions": int(number(row, "seq_len") or 2048),
    }
    if not columns["hidden"] or not columns["heads"]:
        raise InexpressibleError("model shape not stated")
    columns["ffn"] = columns["ffn"] or 4 * columns["hidden"]
    return _built(name, row["notes"], number(row, "params"), tuple(columns.items()))


@lru_cache(maxsize=4096)
def _built(name: str, notes: str, parameters: float | None, columns: tuple[tuple[str, Any], ...]) -> ModelConfig:
    shape = dict(columns)
    experts = _experts(notes)
    options = [
        _config(shape, gated=gated, tied=tied, experts=experts) for gated in (False, True) for tied in (False, True)
    ]
    by_name = _is_gated(name, notes, shape)
    tied_by_note = "tied" in notes.lower() and "untie" not in notes.lower()
    if "untie" in notes.lower():
        tied_by_note = False
    untied = re.search(UNTIED, name) is not None
    if untied:
        options = options[::2]
    if parameters:
        preferred = [option for option in options if (option.architecture != "gpt2") == by_name]
        pool = preferred if by_name is not None else options
        if experts is None:
            return min(pool or options, key=lambda option: abs(count_parameters(option) / parameters - 1))
    gated_choice = by_name if by_name is not None else shape["ffn"] != 4 * shape["hidden"]
    tied_choice = not untied and (tied_by_note or (not gated_choice and "untie" not in notes.lower()))
    return _config(shape, gated=gated_choice, tied=tied_choice, experts=experts)


def _is_gated(name: str, notes: str, shape: dict[str, Any]) -> bool | None:
    if re.search(r"stablelm[- ]alpha", name):
        return False
    if re.search(r"llama|mistral|mixtral|qwen|internlm|smollm|deepseek|gemma|baichuan|yi-|stablelm", name):
        return True
    if re.search(r"^gpt|gpt3|gpt-|mpt|bloom|opt-|pythia|falcon|phi", name) and "swiglu=True" not in notes:
        return False
    if "swiglu=True" in notes:
        return True
    return None if shape["ffn"] != 4 * shape["hidden"] else False


def _experts(notes: str) -> dict[str, int] | None:
    listed = re.search(r"(\d+)\s*(?:routed|experts)[^;]*?top-?(\d+)", notes)
    if listed:
        shared = re.search(r"\+\s*(\d+) shared", notes)
        return {"experts": int(listed[1]), "chosen": int(listed[2]), "shared": int(shared[1]) if shared else 0}
    count = re.search(r"num-experts=(\d+)", notes)
    if count is None:
        return None
    chosen = re.search(r"moe-router-topk=(\d+)", notes)
    inner = re.search(r"moe-ffn-hidden-size=(\d+)", notes)
    shared_inner = re.search(r"moe-shared-expert-intermediate-size=(\d+)", notes)
    found = {"experts": int(count[1]), "chosen": int(chosen[1]) if chosen else 2, "shared": 0}
    if inner:
        found["inner"] = int(inner[1])
        found["shared"] = round(int(shared_inner[1]) / int(inner[1])) if shared_inner else 0
    return found


def _config(shape: dict[str, Any], *, gated: bool, tied: bool, experts: dict[str, int] | None) -> ModelConfig:
    hidden, heads = shape["hidden"], shape["heads"]
    content: dict[str, Any] = {
        "architecture": "llama" if gated else "gpt2",
        "hidden_size": hidden,
        "intermediate_size": shape["ffn"],
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": heads,
        "num_key_value_heads": shape["kv_heads"] or heads,
        "head_dim": max(hidden // heads, 1),
        "vocab_size": shape["vocab"],
        "max_position_embeddings": shape["positions"],
        "tie_word_embeddings": tied,
    }
    if experts is not None:
        content |= {
            "architecture": "mixtral",
            "num_experts": experts["experts"],
            "num_experts_per_tok": experts["chosen"],
            # The planner's experts have three matrices; those that are not gated have two, as wide together.
            "moe_intermediate_size": experts.get("inner", shape["ffn"]) * (3 if gated else 2) // 3,
            "num_shared_experts": experts["shared"] or None,
        }
    return ModelConfig.model_validate(content)


def _vocabulary(name: str, tensor: float) -> int:
    for pattern, size in VOCABULARIES:
        if re.search(pattern, name):
            multiple = _PADDED_TO * int(tensor) if size in (50257, 29056) else 1
            return -(-size // multiple) * multiple
    raise InexpressibleError("vocabulary not stated")


_FAMILIES = (
    (r"llama[-_ ]?3\.?1?[-_ ]?(8|70|405)b", "llama-3.1-{}b"),
    (r"llama[-_ ]?3\.2[-_ ]?(1|3)b", "llama-3.2-{}b"),
    (r"llama[-_ ]?2[-_ ]?(7|13|70)b", "llama-2-{}b"),
    (r"qwen2\.5[-_ ]?(0\.5|1\.5|3|7|14|32|72)b", "qwen2.5-{}b"),
    (r"qwen3[-_ ]?30b[-_ ]?a3b", "qwen3-30b-a3b"),
    (r"qwen3[-_ ]?235b[-_ ]?a22b", "qwen3-235b-a22b"),
    (r"qwen3[-_ ]?(0\.6|1\.7|4|8|14|32)b", "qwen3-{}b"),
    (r"deepseek[-_ ]?v3", "deepseek-v3"),
    (r"mixtral[-_ ]?8x7b", "mixtral-8x7b"),
    (r"mixtral[-_ ]?8x22b", "mixtral-8x22b"),
    (r"gpt[-_ ]?oss[-_ ]?(20|120)b", "gpt-oss-{}b"),
    (r"kimi[-_ ]?k2", "kimi-k2"),
)


@lru_cache(maxsize=1024)
def _preset(name: str) -> ModelConfig:
    text = name.lower()
    wanted = None
    for pattern, preset in _FAMILIES:
        found = re.search(pattern, text)
        if found:
            wanted = preset.format(*found.groups())
            break
    if wanted is None or wanted not in catalog.names("model"):
        raise InexpressibleError("model shape not stated")
    try:
        return resolve_recipe(
            {"model": {"preset": wanted}, "training": {"sequence_length": 2048}, "hardware": {"accelerator": "h100"}}
        ).model
    except HeadwayError as error:
        raise InexpressibleError(f"preset not usable: {error}") from error
