"""At which pace a pipeline goes through micro-batches: that of its slowest stage, of its host, or of the link to it.

Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2 (schedules: every stage waits for the slowest).
Leaves out: how far one stage runs ahead of another.
"""

from __future__ import annotations

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
    """One stage: both passes on the device, with its host, and each with the link to the host too."""

    device: Floats
    hosted: Floats
    paced: tuple[Floats, Floats]

    @property
    def seconds(self) -> Floats:
        """Both passes."""
        return self.paced[0] + self.paced[1]


@dataclass(frozen=True, kw_only=True)
class _Whole:
    """All layers of the model, were they on one device: each a forward and a backward pass.

    Attributes:
        layers: on the device, with the communication that shows in them.
        head: on the device.
        host: that starts their operations, once more for what is recomputed.
        link: over which what layers keep travels, each way; None where no layout sends it.
    """

    layers: tuple[Floats, Floats]
    head: tuple[Floats, Floats]
    host: tuple[Floats, Floats]
    link: Floats | None

    def stage(self, share: Floats, *, has_head: bool) -> _Stage:
        """Return a stage that has a share of the layers, and perhaps the head."""
        device = (share * self.layers[0], share * self.layers[1])
        if has_head:
            device = (device[0] + self.head[0], device[1] + self.head[1])
        hosted = (np.maximum(device[0], share * self.host[0]), np.maximum(device[1], share * self.host[1]))
        paced = hosted
        if self.link is not None:
            paced = (np.maximum(hosted[0], share * self.link), np.maximum(hosted[1], share * self.link))
        return _Stage(device=device[0] + device[1], hosted=hosted[0] + hosted[1], paced=paced)

    @property
    def seconds(self) -> Floats:
        """Both passes through everything."""
        passes = [np.maximum(self.layers[index] + self.head[index], self.host[index]) for index in (0, 1)]
        if self.link is not None:
            passes = [np.maximum(each, self.link) for each in passes]
        return passes[0] + passes[1]


def pace(job: Job, hardware: Hardware, split: Layouts, layers: tuple[Floats, Floats], passes: PassTimes) -> Pace:
    """Return the pace of every layout.

    A pass is over when the slowest of three is: the device, the host that starts its operations, and the link over
    which what layers keep goes to the host. The last stage has the head besides its layers; where these do not divide
    evenly, it is given fewer of them, but never none, and either that stage or one of the others is the slowest.

    Args:
        job: the training.
        hardware: what it runs on.
        split: the layouts.
        layers: forward and backward pass of all layers on the device, with the communication that shows in them.
        passes: a micro-batch on one device, for the head and the host.

    Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2.
    Leaves out: how far a host or a link that is faster in one pass runs ahead into the next.
    """
    full = np.where(split.recompute == FULL, split.recompute_share, 0.0)
    whole = _Whole(
        layers=layers,
        head=(passes.head_forward, passes.head_backward),
        host=(passes.host_forward, passes.host_backward + full * passes.host_forward),
        link=_offload(job, hardware, split),
    )
    found = _candidates(job, split, whole)
    seconds = [one.seconds for one in found]
    is_first = seconds[0] >= seconds[-1]
    slowest = np.where(is_first, seconds[0], seconds[-1])
    layers_evenly = (layers[0] + layers[1]) / split.pipeline
    uneven = np.maximum(np.where(is_first, found[0].device, found[-1].device) - layers_evenly, 0.0)
    waiting = np.maximum(np.where(is_first, found[0].hosted, found[-1].hosted) - layers_evenly - uneven, 0.0)
    return Pace(
        stages=tuple(
            StagePasses(forward=one.paced[0], backward=one.paced[1], spare=slowest - each)
            for one, each in zip(found, seconds, strict=True)
        ),
        average_seconds=whole.seconds / split.pipeline,
        head=uneven,
        host=waiting,
        offload=slowest - layers_evenly - uneven - waiting,
    )


def _candidates(job: Job, split: Layouts, whole: _Whole) -> tuple[_Stage, ...]:
    """Return the last stage, and one of the others where these may have more layers."""
    layers = float(job.shape.layers)
    chunks = split.pipeline * split.virtual
    is_even = (layers % chunks == 0) | (split.pipeline == 1)
    if np.all(is_even):
        return (whole.stage(1 / split.pipeline, has_head=True),)
    most = np.where(is_even, layers / split.pipeline, np.ceil(layers / chunks) * split.virtual)
    fewest = layers - most * (split.pipeline - 1)
    # Where full stages would leave none for the last, all stages have nearly as many: some one less than others.
    fewest = np.where(fewest < 1, np.maximum(np.floor(layers / split.pipeline), 1.0), fewest)
    # Where there is one stage, all is even, and the other has as many layers and no head.
    return whole.stage(fewest / layers, has_head=True), whole.stage(most / layers, has_head=False)


def _offload(job: Job, hardware: Hardware, split: Layouts) -> Floats | None:
    """Return how long what all layers keep of a micro-batch travels, one way; None where no layout sends it."""
    if not np.any(split.offload_activations):
        return None
    kept = kept_bytes_per_layer(job, split, tokens_of(job, split)) * job.shape.layers
    return np.where(split.offload_activations > 0, kept / hardware.losses.host_link_bytes_per_second, 0.0)
