"""The rules that fields of a recipe must keep together: one named function each.

Each takes the whole recipe and yields the errors it finds; `broken_rules` gathers them all, so that a user sees every
problem at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from headway.errors import RecipeError
from headway.recipe.phases import IN_BACKWARD
from headway.recipe.schema import Recipe

ROUNDED = ("int8", "fp8", "mxfp8", "nvfp4")
"""Formats of products whose inputs are rounded for them."""

UNROUNDED = ("fp32", "tf32")
"""Formats of products whose inputs lie in memory in fp32."""

Rule = Callable[[Recipe], Iterator[RecipeError]]


def training_length(recipe: Recipe) -> Iterator[RecipeError]:
    """The length is given once: as steps or as tokens."""
    training = recipe.training
    if training.steps is None and training.tokens is None:
        yield RecipeError("recipe-length-missing")
    elif training.steps is not None and training.tokens is not None:
        yield RecipeError("recipe-length-twice", steps=training.steps, tokens=training.tokens)


def key_value_heads_divide_heads(recipe: Recipe) -> Iterator[RecipeError]:
    """Grouped-query attention shares one key head among equally many query heads."""
    heads, groups = recipe.model.num_attention_heads, recipe.model.num_key_value_heads
    if heads % groups:
        yield RecipeError("recipe-heads-not-divisible", num_attention_heads=heads, num_key_value_heads=groups)


def rotary_head_is_even(recipe: Recipe) -> Iterator[RecipeError]:
    """Rotary embeddings turn pairs of channels."""
    if recipe.model.architecture != "gpt2" and recipe.model.head_dim % 2:
        yield RecipeError("recipe-head-dim-odd", head_dim=recipe.model.head_dim)


def sequence_fits_model(recipe: Recipe) -> Iterator[RecipeError]:
    """Positions beyond the model's range were never meant to be used."""
    length, limit = recipe.training.sequence_length, recipe.model.max_position_embeddings
    if length > limit:
        yield RecipeError("recipe-sequence-too-long", sequence_length=length, max_position_embeddings=limit)


def warmup_ends_before_training(recipe: Recipe) -> Iterator[RecipeError]:
    """A warm-up longer than the run never reaches the learning rate that was asked for."""
    training = recipe.training
    if (training.steps or training.tokens) and training.warmup_steps > recipe.num_steps:
        yield RecipeError("recipe-warmup-too-long", warmup_steps=training.warmup_steps, steps=recipe.num_steps)


def best_needs_evaluations(recipe: Recipe) -> Iterator[RecipeError]:
    """The best of a run is found by evaluations while it trains."""
    training = recipe.training
    for field, is_asked in (
        ("training.early_stopping_patience", training.early_stopping_patience is not None),
        ("resilience.keep_best", recipe.resilience.keep_best),
    ):
        if is_asked and (training.evaluate_every_steps is None or not recipe.data.validation_fraction):
            yield RecipeError("recipe-best-without-evaluations", field=field)


def batch_divides(recipe: Recipe) -> Iterator[RecipeError]:
    """Every optimizer step is made of whole micro-batches on every data-parallel rank."""
    micro, batch = recipe.layout.micro_batch_size, recipe.training.global_batch_size
    data = recipe.layout.data_parallel_degree
    product = (1 if micro == "auto" else micro) * (1 if data == "auto" else data)
    if batch % product:
        lower = max(1, batch // product) * product
        yield RecipeError(
            "recipe-batch-not-divisible",
            global_batch_size=batch,
            product=product,
            lower=lower,
            upper=lower + product,
        )


def schedule_fits_layout(recipe: Recipe) -> Iterator[RecipeError]:
    """Where the weights' gradients have passes of their own, a layer is gone back through twice.

    What selective recomputation keeps serves one of them; gradients that are divided leave with the first; and stages
    in a V are two a rank. Source: PyTorch, ``torch.distributed.pipelining.schedules`` (``ScheduleZBVZeroBubble``).
    """
    layout = recipe.layout
    if layout.pipeline_schedule == "1f1b":
        return
    rules: list[tuple[str, object, tuple[object, ...]]] = [
        ("recompute", layout.recompute, ("none", "full")),
        ("shard", layout.shard, ("none", "optimizer")),
    ]
    if layout.pipeline_schedule == "zero-bubble-v":
        rules.append(("virtual_pipeline_stages", layout.virtual_pipeline_stages, (2,)))
    for field, value, possible in rules:
        if value not in ("auto", *possible):
            listed = " or ".join(str(one) for one in possible)
            yield RecipeError(
                "recipe-schedule",
                schedule=layout.pipeline_schedule,
                field=f"layout.{field}",
                value=value,
                possible=listed,
            )


def data_has_a_source(recipe: Recipe) -> Iterator[RecipeError]:
    """Text comes from one place: the named source, the paths, prepared tokens, or a list of sources."""
    data = recipe.data
    if data.places == ("source", "paths"):
        yield RecipeError("recipe-data-twice", source=str(data.source), paths=", ".join(data.paths))
    elif len(data.places) > 1:
        yield RecipeError("recipe-data-places", section="data", found=", ".join(data.places))


def data_sources_are_complete(recipe: Recipe) -> Iterator[RecipeError]:
    """Each of several sources has a name of its own, and one place."""
    names = [source.name for source in recipe.data.sources]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield RecipeError("recipe-source-twice", source=name)
    for source in recipe.data.sources:
        if len(source.places) != 1:
            found = ", ".join(source.places) or "none"
            yield RecipeError("recipe-data-places", section=f'data.sources, "{source.name}"', found=found)


def data_paths_are_named(recipe: Recipe) -> Iterator[RecipeError]:
    """An empty path would be the working folder, with all that lies there."""
    if "" in recipe.data.paths or any("" in source.paths for source in recipe.data.sources):
        yield RecipeError("recipe-data-path-empty")


def experts_are_complete(recipe: Recipe) -> Iterator[RecipeError]:
    """A mixture of experts says how many there are and how many work on a token."""
    model = recipe.model
    if (model.num_experts is None) != (model.num_experts_per_tok is None):
        yield RecipeError("recipe-experts-incomplete")
    elif model.num_experts is not None and (model.num_experts_per_tok or 0) > model.num_experts:
        yield RecipeError(
            "recipe-experts-too-few",
            num_experts=model.num_experts,
            num_experts_per_tok=model.num_experts_per_tok,
        )


def experts_are_in_equal_groups(recipe: Recipe) -> Iterator[RecipeError]:
    """Groups of experts are equal, and a token's experts are in some of them.

    Source: DeepSeek-AI 2024 (arXiv:2412.19437), section 2.1.2 (node-limited routing).
    """
    model = recipe.model
    if model.num_experts is None:
        return
    if model.num_experts % model.n_group or model.topk_group > model.n_group:
        yield RecipeError(
            "recipe-expert-groups",
            num_experts=model.num_experts,
            n_group=model.n_group,
            topk_group=model.topk_group,
        )


LATENT_FIELDS = ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
"""What latent attention must state besides the rank of keys and values; queries may be whole.

Source: DeepSeek-AI 2024 (arXiv:2405.04434), section 2.1 and appendix C."""


def latent_attention_is_complete(recipe: Recipe) -> Iterator[RecipeError]:
    """Multi-head latent attention needs the rank of keys and values, and all widths of its heads."""
    model = recipe.model
    latent = {name: getattr(model, name) for name in ("kv_lora_rank", *LATENT_FIELDS)}
    missing = [name for name, value in latent.items() if value is None]
    stated = [name for name in ("q_lora_rank", *latent) if getattr(model, name) is not None]
    if stated and missing:
        yield RecipeError("recipe-latent-incomplete", stated=", ".join(stated), missing=", ".join(missing))


def adapter_rank_fits(recipe: Recipe) -> Iterator[RecipeError]:
    """An adapter's rank is at most the smaller side of the matrices that have one: beyond, it adds nothing.

    Source: Hu et al. 2021 (arXiv:2106.09685), section 4.1: r is far below the smaller side of the matrix.
    """
    training, model = recipe.training, recipe.model
    if training.method == "full":
        return
    sides = [model.hidden_size, model.query_size, model.key_value_size]
    if training.adapter_targets == "all":
        sides.append(model.moe_intermediate_size or model.intermediate_size)
    if training.adapter_rank > min(sides):
        yield RecipeError("recipe-adapter-rank-too-large", adapter_rank=training.adapter_rank, limit=min(sides))


def devices_fill_nodes(recipe: Recipe) -> Iterator[RecipeError]:
    """Several nodes are all full, since collectives are laid out over equal nodes."""
    devices, per_node = recipe.hardware.devices, recipe.hardware.devices_per_node
    if per_node is not None and devices > per_node and devices % per_node:
        yield RecipeError("recipe-devices-not-divisible", devices=devices, devices_per_node=per_node)


def pure_weights_have_no_fp32(recipe: Recipe) -> Iterator[RecipeError]:
    """Where nothing is kept in fp32, gradients are not either."""
    training = recipe.training
    if training.weights == "pure" and training.gradients == "fp32" and training.precision not in UNROUNDED:
        yield RecipeError("recipe-gradients-pure", weights=training.weights, gradients=training.gradients)


def low_precision_gather_has_rounded_products(recipe: Recipe) -> Iterator[RecipeError]:
    """Weights travel in 8 bits only where the products take them so."""
    training = recipe.training
    if training.low_precision_gather and training.precision not in ROUNDED:
        listed = ", ".join(ROUNDED)
        yield RecipeError("recipe-gather-precision", precision=training.precision, possible=listed)


def expert_degree_has_experts(recipe: Recipe) -> Iterator[RecipeError]:
    """Only a mixture of experts has experts whose matrices could be divided."""
    degree = recipe.layout.expert_tensor_parallel_degree
    if degree not in ("auto", 1) and recipe.model.num_experts is None:
        yield RecipeError("recipe-no-experts", degree=degree)


def backward_update_needs_no_whole_gradient(recipe: Recipe) -> Iterator[RecipeError]:
    """An update in the backward pass takes each gradient of one micro-batch as it comes: no sum, and no norm of all.

    Source: torchtune, ``recipes/full_finetune_distributed.py``, which refuses accumulation and clipping with it.
    """
    training, layout = recipe.training, recipe.layout
    if not training.optimizer.endswith(IN_BACKWARD):
        return
    plain = training.optimizer.removesuffix(IN_BACKWARD)
    if training.gradient_clip_norm is not None:
        norm = training.gradient_clip_norm
        yield RecipeError("recipe-backward-clips", optimizer=training.optimizer, norm=norm, plain=plain)
    micro, data, batch = layout.micro_batch_size, layout.data_parallel_degree, training.global_batch_size
    if micro == "auto" or data == "auto" or batch % (micro * data) or batch == micro * data:
        return
    yield RecipeError(
        "recipe-backward-accumulates",
        optimizer=training.optimizer,
        global_batch_size=batch,
        micro_batches=batch // (micro * data),
        micro_batch_size=micro,
        data_parallel_degree=data,
        whole=batch // data,
        product=micro * data,
        plain=plain,
    )


RULES: tuple[Rule, ...] = (
    training_length,
    key_value_heads_divide_heads,
    rotary_head_is_even,
    sequence_fits_model,
    warmup_ends_before_training,
    best_needs_evaluations,
    batch_divides,
    schedule_fits_layout,
    data_has_a_source,
    data_sources_are_complete,
    data_paths_are_named,
    experts_are_complete,
    experts_are_in_equal_groups,
    latent_attention_is_complete,
    adapter_rank_fits,
    devices_fill_nodes,
    pure_weights_have_no_fp32,
    low_precision_gather_has_rounded_products,
    expert_degree_has_experts,
    backward_update_needs_no_whole_gradient,
)


def broken_rules(recipe: Recipe) -> list[RecipeError]:
    """Return every broken rule as an error, in the order of `RULES`."""
    return [error for rule in RULES for error in rule(recipe)]
