"""A data card for people: at the terminal, and as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headway.cli.output import make_table, stdout_console
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity

SHOWN_FILES = 20
"""So many files of a source are listed on the terminal and on the page; the JSON has all."""

_SPLIT_COLUMNS = ("split", "documents", "tokens", "text_bytes")


def show_data(content: Mapping[str, Any]) -> None:
    """Print what a corpus is: `describe`'s content."""
    console, text = stdout_console(), current_translator().text
    console.print(text("cli-data-total", **_counts(content)), style="bold")
    for source in content["sources"]:
        if source["name"]:
            console.print(_heading(source), style="bold")
        columns, rows = _splits(source["card"])
        console.print(make_table(columns, rows, numeric=(1, 2, 3)))
        for line in _facts(source):
            console.print(line)


def page_text(content: Mapping[str, Any]) -> str:
    """Return the page: counts, digests of every file as far as they are listed, and what was left out."""
    text = current_translator().text
    lines = [f"# {text('cli-data-title')}", "", text("cli-data-total", **_counts(content))]
    for source in content["sources"]:
        lines += ["", f"## {_heading(source)}" if source["name"] else f"## {text('cli-data-splits')}", ""]
        lines += _markdown(*_splits(source["card"]))
        lines += ["", *(f"- {line}" for line in _facts(source))]
        for title, files in (
            ("cli-data-sources", _sources(source["card"])),
            ("cli-data-files", _files(source["card"])),
        ):
            rows = list(files)
            columns = [text(f"cli-column-{name}") for name in ("file", "size", "sha256")]
            lines += ["", f"### {text(title, count=len(rows))}", "", *_markdown(columns, rows[:SHOWN_FILES])]
            if len(rows) > SHOWN_FILES:
                lines += ["", text("cli-data-more", count=len(rows) - SHOWN_FILES)]
    return "\n".join(lines) + "\n"


def _counts(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: content[name] for name in ("documents", "tokens", "text_bytes", "digest")}


def _heading(source: Mapping[str, Any]) -> str:
    return current_translator().text("cli-data-source", name=source["name"], share=source["share"])


def _splits(card: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    translator = current_translator()
    rows = [
        [
            split["name"],
            *(
                format_quantity(shown, split[name], translator.language)
                for shown, name in (("count", "num_documents"), ("count", "num_tokens"), ("bytes", "text_bytes"))
            ),
        ]
        for split in card["splits"]
    ]
    return [translator.text(f"cli-column-{name}") for name in _SPLIT_COLUMNS], rows


def _facts(source: Mapping[str, Any]) -> Iterator[str]:
    translator, card = current_translator(), source["card"]
    text = translator.text
    size = sum(file["size_bytes"] for file in card["sources"])
    yield text("cli-data-read", count=len(card["sources"]), size_bytes=size)
    yield text("cli-data-tokenizer", digest=card["tokenizer_sha256"])
    if card.get("template_sha256"):
        yield text("cli-data-template", digest=card["template_sha256"])
    yield text("cli-data-digest", digest=source["digest"])
    if not card["skipped"]:
        yield text("cli-data-none-skipped")
    for reason in card["skipped"]:
        first = translator.text(reason["message_id"], **reason["first"])
        yield text("cli-data-skipped", rows=reason["rows"], first=first)


def _sources(card: Mapping[str, Any]) -> Iterator[list[str]]:
    for file in card["sources"]:
        yield _file_row(file["path"], file)


def _files(card: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, file in sorted(card["files"].items()):
        yield _file_row(name, file)


def _file_row(name: str, file: Mapping[str, Any]) -> list[str]:
    size = format_quantity("bytes", file["size_bytes"], current_translator().language)
    return [f"`{name}`", size, f"`{file['sha256']}`"]


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    table = [columns, ["---"] * len(columns), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]
