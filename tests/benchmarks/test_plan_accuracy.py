import csv
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.plan_accuracy import words
from benchmarks.plan_accuracy.__main__ import main
from benchmarks.plan_accuracy.express import express, training_of
from benchmarks.plan_accuracy.figures import source_weighted, summary
from benchmarks.plan_accuracy.fit import (
    best_measured_share,
    bounded,
    fitted_steps,
    left_out_errors,
    source_weights,
    spreads,
)
from benchmarks.plan_accuracy.rows import COLUMNS, MEMORY, THROUGHPUT, read_rows, source_of
from benchmarks.plan_accuracy.score import choose, score_time
from benchmarks.plan_accuracy.sensitivity import Parameter
from benchmarks.plan_accuracy.shapes import InexpressibleError, model_of
from headway.recipe.sections import TrainingConfig
from tests.planning.analytic.invented import habits

ROWS = {row["id"]: row for row in read_rows(THROUGHPUT)}


def changed(identifier: str, **columns: str) -> dict[str, str]:
    return {**ROWS[identifier], **columns}


@pytest.mark.parametrize(
    ("text", "gigabits"),
    [
        ("1600 Gbps node-node RoCE", 1600),
        ("NVLink + 400Gb/s RDMA per GPU", 3200),
        ("8x200Gb/s HDR per node", 1600),
        ("4x ConnectX-7 IB NDR 400 Gb/s", 1600),
        ("Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s, Management: 1x 100Gb/s", 3200),
        ("1x Ethernet 100Gb/Sec, 8x NVIDIA Quantum-2 CX7 InfiniBand (400Gb/s)", 3200),
        ("NVLink + 400 Gbps RoCE", 3200),
        ("Infiniband, Ethernet", None),
        ("", None),
    ],
)
def test_network_of_a_node(text: str, gigabits: float | None) -> None:
    assert words.node_gigabits(changed("mosaic-001", interconnect=text)) == gigabits


def test_a_row_in_the_planners_terms() -> None:
    found = express(ROWS["mosaic-001"])
    assert (found.devices, found.global_batch, found.job.kernels, found.job.attention) == (512, 4096, "eager", "fused")
    assert found.job.numerics.weight_bytes == 4
    assert found.job.shape.parameters == pytest.approx(64.86e9, rel=0.001)
    assert len(found.splits) == 1
    assert (found.splits.shard[0], found.splits.recompute[0], found.splits.micro_batch[0]) == (3, 3, 8)
    mixture = express(ROWS["bridge-002"])
    assert (mixture.job.shape.experts, mixture.job.shape.chosen_experts) == (256, 8)
    assert (mixture.splits.virtual[0], mixture.splits.expert[0]) == (4, 64)
    # What it recomputes is not said, so that the planner may choose.
    assert len(mixture.splits) > 1
    assert 0 <= choose(mixture).best < len(mixture.splits)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"model": "t5-large"}, "not a decoder-only"),
        ({"layers": "", "model": "Unheard-Of 9B"}, "shape not stated"),
        ({"devices": ""}, "devices or sequence length"),
        ({"accel": "ABACUS"}, "ABACUS"),
        ({"tp": "3"}, "do not divide"),
        ({"kind": "peft", "method": "prompt tuning"}, "fine-tuning method"),
        ({"notes": "Inconsistent as published"}, "inconsistent"),
        ({"global_batch": "", "micro_batch": ""}, "batch not stated"),
        ({"step_time_s": "", "tokens_per_s_per_device": ""}, "neither step time"),
    ],
)
def test_what_cannot_be_expressed_says_why(columns: dict[str, str], reason: str) -> None:
    with pytest.raises(InexpressibleError, match=reason):
        score_time(changed("mosaic-001", **columns))


def test_shapes_from_columns_and_names() -> None:
    assert model_of(ROWS["mosaic-001"]).architecture == "gpt2"
    assert model_of(ROWS["torchtitan-001"]).architecture == "llama"
    assert model_of(ROWS["bridge-002"]).kv_lora_rank == 512
    assert model_of(changed("torchtitan-001", layers="", model="Llama-3.1-8B")).num_hidden_layers == 32


def test_sources() -> None:
    assert source_of(ROWS["mosaic-001"]) == "mosaicml/llm-foundry"
    assert source_of(ROWS["mlperf-013"]) == "mlcommons/training_results"
    assert len({source_of(row) for row in ROWS.values()}) > 20


def small_files(folder: Path) -> tuple[Path, Path]:
    files = []
    for name, source, wanted in (
        ("time.csv", THROUGHPUT, ("mosaic-001", "torchtitan-001", "internevo-001", "mlperf-109", "gopher-001")),
        ("memory.csv", MEMORY, ("torchtitan-001", "hf-4bit-001")),
    ):
        rows = [row for row in read_rows(source) if row["id"] in wanted]
        file = folder / name
        with file.open("w", encoding="utf-8", newline="") as opened:
            writer = csv.DictWriter(opened, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        files.append(file)
    return files[0], files[1]


def test_any_files_of_the_same_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    throughput, memory = small_files(tmp_path)
    assert main(["--throughput", str(throughput), "--memory", str(memory), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) >= {"overall", "sources", "not_expressed"}
    assert set(found["overall"]) == {"step_time", "memory", "fits"}
    assert found["overall"]["step_time"]["rows"] == 4
    assert set(found["overall"]["step_time"]) == {"median_abs_error", "p90_abs_error", "bias", "coverage", "rows"}
    assert found["sources"]["mosaicml/llm-foundry"]["step_time"]["rows"] == 1
    assert sum(found["not_expressed"]["step_time"].values()) == 1
    assert set(found["leave_one_source_out"]) == set(found["source_weighted"]) == {"step_time", "memory"}
    assert found["leave_one_source_out"]["memory"]["rows"] == found["program_unknown"]["memory"]["rows"] == 1
    assert found["source_weighted"]["memory"]["sources"] == 1
    assert main(["--throughput", str(throughput), "--memory", str(memory), "--rows"]) == 0
    shown = capsys.readouterr().out
    assert "mosaicml/llm-foundry" in shown
    assert "memory, each source left out of the fit in turn" in shown
    assert "step_time, each source counting once" in shown
    assert "program unknown (training.software left at its default): memory median" in shown
    assert "not expressed" in shown


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--throughput", str(tmp_path / "none.csv")]) == 2
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["--throughput", str(tmp_path / "odd.csv")]) == 2
    assert "no column named id" in capsys.readouterr().err
    assert summary([], "step_time") == {"rows": 0}


def test_each_source_counts_once() -> None:
    medians = {"a": 0.01, "b": 0.2, "c": 0.03, "d": 0.05, "e": 0.5}
    sources = {name: {"memory": {"median_abs_error": error}} for name, error in medians.items()}
    found = source_weighted({**sources, "f": {"step_time": {"median_abs_error": 9.0}}}, "memory")
    assert found["median_abs_error"] == 0.05
    assert found["worst"] == {"e": 0.5, "b": 0.2, "d": 0.05}
    assert source_weighted(sources, "step_time") == {"sources": 0}


@pytest.mark.parametrize(
    ("source", "notes", "month"),
    [
        ("pytorch/torchtitan benchmarks/llama3_h100_202412_torchtitan.md Table 1", "", (2024, 12)),
        ("quoting Korthikanti 2022, arXiv 2205.05198 Table 5", "", (2022, 5)),
        ("Narayanan 2021 (SC21) Table 1", "", (2021, 1)),
        ("a/b", "date 2022-02-17; rerun 2023-01-05", (2022, 2)),
        ("NVIDIA/Megatron-LM images/cases_jan2021.png", "", (2021, 1)),
        ("a/b README.md", "seq 2048, 2012 devices", None),
        ("bigscience tr11-176B-ml", "2016 sequences", None),
    ],
)
def test_the_month_that_a_row_states(source: str, notes: str, month: tuple[int, int] | None) -> None:
    assert words.stated_month(changed("mosaic-001", source=source, notes=notes)) == month


def test_what_a_date_implies_of_a_program() -> None:
    """No fused attention and no distributed optimizer before there were any; recent where nothing is stated."""
    early = changed("sc21-t1-002", source="Some group 2021: NVIDIA/Megatron-LM")
    late = changed("sc21-t1-002", source="Some group: NVIDIA/Megatron-LM")
    assert [express(row).job.attention for row in (early, late)] == ["unfused", "tuned"]
    assert [words.shard(row, words.family(row))[0] for row in (early, late)] == [0, 1]


def test_a_rows_job_is_made_from_a_recipes_sections() -> None:
    row = ROWS["torchtitan-001"]
    found = express(row)
    training = training_of(row, 8192, found.hardware)
    assert (training["software"], training["weights"], training["loss"]) == ("torchtitan", "fp32", "whole")
    assert TrainingConfig.model_validate(training).software == "torchtitan"
    unknown = express(row, stated=False).job
    assert unknown.keeps == habits("headway")
    assert (unknown.loss, unknown.numerics) == (found.job.loss, found.job.numerics)


def test_the_fit_finds_a_known_factor() -> None:
    """Rows that are all 10 % too slow in proportion to one parameter: the fit raises it by about as much."""
    generator = np.random.default_rng(1)
    slopes = np.stack([np.full(200, -1.0), np.zeros(200)], axis=1)
    errors = np.log(1.1) + generator.normal(0, 0.01, 200)
    steps = fitted_steps(errors, slopes, source_weights(["a"] * 100 + ["b"] * 100))
    assert steps[0] == pytest.approx(np.log(1.1), abs=0.01)
    assert steps[1] == 0


def test_leaving_a_source_out_hides_nothing() -> None:
    """A source that alone depends on a parameter keeps its error when it is left out."""
    errors = np.asarray([0.3] * 20 + [0.0] * 20)
    slopes = np.asarray([[-1.0]] * 20 + [[0.0]] * 20)
    left = left_out_errors(errors, slopes, ["a"] * 20 + ["b"] * 20)
    assert left[:20] == pytest.approx(0.3)


def test_spreads_are_percentiles_of_measured_over_predicted() -> None:
    found = spreads(["dense"] * 101, -np.log(np.linspace(1.0, 2.0, 101)))
    assert found["dense"] == pytest.approx((1.1, 1.9))


def test_what_is_fitted_stays_physical() -> None:
    products = Parameter("ampere", "matmul_16bit_efficiency")
    # An A100 reaches 271.2 of 312e12 in the products that suit it best.
    assert best_measured_share("ampere") == pytest.approx(271.2 / 312)
    assert bounded(products, 0.95, {}) == pytest.approx(271.2 / 312)
    assert bounded(products, 0.7, {}) == 0.7
    assert best_measured_share("volta") == 1.0
    tuned = Parameter("ampere", "tuned_attention_forward_efficiency")
    portable = {"ampere.attention_forward_efficiency": 0.5}
    assert (bounded(tuned, 0.4, portable), bounded(tuned, 0.6, portable)) == (0.5, 0.6)
    waiting = Parameter(None, "waiting_per_doubling")
    assert bounded(waiting, 0.4, portable) == 0.4
