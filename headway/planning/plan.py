"""The plan: everything that a recipe will take, predicted from the recipe, the catalogue and the probe."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from headway.machine import Machine
from headway.planning import advice
from headway.planning.carbon import Carbon, Water
from headway.planning.choice import Alternative, Choice, Format, Layout
from headway.planning.cooling import Cooling
from headway.planning.cost import Cost
from headway.planning.device import CPU, accelerator_name, processors
from headway.planning.energy import Energy
from headway.planning.flops import forward_flops_per_token, model_flops_per_token, training_flops_per_token
from headway.planning.limits import require_possible
from headway.planning.memory import Memory
from headway.planning.message import Message
from headway.planning.network import Network
from headway.planning.parameters import count_active_parameters, count_parameters
from headway.planning.power import Power
from headway.planning.precision import USUAL, settled
from headway.planning.processors import choose_on_processors
from headway.planning.reliability import Reliability, plan_reliability
from headway.planning.site import plan_site
from headway.planning.spread import SURE, spread_of
from headway.planning.storage import Storage, checkpoint_interval_seconds, count_writes, plan_storage
from headway.planning.time import Time, plan_time
from headway.planning.trades import Trade, trades
from headway.planning.verdict import first_change, verdict
from headway.recipe import Recipe
from headway.recipe.sections import VALIDATION_BATCH_SEQUENCES

if TYPE_CHECKING:
    from headway.planning.phases import Chain


@dataclass(frozen=True, kw_only=True)
class Model:
    """The model in numbers.

    Attributes:
        parameters: all distinct weights.
        active_parameters: weights that one token passes.
        forward_flops_per_token: of the forward pass.
        training_flops_per_token: forward and backward, as the hardware does them.
        model_flops_per_token: as model FLOPs utilisation counts them.
    """

    parameters: int
    active_parameters: int
    forward_flops_per_token: float
    training_flops_per_token: float
    model_flops_per_token: float


@dataclass(frozen=True, kw_only=True)
class SourceUse:
    """What a run takes of one of several sources.

    Attributes:
        name: of the source.
        share: of the training tokens.
        tokens: that are trained on.
        epochs: passes over the source; None where its size is not known.
    """

    name: str
    share: float
    tokens: int
    epochs: float | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """The length of the run.

    Attributes:
        steps: optimizer steps.
        tokens: that are trained on.
        epochs: passes over the data; None where its size is not known.
        training_flops: of the whole run.
        sources: what it takes of each, where there are several.
    """

    steps: int
    tokens: int
    epochs: float | None
    training_flops: float
    sources: tuple[SourceUse, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """What trains.

    Attributes:
        accelerator: id in the catalogue, or ``cpu``.
        devices: of the run.
        devices_per_node: of one server.
        nodes: servers.
        peak_flops_per_second: of one device, for the recipe's precision.
    """

    accelerator: str
    devices: int
    devices_per_node: int
    nodes: int
    peak_flops_per_second: float


@dataclass(frozen=True, kw_only=True)
class Software:
    """What will run.

    Attributes:
        engine: the framework.
        engine_version: as installed, or None.
        precision: of the arithmetic.
    """

    engine: str
    engine_version: str | None
    precision: str


@dataclass(frozen=True, kw_only=True)
class Search:
    """How the layout was found.

    Attributes:
        considered: layouts that were evaluated.
        removed: how many choices each rule removed, by its name.
        cost_axis: what `Plan.front` measures cost in: ``usd``, ``joules``, or the ``time`` that it follows.
        formats: of the products, that were compared; none where the recipe says one.
    """

    considered: int
    removed: dict[str, int]
    cost_axis: str = "time"
    formats: tuple[Format, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything predicted from a recipe. What nobody can know is None, and absent from `to_dict`."""

    name: str
    model: Model
    run: Run
    hardware: Hardware
    layout: Layout
    memory: Memory
    time: Time
    storage: Storage
    network: Network
    power: Power
    energy: Energy
    cooling: Cooling
    carbon: Carbon
    water: Water
    cost: Cost
    reliability: Reliability | None
    software: Software
    search: Search
    watching: tuple[Message, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[Trade, ...] = ()
    warnings: tuple[Message, ...] = ()
    infeasible: tuple[Message, ...] = ()
    chain: Chain | None = None

    @property
    def is_feasible(self) -> bool:
        """Whether nothing stands in the way, as far as is known."""
        return not self.infeasible

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; what is not known is left out. Phases that follow are plans of their own."""
        content: dict[str, Any] = _plain(replace(self, chain=None))
        change = first_change(self)
        content["verdict"] = _plain(verdict(self)) | ({} if change is None else {"change": _plain(change)})
        return content if self.chain is None else {**content, **self.chain.to_dict()}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {name: item for name, item in known.items() if item is not None and item != {}}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def plan(recipe: Recipe, machine: Machine | None = None) -> Plan:
    """Predict what a recipe will take; its phases are left to `headway.plan`.

    Args:
        recipe: the resolved recipe.
        machine: this server, measured; needed where the processors themselves train.

    Raises:
        PlanError: the layout is not supported, or what is needed to predict it is not known.
        CatalogError: the catalogue does not know a name.
    """
    require_possible(recipe)
    chosen = choose(recipe, machine)
    recipe = settled(recipe, chosen.precision)
    storage = _storage(recipe, machine, chosen)
    reliability = _reliability(recipe, chosen, storage)
    time = _time(recipe, chosen, storage, reliability)
    found = _with_site(recipe, machine, chosen, storage, reliability, time)
    return replace(
        found,
        warnings=tuple(advice.warnings(recipe, found)),
        infeasible=tuple(advice.obstacles(found)),
        watching=tuple(advice.watching(found)),
    )


def choose(recipe: Recipe, machine: Machine | None = None) -> Choice:
    """Return the layout to use, on the processors of servers or on accelerators; see `plan`."""
    name = accelerator_name(recipe, machine)
    if name == CPU:
        recipe = settled(recipe, USUAL)
        return choose_on_processors(recipe, processors(recipe, machine))
    # NumPy takes a while to load, and only the search over accelerators needs it.
    from headway.planning.accelerated import choose_on_accelerators

    return choose_on_accelerators(recipe, name)


def _storage(recipe: Recipe, machine: Machine | None, chosen: Choice) -> Storage:
    """Return disk space and rates; the machine's own disk counts only where this machine is the one that trains."""
    if machine is None or not _trains_here(recipe, chosen):
        return plan_storage(recipe, None, step_seconds=chosen.step_seconds)
    disk = machine.measurements.disk if machine.measurements is not None else None
    storage = plan_storage(recipe, disk, step_seconds=chosen.step_seconds)
    return replace(storage, free_bytes=machine.inventory.disk.free_bytes)


def _reliability(recipe: Recipe, chosen: Choice, storage: Storage) -> Reliability | None:
    """Return what failures do; for a CPU, of which nobody published them, where the recipe states rate and way back."""
    stated = recipe.resilience
    if chosen.is_cpu and None in (
        stated.failures_per_1000_devices_per_day,
        stated.detection_time,
        stated.restart_time,
        stated.repair_time,
    ):
        return None
    return plan_reliability(
        devices=recipe.hardware.devices,
        work_seconds=recipe.num_steps * chosen.step_seconds + _evaluation_seconds(recipe, chosen),
        write_seconds=storage.checkpoint_write_seconds,
        interval_seconds=checkpoint_interval_seconds(recipe, chosen.step_seconds, storage.checkpoint_write_seconds),
        accelerator=chosen.accelerator,
        resilience=recipe.resilience,
    )


def _time(recipe: Recipe, chosen: Choice, storage: Storage, reliability: Reliability | None) -> Time:
    training_seconds = recipe.num_steps * chosen.step_seconds
    checkpoint_seconds = 0.0
    if storage.checkpoint_write_seconds is not None:
        known_write_seconds = None if chosen.is_cpu else storage.checkpoint_write_seconds
        interval_seconds = checkpoint_interval_seconds(recipe, chosen.step_seconds, known_write_seconds)
        checkpoint_seconds = count_writes(training_seconds, interval_seconds) * storage.checkpoint_write_seconds
    return plan_time(
        recipe,
        chosen,
        evaluation_seconds=_evaluation_seconds(recipe, chosen),
        checkpoint_seconds=checkpoint_seconds,
        goodput=_goodput(reliability),
        goodput_spread=SURE
        if reliability is None
        else spread_of(reliability.goodput_low, reliability.goodput, reliability.goodput_high),
    )


def _goodput(reliability: Reliability | None) -> float | None:
    """Return the useful share of the time, which is nothing where a job does not live long enough to save itself.

    Where the storage is not known, it is what is left of detection, restart and waiting for servers.
    """
    if reliability is None:
        return None
    if not reliability.makes_progress:
        return 0.0
    return reliability.charged_share


def _evaluation_seconds(recipe: Recipe, chosen: Choice) -> float:
    """Return the time of all evaluations: forward passes, one set at the end and one at each interval."""
    every = recipe.training.evaluate_every_steps
    times = 1 + ((recipe.num_steps - 1) // every if every is not None else 0)
    sequences = recipe.training.evaluate_batches * VALIDATION_BATCH_SEQUENCES
    layout = chosen.layout
    passes = math.ceil(sequences / layout.data_parallel_degree / layout.micro_batch_size)
    return times * passes * chosen.forward_seconds


def _with_site(
    recipe: Recipe,
    machine: Machine | None,
    chosen: Choice,
    storage: Storage,
    reliability: Reliability | None,
    time: Time,
) -> Plan:
    """Return the plan with everything that follows from the time: power, energy, cooling, carbon, cost."""
    devices = recipe.hardware.devices
    per_node = chosen.devices_per_node
    site = plan_site(recipe, entry=chosen.entry, machine=machine, time=time, per_node=per_node)
    return Plan(
        name=recipe.name,
        model=_model(recipe),
        run=_run(recipe),
        hardware=Hardware(
            accelerator=chosen.accelerator,
            devices=devices,
            devices_per_node=per_node,
            nodes=-(-devices // per_node),
            peak_flops_per_second=chosen.peak_flops_per_second,
        ),
        layout=chosen.layout,
        memory=chosen.memory,
        time=time,
        storage=storage,
        network=chosen.network,
        power=site.power,
        energy=site.energy,
        cooling=site.cooling,
        carbon=site.carbon,
        water=site.water,
        cost=site.cost,
        reliability=reliability,
        software=_software(recipe, machine, is_here=_trains_here(recipe, chosen)),
        alternatives=chosen.alternatives,
        front=trades(recipe, chosen, time),
        search=Search(
            considered=chosen.considered,
            removed=dict(chosen.removed),
            cost_axis=chosen.cost_axis,
            formats=chosen.formats,
        ),
    )


def _model(recipe: Recipe) -> Model:
    model, length, method = recipe.model, recipe.training.sequence_length, recipe.training.method
    return Model(
        parameters=count_parameters(model),
        active_parameters=count_active_parameters(model),
        forward_flops_per_token=forward_flops_per_token(model, length).total,
        training_flops_per_token=training_flops_per_token(model, length, method=method),
        model_flops_per_token=model_flops_per_token(model, length, method=method),
    )


def _run(recipe: Recipe) -> Run:
    tokens, known = recipe.num_tokens, recipe.data.known_tokens
    return Run(
        steps=recipe.num_steps,
        tokens=tokens,
        epochs=None if known is None else tokens / known,
        training_flops=tokens
        * training_flops_per_token(recipe.model, recipe.training.sequence_length, method=recipe.training.method),
        sources=source_uses(recipe),
    )


def source_uses(recipe: Recipe) -> tuple[SourceUse, ...]:
    """Return what a run takes of each of several sources.

    Source: ``training/data/mixture.py``: each source has its share of the sequences.
    Leaves out: validation documents, which are in no epoch.
    """
    return tuple(
        SourceUse(
            name=source.name,
            share=share,
            tokens=round(share * recipe.num_tokens),
            epochs=None if source.dataset_tokens is None else share * recipe.num_tokens / source.dataset_tokens,
        )
        for source, share in zip(recipe.data.sources, recipe.data.shares, strict=True)
    )


def _trains_here(recipe: Recipe, chosen: Choice) -> bool:
    """Return whether this machine is the one that trains."""
    return chosen.is_cpu or recipe.hardware.accelerator == "auto"


@cache
def _installed_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _software(recipe: Recipe, machine: Machine | None, *, is_here: bool) -> Software:
    engine = recipe.training.engine
    installed = machine.inventory.software.frameworks if machine is not None else {}
    version = installed.get(engine)
    if version is None and machine is None:
        version = _installed_version(engine)
    if version is not None and not is_here:
        # The build that is installed here, such as that for processors, says nothing of the one that will train.
        version = version.partition("+")[0]
    return Software(
        engine=engine,
        engine_version=None if version is None else f"{engine} {version}",
        precision=recipe.training.precision,
    )
