"""The part of the model that this process holds: built without storage, divided, and then filled."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

from headway.recipe import ModelConfig, Recipe
from headway.training.engines.torch.adapters import (
    AdapterSettings,
    adapter_shapes,
    add_adapters,
    initial_adapters,
    settings_of,
)
from headway.training.engines.torch.initial import initial_weights, weight_shapes
from headway.training.engines.torch.model import Llama, Part, rotary_frequencies
from headway.training.engines.torch.parallel.local import is_divided
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.products import PRODUCTS
from headway.training.engines.torch.recomputing import recompute_layers
from headway.training.engines.torch.weights import write_part

EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"


def build_parts(recipe: Recipe, dtype: torch.dtype, ranks: Ranks) -> list[Llama]:
    """Return the parts of the model that this process holds, with the weights that its training begins with.

    Those that ``[training] init_from`` brings are yet to be loaded.

    Raises:
        TrainingError: the model does not divide as the layout says.
    """
    config = recipe.model
    adapters = settings_of(recipe)
    # Frozen weights are kept in the dtype that they are used in: no update needs more digits of them.
    with torch.device("meta"), _default_dtype(torch.float32 if adapters is None else dtype):
        parts = _empty_parts(config, dtype, ranks)
    for part in parts:
        _prepare(part, recipe, adapters, ranks)
        frequencies_D = rotary_frequencies(config.head_dim, config.rope_theta, config.rope_scaling)
        part.rotary_frequencies = frequencies_D.to(ranks.device)
    writers = writers_of(parts, weight_shapes(config))
    if recipe.training.init_from is None:
        for name, whole in initial_weights(config, recipe.training.seed):
            for write in writers.get(name, ()):
                write(whole)
    if adapters is not None:
        for name, whole in initial_adapters(config, adapters, recipe.training.seed):
            for write in writers.get(name, ()):
                write(whole)
    return parts


def _prepare(part: Llama, recipe: Recipe, adapters: AdapterSettings | None, ranks: Ranks) -> None:
    """Make an empty part ready to be filled: adapters, formats, division, and storage at last."""
    layout, training = ranks.layout, recipe.training
    if adapters is not None:
        add_adapters(part, adapters)
    if training.precision in PRODUCTS:
        for _, module in part.projections():
            module.products = training.precision
    recompute_layers(part, layout.recompute, layout.recompute_share)
    if recipe.model.tie_word_embeddings and part.part.has_embedding:
        # What is tied stays so only where it is not given storage twice.
        part.model.embed_tokens._apply(partial(_with_storage, device=ranks.device))
        part.tie_weights()
    if layout.tensor_parallel_degree > 1:
        from headway.training.engines.torch.parallel.tensor import divide_matrices

        divide_matrices(part, ranks.axis("tensor"), divides_sequence=layout.sequence_parallel)
    if training.method == "qlora":
        for _, module in part.projections():
            module.pack()
    if training.compile and ranks.mesh is not None:
        # A layer at a time: what devices send each other between layers is not the compiler's.
        for block in part.model.layers.values():
            block.compile(dynamic=False)
    if layout.data_parallel_degree > 1:
        from headway.training.engines.torch.parallel.shards import share_states

        share_states(part, ranks.axis("replica", "shard"), layout)
    part._apply(partial(_with_storage, device=ranks.device))


def _with_storage(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor that is there: an empty one in the place of one without storage, any other as it is."""
    if not tensor.is_meta:
        # Without a gradient, a weight that lies elsewhere already keeps its place.
        return tensor
    if is_divided(tensor):
        return torch.empty_like(tensor, device=device)
    # As above, but PyTorch would import its compiler for it.
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=device)


Write = Callable[[Tensor], None]


def writers_of(parts: Sequence[Llama], known: Container[str]) -> dict[str, list[Write]]:
    """Return what takes the whole of a weight and keeps this process's part, by the weight's name in the whole model.

    A weight that is tied has two takers where a process holds both ends of a pipeline.

    Args:
        parts: of this process.
        known: the names of the whole model's weights, without those of adapters.
    """
    found: dict[str, list[Write]] = {}
    for part in parts:
        for name, parameter in part.named_parameters():
            if ".packed." not in name:
                found.setdefault(canonical_name(name, known), []).append(partial(write_part, parameter))
        for name, module in part.projections():
            if module.is_packed:
                found.setdefault(f"{name}.weight", []).append(module.packed.write)
    return found


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def trained_shapes(recipe: Recipe) -> dict[str, torch.Size]:
    """Return the shape of every weight that a recipe trains, by its name, in the order of the model."""
    adapters = settings_of(recipe)
    return weight_shapes(recipe.model) if adapters is None else adapter_shapes(recipe.model, adapters)


def _empty_parts(config: ModelConfig, dtype: torch.dtype, ranks: Ranks) -> list[Llama]:
    layout = ranks.layout
    if layout.pipeline_parallel_degree == 1:
        return [Llama(config, dtype)]
    from headway.training.engines.torch.parallel.stages import Stage, parts_of, stages_of

    pieces = parts_of(config, layout.pipeline_parallel_degree * layout.virtual_pipeline_stages)
    numbers = stages_of(ranks.stage, layout)
    return [Stage(config, dtype, pieces[number]) for number in numbers]


def parameters_of(parts: list[Llama]) -> dict[str, Tensor]:
    """Return the weights of all parts of this process by their names in the whole model."""
    return {name: parameter for part in parts for name, parameter in part.named_parameters()}


def canonical_name(name: str, known: Container[str]) -> str:
    """Return the name of a weight, or of a moment of one, in the whole model: a head that is not known is the copy of
    a tied embedding."""
    return name if name in known else name.replace(HEAD, EMBEDDING)


def names_of(names: Iterable[str], part: Part) -> list[str]:
    """Return those names of a model's weights that a part has; a copy of a tied one does not count."""
    layers = {str(layer) for layer in part.layers}
    found = []
    for name in names:
        if name.startswith("model.layers."):
            is_here = name.split(".")[2] in layers
        else:
            is_here = part.has_embedding if name == EMBEDDING else part.has_head
        if is_here:
            found.append(name)
    return found
