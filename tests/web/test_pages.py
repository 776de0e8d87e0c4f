"""The dashboard in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from headway.runs import EventLog, MetricLog
from tests.web.browser import ARGUMENTS, chromium
from tests.web.conftest import Server, make_run

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{server.port}", viewport={"width": 1280, "height": 900}, locale="en-GB"
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    # What a test provokes on purpose is an answer of the server, which the browser reports too.
    assert [one for one in problems if "status of 4" not in one] == []


def settle(page: Page) -> None:
    # A page of a run keeps its stream open, and is never without a request.
    if "/runs/" not in page.url:
        page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy]")).to_have_count(0)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", ["/", "/runs/first", "/compare?run=first&run=second", "/plan", "/diagnose", "/server"])
def test_every_page_fits_its_width(page: Page, server: Server, path: str, width: int) -> None:
    if not (server.root / "second").exists():
        make_run(server.root, "second")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path)
    expect(page.locator("h1")).to_be_visible()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # No id of a message is left over where its text should be.
    assert not re.findall(r"\b(?:ui|cli|web|run|plan)-[a-z]+-[a-z-]+\b", page.inner_text("body"))


def test_runs_are_listed_filtered_and_compared(page: Page, server: Server) -> None:
    for name in ("alpha", "beta"):
        if not (server.root / name).exists():
            make_run(server.root, name)
    page.goto("/")
    expect(page.get_by_role("link", name="alpha")).to_be_visible()
    page.get_by_role("searchbox").fill("BET")
    expect(page.get_by_role("link", name="beta")).to_be_visible()
    expect(page.get_by_role("link", name="alpha")).to_have_count(0)
    page.get_by_role("checkbox", name="beta").check()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("checkbox", name="alpha").check()
    page.get_by_role("button", name="Compare (2)").click()
    expect(page).to_have_url(re.compile(r"/compare\?run=beta&run=alpha"))
    # Which line is whose, in the order in which they were chosen.
    expect(page.locator(".legend a")).to_have_text(["beta", "alpha"])
    expect(page.locator("canvas").first).to_be_visible()


def test_a_run_is_shown_while_it_trains(page: Page, server: Server) -> None:
    run = make_run(server.root, "training", steps=10)
    page.goto("/runs/training")
    expect(page.locator("dl.figures dd").first).to_have_text("10")
    log = MetricLog(run.metrics_path())
    log.append({"step": 11, "loss": 1.0, "time": 1.7e9, "step_seconds": 0.1})
    log.close()
    expect(page.locator("dl.figures dd").first).to_have_text("11")
    with EventLog(run.events_path) as events:
        events.record("checkpoint-saved", step=11, bytes=2**20, seconds=0.5)
        events.record("finished", pid=1)
    expect(page.locator("ol.events")).to_contain_text("Checkpoint at step 11: 1 MiB in 500 ms.")
    expect(page.locator(".bar .status").first).to_have_text("finished")


def test_a_plan_follows_the_form_and_its_address_can_be_passed_on(page: Page) -> None:
    page.goto("/plan?preset=llama-3.1-8b&accelerator=h100-sxm-80gb&devices=8&tokens=15T")
    expect(page.locator("dl.figures")).to_contain_text("GiB")
    before = page.inner_text("dl.figures")
    page.get_by_label("Devices").fill("64")
    expect(page.locator("dl.figures")).not_to_have_text(before)
    expect(page).to_have_url(re.compile("devices=64"))
    page.get_by_label("Model").fill("llama-9")
    expect(page.get_by_role("alert")).to_contain_text("llama-9")


def test_a_log_is_explained(page: Page, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("step 1\nRuntimeError: No space left on device <img src=x onerror=alert(1)>\n")
    page.goto("/diagnose")
    page.locator("input[type=file]").set_input_files(log)
    expect(page.locator("article.diagnosis .cause")).to_contain_text("disk", ignore_case=True)
    # What a log holds is shown as text, whatever it looks like.
    expect(page.locator("pre")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("pre img").count() == 0


@pytest.mark.parametrize("path", ["/", "/runs/first", "/plan", "/diagnose", "/server", "/nowhere"])
def test_no_text_is_written_past_the_catalogues(page: Page, path: str) -> None:
    page.goto(path)
    page.get_by_role("combobox").select_option("en-XA")
    expect(page.locator("html")).to_have_attribute("lang", "en-XA")
    settle(page)
    # Names, numbers and units are nobody's language; every word of a sentence has an accent or is in brackets.
    words = page.evaluate(
        """() => [...document.querySelectorAll('main *, header *')].flatMap((element) =>
            element.closest('option, bdi, pre, time, svg, .u-wrap') ? []
            : [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()))"""
    )
    shown = [word for word in words if re.search(r"[a-z]{4}", word) and word not in ("Headway",)]
    plain = [word for word in shown if not (word.startswith("[") and word.endswith("]"))]
    assert plain == []


def _catalogues(urls: list[str]) -> list[str]:
    """Return the names of the catalogues among what a page asked for, as in /locales/LANGUAGE.NAME.HASH.ftl."""
    return [url.rsplit("/", 1)[1].split(".")[1] for url in urls if "/locales/" in url]


def test_a_language_is_switched_without_a_request_and_nothing_else_changes(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto("/")
    page.get_by_role("searchbox").fill("fir")
    page.get_by_role("checkbox", name="first").check()
    settle(page)
    english = _catalogues(asked)
    asked.clear()
    languages = page.get_by_role("combobox")
    languages.select_option("en-XA")
    expect(page.locator("h1")).to_have_text(re.compile(r"\[.*\]"))
    # The first time each file that the page shows is loaded once; the list of runs asks again by itself.
    page.wait_for_timeout(300)
    # Runs that other tests left may be told by messages of further files.
    assert "core" in english
    assert sorted(_catalogues(asked)) == sorted(set(english))
    asked.clear()
    for language, title in (("en", "Runs"), ("en-XA", re.compile(r"\["))):
        languages.select_option(language)
        expect(page.locator("h1")).to_have_text(title)
    assert _catalogues(asked) == []
    assert page.get_by_role("searchbox").input_value() == "fir"
    assert page.get_by_role("checkbox", name="first").is_checked()
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en-XA")


def test_dark_and_light_are_remembered(page: Page) -> None:
    page.goto("/server")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_the_first_page_is_small(page: Page) -> None:
    sizes: dict[str, int] = {}

    page.on("requestfinished", lambda one: sizes.update({one.url: one.sizes()["responseBodySize"]}))
    page.goto("/server")
    settle(page)
    assets = {url: size for url, size in sizes.items() if "/assets/" in url or "/locales/" in url}
    assert len(assets) >= 3
    # Compressed, without fonts; see issue "Watch".
    assert 20_000 < sum(assets.values()) <= 60_000
