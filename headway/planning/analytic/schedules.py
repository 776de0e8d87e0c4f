"""In which order a pipeline takes forward and backward passes, and how much of its waiting that leaves.

Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2 (one of each in turn, chunks); Qi et al. 2023
(arXiv:2401.10241), sections 2 and 6 and table 2 (zero bubble: the weights' gradients fill what would be waiting).
"""

from __future__ import annotations

PLAIN_SCHEDULE, ZERO_BUBBLE, V_SHAPED = "1f1b", "zero-bubble", "zero-bubble-v"
"""One of each in turn; with the weights' gradients in passes of their own; and that with two stages a rank, in a V, so
that the first rank has the last stage too."""

WEIGHTS_SHARE = 1 / 3
"""Of a micro-batch's time, where all weights are trained: forward, input and weight gradient are a product each."""


def bubble_share(schedule: str, *, trains_weights: bool) -> float:
    """Return what a schedule leaves of the waiting of one forward and one backward pass in turn.

    That waiting is (p - 1)(F + B + W) of the times of a micro-batch; ZB-H1's is (p - 1)(F + B - W), ZB-V's
    (p - 1)(F + B - 2 W).

    Args:
        schedule: the recipe's word.
        trains_weights: else there is nothing to fill it with.

    Source: Qi et al. 2023 (arXiv:2401.10241), table 2 and section 6.
    Leaves out: that F, B and W differ, and recomputation.
    """
    share = WEIGHTS_SHARE if trains_weights else 0.0
    return 1 - {PLAIN_SCHEDULE: 0, ZERO_BUBBLE: 2, V_SHAPED: 3}[schedule] * share
