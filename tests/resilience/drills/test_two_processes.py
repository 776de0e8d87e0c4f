"""Faults between processes."""

from __future__ import annotations

import pytest

from headway.resilience.drills import FAULTS
from headway.resilience.drills.fault import Grounds
from headway.resilience.drills.rehearsal import rehearse
from headway.resilience.drills.stage import Stage


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.needs_many])
def test_a_fault_between_processes_costs_no_weights(name: str, two: tuple[Grounds, Stage]) -> None:
    result = rehearse(FAULTS[name](), *two)
    assert result.status == "passed", result
    assert result.is_identical
    assert result.detected_seconds is not None
