"""Help, languages, errors and exit codes of the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from headway.cli import localized
from headway.cli.main import COMMANDS
from headway.cli.train import train
from headway.i18n import Translator
from tests.command_line import Headway

ALL_COMMANDS = [
    [],
    *([name] for name in COMMANDS),
    *(["recipe", name] for name in ("show", "check", "new")),
    *(["runs", name] for name in ("list", "show", "compare", "ledger")),
]


@pytest.mark.parametrize("command", ALL_COMMANDS, ids=" ".join)
def test_help_is_text_and_has_an_example(command: list[str], headway: Headway) -> None:
    shown = headway(*command, "--help")
    assert shown.code == 0
    assert shown.err == ""
    assert "Example:  headway" in shown.out
    assert "--lang" in shown.out
    assert not re.search(r"\bcli-[a-z]", shown.out), "a message has no text"


@pytest.mark.parametrize("command", ALL_COMMANDS, ids=" ".join)
def test_the_example_of_the_help_parses(command: list[str], headway: Headway) -> None:
    """Each example names a command and options that exist."""
    example = re.search(r"Example:  (headway .*)", headway(*command, "--help").out)
    assert example
    words = example[1].split()[1:]
    assert headway(*words[: len(command) or 1], "--help").code == 0
    known = headway(*(words[: max(1, len(command))]), "--help").out
    assert all(word in known for word in words if word.startswith("--"))


def test_help_imports_no_framework_and_no_heavy_library() -> None:
    code = (
        "import sys; sys.argv = ['headway', '--help']\n"
        "from headway.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    imported = out.splitlines()[-1]
    for heavy in ("torch", "pydantic", "numpy", "rich", "matplotlib"):
        assert f"'{heavy}'" not in imported


def test_plan_imports_no_framework() -> None:
    code = (
        "import sys; sys.argv = ['headway', 'plan', 'llama-3.1-8b', '--set', 'hardware.accelerator=h100-sxm-80gb']\n"
        "from headway.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'jax', 'tensorflow') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_help_in_any_language_keeps_the_lines_of_its_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx").mkdir()
    words = "wort " * 40
    catalogue = f'cli-train-help = {words}\n\n    {{ "  " }}Beispiel:  eins\n    {{ "  " }}zwei\n'
    (tmp_path / "xx" / "cli.ftl").write_text(catalogue)
    monkeypatch.setattr(localized, "current_translator", lambda: Translator("xx", tmp_path))
    lines = click.Context(train, info_name="train").get_help().splitlines()
    at = lines.index("    Beispiel:  eins")
    assert lines[at + 1] == "    zwei"
    assert max(map(len, lines)) < 100


def test_an_unknown_language_falls_back_to_english(headway: Headway) -> None:
    asked = headway("--lang", "tlh", "--help")
    assert asked.out == headway("--help").out
    assert '"tlh"' in asked.err
    assert headway("--lang", "en-GB", "--help").err == ""
    assert headway("--help", LANG="xx_YY.UTF-8").out == headway("--help").out


def test_a_wrong_recipe_exits_with_2_and_says_what_to_do(headway: Headway) -> None:
    failed = headway("plan", "llama-3.1-8x")
    assert failed.code == 2
    assert failed.out == ""
    assert "llama-3.1-8x" in failed.err
    assert "`llama-3.1-8b`" in failed.err


def test_errors_are_json_where_json_is_asked_for(headway: Headway) -> None:
    failed = headway("plan", "no/such.toml", "--json")
    assert failed.code == 2
    assert failed.json["error"]["id"] == "recipe-unreadable"
    assert failed.json["error"]["arguments"]["path"] == "no/such.toml"


def test_an_unknown_option_exits_with_2(headway: Headway) -> None:
    failed = headway("plan", "x", "--jsn")
    assert failed.code == 2
    assert "--json" in failed.err


def test_what_the_command_line_gets_wrong_is_told_as_any_error(headway: Headway) -> None:
    for arguments, message_id, named in (
        (("runs", "compare"), "cli-usage-missing", "RUN"),
        (("generate", "x", "--tokens", "0"), "cli-usage-value", ">= 1"),
        (("generate", "x", "--tokens", "many"), "cli-usage-value", "many"),
        (("generate", "x", "--top-p", "0"), "cli-usage-value", "> 0, <= 1"),
        (("demo", "--steps", "1"), "cli-usage-value", "--steps"),
        (("plann", "x"), "cli-usage-command", '"plan"'),
        (("nonsense",), "cli-usage-command", "--help"),
        (("plan", "x", "--zzz"), "cli-usage-option", "--zzz"),
        (("plan", "x", "y"), "cli-usage-other", "--help"),
    ):
        failed = headway(*arguments)
        assert failed.code == 2, arguments
        assert failed.out == ""
        assert named in failed.err, arguments
        told = headway(*arguments, "--json")
        assert told.code == 2
        assert told.json["error"]["id"] == message_id


@pytest.mark.parametrize(
    "arguments",
    [
        ("recipe", "check", "{}"),
        ("recipe", "check", "{}.toml"),
        ("recipe", "show", "headway-tiny-1m", "--set", "model.config={}"),
        ("train", "headway-tiny-1m", "--set", "data.paths={}"),
        ("train", "headway-tiny-1m", "--set", "data.tokenizer={}"),
        ("train", "headway-tiny-1m", "--set", "training.init_from={}"),
        ("train", "headway-tiny-1m", "--name", "{}"),
        ("train", "headway-tiny-1m", "--name", ""),
        ("train", "headway-tiny-1m", "--resume", "--name", "{}"),
        ("runs", "show", "{}"),
        ("plan", "headway-tiny-1m", "--set", "hardware.accelerator={}"),
        ("plan", "headway-tiny-1m", "--set", "{}=1"),
    ],
)
def test_an_argument_of_any_length_is_told(arguments: tuple[str, ...], headway: Headway) -> None:
    failed = headway(*(argument.format("x" * 30_000) for argument in arguments))
    assert failed.code in (1, 2)
    assert "{" not in failed.err
    assert "next: " in failed.err
    assert len(failed.err) < 5000


def test_version(headway: Headway) -> None:
    assert re.fullmatch(r"headway \d+\.\d+\.\d+\n", headway("--version").out)


@pytest.mark.parametrize("reader", ["true", "head -1"])
@pytest.mark.parametrize("command", ["recipe show headway-tiny-1m", "--help"])
def test_a_reader_that_goes_away_is_no_error(command: str, reader: str, headway: Headway) -> None:
    piped = f"{sys.executable} -m headway {command} | {reader}; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", piped], cwd=headway.folder, env=headway.environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_several_problems_are_all_told(headway: Headway) -> None:
    failed = headway("recipe", "check", "llama-3.1-8b", "--set", "training.stps=3", "--set", "training.precision=fp3")
    assert failed.code == 2
    assert "`steps`" in failed.err
    assert "fp3" in failed.err
    problems = headway(
        "recipe", "check", "llama-3.1-8b", "--set", "training.stps=3", "--set", "training.precision=fp3", "--json"
    )
    assert {problem["id"] for problem in json.loads(problems.out)["error"]["problems"]} == {
        "recipe-unknown-key",
        "recipe-field-choice",
    }
