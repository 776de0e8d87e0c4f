from __future__ import annotations

import re
from pathlib import Path

from fluent.syntax import FluentParser, ast

from headway.i18n.negotiation import LOCALES_FOLDER
from headway.training import data


def test_every_id_in_the_code_has_a_message_and_the_reverse() -> None:
    catalogue = FluentParser().parse((LOCALES_FOLDER / "en" / "data.ftl").read_text())
    assert not [entry.content for entry in catalogue.body if isinstance(entry, ast.Junk)]
    messages = {entry.id.name for entry in catalogue.body if isinstance(entry, ast.Message)}
    folder = Path(data.__file__).parent
    used = {name for file in folder.glob("*.py") for name in re.findall(r'"(data-[a-z0-9-]+)"', file.read_text())}
    assert used == messages
