"""What a plan's failures become by chance."""

import math
from dataclasses import replace
from itertools import pairwise
from statistics import fmean, pvariance

import pytest

from headway.catalog.reliability import failure_trace, recovery
from headway.i18n import Translator
from headway.planning.reliability import Reliability, plan_reliability
from headway.planning.reliability.chance import REPLICAS, explain_chance


def planned(devices: int = 16384, days: float = 54.0, write_seconds: float | None = 30.0) -> Reliability:
    return plan_reliability(
        devices=devices, work_seconds=days * 86400, write_seconds=write_seconds, interval_seconds=1800
    )


def test_independent_failures_agree_with_the_exact_formula_and_bursts_leave_more() -> None:
    found = planned()
    steps = {step.arguments["process"]: step for step in explain_chance(found, 2048)}
    assert list(steps) == ["independent", "bursts", "replay"]
    assert steps["independent"].value == pytest.approx(found.goodput, abs=0.003)
    assert steps["bursts"].value > steps["independent"].value
    arguments = steps["independent"].arguments
    assert arguments["low"] < steps["independent"].value < arguments["high"]
    assert arguments["fewest"] < found.expected_interruptions < arguments["most"]
    assert arguments["replicas"] == REPLICAS
    # Of 0.52 failures for 1,000 devices and a day, instead of 0.40.
    assert steps["replay"].arguments["fewest"] > arguments["fewest"]
    texts = {Translator("en").text(step.id, **step.arguments) for step in steps.values()}
    assert len(texts) == 3
    assert not [text for text in texts if "{" in text]
    assert all(step.source for step in steps.values())


def test_the_shape_of_the_bursts_is_that_of_the_trace() -> None:
    """The variance of Weibull's gaps over their mean squared is G(1 + 2/k) / G(1 + 1/k)^2 - 1."""
    starts = sorted(fault.start_seconds for fault in failure_trace("infinitehbd").events)
    gaps = [after - before for before, after in pairwise(starts)]
    shape = recovery()["gaps-weibull-shape"].value
    assert shape is not None
    varied = math.gamma(1 + 2 / shape) / math.gamma(1 + 1 / shape) ** 2 - 1
    assert varied == pytest.approx(pvariance(gaps) / fmean(gaps) ** 2, rel=0.01)


def test_what_would_take_too_long_is_left_out() -> None:
    assert not list(explain_chance(planned(write_seconds=None), 2048)), "no goodput is known"
    assert not list(explain_chance(replace(planned(), goodput=0.0), 2048))
    assert not list(explain_chance(replace(planned(), expected_interruptions=1e9), 2048))
    long = planned(devices=8, days=365 * 100)
    assert [step.arguments["process"] for step in explain_chance(long, 1)] == ["independent", "bursts"]
    wide = planned(devices=8 * 400 * 101, days=1)
    assert "replay" not in [step.arguments["process"] for step in explain_chance(wide, 400 * 101)]
    many = replace(planned(days=1), expected_interruptions=2e4)
    assert {step.arguments["replicas"] for step in explain_chance(many, 2048)} == {100}
