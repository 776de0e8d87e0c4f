"""Every page in every language: nothing runs over, no letter is missing, and no id stands where text should be."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from headway.i18n.negotiation import LOCALES_FOLDER, known_languages
from headway.web.catalogues import SHARED, index
from tests.web.browser import ARGUMENTS, chromium
from tests.web.conftest import Server

LANGUAGES = [language for language in known_languages() if (LOCALES_FOLDER / language / "ui.ftl").is_file()]
PAGES = ("/", "/runs/first", "/plan", "/diagnose", "/server")


def test_seventeen_languages_have_the_dashboard() -> None:
    assert len(LANGUAGES) == 17
    for language in LANGUAGES:
        assert {path.stem for path in (LOCALES_FOLDER / language).glob("*.ftl")} >= set(SHARED), language


@pytest.fixture(scope="module")
def page(server: Server) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_context(base_url=f"http://127.0.0.1:{server.port}").new_page()
        yield page
        browser.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits(page: Page, language: str) -> None:
    page.goto("/")
    page.evaluate("language => localStorage.setItem('headway-language', language)", language)
    for path in PAGES:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("[aria-busy]")).to_have_count(0)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            # Charts take their new width a frame later.
            page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
        shown = page.inner_text("body")
        assert not re.findall(r"\b(?:ui|event|quantity|resource|status|web)-[a-z]+(?:-[a-z]+)*\b", shown), path
        assert "{" not in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_font_has_every_letter(language: str) -> None:
    text = "".join((LOCALES_FOLDER / language / f"{file}.ftl").read_text(encoding="utf-8") for file in SHARED)
    letters = sorted({letter for letter in text if ord(letter) > 0x2FF and letter.isalnum()})
    wanted = " ".join(f"{ord(letter):x}" for letter in letters)
    found = subprocess.run(
        ["fc-list", f":charset={wanted}" if wanted else ":lang=en", "family"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip(), "".join(letters)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_small(server: Server, language: str) -> None:
    answer = server.ask(f"/locales/{index()[language]['core']}", Accept_Encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) <= 15_000
