"""A process learns from its launcher which one it is."""

from __future__ import annotations

import pytest

from headway.errors import TrainingError
from headway.training.place import Place, place_of


def test_a_process_without_a_launcher_is_alone() -> None:
    assert place_of({"WORLD_SIZE": "8"}) == Place(rank=0, size=1, local_rank=0, local_size=1)


def test_torchruns_variables_are_read() -> None:
    told = {"RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "8"}
    assert place_of(told) == Place(rank=9, size=16, local_rank=1, local_size=8)


def test_a_place_comes_back_from_its_environment() -> None:
    place = Place(rank=3, size=4, local_rank=3, local_size=4)
    assert place_of(place.to_environment()) == place


@pytest.mark.parametrize(
    ("told", "variable"),
    [
        ({"RANK": "x", "WORLD_SIZE": "2"}, "RANK"),
        ({"RANK": "-1", "WORLD_SIZE": "2"}, "RANK"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK"),
        ({"RANK": "0", "WORLD_SIZE": ""}, "WORLD_SIZE"),
        ({"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "1.5"}, "LOCAL_RANK"),
    ],
)
def test_a_place_that_makes_no_sense_is_refused(told: dict[str, str], variable: str) -> None:
    with pytest.raises(TrainingError, match="training-rank") as refused:
        place_of(told)
    assert refused.value.arguments == {"variable": variable, "value": told[variable]}
