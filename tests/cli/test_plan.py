"""``headway plan`` with each of its options, through the real entry point."""

from __future__ import annotations

import re

import pytest

from headway.cli.plan_view import SHOWN_ALTERNATIVES
from headway.i18n import Translator
from headway.planning.explanations import EXPLANATIONS
from tests.command_line import Headway
from tests.test_house import ROOT

EIGHT_H100 = ("llama-3.1-8b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=8")


def test_explain_prints_formulas_with_their_sources(headway: Headway) -> None:
    shown = headway("plan", *EIGHT_H100, "--explain", "memory", "--explain", "time")
    assert shown.code == 0
    assert "How the numbers on memory came about" in shown.out
    assert "How the numbers on time came about" in shown.out
    assert "arXiv:2205.05198" in shown.out
    assert " 1. " in shown.out


def test_explain_all_as_json_opens_every_topic(headway: Headway) -> None:
    topics = headway("plan", *EIGHT_H100, "--explain", "all", "--json").json
    assert set(topics) == set(EXPLANATIONS)
    plan = headway("plan", *EIGHT_H100, "--json").json
    peak = next(step for step in topics["memory"] if step["id"] == "explain-memory-peak")
    assert peak["value"] == plan["memory"]["device_peak_bytes"]
    assert {"id", "quantity", "value", "arguments", "source"} == set(peak)


def test_what_is_not_known_is_said_to_be(headway: Headway) -> None:
    shown = headway("plan", "llama-3.1-8b", "--set", "hardware.accelerator=tpu-v5p", "--explain", "power")
    assert "Nothing is known" in shown.out


@pytest.mark.parametrize(("topic", "closest"), [("memry", "memory"), ("xyz", "Choose one of")])
def test_an_unknown_topic_names_the_closest(headway: Headway, topic: str, closest: str) -> None:
    refused = headway("plan", *EIGHT_H100, "--explain", topic)
    assert refused.code == 2
    assert topic in refused.err
    assert closest in refused.err


def test_compare_marks_the_best_and_says_why_one_cannot(headway: Headway) -> None:
    shown = headway(
        "plan",
        *EIGHT_H100,
        "--compare",
        "mi300x,h100,v100,l4",
        "--set",
        "hardware.devices=4",
        "--set",
        "site.node_watts=9000",
    )
    assert shown.code == 0
    table, _, rest = shown.out.partition("* marks the best")
    assert "mi300x" in table
    assert "*" in next(line for line in table.splitlines() if line.strip().startswith("Step"))
    assert "site.node_watts" in rest
    assert "x v100: A plan needs the device's rate" in rest
    assert "x l4: The training does not fit" in rest


def test_what_is_part_of_a_cost_wins_no_comparison(headway: Headway) -> None:
    """Nobody states a rent of an MI300X, and nobody the power of a TPU: both sums are too small."""
    priced = ("--set", "site.electricity_usd_per_kilowatt_hour=0.1")
    shown = headway("plan", *EIGHT_H100, *priced, "--compare", "h100,mi300x,tpu-v5p,a100-sxm-80gb")
    row = next(line for line in shown.out.splitlines() if line.strip().startswith("Total"))
    assert row.count("at least") == 2
    assert "*" in row
    assert not re.search(r"at least \$[\d,.]+ \*", row)
    compared = headway("plan", *EIGHT_H100, *priced, "--compare", "mi300x,tpu-v5p", "--json").json["compared"]
    assert [one["plan"]["cost"]["missing"] for one in compared] == [["hardware"], ["electricity"]]
    assert all("total_usd" not in one["plan"]["cost"] for one in compared)
    alone = headway("plan", *EIGHT_H100, *priced, "--set", "hardware.accelerator=mi300x")
    assert "for at least $" in alone.out
    assert "site.device_usd_per_hour" in alone.out
    swept = headway("plan", *EIGHT_H100, *priced, "--set", "hardware.accelerator=mi300x", "--sweep", "devices=8,16")
    assert "at least $" in swept.out
    assert "Cheapest" not in swept.out


def test_compare_as_json_has_every_plan(headway: Headway) -> None:
    compared = headway("plan", *EIGHT_H100, "--compare", "a100-sxm-80gb, v100", "--json").json["compared"]
    assert [one["accelerator"] for one in compared] == ["a100-sxm-80gb", "v100"]
    assert compared[0]["plan"]["time"]["step_seconds"] > 0
    assert compared[1]["error"]["id"] == "plan-rate-unknown"


def test_nothing_to_compare_with_is_refused(headway: Headway) -> None:
    assert headway("plan", *EIGHT_H100, "--compare", " , ").code == 2
    refused = headway("plan", *EIGHT_H100, "--compare", "h1000")
    assert refused.code == 2
    assert "h100" in refused.err


def test_sweep_prints_bars_and_draws(headway: Headway) -> None:
    shown = headway("plan", *EIGHT_H100, "--sweep", "devices=1..32", "--output", "scaling.svg")
    assert shown.code == 0
    assert "#" in shown.out
    assert "Fastest: hardware.devices = 32." in shown.out
    assert "x devices 1: The training does not fit" in shown.out
    picture = (headway.folder / "scaling.svg").read_text()
    assert "<svg" in picture
    assert "hardware.devices" in picture


def test_sweep_as_json_has_every_plan(headway: Headway) -> None:
    arguments = ("plan", *EIGHT_H100, "--sweep", "training.global_batch_size=8,64,0", "--json")
    content = headway(*arguments).json
    assert content["setting"] == "training.global_batch_size"
    assert [point["value"] for point in content["points"]] == [0, 8, 64]
    assert content["points"][1]["plan"]["time"]["tokens_per_second"] > 0
    assert "error" in content["points"][0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--sweep", "devices=8..4"), "smaller number first"),
        (("--sweep", "devices"), "devices=64..4096"),
        (("--sweep", "device=8"), "devices"),
        (("--sweep", "devices=8,16", "--output", "scaling.doc"), "scaling.doc"),
        (("--sweep", "devices=8,16", "--output", "no/such/folder/x.png"), "no/such/folder"),
        (("--sweep", "devices=1", "--output", "x.png"), "none of hardware.devices"),
        (("--output", "x.png"), "--sweep"),
        (("--sweep", "devices=8", "--compare", "h100"), "--compare, --sweep"),
        (("--published",), "--published, RECIPE"),
    ],
)
def test_what_cannot_be_shown_is_refused(headway: Headway, options: tuple[str, ...], told: str) -> None:
    refused = headway("plan", *EIGHT_H100, *options)
    assert refused.code == 2
    assert told in refused.err


def test_a_plan_needs_a_recipe(headway: Headway) -> None:
    refused = headway("plan")
    assert refused.code == 2
    assert "llama-3.1-8b" in refused.err


def test_published_sets_every_training_beside_its_plan(headway: Headway) -> None:
    shown = headway("plan", "--published")
    assert shown.code == 0
    assert "Llama 3.1 405B" in shown.out
    assert "design power" in shown.out
    assert "Device hours with the published layout" in shown.out
    rows = {one["id"]: one["rows"] for one in headway("plan", "--published", "--json").json["published"]}
    interruptions = next(row for row in rows["llama-3.1-405b"] if row["quantity"] == "interruptions")
    assert interruptions["is_inside"] is True


def test_the_recipe_of_a_published_run_shows_what_is_published(headway: Headway) -> None:
    shown = headway("plan", str(ROOT / "recipes" / "llama-3.1-405b.toml"))
    assert "As published: Llama 3.1 405B" in shown.out
    assert "As published" not in headway("plan", *EIGHT_H100).out


def test_a_plan_begins_with_its_verdict_and_stays_on_one_screen(headway: Headway) -> None:
    shown = headway("plan", str(ROOT / "recipes" / "llama-3.1-405b.toml")).out.splitlines()
    assert shown[0].startswith("Runs on 16,384 x h100-sxm-80gb in ")
    assert shown[1].startswith("Layout: data 128 tensor 8 pipeline 16")
    assert shown[2].startswith("Change first: ")
    end = next(number for number, line in enumerate(shown) if line.startswith("Search: "))
    assert end <= 44
    assert "layouts evaluated; removed by rule: " in shown[end]
    told = " ".join(shown[end:]).partition("Alternatives")[0]
    assert "(each stage takes equal chunks of whole layers)" in told


RULES = (
    *(
        "memory",
        "batch",
        "devices",
        "data",
        "heads",
        "width",
        "link",
        "split",
        "group",
        "layers",
        "sequence",
        "experts",
    ),
    "schedule",
)
"""What `legal_layouts` names, and the memory."""


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_of_the_search_has_a_reason(rule: str) -> None:
    told = Translator("en").text("plan-search-reason", told="4", rule=rule)
    assert told.startswith("4 (")
    assert told.endswith(")")


def test_a_plan_that_does_not_fit_says_what_would(headway: Headway) -> None:
    shown = headway("plan", "llama-3.1-70b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=8").out
    assert shown.startswith("Does not run on 8 x h100-sxm-80gb: one obstacle")
    assert "It fits on 32 devices" in shown or "It fits on 16 devices" in shown


def test_a_layout_that_is_impossible_names_the_fields(headway: Headway) -> None:
    refused = headway("plan", *EIGHT_H100, "--set", "layout.tensor_parallel_degree=3")
    assert refused.code == 2
    assert "layout.tensor_parallel_degree" in refused.err
    assert "Nearest that do: 2, 4" in refused.err


CHAIN = """
name = "chain"
[model]
preset = "llama-3.1-8b"
[training]
tokens = "1B"
[hardware]
accelerator = "h100"
devices = 8
[budget]
search_share = 0.1
[[phases]]
name = "tuned"
training = { steps = 10, method = "lora" }
"""


def test_a_name_of_control_characters_reaches_no_terminal(headway: Headway) -> None:
    rude = CHAIN.replace('"chain"', r'"rude\u001b[31m\u0007"').replace('"tuned"', r'"later\u001b]0;x\u0007"')
    (headway.folder / "rude.toml").write_text(rude)
    shown = headway("plan", "rude.toml", "--report", "rude.html")
    page = (headway.folder / "rude.html").read_text()
    assert "rude[31m" in page
    plain = headway("plan", "rude.toml")
    assert "later]0;x" in plain.out
    for text in (page, shown.out, shown.err, plain.out, plain.err):
        assert not set(text) & {"\x1b", "\x07"}


@pytest.mark.parametrize(
    "options", [("--sweep", "devices=8,16", "--output", "nowhere/x.png"), ("--report", "nowhere/x.html")]
)
def test_a_file_that_cannot_be_written_is_told_before_the_work(headway: Headway, options: tuple[str, ...]) -> None:
    refused = headway("plan", *EIGHT_H100, *options)
    assert refused.code == 2
    assert refused.out == ""
    assert "nowhere/x." in refused.err
    (headway.folder / "kept.svg").write_text("old")
    headway("plan", *EIGHT_H100, "--sweep", "devices=8,16", "--output", "kept.svg")
    assert "<svg" in (headway.folder / "kept.svg").read_text()


def test_two_names_of_one_accelerator_are_planned_once(headway: Headway) -> None:
    found = headway("plan", *EIGHT_H100, "--compare", "h100-sxm-80gb,h100,a100", "--json").json
    assert [one["accelerator"] for one in found["compared"]] == ["h100-sxm-80gb", "a100"]


def test_the_json_of_a_plan_has_its_verdict(headway: Headway) -> None:
    fine = headway("plan", *EIGHT_H100, "--json").json["verdict"]
    assert fine["id"] == "plan-verdict-runs"
    assert fine["arguments"]["devices"] == 8
    unfit = ("llama-3.1-70b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=8")
    found = headway("plan", *unfit, "--json").json["verdict"]
    assert found["id"] == "plan-verdict-impossible"
    assert found["change"]["id"] == "plan-infeasible-memory"


def test_phases_are_planned_one_by_one_and_summed(headway: Headway) -> None:
    (headway.folder / "chain.toml").write_text(CHAIN)
    shown = headway("plan", "chain.toml").out
    assert "Phases, the recipe itself being the first" in shown
    for name in ("chain", "tuned", "evaluations in them", "search and trial runs", "sum"):
        assert any(line.strip().startswith(name) for line in shown.splitlines()), name
    content = headway("plan", "chain.toml", "--json", "--report", "chain.html").json
    assert [phase["name"] for phase in content["phases"]] == ["chain", "tuned"]
    assert content["trials"]["device_hours"] / content["sum"]["device_hours"] == pytest.approx(0.1)
    assert 'id="phases"' in (headway.folder / "chain.html").read_text()
    swept = headway("plan", "chain.toml", "--sweep", "devices=8,16", "--json").json
    assert all("phases" not in point["plan"] for point in swept["points"])


def test_layers_that_do_not_recompute_are_told(headway: Headway) -> None:
    """What recomputes a quarter of its layers is another layout than what recomputes all of them."""
    settings = ("software=litgpt", "sequence_length=8192", "global_batch_size=8", "steps=10")
    job = (*EIGHT_H100, *(word for setting in settings for word in ("--set", f"training.{setting}")))
    layouts = [one["layout"] for one in headway("plan", *job, "--json").json["alternatives"][:SHOWN_ALTERNATIVES]]
    partial = [one for one in layouts if one["recompute"] == "full" and one["recompute_share"] == 0.25]
    assert partial
    table = headway("plan", *job).out.partition("Alternatives")[2]
    assert "full in 25.0% of layers" in " ".join(table.split())


def test_a_phase_that_does_not_run_is_named_with_its_rule(headway: Headway) -> None:
    big = '\n[[phases]]\nname = "big"\ntraining = {tokens = "1T"}\nhardware = {devices = 1}\n'
    (headway.folder / "chain.toml").write_text(CHAIN + big)
    shown = headway("plan", "chain.toml", "--report", "chain.html")
    shown = headway("plan", "chain.toml")
    assert shown.out.startswith("Does not run: of its 3 phases, one obstacle stands in the way of big")
    assert "Change first, in the phase big:" in shown.out.replace("\n", " ")
    assert "x big: The training does not fit" in shown.out
    page = (headway.folder / "chain.html").read_text()
    assert "Change first, in the phase big:" in page
    assert "big: The training does not fit" in page
    odd = big.replace("hardware = {devices = 1}", "layout = {pipeline_parallel_degree = 3}")
    (headway.folder / "odd.toml").write_text(CHAIN + odd)
    refused = headway("plan", "odd.toml")
    assert refused.code == 2
    assert "big cannot be planned" in refused.err
    assert "layout.pipeline_parallel_degree" in refused.err


def test_failures_are_simulated_where_they_are_explained(headway: Headway) -> None:
    rate = ("--set", "resilience.storage_write_bytes_per_second=1000000000")
    shown = headway("plan", *EIGHT_H100, *rate, "--explain", "reliability").out
    assert "By chance, in 400 replicas of the run" in shown
    assert "a public trace" in shown
    steps = headway("plan", *EIGHT_H100, *rate, "--explain", "reliability", "--json").json["reliability"]
    chance = [step["arguments"]["process"] for step in steps if step["id"] == "explain-reliability-chance"]
    assert chance == ["independent", "bursts", "replay"]


@pytest.mark.parametrize(
    ("ways", "code"),
    [
        ((), 1),
        (("--json",), 1),
        (("--sweep", "hardware.devices=8,16"), 1),
        (("--sweep", "hardware.devices=8,1024"), 0),
        (("--compare", "h100,v100"), 1),
        (("--explain", "memory"), 0),
    ],
)
def test_the_exit_code_tells_whether_anything_runs(headway: Headway, ways: tuple[str, ...], code: int) -> None:
    own = ("llama-3.1-405b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=8")
    assert headway("plan", *own, *ways).code == code


def test_layouts_that_differ_in_what_they_keep_are_told_apart(headway: Headway) -> None:
    own = ("llama-3.1-8b", "--set", "hardware.accelerator=h100", "--set", "hardware.devices=64")
    for reshards, kept in (("true", False), ("false", True)):
        stated = ("--set", "layout.shard=parameters", "--set", f"layout.reshard_after_forward={reshards}")
        shown = headway("plan", *own, *stated).out
        assert ("parameters (kept after the forward pass)" in " ".join(shown.split())) is kept
        explained = headway("plan", *own, *stated, "--explain", "layout").out
        assert ("(kept after the forward pass)" in " ".join(explained.split())) is kept
