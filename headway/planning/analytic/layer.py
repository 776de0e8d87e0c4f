"""What one micro-batch takes on one device, were it to hold all layers: forward, backward and again, by part.

Everything is an array over layouts. Stages of a pipeline take their share of these times in ``step.py``.
Source: `products`, `attention`, `elementwise` and `host` for the parts; Korthikanti et al. 2022 (arXiv:2205.05198),
section 5 (what is computed again).
Leaves out: what the parts leave out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headway.planning.analytic.attention import attention_times
from headway.planning.analytic.elementwise import elementwise_times, head_times
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.host import host_times
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import FULL, Floats, Layouts
from headway.planning.analytic.products import product_times, rounding_times
from headway.planning.constants import constant

STALL_SHARE = constant("dispatch-stall-share")
"""Of the wait for the numbers of tokens of all experts, that falls to either pass."""


@dataclass(kw_only=True)
class PassTimes:
    """Seconds of one micro-batch, arrays of shape [layouts].

    Attributes:
        forward: of all layers, by part.
        backward: of all layers, by part.
        again: what recomputation adds for all layers.
        head_forward: of the output projection and the loss.
        head_backward: the same, backward.
        host_forward: that the host needs to start the operations of all layers.
        host_backward: the same, backward.
    """

    forward: dict[str, Floats] = field(default_factory=dict)
    backward: dict[str, Floats] = field(default_factory=dict)
    again: Floats
    head_forward: Floats
    head_backward: Floats
    host_forward: Floats
    host_backward: Floats

    def take(self, indices: Any) -> PassTimes:
        """Return the times of some of the layouts."""
        return PassTimes(
            forward={name: values[indices] for name, values in self.forward.items()},
            backward={name: values[indices] for name, values in self.backward.items()},
            again=self.again[indices],
            head_forward=self.head_forward[indices],
            head_backward=self.head_backward[indices],
            host_forward=self.host_forward[indices],
            host_backward=self.host_backward[indices],
        )

    @property
    def layers_forward(self) -> Floats:
        """All parts of the layers' forward pass."""
        return np.asarray(sum(self.forward.values()))

    @property
    def layers_backward(self) -> Floats:
        """All parts of the layers' backward pass, recomputation included."""
        return np.asarray(sum(self.backward.values())) + self.again


def tokens_of(job: Job, split: Layouts) -> Floats:
    """Return the tokens of one micro-batch that one device holds."""
    tokens: Floats = split.micro_batch * job.sequence_length / split.context
    return tokens


def pass_times(job: Job, hardware: Hardware, split: Layouts) -> PassTimes:
    """Return the times of one micro-batch."""
    tokens = tokens_of(job, split)
    stall = stall_seconds(job, hardware, tokens)
    parts = {
        "projections": product_times(job, hardware, split, tokens),
        "attention": attention_times(job, hardware, split, tokens),
        "elementwise": elementwise_times(job, hardware, split, tokens),
        "rounding": rounding_times(job, hardware, split, tokens),
        "dispatch": (stall, stall),
    }
    forward, backward = ({name: times[index] for name, times in parts.items()} for index in (0, 1))
    head, host = head_times(job, hardware, split, tokens), host_times(job, hardware, split)
    return PassTimes(
        forward=forward,
        backward=backward,
        again=_again(job, split, forward),
        head_forward=head[0],
        head_backward=head[1],
        host_forward=host[0],
        host_backward=host[1],
    )


def stall_seconds(job: Job, hardware: Hardware, tokens: Floats) -> Floats:
    """Return for how long the device waits in one pass for the host to learn how many tokens each expert has.

    A captured graph has room for any number of them, and waits for nothing.
    Source: Gale et al. 2022 (arXiv:2211.15841), section 5.1; Megatron-LM, ``token_dispatcher.py``.
    Leaves out: that the wait overlaps with what was started before.
    """
    each = 0.0 if job.captures_graphs else hardware.losses.dispatch_stall_seconds
    return np.full_like(tokens, STALL_SHARE * each * job.shape.sparse_layers)


SHARE_AGAIN = {
    "products": (0.0, 0.0, constant("recompute-products-share"), 1.0),
    "scores": (0.0, 0.0, 0.0, 1.0),
    "unfused scores": (0.0, 1.0, 1.0, 1.0),
    "light": (0.0, 1.0, 1.0, 1.0),
    "light beside scores": (0.0, 0.0, 1.0, 1.0),
}
"""Share of a forward pass that is computed again, by level of recomputation as in `layouts.RECOMPUTE`."""


def _again(job: Job, split: Layouts, forward: dict[str, Floats]) -> Floats:
    """Return the time of what is computed again in the backward pass.

    Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 5 (scores where they are written out, whole layers);
    PyTorch, torch/utils/checkpoint.py, ``create_selective_checkpoint_contexts`` (every other product).
    Leaves out: that what is computed again finds its inputs in no cache.
    """
    level = split.recompute.astype(np.intp)
    is_fused = job.attention != "unfused"
    products, scores, light = (
        np.asarray(SHARE_AGAIN[name])[level]
        for name in (
            "products",
            "scores" if is_fused else "unfused scores",
            "light" if is_fused else "light beside scores",
        )
    )
    again: Floats = split.recompute_share * (
        products * (forward["projections"] + forward["rounding"])
        + scores * forward["attention"]
        + light * forward["elementwise"]
        + (level == FULL) * forward["dispatch"]
    )
    return again
