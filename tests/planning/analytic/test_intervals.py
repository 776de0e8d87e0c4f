import pytest

from headway.planning.analytic.intervals import MEMORY_SPREAD, STEP_SPREAD, kind_of, memory_spread, step_spread
from headway.planning.analytic.job import Adapter, Job
from tests.planning.analytic.invented import job, llama

MIXTURE = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2)


@pytest.mark.parametrize(
    ("trained", "kind"),
    [(job(), "dense"), (job(MIXTURE), "experts"), (job(MIXTURE, adapter=Adapter(rank=8)), "adapter")],
)
def test_intervals_are_those_of_the_kind(trained: Job, kind: str) -> None:
    assert kind_of(trained) == kind
    assert memory_spread(trained) == MEMORY_SPREAD[kind]
    assert step_spread(trained) == STEP_SPREAD[kind]


@pytest.mark.parametrize("spread", [MEMORY_SPREAD, STEP_SPREAD])
def test_every_interval_holds_the_prediction(spread: dict[str, tuple[float, float]]) -> None:
    for low, high in spread.values():
        assert 0 < low < 1 < high
