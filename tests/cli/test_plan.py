"""``headway plan`` with each of its options, through the real entry point."""

from __future__ import annotations

import pytest

from headway.planning.explanations import EXPLANATIONS
from tests.command_line import Headway

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
    peak = next(step for step in topics["memory"] if step["id"] == "plan-explain-memory-peak")
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
