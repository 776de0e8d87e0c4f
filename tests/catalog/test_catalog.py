"""The whole catalogue: every file keeps the schema, every entry can be found and described."""

import json
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from headway import catalog
from headway.catalog import models
from headway.catalog.closest import normal_form
from headway.catalog.store import FACTS_FOLDER, MODELS_FOLDER
from headway.errors import CatalogError

EVERY_ENTRY = [(kind, name) for kind in catalog.KINDS for name in catalog.names(kind)]


def test_every_facts_file_is_read():
    assert {file.stem for file in FACTS_FOLDER.glob("*.toml")} == {
        *("accelerators", "cpus", "networks", "grids", "prices", "cooling", "power", "constants", "failures"),
        *("efficiencies", "failure_traces", "recovery", "published_trainings", "programs"),
    }


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_a_kind_has_entries(kind):
    assert len(catalog.names(kind)) >= 9


@pytest.mark.parametrize(("kind", "name"), EVERY_ENTRY)
def test_an_entry_says_where_it_comes_from(kind, name):
    described = catalog.describe(kind, name)
    assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", described["id"])
    assert (described["kind"], described["id"]) == (kind, name)
    assert len(described["source"]) > 5
    assert len(described["basis"]) > 8
    assert date(2020, 1, 1) < date.fromisoformat(described["read_on"]) < date(2100, 1, 1)
    assert described["facts"]
    assert json.loads(json.dumps(described, allow_nan=False)) == described


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_no_name_means_two_entries(kind):
    owners = {}
    for name in catalog.names(kind):
        for alias in (name, *catalog.describe(kind, name)["aliases"]):
            assert owners.setdefault(normal_form(alias), name) == name


@pytest.mark.parametrize(("kind", "name"), EVERY_ENTRY)
def test_every_alias_leads_to_its_entry(kind, name):
    for alias in catalog.describe(kind, name)["aliases"]:
        assert catalog.describe(kind, alias)["id"] == name
        assert catalog.describe(kind, alias.upper().replace("-", " "))["id"] == name


@pytest.mark.parametrize(
    "file", [*FACTS_FOLDER.glob("*.toml"), *MODELS_FOLDER.glob("*.toml")], ids=lambda file: file.stem
)
def test_a_file_is_ascii_and_holds_nothing_unverified(file):
    text = file.read_text(encoding="utf-8")
    assert text.isascii()
    assert "unverified" not in text.lower()
    assert tomllib.loads(text)


def test_a_description_holds_every_known_fact_and_no_unknown_one():
    described = catalog.describe("accelerator", "TPU v5e")
    assert described["id"] == "tpu-v5e"
    assert described["facts"]["bf16_dense_flops_per_second"] == 197e12
    assert "power_watts" not in described["facts"]
    assert described["note"].endswith("power not published.")


def test_a_model_is_described_with_its_nested_facts():
    facts = catalog.describe("model", "meta-llama/Llama-3.1-8B")["facts"]
    assert facts["rope_scaling"]["factor"] == 8.0
    assert "beta_fast" not in facts["rope_scaling"]


@pytest.mark.parametrize("call", [catalog.names, lambda kind: catalog.describe(kind, "h100")])
def test_an_unknown_kind_names_the_closest(call):
    with pytest.raises(CatalogError) as caught:
        call("accelerators")
    assert caught.value.message_id == "catalog-unknown-name"
    assert caught.value.arguments["kind"] == "kind"
    assert caught.value.arguments["closest"] == "accelerator"


def test_nothing_is_read_before_it_is_asked_for():
    script = """
import builtins, io, pathlib
opened = []
real = io.open
def spy(file, *rest, **named):
    opened.append(str(file))
    return real(file, *rest, **named)
io.open = spy
from headway import catalog
assert not [name for name in opened if name.endswith(".toml")], opened
assert catalog.model_preset("llama-3.1-8b").hidden_size == 4096
assert catalog.accelerator("h100").vendor == "NVIDIA"
print(sorted(pathlib.Path(name).name for name in opened if name.endswith(".toml")))
"""
    root = Path(catalog.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.strip() == "['accelerators.toml', 'llama-3.1-8b.toml']"


def test_a_second_question_reads_nothing():
    assert catalog.model_preset("gpt2") is catalog.model_preset("gpt2")
    assert models.entries() is models.entries()
    assert catalog.cooling() is catalog.cooling()
