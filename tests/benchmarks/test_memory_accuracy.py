from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plan_accuracy import retention, spread
from benchmarks.plan_accuracy.express import express
from benchmarks.plan_accuracy.rows import MEMORY, read_rows
from benchmarks.plan_accuracy.score import peak_parts, score_all_fits, score_fits, score_memories, score_memory
from benchmarks.plan_accuracy.shapes import InexpressibleError
from headway.planning.analytic.keeping import COMPILED, DEEPSPEED, EAGER, HAND_FUSED, INTERNEVO, LITGPT, NANOTRON

TUNED = replace(LITGPT, logit_bytes=8.0, accumulates_unsharded=True, mixes_frozen=True)
ROWS = {row["id"]: row for row in read_rows(MEMORY)}


def changed(identifier: str, **columns: str) -> dict[str, str]:
    return {**ROWS[identifier], **columns}


@pytest.mark.parametrize(
    ("name", "keeps"),
    [
        ("mcore-ci-small-018", HAND_FUSED),
        ("mcore-ci-small-085", replace(HAND_FUSED, logit_bytes=14.0)),
        ("bigscience-032", DEEPSPEED),
        ("bigscience-135", replace(DEEPSPEED, counts_tables=True)),
        ("internevo-058", INTERNEVO),
        ("internevo-057", replace(INTERNEVO, flat_copies=0.0)),
        ("nanotron-024", NANOTRON),
        ("litgpt-014", TUNED),
        ("litgpt-012", replace(TUNED, keeps_frozen_inputs=True)),
        ("litgpt-thunder-004", replace(COMPILED, logit_bytes=8.0)),
        ("litgpt-thunder-005", replace(LITGPT, logit_bytes=8.0)),
        ("torchtune-010", replace(EAGER, logit_bytes=14.0)),
        ("torchtune-006", replace(COMPILED, offloads_weights=True)),
        ("torchtitan-001", replace(EAGER, gathers_inputs=True, holds_unsharded_gradients=True, keeps_outputs=True,
                                   update_copies=0.0)),
        ("torchtitan-031", replace(COMPILED, gathers_inputs=True, holds_unsharded_gradients=True, keeps_outputs=True,
                                   update_copies=0.0, logit_bytes=4.0)),
        ("qwen-030", replace(EAGER, update_copies=2.0)),
        ("qwen-079", replace(EAGER, update_copies=2.0, logit_bytes=8.0)),
        ("qwen-044", replace(EAGER, update_copies=2.0, update_elements=1e9)),
        ("peft-bench-033", EAGER),
        ("ms-swift-057", replace(EAGER, update_copies=0.0, update_elements=1e9)),
    ],
)  # fmt: skip
def test_what_the_program_of_a_row_keeps(name: str, keeps: object) -> None:
    row = ROWS[name]
    assert retention.keeping_of(row, express(row, longest=True).job) == keeps


@pytest.mark.parametrize(
    ("name", "context", "reserve"),
    [
        ("mcore-ci-small-018", False, False),
        ("torchtitan-001", False, True),
        ("torchtune-003", False, False),
        ("torchtune-039", False, True),
        ("qwen-030", True, True),
        ("litgpt-014", False, False),
    ],
)
def test_what_a_column_of_memory_counts(name: str, context: bool, reserve: bool) -> None:
    assert retention.counts_context(ROWS[name]) is context
    assert retention.counts_reserve(ROWS[name]) is reserve


def test_paged_states_are_not_counted() -> None:
    _, parts = peak_parts(ROWS["torchtune-002"])
    assert parts.optimizer_bytes[0] == 0


@pytest.mark.parametrize(
    ("columns", "reason"),
    [({"peak_mem_gib": ""}, "no peak memory"), ({"notes": "unpacked", "source": "pytorch/torchtune"}, "lengths")],
)
def test_rows_without_a_score_of_memory(columns: dict[str, str], reason: str) -> None:
    with pytest.raises(InexpressibleError, match=reason):
        score_memory(changed("torchtune-003", **columns))


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"peak_mem_gib": ""}, "neither a peak"),
        ({"accel": ""}, "accelerator not stated"),
        ({"notes": "unpacked"}, "lengths"),
        ({"peak_mem_gib": "90"}, "capacity not known"),
        ({"mem_raw": "ok on 8 GB"}, "capacity not known"),
    ],
)
def test_rows_without_a_decision(columns: dict[str, str], reason: str) -> None:
    with pytest.raises(InexpressibleError, match=reason):
        score_fits(changed("torchtune-003", **columns))


def test_decisions_and_reasons_are_counted() -> None:
    right, reasons = score_all_fits([ROWS["litgpt-019"], ROWS["litgpt-014"], changed("litgpt-014", accel="")])
    assert right == [True, True]
    assert reasons == {"accelerator not stated": 1}


def test_a_wrong_decision_is_told() -> None:
    assert not score_fits(changed("litgpt-014", mem_metric="OOM", peak_mem_gib=""))


def test_quantiles_lie_in_the_middle_of_weights() -> None:
    values, weights = np.asarray([3.0, 1.0, 2.0]), np.asarray([1.0, 1.0, 2.0])
    assert spread.weighted_quantile(values, weights, 0.5) == 2.0
    assert spread.weighted_quantile(values, weights, 0.125) == 1.0
    assert spread.weighted_quantile(values, weights, 0.3125) == pytest.approx(1.5)


def test_a_source_weighs_as_the_root_of_its_rows() -> None:
    """Sixteen rows at 1 weigh 4 together, and one at 2 weighs 1: its middle lies at nine tenths."""
    low, high = spread.interval_of(np.asarray([1.0] * 16 + [2.0]), ["many"] * 16 + ["one"])
    assert (low, high) == (1.0, pytest.approx(2.0))
    assert spread.interval_of(np.asarray([1.0] * 36 + [2.0]), ["many"] * 36 + ["one"])[1] < 1.7


def test_a_left_out_source_may_lie_outside() -> None:
    (low, high), covered = spread.left_out(np.asarray([1.0, 1.0, 1.0, 5.0]), ["a", "b", "c", "d"])
    assert low == 1.0
    assert 1.0 <= high <= 5.0
    assert covered == 0.75
    assert spread.left_out(np.asarray([1.0, 2.0]), ["a", "a"]) == ((1.0, 2.0), 1.0)


def test_intervals_by_kind() -> None:
    names = ("qwen-030", "litgpt-014", "peft-bench-033", "mcore-ci-small-018", "mcore-ci-small-164")
    scores, _ = score_memories([ROWS[name] for name in names])
    found = spread.spreads(scores)
    assert {kind: rows for kind, (_, _, rows) in found.items()} == {"adapter": 3, "dense": 1, "experts": 1}
    for (low, high), coverage, _ in found.values():
        assert low <= high
        assert 0 <= coverage <= 1


def test_the_intervals_are_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["spread"])
    spread.main()
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["adapter", "dense", "experts"]
