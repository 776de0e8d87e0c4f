from __future__ import annotations

import pytest

from benchmarks.plan_accuracy.conventions import (
    flops_of,
    has_rate_in_flops,
    recomputed_gpt_flops,
    step_seconds,
    whole_attention_flops,
)
from benchmarks.plan_accuracy.express import express
from benchmarks.plan_accuracy.figures import converted_figures
from benchmarks.plan_accuracy.rows import COLUMNS
from benchmarks.plan_accuracy.score import score_converted
from benchmarks.plan_accuracy.shapes import InexpressibleError

GPT = {
    "id": "a", "source": "Narayanan 2021 (SC21) Table 1", "model": "GPT-1.7B", "params": "1.7e9", "layers": "24",
    "hidden": "2304", "heads": "24", "kv_heads": "24", "ffn": "9216", "vocab": "51200", "seq_len": "2048",
    "devices": "32", "tp": "1", "pp": "1", "dp": "32", "micro_batch": "16", "global_batch": "512",
    "precision": "fp16", "recompute": "full", "accel": "A100-80", "kind": "pretrain", "tflops_per_device": "137",
}  # fmt: skip
"""The first row of table 1 of Narayanan et al. 2021."""


def row(**changes: str) -> dict[str, str]:
    return {**dict.fromkeys(COLUMNS, ""), **GPT, **changes}


def test_four_passes_by_hand() -> None:
    # 96 x 512 x 2048 x 24 x 2304^2 x (1 + 2048 / 13824 + 51200 / 884736) = 1.546e16.
    expected = 96 * 512 * 2048 * 24 * 2304**2 * (1 + 2048 / 13824 + 51200 / 884736)
    assert recomputed_gpt_flops(express(row())) == pytest.approx(expected)
    assert expected == pytest.approx(1.547e16, rel=1e-3)


def test_three_passes_and_all_scores_by_hand() -> None:
    # A layer's matrices are 12 h^2, the head V h; the scores of a token 12 l h s.
    weights = 24 * 12 * 2304**2 + 51200 * 2304
    expected = 512 * 2048 * (6 * weights + 12 * 24 * 2304 * 2048)
    assert whole_attention_flops(express(row())) == pytest.approx(expected)


def test_a_rate_is_a_time() -> None:
    found = express(row())
    assert step_seconds(row(), found) == pytest.approx(flops_of(row(), found) / 137e12 / 32)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"step_time_s": "3"}, False),
        ({"tokens_per_s_per_device": "3"}, False),
        ({"tflops_per_device": ""}, False),
    ],
)
def test_only_rows_without_a_time_are_converted(changes: dict[str, str], expected: bool) -> None:
    assert has_rate_in_flops(row(**changes)) is expected


def test_a_source_that_does_not_say_how_it_counts_is_not_scored() -> None:
    unknown = row(source="somebody's post")
    with pytest.raises(InexpressibleError, match="how FLOPs are counted is not known"):
        flops_of(unknown, express(unknown))
    scores, reasons = score_converted([row(), unknown, row(step_time_s="3")])
    assert (len(scores), sum(reasons.values())) == (1, 1)


def test_attention_within_documents_has_no_known_count() -> None:
    long = row(source="https://glennklockwood.com/garden/llama-3.1", seq_len="16384")
    with pytest.raises(InexpressibleError):
        flops_of(long, express(long))


def test_converted_rows_stand_apart() -> None:
    (score,), _ = score_converted([row()])
    found = converted_figures([score, score], [score])
    assert found["step_time"]["rows"] == 1
    assert found["with_stated_times"]["rows"] == 3
    assert found["sources"]["Narayanan 2021 SC21)"]["rows"] == 1
    assert converted_figures([], [])["step_time"] == {"rows": 0}
