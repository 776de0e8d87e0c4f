"""Each fault that one process can meet, done to it for real."""

from __future__ import annotations

import pytest

from headway.resilience.drills import FAULTS, Result
from headway.resilience.drills.fault import Grounds
from headway.resilience.drills.rehearsal import rehearse
from headway.resilience.drills.stage import Stage

Begun = tuple[Grounds, Stage]

HERE = [name for name, fault in FAULTS.items() if not fault.needs_many]


def held(result: Result) -> Result:
    """Require that a drill passed, or that this machine says why it cannot be."""
    if result.status == "impossible":
        pytest.skip(result.reasons[0].message_id)
    assert result.status == "passed", result
    return result


@pytest.mark.parametrize("name", HERE)
def test_a_fault_costs_no_weights(name: str, one: Begun) -> None:
    result = held(rehearse(FAULTS[name](), *one))
    assert result.is_identical is FAULTS[name].keeps_weights
    assert result.repeated_steps is not None
    assert result.repeated_steps <= 8
    if FAULTS[name].signs:
        assert result.detected_seconds is not None
        assert result.recovered_seconds is not None
    else:
        assert (result.detected_seconds, result.repeated_steps) == (None, 0)
    if not FAULTS[name].keeps_weights:
        assert result.reasons[0].arguments["batches"] >= 1


def test_what_takes_several_processes_is_not_passed_by_one(one: Begun) -> None:
    for name, fault in FAULTS.items():
        if fault.needs_many:
            result = rehearse(fault(), *one)
            assert (result.status, result.fault) == ("impossible", name)
            assert result.is_identical is None
