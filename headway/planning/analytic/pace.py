"""At which pace a pipeline goes through micro-batches: that of its slowest stage, of its host, or of the link to it.

Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2 (schedules: every stage waits for the slowest).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headway.planning.analytic.activations import kept_bytes_per_layer
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes, tokens_of
from headway.planning.analytic.layouts import FULL, Floats, Layouts
from headway.planning.analytic.replicas import StagePasses


@dataclass(frozen=True, kw_only=True)
class Pace:
    """One micro-batch, in seconds; the last three are what the slowest stage takes besides evenly divided layers.

    Attributes:
        stages: forward and backward pass of the slowest stage, and of another where it may be the last to be over.
        average_seconds: both passes, on average over the stages.
        head: of the head and of layers that do not divide evenly.
        host: by how much its host is slower than the device.
        offload: by how much sending what layers keep to the host, and fetching it back, is slower than both.
    """

    stages: tuple[StagePasses, ...]
    average_seconds: Floats
    head: Floats
    host: Floats
    offload: Floats


@dataclass(frozen=True, kw_only=True)
class _Stage:
    """Forward and backward pass of one stage: on the device, with its host, and with the link to the host too."""

    device: tuple[Floats, Floats]
    hosted: tuple[Floats, Floats]
    paced: tuple[Floats, Floats]

    @property
    def seconds(self) -> Floats:
        """Both passes."""
        return self.paced[0] + self.paced[1]


def pace(job: Job, hardware: Hardware, split: Layouts, layers: tuple[Floats, Floats], passes: PassTimes) -> Pace:
    """Return the pace of every layout.

    A pass is over when the slowest of three is: the device, the host that starts its operations, and the link over
    which what layers keep goes to the host. The last stage has the head besides its layers; where these do not divide
    evenly, it is given fewer of them, and either that stage or one of the others is the slowest.

    Args:
        job: the training.
        hardware: what it runs on.
        split: the layouts.
        layers: forward and backward pass of all layers on the device, with the communication that shows in them.
        passes: a micro-batch on one device, for the head and the host.

    Leaves out: how far a host or a link that is faster in one pass runs ahead into the next.
    """
    full = np.where(split.recompute == FULL, split.recompute_share, 0.0)
    on_host = (passes.host_forward, passes.host_backward + full * passes.host_forward)
    on_link = _offload(job, hardware, split)
    head = (passes.head_forward, passes.head_backward)

    def stage(share: Floats, head_share: Floats | float) -> _Stage:
        device = (share * layers[0] + head_share * head[0], share * layers[1] + head_share * head[1])
        hosted = (np.maximum(device[0], share * on_host[0]), np.maximum(device[1], share * on_host[1]))
        if on_link is None:
            return _Stage(device=device, hosted=hosted, paced=hosted)
        paced = (np.maximum(hosted[0], share * on_link), np.maximum(hosted[1], share * on_link))
        return _Stage(device=device, hosted=hosted, paced=paced)

    even = 1 / split.pipeline
    candidates = _candidates(job, split, stage)
    slowest = candidates[0] if len(candidates) == 1 else _slower(*candidates)
    average = stage(even, even)
    layers_evenly = even * (layers[0] + layers[1])
    uneven = np.maximum(slowest.device[0] + slowest.device[1] - layers_evenly, 0.0)
    waiting = np.maximum(slowest.hosted[0] + slowest.hosted[1] - layers_evenly - uneven, 0.0)
    return Pace(
        stages=tuple(
            StagePasses(forward=one.paced[0], backward=one.paced[1], spare=slowest.seconds - one.seconds)
            for one in candidates
        ),
        average_seconds=average.seconds,
        head=uneven,
        host=waiting,
        offload=slowest.seconds - layers_evenly - uneven - waiting,
    )


def _candidates(
    job: Job, split: Layouts, stage: Callable[[Floats, Floats | float], _Stage]
) -> tuple[_Stage] | tuple[_Stage, _Stage]:
    """Return the last stage, and one of the others where these may have more layers."""
    layers = float(job.shape.layers)
    chunks = split.pipeline * split.virtual
    is_even = np.isclose(layers % chunks, 0) | (split.pipeline == 1)
    if np.all(is_even):
        return (stage(1 / split.pipeline, 1.0),)
    most = np.where(is_even, layers / split.pipeline, np.ceil(layers / chunks) * split.virtual)
    fewest = np.maximum(layers - most * (split.pipeline - 1), 0.0)
    # Where there is one stage, all is even, and the other has as many layers and no head.
    return stage(fewest / layers, 1.0), stage(most / layers, 0.0)


def _slower(one: _Stage, other: _Stage) -> _Stage:
    """Return the slower of two stages, layout by layout."""
    is_first = one.seconds >= other.seconds

    def either(ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        return np.where(is_first, ours[0], theirs[0]), np.where(is_first, ours[1], theirs[1])

    return _Stage(
        device=either(one.device, other.device),
        hosted=either(one.hosted, other.hosted),
        paced=either(one.paced, other.paced),
    )


def _offload(job: Job, hardware: Hardware, split: Layouts) -> Floats | None:
    """Return how long what all layers keep of a micro-batch travels, one way; None where no layout sends it."""
    if not np.any(split.offload_activations):
        return None
    kept = kept_bytes_per_layer(job, split, tokens_of(job, split)) * job.shape.layers
    return np.where(split.offload_activations > 0, kept / hardware.losses.host_link_bytes_per_second, 0.0)
