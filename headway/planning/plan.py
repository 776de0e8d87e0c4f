"""The plan: everything that a recipe will take, predicted from the recipe, the catalogue and the probe."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

from headway.machine import Machine
from headway.planning import advice
from headway.planning.carbon import Carbon, Water
from headway.planning.cooling import Cooling
from headway.planning.cost import Cost
from headway.planning.device import Device, resolve_device
from headway.planning.energy import Energy
from headway.planning.flops import forward_flops_per_token, model_flops_per_token, training_flops_per_token
from headway.planning.layout import Alternative, Candidate, Layout, choose_layout
from headway.planning.memory import Memory
from headway.planning.message import Message
from headway.planning.network import Network, devices_per_node
from headway.planning.operations import Workload
from headway.planning.parameters import count_active_parameters, count_parameters
from headway.planning.power import Power
from headway.planning.reliability import Reliability, plan_reliability
from headway.planning.site import plan_site
from headway.planning.storage import Storage, checkpoint_interval_seconds, plan_storage
from headway.planning.time import Time, plan_time
from headway.recipe import Recipe


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
class Run:
    """The length of the run.

    Attributes:
        steps: optimizer steps.
        tokens: that are trained on.
        epochs: passes over the data; None where its size is not known.
        training_flops: of the whole run.
    """

    steps: int
    tokens: int
    epochs: float | None
    training_flops: float


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
    watching: tuple[Message, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[Message, ...] = ()
    infeasible: tuple[Message, ...] = ()

    @property
    def is_feasible(self) -> bool:
        """Whether nothing stands in the way, as far as is known."""
        return not self.infeasible

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; what is not known is left out."""
        content: dict[str, Any] = _plain(self)
        return content


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {name: item for name, item in known.items() if item is not None and item != {}}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def plan(recipe: Recipe, machine: Machine | None = None) -> Plan:
    """Predict what a recipe will take.

    Args:
        recipe: the resolved recipe.
        machine: this server, measured; needed where the processors themselves train.

    Raises:
        PlanError: the layout is not supported, or what is needed to predict it is not known.
        CatalogError: the catalogue does not know a name.
    """
    device = resolve_device(recipe, machine)
    chosen, alternatives = choose_layout(recipe, device)
    storage = _storage(recipe, machine, device, chosen)
    reliability = _reliability(recipe, device, chosen, storage)
    time = _time(recipe, device, chosen, storage, reliability)
    found = _with_site(recipe, machine, device, chosen, storage, reliability, time)
    found = replace(found, alternatives=alternatives)
    return replace(
        found,
        warnings=tuple(advice.warnings(recipe, found)),
        infeasible=tuple(advice.obstacles(found)),
        watching=tuple(advice.watching(found)),
    )


def _storage(recipe: Recipe, machine: Machine | None, device: Device, chosen: Candidate) -> Storage:
    """Return disk space and rates; the machine's own disk counts only where this machine is the one that trains."""
    is_here = device.is_cpu or recipe.hardware.accelerator == "auto"
    if machine is None or not is_here:
        return plan_storage(recipe, None, step_seconds=chosen.step_seconds)
    disk = machine.measurements.disk if machine.measurements is not None else None
    storage = plan_storage(recipe, disk, step_seconds=chosen.step_seconds)
    return replace(storage, free_bytes=machine.inventory.disk.free_bytes)


def _reliability(recipe: Recipe, device: Device, chosen: Candidate, storage: Storage) -> Reliability | None:
    """Return what failures do; None for a CPU, for which nobody published a rate."""
    if device.is_cpu:
        return None
    return plan_reliability(
        devices=recipe.hardware.devices,
        training_seconds=recipe.num_steps * chosen.step_seconds,
        write_seconds=storage.checkpoint_write_seconds,
        interval_seconds=checkpoint_interval_seconds(recipe, chosen.step_seconds, storage.checkpoint_write_seconds),
        accelerator=device.name,
        resilience=recipe.resilience,
    )


def _time(recipe: Recipe, device: Device, chosen: Candidate, storage: Storage, reliability: Reliability | None) -> Time:
    training_seconds = recipe.num_steps * chosen.step_seconds
    checkpoint_seconds = 0.0
    if storage.checkpoint_write_seconds is not None:
        known_write_seconds = None if device.is_cpu else storage.checkpoint_write_seconds
        interval_seconds = checkpoint_interval_seconds(recipe, chosen.step_seconds, known_write_seconds)
        # The last step is always saved.
        writes = training_seconds // interval_seconds + 1
        checkpoint_seconds = writes * storage.checkpoint_write_seconds
    return plan_time(
        chosen.work,
        device,
        chosen.cost,
        chosen.network,
        devices=recipe.hardware.devices,
        tokens_per_step=recipe.tokens_per_step,
        num_steps=recipe.num_steps,
        evaluation_seconds=_evaluation_seconds(recipe, chosen),
        checkpoint_seconds=checkpoint_seconds,
        goodput=reliability.goodput if reliability is not None else None,
    )


def _evaluation_seconds(recipe: Recipe, chosen: Candidate) -> float:
    """Return the time of all evaluations: forward passes, one set at the end and one at each interval."""
    every = recipe.training.evaluate_every_steps
    times = 1 + ((recipe.num_steps - 1) // every if every is not None else 0)
    return times * recipe.training.evaluate_batches * chosen.cost.forward_seconds


def _with_site(
    recipe: Recipe,
    machine: Machine | None,
    device: Device,
    chosen: Candidate,
    storage: Storage,
    reliability: Reliability | None,
    time: Time,
) -> Plan:
    """Return the plan with everything that follows from the time: power, energy, cooling, carbon, cost."""
    devices = recipe.hardware.devices
    per_node = devices_per_node(recipe, device.catalogued)
    site = plan_site(recipe, entry=device.catalogued, machine=machine, time=time, per_node=per_node)
    return Plan(
        name=recipe.name,
        model=_model(chosen.work),
        run=_run(recipe, chosen.work),
        hardware=Hardware(
            accelerator=device.name,
            devices=devices,
            devices_per_node=per_node,
            nodes=-(-devices // per_node),
            peak_flops_per_second=device.peak_flops_per_second,
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
        software=_software(recipe, machine),
    )


def _model(work: Workload) -> Model:
    return Model(
        parameters=count_parameters(work.model),
        active_parameters=count_active_parameters(work.model),
        forward_flops_per_token=forward_flops_per_token(work.model, work.sequence_length).total,
        training_flops_per_token=training_flops_per_token(work.model, work.sequence_length),
        model_flops_per_token=model_flops_per_token(work.model, work.sequence_length),
    )


def _run(recipe: Recipe, work: Workload) -> Run:
    tokens, known = recipe.num_tokens, recipe.data.dataset_tokens
    return Run(
        steps=recipe.num_steps,
        tokens=tokens,
        epochs=None if known is None else tokens / known,
        training_flops=tokens * training_flops_per_token(work.model, work.sequence_length),
    )


def _software(recipe: Recipe, machine: Machine | None) -> Software:
    engine = recipe.training.engine
    installed = machine.inventory.software.frameworks if machine is not None else {}
    version = installed.get(engine)
    if version is None and machine is None:
        try:
            version = metadata.version(engine)
        except metadata.PackageNotFoundError:
            version = None
    return Software(
        engine=engine,
        engine_version=None if version is None else f"{engine} {version}",
        precision=recipe.training.precision,
    )
