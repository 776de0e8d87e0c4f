from __future__ import annotations

from pathlib import Path

import pytest

from headway.i18n.negotiation import choose_language, known_languages, match_language

KNOWN = ("de", "en", "fr", "pt-BR", "zh-Hans", "zh-Hant")


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("fr", "fr"),
        ("FR", "fr"),
        ("fr_CA.UTF-8", "fr"),
        ("de_DE@euro", "de"),
        ("pt_BR.UTF-8", "pt-BR"),
        ("pt", "pt-BR"),
        ("pt_PT", "pt-BR"),
        ("zh-Hant-TW", "zh-Hant"),
        ("zh_Hans_CN.UTF-8", "zh-Hans"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("", None),
        (" ", None),
        ("xx", None),
        ("f", None),
        ("../../etc", None),
    ],
)
def test_a_wish_is_served_by_the_nearest_language(wish: str, language: str | None) -> None:
    assert match_language(wish, KNOWN) == language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR", "LC_MESSAGES": "de_DE"}, "de"),
        ({"LC_ALL": "fr_FR", "LC_MESSAGES": "de_DE"}, "fr"),
        ({"LANGUAGE": "xx:de:fr", "LANG": "fr_FR"}, "de"),
        ({"LANGUAGE": "xx:yy", "LANG": "fr_FR"}, "fr"),
        ({"LANGUAGE": "", "LANG": "fr_FR"}, "fr"),
        ({"LANGUAGE": "de", "LANG": "C"}, "en"),
        ({"LANGUAGE": "de", "LC_ALL": "C.UTF-8", "LANG": "fr_FR"}, "en"),
        ({"LANGUAGE": "de", "LC_ALL": "", "LANG": "fr_FR"}, "de"),
        ({"LANG": "C"}, "en"),
        ({"LC_ALL": "POSIX", "LANG": "fr_FR"}, "en"),
        ({"HEADWAY_LANG": "fr", "LANGUAGE": "de", "LC_ALL": "C"}, "fr"),
        ({"HEADWAY_LANG": "xx", "LANG": "de_DE"}, "de"),
        ({"LANG": "xx_YY"}, "en"),
    ],
)
def test_the_environment_chooses(environment: dict[str, str], language: str) -> None:
    assert choose_language(None, environment, KNOWN) == language


def test_the_option_decides_before_the_environment() -> None:
    assert choose_language("de", {"HEADWAY_LANG": "fr"}, KNOWN) == "de"
    assert choose_language("xx", {"HEADWAY_LANG": "fr"}, KNOWN) == "fr"


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_LANG", "de")
    assert choose_language(known=KNOWN) == "de"
    assert choose_language() in known_languages()


def test_a_language_is_a_folder_with_catalogues(tmp_path: Path) -> None:
    (tmp_path / "fr").mkdir()
    (tmp_path / "fr" / "cli.ftl").touch()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "README").touch()
    assert known_languages(tmp_path) == ("fr",)
    assert "en" in known_languages()
