import numpy as np
import pytest

from benchmarks.plan_accuracy import reserve_fit, retention, spread, words
from benchmarks.plan_accuracy.express import express
from benchmarks.plan_accuracy.rows import MEMORY, read_rows
from benchmarks.plan_accuracy.score import peak_layout, score_all_fits, score_fits, score_memories, score_memory
from benchmarks.plan_accuracy.shapes import InexpressibleError
from headway.planning.analytic.reserves import reserves
from tests.planning.analytic.invented import habits

ROWS = {row["id"]: row for row in read_rows(MEMORY)}


def changed(identifier: str, **columns: str) -> dict[str, str]:
    return {**ROWS[identifier], **columns}


@pytest.mark.parametrize(
    ("name", "program", "loss"),
    [
        ("mcore-ci-small-018", "megatron", "sharded"),
        ("mcore-ci-small-085", "megatron", "whole"),
        ("bigscience-032", "megatron-deepspeed", "sharded"),
        ("internevo-058", "internevo", "sharded"),
        ("nanotron-024", "nanotron", "sharded"),
        ("litgpt-014", "litgpt", "rounded"),
        ("torchtune-006", "torchtune", "chunked"),
        ("torchtitan-005", "torchtitan", "whole"),
        ("torchtitan-031", "torchtitan", "compiled"),
        ("qwen-030", "transformers", "whole"),
        ("qwen-079", "deepspeed", "rounded"),
        ("peft-bench-033", "transformers", "whole"),
        ("ms-swift-057", "deepspeed", "whole"),
    ],
)
def test_the_program_of_a_row_and_its_loss(name: str, program: str, loss: str) -> None:
    row = ROWS[name]
    found = express(row, longest=True).job
    tunes, quantized = row["kind"] != "pretrain", row["kind"] == "qlora"
    assert words.program(row) == program
    assert found.keeps == habits(program, compiled=words.is_compiled(row), tunes=tunes, quantized=quantized)
    assert found.loss == loss


def test_a_row_may_count_the_tables_as_layers() -> None:
    assert express(ROWS["bigscience-135"]).job.counts_tables
    assert not express(ROWS["bigscience-032"]).job.counts_tables


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
    _, one = peak_layout(ROWS["torchtune-002"])
    assert one.offload_optimizer[0] == 1


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


def test_how_peaks_move_with_what_lies_beside_tensors() -> None:
    """A peak of tensors alone does not; one that the driver shows moves with holes and context by their share of it."""
    scores, _ = score_memories([ROWS[name] for name in ("litgpt-014", "qwen-030")])
    slopes = reserve_fit.reserve_slopes(scores)
    assert list(slopes[0]) == [0, 0, 0, 0]
    context = reserves().early_context_bytes / 2**30 / scores[1].predicted
    assert slopes[1] == pytest.approx([0.06 / 1.06 * (1 - context), 0, 0, context], rel=0.02)
    assert len(reserve_fit.left_out(scores)) == 2


def test_the_fit_of_reserves_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["reserve_fit"])
    assert reserve_fit.main() == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines()[:4]] == list(reserve_fit.FITTED)
    assert "left out" in shown
