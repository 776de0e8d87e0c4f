"""The slowest stage, by hand: layers of one second forward and two backward, and a head of two and four."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.analytic.layer import PassTimes
from headway.planning.analytic.layouts import FULL, Layouts, layouts
from headway.planning.analytic.pace import Pace, pace
from tests.planning.analytic.invented import array, job, llama, machines


def passes(split: Layouts, *, head: float = 0.0, host: float = 0.0) -> PassTimes:
    """Return a head that takes so long forward and twice as long backward, and a host alike."""
    ones = np.ones(len(split))
    return PassTimes(
        again=0 * ones,
        head_forward=head * ones,
        head_backward=2 * head * ones,
        host_forward=host * ones,
        host_backward=2 * host * ones,
    )


def found(
    layers: int, split: Layouts, *, each: float = 1.0, head: float = 0.0, host: float = 0.0, **changes: Any
) -> Pace:
    """Return the pace of so many layers, each of a second forward and two backward."""
    total = (array(each * layers), array(2 * each * layers))
    trained = job(llama(num_hidden_layers=layers), **changes)
    return pace(trained, machines(8), split, total, passes(split, head=head, host=host))


def test_one_stage_does_everything() -> None:
    one = found(4, layouts(), head=2.0)
    (stage,) = one.stages
    # Four layers and the head: 4 + 2 forward, 8 + 4 backward.
    assert (stage.forward[0], stage.backward[0], np.max(stage.spare)) == (6, 12, 0)
    assert (one.average_seconds[0], one.head[0], one.host[0], one.offload[0]) == (18, 6, 0, 0)


def test_the_last_of_equal_stages_has_the_head_besides() -> None:
    one = found(8, layouts(pipeline=4), head=2.0)
    (last,) = one.stages
    # Two layers a stage: 2 + 2 forward and 4 + 4 backward, of which the head is what evenly divided layers are not.
    assert (last.forward[0], last.backward[0], one.head[0]) == (4, 8, 6)
    # All eight layers and the head over four stages: (24 + 6) / 4.
    assert one.average_seconds[0] == 7.5


def test_layers_that_do_not_divide_make_another_stage_the_slowest() -> None:
    """Seven layers on four stages: two, two, two and one, and a head that is shorter than a layer."""
    last, other = found(7, layouts(pipeline=4), head=0.5).stages
    assert (last.forward[0], last.backward[0]) == (1.5, 3)
    assert (other.forward[0], other.backward[0]) == (2, 4)
    # The last stage is over 1.5 s before the others.
    assert (last.spare[0], other.spare[0]) == (1.5, 0)  # type: ignore[index]
    # The slowest stage takes 6 s where evenly divided layers took 21 / 4.
    assert found(7, layouts(pipeline=4), head=0.5).head[0] == pytest.approx(0.75)


def test_a_slow_host_sets_the_pace_of_each_pass() -> None:
    # Of four layers a stage has two: 2 + 4 s on the device, and a host that takes 3 + 6.
    one = found(4, layouts(pipeline=2), host=6.0)
    assert (one.stages[0].forward[0], one.stages[0].backward[0], one.host[0]) == (3, 6, 3)
    assert one.average_seconds[0] == 9


def test_recomputation_starts_the_forward_operations_once_more() -> None:
    # Backward 2 x 3 s, and the three of the forward pass again: 9 s, on a device that takes 4.
    one = found(2, layouts(recompute=FULL), host=3.0)
    assert one.stages[0].backward[0] == 9
    half = found(2, layouts(recompute=FULL, recompute_share=0.5), host=3.0)
    assert half.stages[0].backward[0] == 7.5


def test_a_link_to_the_host_sets_the_pace_where_it_is_slower() -> None:
    split = layouts(offload_activations=1)
    quick, slow = found(4, split), found(4, split, each=1e-9)
    assert quick.offload[0] == 0
    # Layers that take next to nothing wait for what they keep, on its way there and back.
    assert slow.offload[0] > 0
    assert slow.stages[0].forward[0] == pytest.approx(slow.stages[0].backward[0])


@given(layers=st.integers(1, 40), stages=st.integers(1, 12), head=st.floats(0, 10), host=st.floats(0, 100))
def test_the_parts_of_the_slowest_stage_add_up_and_nothing_is_negative(layers, stages, head, host) -> None:
    stages = min(stages, layers)
    one = found(layers, layouts(pipeline=stages), head=head, host=host)
    evenly = 3 * layers / stages
    slowest = max(float(stage.forward[0] + stage.backward[0]) for stage in one.stages)
    assert evenly + one.head[0] + one.host[0] + one.offload[0] == pytest.approx(slowest)
    assert min(one.head[0], one.host[0], one.offload[0]) >= 0
    assert all(np.min(stage.spare) >= 0 for stage in one.stages)
    # No stage is faster than the mean, and none is without layers.
    assert slowest >= evenly - 1e-9
