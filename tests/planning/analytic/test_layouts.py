import numpy as np
import pytest

from headway.planning.analytic.layouts import FULL, GRADIENTS, PARAMETERS, RECOMPUTE, SHARDS, layouts


def test_one_device_is_the_default() -> None:
    found = layouts()
    assert len(found) == 1
    assert found.replicas[0] == found.expert_replicas[0] == found.shard_group[0] == 1
    assert found.sequence_parallel[0] == 0


def test_columns_of_one_length_and_single_values_mix() -> None:
    found = layouts(data=[1, 2, 4], tensor=2)
    assert len(found) == 3
    assert list(found.tensor) == [2, 2, 2]
    assert list(found.replicas) == [1, 2, 4]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        layouts(data=[1, 2, 4], tensor=[1, 2])


def test_what_follows_from_the_rest() -> None:
    found = layouts(data=4, context=2, tensor=[1, 8], expert=[8, 1])
    assert list(found.sequence_parallel) == [0, 1]
    assert list(found.shard_group) == [8, 8]
    # An expert's matrices are whole where experts are divided, else split like the others.
    assert list(found.expert_tensor) == [1, 8]
    assert list(found.expert_replicas) == [1, 8]


def test_what_is_given_stays() -> None:
    found = layouts(data=8, tensor=4, sequence_parallel=0, shard_group=2, expert=2, expert_tensor=4)
    assert (found.sequence_parallel[0], found.shard_group[0], found.expert_tensor[0]) == (0, 2, 4)
    assert found.expert_replicas[0] == 8 * 4 / (2 * 4)


def test_experts_have_at_least_one_replica() -> None:
    assert layouts(data=2, expert=8).expert_replicas[0] == 1


def test_some_of_the_layouts() -> None:
    found = layouts(data=[1, 2, 4]).take([2, 0])
    assert list(found.data) == [4, 1]
    assert np.all(found.tensor == 1)


def test_names_of_levels() -> None:
    assert (RECOMPUTE[FULL], SHARDS[PARAMETERS], SHARDS[GRADIENTS]) == ("full", "parameters", "gradients")
