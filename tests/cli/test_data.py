"""``headway data``: prepare, show, and what they say where there is nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Headway

MIXED = """
[model]
preset = "headway-tiny-1m"
vocab_size = 300
[training]
steps = 4
[data]
cache = "cache"
validation_fraction = 0.2
on_bad_row = "skip"
[[data.sources]]
name = "prose"
weight = 3
paths = "prose"
[[data.sources]]
name = "rows"
paths = "rows.jsonl"
"""


@pytest.fixture
def mixed(headway: Headway) -> Headway:
    (headway.folder / "prose").mkdir()
    for number in range(9):
        (headway.folder / "prose" / f"{number}.txt").write_text(f"the text of number {number} is short\n" * 20)
    rows = [json.dumps({"text": f"row {number} | of many"}) for number in range(30)]
    (headway.folder / "rows.jsonl").write_text("\n".join([*rows, "{broken"]) + "\n")
    (headway.folder / "mixed.toml").write_text(MIXED)
    return headway


def test_prepare_then_show(mixed: Headway) -> None:
    nothing = mixed("data", "show", "mixed.toml")
    assert nothing.code == 2 and "headway data prepare mixed.toml" in nothing.err
    done = mixed("data", "prepare", "mixed.toml", "--workers", "2", "--output", "tokens", "--json")
    assert done.code == 0, done.err
    assert "Turning text into tokens" in done.err and "One row was left out" in done.err
    content = done.json
    assert [(source["name"], source["share"]) for source in content["sources"]] == [("prose", 0.75), ("rows", 0.25)]
    assert content["documents"] == 39
    assert content["places"] == {"prose": "tokens/prose", "rows": "tokens/rows"}
    written = json.loads((mixed.folder / "tokens" / "data-card.json").read_text())
    assert written["digest"] == content["digest"]
    # From the cache, and from what was written.
    shown, of_one = mixed("data", "show", "mixed.toml"), mixed("data", "show", "tokens/rows", "--json")
    assert "75.0% of the mixture" in shown.out and "broken" not in shown.out and "line 31" in shown.out
    assert of_one.json["sources"][0]["digest"] == content["sources"][1]["digest"]
    page = mixed("data", "show", "mixed.toml", "--page", "card.md")
    assert page.code == 0, page.err
    told = (mixed.folder / "card.md").read_text()
    for source in content["sources"]:
        for file in source["card"]["sources"]:
            assert f"`{file['sha256']}`" in told
    assert Path(content["folders"][0]).parent == mixed.folder / "cache" / "data"
    again = mixed("data", "prepare", "mixed.toml", "--output", "tokens")
    assert again.code == 2 and "tokens/prose is there already" in again.err


def test_a_missing_driver_is_named(headway: Headway) -> None:
    (headway.folder / "far.toml").write_text(
        '[model]\npreset = "headway-tiny-1m"\n[training]\nsteps = 1\n[data]\npaths = "gs://bucket/*.jsonl"\n'
    )
    done = headway("data", "prepare", "far.toml")
    assert done.code == 1 and "pip install gcsfs" in done.err
