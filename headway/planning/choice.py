"""What a search for a layout finds, on processors and on accelerators alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headway.catalog import Accelerator
from headway.planning.analytic.schedules import PLAIN_SCHEDULE
from headway.planning.memory import Memory
from headway.planning.network import Network

WAITING_PARTS = ("communication_seconds", "bubble_seconds", "offload_seconds", "host_seconds", "waiting_seconds")
"""Ends of the names of a step's parts in which the accelerator waits."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The resolved layout.

    Attributes:
        data_parallel_degree: devices that each take a share of the batch.
        tensor_parallel_degree: devices that share each matrix.
        pipeline_parallel_degree: groups of layers on devices of their own.
        virtual_pipeline_stages: chunks of layers that each of these groups holds.
        pipeline_schedule: in which order micro-batches go through them.
        context_parallel_degree: devices that share each sequence.
        expert_parallel_degree: devices that share the experts.
        shard: what data-parallel devices divide among them.
        shard_group_size: devices among which that is divided.
        reshard_after_forward: whether gathered weights are dropped after the forward pass.
        micro_batch_size: sequences that go through the model at once on a device.
        gradient_accumulation_steps: micro-batches of a device in a step.
        recompute: what the backward pass computes again.
        recompute_share: share of the layers that do.
        sequence_parallel: whether devices that share matrices divide positions between them.
    """

    data_parallel_degree: int
    tensor_parallel_degree: int = 1
    pipeline_parallel_degree: int = 1
    virtual_pipeline_stages: int = 1
    pipeline_schedule: str = PLAIN_SCHEDULE
    context_parallel_degree: int = 1
    expert_parallel_degree: int = 1
    shard: str
    shard_group_size: int = 1
    reshard_after_forward: bool = True
    micro_batch_size: int
    gradient_accumulation_steps: int
    recompute: str = "none"
    recompute_share: float = 1.0
    sequence_parallel: bool = False


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A layout that was not chosen.

    Attributes:
        layout: how the work is split.
        step_seconds: of one step.
        device_peak_bytes: of one device.
        fits: whether it fits; None where the capacity is not known.
        is_on_front: whether no other layout is both faster and leaner.
    """

    layout: Layout
    step_seconds: float
    device_peak_bytes: float
    fits: bool | None
    is_on_front: bool = False


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """A layout of the front of time, memory and cost, or the one that is chosen.

    Attributes:
        layout: how the work is split.
        precision: of the products.
        step_seconds: of one step.
        computing_seconds: of them, those in which the devices do not wait.
        device_peak_bytes: of one device.
        is_on_front: whether no other is as good in all three at once; one that is chosen may be simpler instead.
    """

    layout: Layout
    precision: str
    step_seconds: float
    computing_seconds: float
    device_peak_bytes: float
    is_on_front: bool


@dataclass(frozen=True, kw_only=True)
class Format:
    """The best layout with products of one format, where the recipe leaves it to the plan.

    Attributes:
        precision: as in ``training.precision``.
        step_seconds: of one step; None where no layout fits.
        device_peak_bytes: of one device.
        fits: whether it fits; None where the capacity is not known.
    """

    precision: str
    step_seconds: float | None
    device_peak_bytes: float
    fits: bool | None


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The layout to use, with what it takes.

    Attributes:
        accelerator: id in the catalogue, or ``cpu``.
        entry: the catalogue's entry; None for a CPU.
        devices_per_node: of one server.
        peak_flops_per_second: stated peak of one device for the recipe's precision; of a CPU, the best one measured.
        layout: how the work is split.
        memory: the peak of a device.
        parts_seconds: of a step, by part; they sum to it, exposed communication included.
        step_spread: 80 % interval of the step around the prediction, as ratios.
        forward_seconds: of one micro-batch, as an evaluation does it.
        network: traffic of a device.
        precision: of the products: that of the recipe, or what was chosen.
        alternatives: the next best layouts.
        front: some of the layouts that nothing beats in time, memory and cost, fastest first.
        cost_axis: what the front measures cost in: ``usd``, ``joules``, or the ``time`` that it follows.
        formats: that were compared; none where the recipe says one.
        considered: how many layouts were evaluated.
        removed: how many choices each rule removed.
    """

    accelerator: str
    entry: Accelerator | None
    devices_per_node: int
    peak_flops_per_second: float
    layout: Layout
    memory: Memory
    parts_seconds: Mapping[str, float]
    step_spread: tuple[float, float]
    forward_seconds: float
    network: Network
    precision: str
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[FrontPoint, ...] = ()
    cost_axis: str = "time"
    formats: tuple[Format, ...] = ()
    considered: int = 1
    removed: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_cpu(self) -> bool:
        """Whether the processors themselves train."""
        return self.entry is None

    @property
    def step_seconds(self) -> float:
        """One step."""
        return sum(self.parts_seconds.values())
