"""The rules of the house (DESIGN.md and STYLE.md): imports, sizes, messages, and what may not stand in code."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

from headway.i18n import known_languages
from headway.i18n.checking import check
from headway.i18n.negotiation import LOCALES_FOLDER

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "headway"
SOURCES = sorted(PACKAGE.rglob("*.py"))
ALL_CODE = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MESSAGE_ID = re.compile(r"[a-z]+(-[A-Za-z0-9_]+)+")

MADE_FROM_NAMES = (
    # Ids that code puts together. Each must still stand in the code as the beginning of a formatted string.
    "event-",
    "cli-goodput-",
    "cli-column-",
    "cli-demo-",
    "cli-probe-",
    "cli-serve-",
    "quantity-",
    "resource-",
    "status-",
    "diagnosis-cause-",
    "i18n-",
    "diagnosis-column-",
    "diagnosis-number-",
    "diagnosis-remedy-",
    "drill-column-",
    "drill-fault-",
    "drill-status-",
    "guard-",
    "machine-stage-",
    "plan-column-",
    "plan-label-",
    "plan-sweep-",
    "plan-warning-budget-",
    "preflight-check-",
    "recipe-doc-",
    "report-",
    "supervisor-",
    "ui-metric-",
)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# Imports


def test_imports_point_one_way() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "0 broken" in checked.stdout


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after running some code."""
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


FRAMEWORKS = {"torch", "jax", "tensorflow", "transformers"}


@pytest.mark.parametrize("room", ["planning", "machine", "recipe", "catalog", "runs", "i18n", "telemetry", "diagnosis"])
def test_a_room_imports_no_framework(room: str) -> None:
    code = f"""
import importlib, pkgutil, headway.{room}
for found in pkgutil.walk_packages(headway.{room}.__path__, "headway.{room}."):
    importlib.import_module(found.name)
"""
    loaded = modules_after(code)
    assert not loaded & FRAMEWORKS
    assert "headway" in loaded


def test_help_imports_nothing_heavy() -> None:
    code = """
import contextlib, io
sys.argv = ["headway", "--help"]
from headway.cli.main import main
with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
    main()
assert "Plan" in printed.getvalue()
"""
    loaded = modules_after(code)
    assert "click" in loaded
    assert not loaded & {*FRAMEWORKS, "pydantic", "numpy", "rich", "matplotlib", "pyarrow", "psutil"}


# Sizes


@pytest.mark.parametrize("path", ALL_CODE, ids=name_of)
def test_files_and_functions_are_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES
    too_long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
    ]
    assert not too_long


# What may not stand in code


@pytest.mark.parametrize("path", [*ALL_CODE, *PACKAGE.rglob("*.c"), ROOT / "Makefile"], ids=name_of)
def test_code_is_ascii_and_holds_no_nameless_task(path: Path) -> None:
    content = path.read_bytes()
    strange = [line for line in content.decode("utf-8").splitlines() if not line.isascii()]
    assert not strange
    assert not re.search(rb"\b(TO" rb"DO|FIX" rb"ME|XX" rb"X)\b(?! ?\(#\d+\))", content)


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCES
        if PACKAGE / "cli" not in path.parents
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not printing


# Messages


@dataclass(frozen=True)
class Message:
    """A message of a catalogue."""

    language: str
    file: str
    has_value: bool
    has_next: bool
    variables: frozenset[str]


class References(Visitor):
    """Collects the variables, messages and terms that a message refers to."""

    def __init__(self) -> None:
        self.variables: set[str] = set()
        self.others: set[str] = set()

    def visit_VariableReference(self, node: ftl.VariableReference) -> None:  # noqa: N802
        self.variables.add(node.id.name)

    def visit_MessageReference(self, node: ftl.MessageReference) -> None:  # noqa: N802
        self.others.add(node.id.name)

    def visit_TermReference(self, node: ftl.TermReference) -> None:  # noqa: N802
        self.others.add(node.id.name)
        self.generic_visit(node)


@cache
def catalogue(language: str) -> dict[str, Message]:
    entries: dict[str, tuple[str, ftl.Message | ftl.Term, References]] = {}
    for path in sorted((LOCALES_FOLDER / language).glob("*.ftl")):
        for entry in FluentParser().parse(path.read_text(encoding="utf-8")).body:
            assert not isinstance(entry, ftl.Junk), f"{path.name}: {entry.content}"
            if isinstance(entry, (ftl.Message, ftl.Term)):
                assert entry.id.name not in entries, f"{entry.id.name} twice"
                references = References()
                references.visit(entry)
                entries[entry.id.name] = (path.stem, entry, references)

    def variables_of(name: str) -> frozenset[str]:
        references = entries[name][2]
        return frozenset(references.variables).union(*map(variables_of, references.others))

    return {
        name: Message(
            language=language,
            file=file,
            has_value=entry.value is not None,
            has_next=any(attribute.id.name == "next" for attribute in entry.attributes),
            variables=variables_of(name),
        )
        for name, (file, entry, _) in entries.items()
    }


ENGLISH = catalogue("en")


@dataclass(frozen=True)
class Call:
    """A call in the code that names a message."""

    where: str
    name: str
    message_id: str
    arguments: frozenset[str]
    is_open: bool
    """Arguments are also passed as ``**something`` that cannot be followed."""


def error_classes() -> set[str]:
    """Return the names of all classes that descend from HeadwayError."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in SOURCES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef)
    }
    found = {"HeadwayError"}
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return found


def keyword_names(call: ast.Call, scope: ast.AST) -> tuple[set[str], bool]:
    """Return the keywords of a call, those behind ``**name`` included where the name is a dictionary nearby."""
    names = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    is_open = False
    for keyword in call.keywords:
        if keyword.arg is None:
            followed = dictionary_keys(keyword.value, scope)
            names |= followed or set()
            is_open = is_open or followed is None
    return names, is_open


def dictionary_keys(node: ast.expr, scope: ast.AST) -> set[str] | None:
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        return {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Name):
        for other in ast.walk(scope):
            if isinstance(other, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == node.id for t in other.targets
            ):
                return dictionary_keys(other.value, scope)
    return None


def called_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        is_super = isinstance(call.func.value, ast.Call) and call.func.attr == "__init__"
        return "super().__init__" if is_super else call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


@cache
def calls() -> list[Call]:
    """Return every call whose first argument is the id of a message, or looks like one."""
    found = []
    domains = {message.file for message in ENGLISH.values()}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            message_id = node.args[0].value
            if isinstance(message_id, str) and MESSAGE_ID.fullmatch(message_id) and message_id.split("-")[0] in domains:
                names, is_open = keyword_names(node, tree_of(path))
                where = f"{name_of(path)}:{node.lineno}"
                found.append(Call(where, called_name(node), message_id, frozenset(names), is_open))
    return found


def error_calls() -> list[Call]:
    kinds = {*error_classes(), "super().__init__"}
    return [call for call in calls() if call.name in kinds]


MESSAGE_CLASSES = {"Message", "Note", "Advice", "Notice", "Explanation"}
"""The classes that carry the id of a message and a dictionary of its arguments."""


def carried_messages() -> list[Call]:
    """Return every message that is made as an object with a literal id."""
    found = []
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Call) or called_name(node) not in MESSAGE_CLASSES:
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            positional = dict(zip(("message_id", "arguments"), node.args, strict=False))
            message_id = given.get("id", given.get("message_id", positional.get("message_id")))
            if isinstance(message_id, ast.Constant):
                arguments = given.get("arguments", positional.get("arguments"))
                names = set() if arguments is None else dictionary_keys(arguments, ast.Module([], []))
                where = f"{name_of(path)}:{node.lineno}"
                call = Call(where, called_name(node), str(message_id.value), frozenset(names or ()), names is None)
                found.append(call)
    return found


def test_every_message_that_an_object_carries_is_complete() -> None:
    carried = carried_messages()
    assert {call.name for call in carried} == MESSAGE_CLASSES
    assert any(call.arguments for call in carried)
    assert not [f"{call.where} {call.message_id}" for call in carried if call.message_id not in ENGLISH]
    lacking = [
        f"{call.where} {call.message_id}: {', '.join(sorted(missing))}"
        for call in carried
        if not call.is_open and (missing := ENGLISH[call.message_id].variables - call.arguments)
    ]
    assert not lacking


def test_the_scan_sees_the_code() -> None:
    assert len(error_calls()) > 80
    assert {"RecipeError", "RecipeProblems", "CheckpointError"} <= error_classes()
    assert any(call.message_id == "recipe-problems" for call in error_calls())


def test_every_error_has_a_text_and_a_next_step() -> None:
    lacking = [
        f"{call.where} {call.message_id}"
        for call in error_calls()
        if call.message_id not in ENGLISH
        or not ENGLISH[call.message_id].has_value
        or not ENGLISH[call.message_id].has_next
    ]
    assert not lacking


def test_every_argument_that_a_message_names_is_passed() -> None:
    rendering = [*error_calls(), *(call for call in calls() if call.name in ("text", "next_step"))]
    lacking = [
        f"{call.where} {call.message_id}: {', '.join(sorted(missing))}"
        for call in rendering
        if call.message_id in ENGLISH and not call.is_open
        if (missing := ENGLISH[call.message_id].variables - call.arguments)
    ]
    assert not lacking


def test_every_message_that_is_rendered_exists() -> None:
    absent = [f"{call.where} {call.message_id}" for call in calls() if call.name == "text"]
    assert not [line for line in absent if line.split()[-1] not in ENGLISH]


def constants() -> Iterator[str]:
    """Yield the strings of the code; the beginning of a formatted string ends with a brace."""
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                yield f"{node.values[0].value}{{"


def page_messages() -> Iterator[str]:
    """Yield the messages that the dashboard names; the beginning of one that it puts together ends with a brace."""
    for path in (ROOT / "headway" / "web" / "ui" / "src").rglob("*.ts*"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"[\"'](ui-[a-z0-9_-]+)[\"']", text)
        yield from (f"{start}{{" for start in re.findall(r"`(ui-[a-z0-9_-]+)\$\{", text))


def command_messages() -> Iterator[str]:
    """Yield the messages of all commands, which are named after them."""
    from headway.cli.main import cli

    def walk(group: click.Group, prefix: str) -> Iterator[str]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield f"cli-{prefix}{name}"
            yield f"cli-{prefix}{name}-help"
            if isinstance(command, click.Group):
                yield from walk(command, f"{command.name}-")

    yield from ("cli-headway", "cli-headway-help")
    yield from walk(cli, "")


def test_every_command_is_described() -> None:
    assert not [message_id for message_id in command_messages() if message_id not in ENGLISH]


def test_every_message_is_used() -> None:
    used = {*constants(), *page_messages()}
    for prefix in MADE_FROM_NAMES:
        assert f"{prefix}{{" in used, prefix
    used |= set(command_messages())
    referred = set()
    for path in (LOCALES_FOLDER / "en").glob("*.ftl"):
        references = References()
        references.visit(FluentParser().parse(path.read_text(encoding="utf-8")))
        referred |= references.others
    unused = [
        message_id
        for message_id in ENGLISH
        if message_id not in used and message_id not in referred and not message_id.startswith(MADE_FROM_NAMES)
    ]
    assert not unused


@pytest.mark.parametrize("language", known_languages())
def test_a_message_lies_in_the_file_of_its_first_word(language: str) -> None:
    assert not [name for name, message in catalogue(language).items() if name.split("-")[0] != message.file]


@pytest.mark.parametrize("language", known_languages())
def test_every_language_says_the_same(language: str) -> None:
    assert check(language) == []


def test_every_function_of_the_catalogues_exists() -> None:
    from headway.i18n.translator import _functions

    called = set()
    for path in LOCALES_FOLDER.glob("*/*.ftl"):
        called |= set(re.findall(r"\b([A-Z][A-Z_]+)\(", path.read_text(encoding="utf-8")))
    assert called - {"NUMBER", "DATETIME"} <= set(_functions("en"))
