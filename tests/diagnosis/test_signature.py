"""The tables of signatures, and the rules that they follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import re2

from headway.diagnosis.signature import Signature, signatures
from headway.errors import DiagnosisError
from headway.i18n import Translator

KNOWN = signatures()


def test_there_are_enough_causes() -> None:
    assert sum(one.kind == "cause" for one in KNOWN.values()) >= 150


@pytest.mark.parametrize("one", KNOWN.values(), ids=lambda one: one.id)
def test_a_signature_is_whole(one: Signature) -> None:
    """Its patterns compile in an engine of linear time, what it names exists, and it has its texts."""
    for pattern in (*one.patterns, *one.excludes, *one.frames, *one.near):
        re2.compile(pattern)
        assert len(pattern) > 3
    for name in one.explains:
        assert name in KNOWN or name.startswith("@"), name
        assert name != one.id
    english = Translator("en")
    assert english.has(f"diagnosis-cause-{one.id}")
    for remedy in one.remedies:
        assert english.has(f"diagnosis-remedy-{remedy}"), remedy
    assert one.source.startswith("https://") or (Path(__file__).parents[2] / one.source).is_file()


def test_no_remedy_is_without_a_cause() -> None:
    path = Path(__file__).parents[2] / "headway" / "i18n" / "locales" / "en" / "diagnosis.ftl"
    written = set(re.findall(r"^diagnosis-remedy-([\w-]+) =", path.read_text(encoding="utf-8"), re.MULTILINE))
    used = {remedy for one in KNOWN.values() for remedy in one.remedies}
    assert written - used == {"collect-longer"}, "said where nothing is known"


GOOD = """
area = "storage"
[[signature]]
id = "a"
kind = "cause"
patterns = ["x+"]
remedies = ["free-disk"]
source = "https://example.org"
"""


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"a"', '"A"', "id"),
        ('"cause"', '"reason"', "kind"),
        ('"storage"', '"nowhere"', "area"),
        ('["x+"]', "[]", "patterns"),
        ('["free-disk"]', "[]", "remedies"),
        ('source = "https://example.org"', 'source = ""', "source"),
        ('id = "a"', 'id = "a"\nstrength = 1.5', "strength"),
        ('id = "a"', 'id = "a"\ncolour = "red"', "colour"),
        ('["x+"]', "[", "Invalid"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, old: str, new: str, key: str) -> None:
    (tmp_path / "a.toml").write_text(GOOD.replace(old, new))
    with pytest.raises(DiagnosisError) as refused:
        signatures(tmp_path)
    assert refused.value.message_id == "diagnosis-signature-broken"
    assert key in str(refused.value.arguments["key"])


def test_a_name_stands_for_one_signature(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(GOOD)
    with pytest.raises(DiagnosisError):
        signatures(tmp_path)


def test_an_xid_that_belongs_to_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text('source = "https://example.org"\n[[xid]]\nnumber = 1\nas = "missing"\n')
    with pytest.raises(DiagnosisError):
        signatures(tmp_path)
