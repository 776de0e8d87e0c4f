import pytest

from headway.i18n import Translator
from headway.planning.reliability import plan_reliability
from headway.planning.reliability.explain import explain
from headway.recipe.sections import ResilienceConfig


@pytest.mark.parametrize("write_seconds", [None, 30.0])
@pytest.mark.parametrize("basis", ["published-fleets", "kokolis-rsc-1"])
def test_every_step_has_a_text_and_a_source(write_seconds: float | None, basis: str) -> None:
    found = plan_reliability(
        devices=16384,
        work_seconds=54 * 86400,
        write_seconds=write_seconds,
        interval_seconds=900,
        resilience=ResilienceConfig(failure_basis=basis),
    )
    steps = explain(found)
    assert len(steps) == (4 if write_seconds is None else 10)
    texts = [Translator("en").text(step.id, **step.arguments) for step in steps]
    assert all(step.source for step in steps)
    assert len(set(texts)) == len(texts)
    assert not [text for text in texts if "{" in text]
    assert any("16.4k" in text or "16,384" in text for text in texts)


def test_the_values_are_those_of_the_plan() -> None:
    found = plan_reliability(devices=1024, work_seconds=1e6, write_seconds=30.0, interval_seconds=900)
    values = {step.id.removeprefix("explain-reliability-"): step.value for step in explain(found)}
    assert values["goodput"] == found.goodput
    assert values["interval"] == found.checkpoint_interval_seconds
    assert values["mtbf"] == pytest.approx(found.mtbf_hours * 3600)
    shares = (values[name] for name in ("goodput", "lost-work", "restarts", "detection", "stalls"))
    assert sum(shares) == pytest.approx(1)
