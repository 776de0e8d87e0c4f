"""What training can do in this version, on this machine, with these files: asked before a run's folder is made.

A recipe may be planned that cannot be trained, or not here. Each rule is one named function that yields errors;
`obstacles` gathers them all, so that a user sees every reason at once.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headway import catalog
from headway.errors import CatalogError, DataError, HeadwayError, MissingDependencyError, PlanError, RecipeError
from headway.machine.inventory import Inventory
from headway.planning.analytic.schedules import PLAIN_SCHEDULE
from headway.planning.device import CPU, require_planned
from headway.planning.parameters import weight_shapes
from headway.recipe import Recipe
from headway.training.data.chats import require_template
from headway.training.data.prepare import require_prepared, require_sound_beginning, texts_of
from headway.training.data.sources import list_files
from headway.training.data.tokenizers import is_built_in, read_saved, require_room
from headway.training.weight_files import weights_in

Rule = Callable[[Recipe, Inventory], Iterator[HeadwayError]]

ENGINE_PACKAGES = ("torch", "safetensors", "tokenizers")
"""What training imports beyond what planning needs."""

SUPPORTED: dict[str, tuple[Any, ...]] = {
    "training.adapter_targets": ("all", "attention", "query-value"),
    "training.software": ("headway",),
    "training.precision": ("fp32", "fp16", "bf16", "int8", "fp8"),
    "training.weights": ("fp32",),
    "training.gradients": ("auto", "fp32"),
    "training.dropout": (0.0,),
    "training.low_precision_gather": (False,),
    "training.attention": ("fused",),
    "training.capture_graphs": (False,),
    "training.loss": ("chunked",),
    "training.optimizer": ("adamw", "adamw16bit", "adamw8bit", "muon"),
    "layout.context_parallel_degree": ("auto", 1),
    "layout.expert_parallel_degree": ("auto", 1),
    "layout.expert_tensor_parallel_degree": ("auto", 1),
    "layout.count_tables_as_layers": (False,),
    "layout.offload_activations": (False,),
    "layout.overlap_tensor_communication": (False,),
    "layout.overlap_expert_communication": (False,),
}
"""Setting -> the values that training has; plans know more."""

DIVIDED_BY_TENSOR = ("num_attention_heads", "num_key_value_heads", "intermediate_size")
"""What tensor parallelism divides of a model."""

UNTRAINED_ARCHITECTURES = ("gpt2", "deepseek_v3")


class ObstaclesError(RecipeError):
    """Several things keep a recipe from being trained; ``problems`` holds an error for each."""

    def __init__(self, problems: tuple[HeadwayError, ...]) -> None:
        self.problems = problems
        super().__init__("training-obstacles", count=len(problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return ObstaclesError, (self.problems,)


def settings_are_supported(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Plans know settings that training does not have yet."""
    for name, supported in SUPPORTED.items():
        section, field = name.split(".")
        value = getattr(getattr(recipe, section), field)
        # By type as well, since 1 equals True.
        if not any(value == one and type(value) is type(one) for one in supported):
            listed = " or ".join(json.dumps(one) for one in supported)
            yield RecipeError("training-setting", field=name, value=json.dumps(value), supported=listed)


def phases_are_single(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Training ends with the recipe's own training: it must not pass over phases in silence."""
    if recipe.phases:
        names = ", ".join(phase.name for phase in recipe.phases)
        yield RecipeError("training-phases", phases=names)


def architecture_is_supported(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """The engine has the Llama family."""
    model = recipe.model
    if model.architecture in UNTRAINED_ARCHITECTURES or model.num_experts is not None:
        yield RecipeError("training-architecture", engine=recipe.training.engine, architecture=model.architecture)


def packages_are_installed(_recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Planning works without an engine; training does not."""
    for package in ENGINE_PACKAGES:
        if importlib.util.find_spec(package) is None:
            yield MissingDependencyError("training-engine-missing", engine=package, extra="torch")
            return


def accelerator_is_here(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """A run trains on the device that was planned for."""
    wanted = recipe.hardware.accelerator
    if wanted in ("auto", "cpu"):
        return
    if not inventory.accelerators:
        yield RecipeError("training-no-accelerator", accelerator=wanted)
        return
    # The engine computes on the first device.
    found = inventory.accelerators[0].name or ""
    if found and _id_of(found) != _id_of(wanted):
        yield RecipeError("training-other-accelerator", accelerator=wanted, found=_id_of(found))


def devices_are_here(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """All processes start on this machine: one for each accelerator, or as many as the recipe puts on a server."""
    hardware = recipe.hardware
    if hardware.devices == 1:
        return
    is_cpu = hardware.accelerator == "cpu" or (hardware.accelerator == "auto" and not inventory.accelerators)
    here = (hardware.devices_per_node or 1) if is_cpu else len(inventory.accelerators)
    if hardware.devices > here:
        yield RecipeError("training-too-few-devices", devices=hardware.devices, found=here)


def compiling_is_possible(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Over several devices the compiler takes a layer at a time: whole matrices, and one backward pass.

    Source: PyTorch's zero-bubble schedules, which refuse compiled stages; and its compiler, which does not take the
    local part of a divided matrix whose gradient is to be placed.
    """
    layout = recipe.layout
    if not recipe.training.compile or recipe.hardware.devices == 1:
        return
    if layout.tensor_parallel_degree not in ("auto", 1):
        yield RecipeError("training-compile-layout", field="layout.tensor_parallel_degree", possible="1")
    if layout.pipeline_schedule != PLAIN_SCHEDULE:
        yield RecipeError("training-compile-layout", field="layout.pipeline_schedule", possible=f'"{PLAIN_SCHEDULE}"')


def matrices_divide(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Devices that share matrices have whole heads and equally many channels each."""
    degree = recipe.layout.tensor_parallel_degree
    if degree == "auto":
        return
    for field in DIVIDED_BY_TENSOR:
        value = getattr(recipe.model, field)
        if value % degree:
            yield RecipeError("training-tensor-parallel", field=field, value=value, degree=degree)


def a_plan_says_how_to_split(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """The work is split as a plan says, and some settings are not planned on every device."""
    if recipe.hardware.devices == 1 or any(settings_are_supported(recipe, inventory)):
        return
    wanted = recipe.hardware.accelerator
    is_cpu = wanted == "cpu" or (wanted == "auto" and not inventory.accelerators)
    try:
        require_planned(recipe, CPU if is_cpu else wanted)
    except PlanError as error:
        yield RecipeError("training-needs-plan", devices=recipe.hardware.devices, **error.arguments)


def threads_are_here(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """More threads than processors only wait for each other; thousands of them cannot even start."""
    threads, cores = recipe.hardware.threads, inventory.processor.num_logical_cores
    processes = min(recipe.hardware.devices, recipe.hardware.devices_per_node or 1)
    if threads is not None and cores is not None and threads * processes > cores:
        yield RecipeError("training-too-many-threads", threads=threads * processes, cores=cores)


def adapters_have_a_base(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Adapters are trained beside weights that somebody trained before."""
    if recipe.training.method != "full" and recipe.training.init_from is None:
        yield RecipeError("training-adapter-base", method=recipe.training.method)


def adapters_have_an_optimizer(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Muon makes the singular values of a whole matrix equal; nobody has shown what that does to its two factors."""
    training = recipe.training
    if training.method != "full" and training.optimizer == "muon":
        yield RecipeError("training-adapter-optimizer", method=training.method, optimizer=training.optimizer)


def weights_are_there(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Weights to start from are safetensors files in a folder."""
    folder = recipe.training.init_from
    if folder is None:
        return
    try:
        found = next(Path(folder).glob("model*.safetensors"), None)
    except (OSError, ValueError):
        found = None
    if found is None:
        yield RecipeError("training-no-weights", folder=folder)
        return
    try:
        yield from _misfits(recipe, weights_in(Path(folder)).shapes)
    except HeadwayError as error:
        yield error


def _misfits(recipe: Recipe, found: Mapping[str, tuple[int, ...]]) -> Iterator[HeadwayError]:
    """Yield the first weight that the model has and the files have not, or the other way round, or of another shape."""
    folder = recipe.training.init_from
    if any(".lora_A." in name for name in found):
        yield RecipeError("training-weights-adapters", folder=folder)
        return
    expected = weight_shapes(recipe.model)
    # Some writers store the tied head as well.
    ignored = {"lm_head.weight"} if recipe.model.tie_word_embeddings else set()
    for name in sorted((set(found) | set(expected)) - ignored):
        if found.get(name) != expected.get(name):
            shapes = {"found": str(found.get(name, "missing")), "expected": str(expected.get(name, "unknown"))}
            yield RecipeError("training-weights-shape", folder=folder, name=name, **shapes)
            return


def data_is_there(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """Every path of the data names something that can be read, as do prepared tokens."""
    try:
        require_prepared(recipe.data)
    except (DataError, MissingDependencyError) as error:
        yield error
    for data in texts_of(recipe.data):
        try:
            list_files(data)
        except (DataError, MissingDependencyError) as error:
            yield error


def vocabulary_has_room(recipe: Recipe, _inventory: Inventory) -> Iterator[HeadwayError]:
    """The model has a row for every id that its tokenizer can give."""
    try:
        require_room(recipe.data.tokenizer, recipe.model.vocab_size)
        if not is_built_in(recipe.data.tokenizer):
            read_saved(recipe.data.tokenizer)
    except DataError as error:
        yield error


def conversations_have_a_template(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """Messages become text by the template of the tokenizer's model."""
    if any(list(rule(recipe, inventory)) for rule in (packages_are_installed, data_is_there, vocabulary_has_room)):
        # What these find would be found once more.
        return
    try:
        for data in texts_of(recipe.data):
            require_template(data)
    except (DataError, MissingDependencyError) as error:
        yield error


def first_rows_are_sound(recipe: Recipe, inventory: Inventory) -> Iterator[HeadwayError]:
    """A bad row stops the preparation; where the first text has one, it is found before there is a run."""
    before = (packages_are_installed, data_is_there, vocabulary_has_room, conversations_have_a_template)
    if any(list(rule(recipe, inventory)) for rule in before):
        return
    try:
        require_sound_beginning(recipe.data)
    except (DataError, MissingDependencyError) as error:
        yield error


RULES: tuple[Rule, ...] = (
    settings_are_supported,
    phases_are_single,
    architecture_is_supported,
    packages_are_installed,
    accelerator_is_here,
    devices_are_here,
    compiling_is_possible,
    matrices_divide,
    a_plan_says_how_to_split,
    threads_are_here,
    adapters_have_a_base,
    adapters_have_an_optimizer,
    weights_are_there,
    data_is_there,
    vocabulary_has_room,
    conversations_have_a_template,
    first_rows_are_sound,
)


def obstacles(recipe: Recipe, inventory: Inventory) -> list[HeadwayError]:
    """Return everything that keeps a recipe from being trained here, in the order of `RULES`."""
    return [error for rule in RULES for error in rule(recipe, inventory)]


def for_training(recipe: Recipe) -> Recipe:
    """Return a recipe whose plan can be trained: what it leaves open is closed where training has no choice."""
    closed = dict.fromkeys(("context_parallel_degree", "expert_parallel_degree"), 1)
    if recipe.hardware.devices == 1:
        return recipe
    if recipe.training.compile and recipe.layout.tensor_parallel_degree == "auto":
        closed["tensor_parallel_degree"] = 1
    return recipe.model_copy(update={"layout": recipe.layout.model_copy(update=closed)})


def require_trainable(recipe: Recipe, inventory: Inventory) -> None:
    """Refuse a recipe that cannot be trained here.

    Raises:
        HeadwayError: the one obstacle, or `ObstaclesError` where there are several.
    """
    found = tuple(obstacles(recipe, inventory))
    if found:
        raise found[0] if len(found) == 1 else ObstaclesError(found)


def _id_of(name: str) -> str:
    try:
        return catalog.accelerator(name).id
    except CatalogError:
        return name
