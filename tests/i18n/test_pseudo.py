from __future__ import annotations

from headway.i18n.checking import check
from headway.i18n.negotiation import LOCALES_FOLDER
from headway.i18n.pseudo import pseudo_localized


def test_words_change_and_placeables_stay() -> None:
    text = pseudo_localized("run-one = It takes { BYTES($size_bytes) }.\n    .next = Free it.\n")
    assert "{ BYTES($size_bytes) }" in text
    assert "[\u00ce\u0163 \u0163\u00e5\u0137\u00e9\u0161" in text
    assert text.count("[") == text.count("]") == 2


def test_every_english_message_can_be_made(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    for language in ("en", "en-XA"):
        (folder / language).mkdir()
        for path in (LOCALES_FOLDER / "en").glob("*.ftl"):
            source = path.read_text(encoding="utf-8")
            (folder / language / path.name).write_text(
                source if language == "en" else pseudo_localized(source), encoding="utf-8"
            )
    assert check("en-XA", folder) == []
