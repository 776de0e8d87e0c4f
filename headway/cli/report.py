"""``headway plan RECIPE --report FILE``: the whole plan as one page that loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from headway import __version__
from headway.cli.html import escape, prose
from headway.cli.plan_compare_view import layout_text
from headway.cli.plan_phases_view import COLUMNS, phase_rows
from headway.cli.plan_published_view import BESIDE_COLUMNS, beside_cells
from headway.cli.plan_trades_view import trade_columns, trade_rows, trades_note
from headway.cli.plan_view import change_text, search_line
from headway.cli.report_charts import bar_of_parts, cloud_of_layouts
from headway.errors import PlanError
from headway.i18n import current_translator
from headway.i18n.quantities import format_interval, format_quantity
from headway.planning.verdict import first_change, verdict

if TYPE_CHECKING:
    from headway.planning import Plan
    from headway.planning.explanation import Explanation
    from headway.planning.front import LayoutPoint
    from headway.planning.message import Message
    from headway.planning.published import Published
    from headway.recipe import Recipe

TABLES = (
    "model",
    "run",
    "hardware",
    "layout",
    "memory",
    "time",
    "storage",
    "network",
    "power",
    "energy",
    "cooling",
    "carbon",
    "water",
    "cost",
    "reliability",
    "software",
)
"""Sections of the plan that become a table, in order."""

_COSTS = ("hardware_usd", "infrastructure_usd", "energy_usd", "interest_usd")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a page shows.

    Attributes:
        recipe: that was planned.
        plan: made from it.
        explanations: steps by topic.
        points: layouts that fit.
        nearest: what would make it fit.
        published: what is published of the training that the recipe is that of.
    """

    recipe: Recipe
    plan: Plan
    explanations: Mapping[str, Sequence[Explanation]]
    points: Sequence[LayoutPoint]
    nearest: Sequence[Message] = ()
    published: Published | None = None


def write_report(report: Report, path: Path) -> None:
    """Write the page.

    Raises:
        PlanError: the file cannot be written.
    """
    try:
        path.write_text(page(report), encoding="utf-8")
    except OSError as error:
        raise PlanError("plan-file-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def page(report: Report) -> str:
    """Return the page as HTML; whatever a recipe or the catalogue holds is escaped."""
    translator = current_translator()
    text = translator.text
    sections = {name: content for name, content in _sections(report) if content}
    links = "".join(f'<li><a href="#{name}">{escape(text(f"report-{name}"))}</a></li>' for name in sections)
    template = resources.files("headway.cli").joinpath("templates", "plan.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        language=escape(translator.language),
        title=escape(text("report-title", name=report.recipe.name)),
        verdict=_verdict(report),
        contents=f"<nav><ul>{links}</ul></nav>",
        sections="\n".join(
            f'<section id="{name}"><h2>{escape(text(f"report-{name}"))}</h2>{content}</section>'
            for name, content in sections.items()
        ),
        footer=escape(text("report-footer", version=__version__)),
    )


def _sections(report: Report) -> Iterator[tuple[str, str]]:
    plan = report.plan
    yield "messages", _messages(plan)
    yield "charts", "".join(_charts(report))
    yield "tables", f'<div class="tables">{"".join(_tables(plan.to_dict()))}</div>'
    yield "phases", _phases(report)
    yield "published", _published(report.published)
    yield "layouts", _alternatives(plan)
    yield "watch", _list([*_items(plan.watching, "watch")])
    yield "explanations", "".join(_explanations(report.explanations))
    yield "recipe", f"<pre>{escape(report.recipe.to_toml())}</pre>"


def _verdict(report: Report) -> str:
    text, translator = current_translator().text, current_translator()
    found, change = verdict(report.plan), first_change(report.plan)
    lines = [f'<p class="sentence">{prose(text(found.id, **found.arguments))}</p>']
    lines.append(f"<p>{prose(text('plan-verdict-layout', layout=layout_text(report.plan.layout)))}</p>")
    lines += [f"<p>{prose(text(message.id, **message.arguments))}</p>" for message in report.nearest]
    step = translator.next_step(change.id, **change.arguments) if change is not None else None
    told = change_text(change, step)
    lines += [] if report.nearest else [f"<p>{prose(told)}</p>"]
    kind = "verdict impossible" if report.plan.infeasible else "verdict"
    return f'<div class="{kind}">{"".join(lines)}</div>'


def _messages(plan: Plan) -> str:
    return _list([*_items(plan.infeasible, "obstacle"), *_items(plan.warnings, "warning")])


def _items(messages: Sequence[Message], kind: str) -> Iterator[str]:
    translator = current_translator()
    for message in messages:
        step = translator.next_step(message.id, **message.arguments)
        next_step = f'<span class="next">{prose(step)}</span>' if step else ""
        told = translator.text(message.id, **message.arguments)
        told = told if message.phase is None else f"{message.phase}: {told}"
        yield f'<li class="{kind}">{prose(told)}{next_step}</li>'


def _list(items: Sequence[str]) -> str:
    return f'<ul class="messages">{"".join(items)}</ul>' if items else ""


def _charts(report: Report) -> Iterator[str]:
    text, plan = current_translator().text, report.plan
    capacity = plan.memory.device_capacity_bytes
    limit = None if capacity is None else (_label("device_capacity_bytes"), float(capacity))
    memory = {_label(name): value for name, value in vars(plan.memory.parts).items()}
    yield bar_of_parts(text("report-chart-memory"), memory, _format("bytes"), limit)
    step = {_label(name): value for name, value in plan.time.parts.items()}
    yield bar_of_parts(text("report-chart-time"), step, _format("seconds"))
    labels = {
        "time": _label("step_seconds"),
        "memory": _label("device_peak_bytes"),
        "front": text("report-chart-front"),
        "chosen": text("report-chart-chosen"),
        "other": text("report-chart-other"),
    }
    formats = (_format("seconds"), _format("bytes"))
    yield cloud_of_layouts(text("report-chart-layouts"), report.points, labels, formats)
    power = {_label(name): value for name, value in plan.power.parts.items()}
    yield bar_of_parts(text("report-chart-power"), power, _format("watts"))
    cost = {_label(name): getattr(plan.cost, name) or 0.0 for name in _COSTS}
    yield bar_of_parts(text("report-chart-cost"), cost, _format("usd"))


def _format(quantity: str) -> Any:
    locale = current_translator().language
    return lambda value: format_quantity(quantity, value, locale)


def _label(quantity: str) -> str:
    return current_translator().text(f"plan-label-{quantity.replace('_', '-')}")


def _tables(content: Mapping[str, Any]) -> Iterator[str]:
    for section in TABLES:
        rows = "".join(_rows(section, content.get(section, {})))
        if rows:
            yield f"<div><h3>{escape(_label(section))}</h3><table><tbody>{rows}</tbody></table></div>"


_NOT_SHOWN = ("source", "basis", "total_days", "assumes_network")
"""What explanations tell, or another quantity does."""


def _rows(section: str, known: Mapping[str, Any]) -> Iterator[str]:
    locale = current_translator().language
    for quantity, value in known.items():
        if isinstance(value, (dict, list)) or quantity.endswith(("_low", "_high")) or quantity in _NOT_SHOWN:
            continue
        if quantity == "known_usd" and "total_usd" in known:
            continue
        shown = current_translator().text("plan-yes" if value else "plan-no") if isinstance(value, bool) else None
        shown = format_quantity(quantity, value, locale) if shown is None else shown
        interval = format_interval(quantity, known.get(f"{quantity}_low"), known.get(f"{quantity}_high"), locale)
        told = f'<span class="interval">{escape(interval)}</span>' if interval else ""
        label = escape(_label_in(section, quantity))
        yield f'<tr><td>{label}</td><td class="number">{escape(shown)}{told}</td></tr>'


def _label_in(section: str, quantity: str) -> str:
    """Return the label of a quantity, which may have another one in one section."""
    translator = current_translator()
    own = f"plan-label-{section}-{quantity.replace('_', '-')}"
    return translator.text(own) if translator.has(own) else _label(quantity)


def _alternatives(plan: Plan) -> str:
    text, locale = current_translator().text, current_translator().language
    note = f"<p>{escape(search_line(plan))}</p>"
    if not plan.alternatives:
        return note
    heads = [text(f"plan-label-{name}") for name in ("layout", "step-seconds", "device-peak-bytes")]
    rows = (
        (
            layout_text(one.layout),
            format_quantity("seconds", one.step_seconds, locale),
            format_quantity("bytes", one.device_peak_bytes, locale),
        )
        for one in plan.alternatives
    )
    return note + _table(heads, rows, words=(0,)) + _trades(plan)


def _trades(plan: Plan) -> str:
    if len(plan.front) < 2:
        return ""
    title, note = current_translator().text("plan-label-front"), trades_note(plan)
    table = _table(trade_columns(plan.front), trade_rows(plan.front), words=(0,))
    return f"<h3>{escape(title)}</h3><p>{escape(note)}</p>{table}"


def _phases(report: Report) -> str:
    if report.plan.chain is None:
        return ""
    heads = [current_translator().text(f"plan-column-{name}") for name in COLUMNS]
    return _table(heads, phase_rows(report.plan.chain), words=(0, 2))


def _published(found: Published | None) -> str:
    if found is None:
        return ""
    text = current_translator().text
    heads = [text(f"plan-column-{name}") for name in BESIDE_COLUMNS]
    title = text("plan-published-title", title=found.training.title)
    source = text("explain-source", source=found.training.source)
    table = _table(heads, (beside_cells(row) for row in found.rows), words=(0,))
    return f'<p>{escape(title)}</p>{table}<p class="source">{escape(source)}</p>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int]) -> str:
    """Return a table; all columns but those of words hold numbers."""
    kinds = ["" if index in words else ' class="number"' for index in range(len(heads))]
    head = "".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in zip(heads, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _explanations(found: Mapping[str, Sequence[Explanation]]) -> Iterator[str]:
    text = current_translator().text
    for topic, steps in found.items():
        if not steps:
            continue
        items = "".join(
            f"<li>{prose(text(step.id, **step.arguments))}"
            f'<span class="source">{escape(text("explain-source", source=step.source))}</span></li>'
            for step in steps
        )
        yield f'<h3>{escape(text("plan-topic-title", topic=topic))}</h3><ol class="steps">{items}</ol>'
