"""The page of a plan: complete, escaped, and without anything to load."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from headway.cli.html import prose
from headway.cli.plan_explain_view import explain
from headway.cli.report import Report, page, write_report
from headway.cli.report_charts import bar_of_parts, cloud_of_layouts
from headway.errors import PlanError
from headway.planning import plan
from headway.planning.explanations import EXPLANATIONS
from headway.planning.front import MAX_CLOUD, LayoutPoint, layout_points
from headway.recipe import Recipe, resolve_recipe
from tests.command_line import Headway
from tests.test_house import ROOT

VOID = {"meta", "br", "hr", "img", "input", "link"}
LOADING = {"script", "link", "img", "iframe", "object", "embed", "audio", "video", "source", "base", "image", "use"}


class Page(HTMLParser):
    """Reads a page: its tags, whether they close, its text, and every address that it names."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.identifiers: set[str] = set()
        self.words: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("href", "src", "srcset", "xlink:href", "action", "data", "poster"):
                self.addresses.append(value or "")
            if name == "id":
                self.identifiers.add(value or "")
            assert not name.startswith("on")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def recipe_of(name: str = "small", devices: int = 16) -> Recipe:
    return resolve_recipe(
        {
            "name": name,
            "model": {"preset": "llama-3.1-8b"},
            "training": {"steps": 100, "global_batch_size": 64},
            "hardware": {"accelerator": "h100", "devices": devices, "network": "infiniband-ndr400"},
            "site": {"grid": "germany", "electricity_usd_per_kilowatt_hour": 0.1},
        }
    )


def report_of(recipe: Recipe) -> Report:
    made = plan(recipe)
    return Report(
        recipe=recipe,
        plan=made,
        explanations=explain(recipe, made, tuple(EXPLANATIONS)),
        points=layout_points(recipe, made),
    )


@pytest.fixture(scope="module")
def content() -> str:
    return page(report_of(recipe_of()))


def test_the_page_is_whole(content: str) -> None:
    read = Page(content)
    assert not read.open
    assert read.tags.count("svg") == 5
    expected = {"messages", "charts", "tables", "layouts", "watch", "explanations", "recipe"}
    assert expected - {"messages"} <= read.identifiers
    for told in ("Runs on 16 x h100-sxm-80gb", "Activations", "arXiv:2205.05198", "front: no other", "loss and the"):
        assert told in read.text
    assert "steps = 100" in read.text
    assert not re.search(r"[a-z]+-[a-z-]+ \([a-z_]+=", read.text), "a message that is missing"


BLOCKS = {"p", "div", "ul", "ol", "table", "section", "h1", "h2", "h3", "svg", "nav", "pre"}


@pytest.mark.parametrize("devices", [1, 16, 64])
def test_the_page_is_as_strict_as_xml(devices: int) -> None:
    """No browser is at hand here, so that the page must leave none anything to mend."""
    text = page(report_of(recipe_of(devices=devices)))
    assert text.lower().startswith("<!doctype html>")
    closed = re.sub(r"<(meta|br|hr|input|link|img)\b([^>]*?)/?>", r"<\1\2/>", text[len("<!doctype html>") :])
    root = ElementTree.fromstring(closed)
    assert root.attrib["lang"] == "en"
    assert [child.tag for child in root] == ["head", "body"]
    identifiers = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert len(identifiers) == len(set(identifiers))
    for one in root.iter():
        inside = [child.tag for child in one]
        if one.tag in ("p", "span", "h1", "h2", "h3"):
            assert not BLOCKS & set(inside), one.tag
        if one.tag in ("ul", "ol"):
            assert set(inside) == {"li"}
        if one.tag == "table":
            assert len({len(row) for row in one.iter("tr")}) == 1
        if one.tag == "svg":
            left, top, width, height = map(float, one.attrib["viewBox"].split())
            for shape in one.iter():
                for name, low, high in (
                    ("x", left, width),
                    ("cx", left, width),
                    ("y", top, height),
                    ("cy", top, height),
                ):
                    assert low <= float(shape.attrib.get(name, low)) <= high, shape.attrib


def test_the_page_loads_nothing(content: str) -> None:
    read = Page(content)
    assert not LOADING & set(read.tags)
    assert all(address.startswith("#") and address[1:] in read.identifiers for address in read.addresses)
    style = content.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in content


def test_the_page_has_both_schemes_and_prints(content: str) -> None:
    assert "prefers-color-scheme: dark" in content
    assert "@media print" in content


def test_what_a_user_writes_is_escaped() -> None:
    evil = '<script>alert("1")</script><img src=x onerror=alert(1)>&amp;'
    read = Page(page(report_of(recipe_of(name=evil))))
    assert "script" not in read.tags
    assert "img" not in read.tags
    assert not read.open
    assert evil in read.text


def test_what_does_not_fit_is_shown_with_what_would() -> None:
    recipe = recipe_of(devices=1)
    report = report_of(recipe)
    read = Page(page(report))
    assert "Does not run on 1 x h100-sxm-80gb" in read.text
    assert "messages" in read.identifiers
    assert len(layout_points(recipe, report.plan)) == 1
    assert "front: no other" not in read.text


def test_all_of_the_front_is_among_the_points() -> None:
    recipe = recipe_of(devices=64)
    made = plan(recipe)
    points = layout_points(recipe, made)
    assert len(points) <= 3 * MAX_CLOUD
    assert sum(point.is_chosen for point in points) == 1
    chosen = next(point for point in points if point.is_chosen)
    assert chosen.step_seconds == pytest.approx(made.time.step_seconds)
    assert chosen.device_peak_bytes == pytest.approx(made.memory.device_peak_bytes)
    front = [point for point in points if point.is_on_front]
    assert [point.device_peak_bytes for point in front] == sorted((p.device_peak_bytes for p in front), reverse=True)
    for point in points:
        assert (
            not [
                other
                for other in front
                if other.step_seconds < point.step_seconds and other.device_peak_bytes < point.device_peak_bytes
            ]
            or not point.is_on_front
        )


def test_bars_are_as_long_as_their_parts() -> None:
    drawn = bar_of_parts("title", {"one": 1.0, "none": 0.0, "three": 3.0}, str, ("limit", 8.0))
    widths = [float(width) for width in re.findall(r' width="([\d.]+)" height="34"', drawn)]
    assert widths == [90.0, 270.0]
    assert "none" not in drawn
    assert "one: 1.0 (25%)" in drawn
    assert bar_of_parts("title", {"none": 0.0}, str) == ""


def test_a_cloud_of_equal_layouts_is_drawn() -> None:
    labels = {name: name for name in ("time", "memory", "front", "chosen", "other")}
    point = LayoutPoint(step_seconds=1.0, device_peak_bytes=2.0, is_on_front=True)
    drawn = cloud_of_layouts("title", [point, replace(point, is_chosen=True)], labels, (str, str))
    assert drawn.count("<circle") == 2
    assert "nan" not in drawn
    assert cloud_of_layouts("title", [point], labels, (str, str)) == ""


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as raised:
        write_report(report_of(recipe_of()), tmp_path)
    assert raised.value.message_id == "plan-file-unwritable"


def test_the_command_writes_the_page(headway: Headway) -> None:
    done = headway("plan", str(ROOT / "recipes" / "llama-3.1-405b.toml"), "--report", "plan.html", "--json")
    assert done.code == 0
    assert done.json["hardware"]["devices"] == 16384
    assert "plan.html" in done.err
    read = Page((headway.folder / "plan.html").read_text())
    assert "Plan: llama-3.1-405b" in read.text
    assert "As published: Llama 3.1 405B" in read.text
    assert "published" in read.identifiers
    refused = headway("plan", "llama-3.1-8b", "--set", "hardware.accelerator=h100", "--report", "no/such/p.html")
    assert refused.code == 2
    assert "no/such/p.html" in refused.err


def test_no_message_id_is_shown_as_a_label(content: str) -> None:
    assert "plan-label-" not in Page(content).text
    assert "plan-label-" not in Page(page(report_of(recipe_of(devices=64)))).text


def test_what_stands_between_backticks_is_code(content: str) -> None:
    assert prose("Set `a.b` to <1> `x`") == "Set <code>a.b</code> to &lt;1&gt; <code>x</code>"
    assert "`" not in Page(content.split('<section id="explanations">')[0]).text


def test_the_trade_offs_are_in_the_page(content: str) -> None:
    found = plan(recipe_of())
    read = Page(content)
    assert "Trade-offs" in read.text
    for one in found.front:
        assert f"{one.total_usd:,.2f}" in read.text or f"{one.total_usd:,.0f}" in read.text


def test_a_part_that_rounds_to_nothing_is_less_than_a_percent() -> None:
    drawn = bar_of_parts("t", {"a": 1000.0, "b": 1.0}, str)
    assert "(&lt;1%)" in drawn
    assert "(100%)" in drawn
