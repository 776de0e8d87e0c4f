"""What drills found: as a table, and as one page that loads nothing from anywhere."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from string import Template

from headway import __version__
from headway.cli.html import escape, prose
from headway.cli.output import make_table, say, stdout_console
from headway.errors import RunError
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity
from headway.resilience.drills import Drill, Result

COLUMNS = ("fault", "status", "detected", "recovered", "repeated", "identical")
NUMERIC = (2, 3, 4)


def show_drill(done: Drill) -> None:
    """Print the table, and below it what it does not say."""
    text = current_translator().text
    stdout_console().print(make_table(_headings(), [_cells(result) for result in done.results], numeric=NUMERIC))
    for result in done.results:
        for line in _reasons(result):
            stdout_console().print(f"{text(f'drill-fault-{result.fault}')}: {line}", highlight=False)
    say(_verdict(done))


def write_page(done: Drill, path: Path) -> None:
    """Write the page.

    Raises:
        RunError: the file cannot be written.
    """
    try:
        path.write_text(page(done), encoding="utf-8")
    except OSError as error:
        raise RunError("run-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def page(done: Drill) -> str:
    """Return the page as HTML; whatever a recipe holds is escaped."""
    translator = current_translator()
    template = resources.files("headway.cli").joinpath("templates", "drill.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        language=escape(translator.language),
        title=escape(translator.text("drill-report-title", name=done.recipe)),
        verdict=escape(_verdict(done)),
        state="" if done.passed else "broken",
        introduction=escape(translator.text("drill-report-introduction", steps=done.steps, folder=done.folder)),
        headings="".join(f'<th scope="col">{escape(heading)}</th>' for heading in (*_headings(), _reason_heading())),
        rows="\n".join(_row(result) for result in done.results),
        footer=escape(translator.text("drill-report-footer", version=__version__)),
    )


def _headings() -> list[str]:
    return [current_translator().text(f"drill-column-{name}") for name in COLUMNS]


def _reason_heading() -> str:
    return current_translator().text("drill-column-reason")


def _cells(result: Result) -> tuple[str, ...]:
    translator = current_translator()
    text, locale = translator.text, translator.language
    identical = {None: format_quantity("step", None), True: text("drill-yes"), False: text("drill-no")}
    return (
        text(f"drill-fault-{result.fault}"),
        text(f"drill-status-{result.status}"),
        format_quantity("detected_seconds", result.detected_seconds, locale),
        format_quantity("recovered_seconds", result.recovered_seconds, locale),
        format_quantity("repeated_steps", result.repeated_steps, locale),
        identical[result.is_identical],
    )


def _row(result: Result) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in _cells(result))
    return f'<tr class="{result.status}">{cells}<td>{"<br>".join(map(prose, _reasons(result)))}</td></tr>'


def _reasons(result: Result) -> list[str]:
    text = current_translator().text
    return [text(reason.message_id, **reason.arguments) for reason in result.reasons]


def _verdict(done: Drill) -> str:
    counts = {
        status: sum(result.status == status for result in done.results) for status in ("passed", "failed", "impossible")
    }
    return current_translator().text("drill-verdict", **counts)
