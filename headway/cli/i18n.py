"""``headway i18n``: new, check, coverage."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import LazyGroup, command, language_option, option
from headway.cli.output import make_table, print_json, say, stdout_console
from headway.errors import CatalogError
from headway.i18n import current_translator
from headway.i18n.formatting import format_percent
from headway.i18n.negotiation import FALLBACK_LANGUAGE, LOCALES_FOLDER, known_languages


@click.group("i18n", cls=LazyGroup)
@language_option
def i18n() -> None:
    """Hold the commands; their help is in the message catalogues."""


_folder = option(
    "--folder",
    help_id="cli-option-locales",
    type=click.Path(path_type=Path, file_okay=False),
    default=LOCALES_FOLDER,
    metavar="FOLDER",
)


@command("new")
@click.argument("language", metavar="LOCALE")
@_folder
def new(language: str, folder: Path) -> None:
    """Begin a language."""
    from headway.i18n.checking import TAG, start_language

    if not TAG.fullmatch(language):
        raise CatalogError("i18n-tag", tag=language)
    for path in start_language(language, folder):
        click.echo(str(path))
    say(current_translator().text("cli-i18n-begun", language=language))


@command("check")
@click.argument("languages", metavar="[LOCALE]...", nargs=-1)
@_folder
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def check(languages: tuple[str, ...], folder: Path, as_json: bool) -> int:
    """Compare languages with English."""
    from dataclasses import asdict

    from headway.i18n.checking import check as check_language

    known = known_languages(folder)
    for language in languages:
        if language not in known:
            raise CatalogError("i18n-language-unknown", tag=language, known=", ".join(known))
    findings = [finding for language in languages or known for finding in check_language(language, folder)]
    if as_json:
        print_json([asdict(finding) for finding in findings])
        return int(bool(findings))
    text = current_translator().text
    for finding in findings:
        said = text(f"i18n-{finding.kind}", message=finding.message, file=finding.file, detail=finding.detail)
        click.echo(f"{finding.language}: {said}")
    say(text("cli-i18n-checked", languages=len(languages or known), findings=len(findings)))
    return int(bool(findings))


@command("coverage")
@_folder
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def coverage(folder: Path, as_json: bool) -> None:
    """Tell how much of each file every language has."""
    from headway.i18n.checking import coverage as count

    table = count(folder)
    if as_json:
        print_json(table)
        return
    translator = current_translator()
    files = list(table[FALLBACK_LANGUAGE])
    rows = []
    for language, counts in table.items():
        done, whole = (sum(column) for column in zip(*counts.values(), strict=True))
        cells = [format_percent(there / english, translator.language, 0) for there, english in counts.values()]
        rows.append((language, format_percent(done / whole, translator.language, 0), *cells))
    columns = (translator.text("cli-column-language"), translator.text("cli-column-all"), *files)
    stdout_console().print(make_table(columns, rows, numeric=range(1, len(columns))))


for _command in (new, check, coverage):
    i18n.add_command(_command)
