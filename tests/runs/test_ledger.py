from __future__ import annotations

import math

import pytest

from headway.runs import Ledger, LedgerRow, Measurement, build_ledger
from headway.runs.ledger import PLANNED_QUANTITIES


def row(predicted: object = None, measured: object = None) -> LedgerRow:
    return LedgerRow(resource="time", quantity="step_seconds", predicted=predicted, measured=measured)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predicted", "measured", "error"),
    [
        (1.1, 1.0, 0.1),
        (90, 100, -0.1),
        (None, 1.0, None),
        (1.0, None, None),
        (1.0, 0, None),
        (0, 0, None),
        (0, 5, -1.0),
        ("2.13", "2.13", None),
        (1.0, "x", None),
        (math.nan, 1.0, None),
        (1.0, math.nan, None),
        (math.inf, 1.0, None),
        (1.0, math.inf, -1.0),
    ],
)
def test_the_error_of_a_prediction(predicted: object, measured: object, error: float | None) -> None:
    found = row(predicted, measured).error
    assert found == (None if error is None else pytest.approx(error))


def test_plan_and_measurements_lie_side_by_side() -> None:
    plan = {
        "time": {"step_seconds": 1.2, "step_seconds_low": 1.0, "step_seconds_high": 1.4, "total_seconds": None},
        "memory": "unknown",
        "software": {"precision": "bf16"},
    }
    measured = {
        "step_seconds": Measurement(1.0),
        "energy_joules": Measurement(500.0, estimated=True),
        "precision": Measurement("bf16"),
        "nobody_asked": Measurement(1),
    }
    ledger = build_ledger(plan, measured)
    assert [(found.resource, found.quantity) for found in ledger.rows] == [
        ("time", "step_seconds"),
        ("energy", "energy_joules"),
        ("algorithms", "precision"),
    ]
    step, energy, precision = ledger.rows
    assert (step.predicted, step.predicted_low, step.predicted_high) == (1.2, 1.0, 1.4)
    assert (step.measured, step.basis) == (1.0, "measured")
    assert step.error == pytest.approx(0.2)
    assert (energy.predicted, energy.measured, energy.basis, energy.error) == (None, 500.0, "estimated", None)
    assert (precision.predicted, precision.measured, precision.error) == ("bf16", "bf16", None)


def test_a_prediction_alone_has_no_basis() -> None:
    (only,) = build_ledger({"cost": {"total_usd": 3.0}}, {}).rows
    assert only.to_dict() == {"resource": "money", "quantity": "total_usd", "predicted": 3.0}


def test_what_neither_side_knows_is_left_out() -> None:
    assert build_ledger({}, {}).rows == ()


def test_a_ledger_survives_its_plain_form() -> None:
    ledger = build_ledger({"time": {"step_seconds": 1.2}}, {"step_seconds": Measurement(1.0)})
    content = ledger.to_dict()
    assert content["rows"][0]["error"] == pytest.approx(0.2)
    assert Ledger.from_dict(content) == ledger
    content["rows"][0]["of_a_later_version"] = 1
    assert Ledger.from_dict(content) == ledger
    assert Ledger.from_dict({}) == Ledger(())


def test_every_quantity_has_one_row() -> None:
    quantities = [quantity for _, quantity, _ in PLANNED_QUANTITIES]
    assert len(set(quantities)) == len(quantities)
