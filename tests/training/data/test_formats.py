from __future__ import annotations

import gzip
import io
import json
import random
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import MissingDependencyError
from headway.training.data import formats, rows
from headway.training.data.formats import Format, format_of, read_documents


def read(path: Path, text_field: str = "text") -> list[str]:
    return list(read_documents(path, text_field))


def write_parquet(path: Path, column: object, name: str = "text", **options: object) -> Path:
    pq.write_table(pa.table({"id": pa.array(range(len(column))), name: column}), path, **options)
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.txt", Format("text", "none")),
        ("Makefile", Format("text", "none")),
        ("a.py.gz", Format("text", "gzip")),
        ("a.gz", Format("text", "gzip")),
        ("A.JSONL", Format("jsonl", "none")),
        ("a.ndjson.zst", Format("jsonl", "zstd")),
        ("a.parquet", Format("parquet", "none")),
        ("model.v1.2.md", Format("text", "none")),
    ],
)
def test_a_format_is_told_from_the_name(name: str, expected: Format) -> None:
    assert format_of(Path(name)) == expected


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.csv", "a.tar.gz", "a.bz2", "a.parquet.zst"])
def test_formats_that_are_not_text_are_refused(name: str, refused) -> None:
    with refused("data-format-unsupported", path=name):
        format_of(Path(name))


COMPRESSORS = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_text_file_is_one_document(suffix: str, tmp_path: Path) -> None:
    text = "first line\r\nzweite Zeile: \u00e4\u4e16\U0001f600\n\n no end"
    path = tmp_path / f"a.md{suffix}"
    path.write_bytes(COMPRESSORS[suffix](text.encode()))
    assert read(path) == [text]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_line_of_json_lines_is_one_document(suffix: str, tmp_path: Path) -> None:
    rows = ['{"id": 1, "text": "one\\nline"}', "", '  {"text": "\\u00e4", "score": NaN}  ', '{"text": ""}']
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(COMPRESSORS[suffix]("\n".join(rows).encode()))
    assert read(path) == ["one\nline", "\u00e4"]


def test_another_field_can_hold_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text('{"text": 1, "body": "yes"}\n')
    assert read(path, "body") == ["yes"]


def test_compressed_files_may_have_several_members(tmp_path: Path) -> None:
    for suffix in (".gz", ".zst"):
        path = tmp_path / f"a.txt{suffix}"
        path.write_bytes(COMPRESSORS[suffix](b"one ") + COMPRESSORS[suffix](b"two"))
        assert read(path) == ["one two"]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_empty_files_have_no_document(suffix: str, tmp_path: Path) -> None:
    for name in ("a.txt", "a.jsonl"):
        path = tmp_path / (name + suffix)
        path.write_bytes(COMPRESSORS[suffix](b""))
        assert read(path) == []


def test_a_byte_order_mark_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\ufeffhello", encoding="utf-8")
    assert read(path) == ["hello"]
    rows = tmp_path / "a.jsonl"
    rows.write_text('\ufeff{"text": "hello"}', encoding="utf-8")
    assert read(rows) == ["hello"]


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_long_text_file_is_cut_after_lines(suffix: str, tmp_path: Path) -> None:
    text = "".join(f"line {number} \u00e4\n" for number in range(200_000))
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(COMPRESSORS[suffix](text.encode()))
    pieces = read(path)
    assert "".join(pieces) == text
    assert len(pieces) == len(text.encode()) // formats.TEXT_DOCUMENT_BYTES + 1
    assert all(piece.endswith("\n") for piece in pieces)
    assert all(len(piece.encode()) <= formats.TEXT_DOCUMENT_BYTES for piece in pieces)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="a\n\u00e4\u4e16\U0001f600", max_size=60), st.integers(5, 20))
def test_cutting_loses_nothing_wherever_it_falls(text: str, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "TEXT_DOCUMENT_BYTES", limit)
        pieces = list(formats._text_documents(io.BytesIO(text.encode()), Path("a")))
    assert "".join(pieces) == text


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["one", "", "two"]),
        pa.array(["one", "", "two"], pa.large_string()),
        pa.array(["one", "", "two"], pa.string_view()),
        pa.array(["one", "", "two"]).dictionary_encode(),
    ],
    ids=["string", "large_string", "string_view", "dictionary"],
)
def test_a_parquet_row_is_one_document(column: pa.Array, tmp_path: Path) -> None:
    assert read(write_parquet(tmp_path / "a.parquet", column)) == ["one", "two"]


def test_parquet_is_read_over_row_groups_in_order(tmp_path: Path) -> None:
    texts = [f"document {number}" for number in range(1000)]
    path = write_parquet(tmp_path / "a.parquet", pa.array(texts), row_group_size=70, compression="zstd")
    assert read(path) == texts


def test_invalid_utf8_is_refused_with_its_place(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good \xff bad")
    with refused("data-not-utf8", path=str(path), offset_bytes=5):
        read(path)
    far = formats.TEXT_DOCUMENT_BYTES + 1000
    path.write_bytes(b"0123456789abcde\n" * (far // 16) + b"\xc3")
    with refused("data-not-utf8", offset_bytes=far // 16 * 16):
        read(path)
    rows = tmp_path / "a.jsonl"
    rows.write_bytes(b'{"text": "a"}\n{"text": "\xe4"}\n')
    with refused("data-line-not-utf8", path=str(rows), line=2, offset_bytes=24):
        read(rows)


@pytest.mark.parametrize("bad", ['{"text": "cut', "[" * 100_000, '{"text": ' + "1" * 5000 + "}"])
def test_an_invalid_line_is_refused_with_its_number(bad: str, tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n\n' + bad + "\n")
    with refused("data-json-invalid", path=str(path), line=3):
        read(path)


@pytest.mark.parametrize(
    ("row", "found"), [("[1]", "array"), ('"a"', "string"), ("1.5", "number"), ("true", "boolean"), ("null", "null")]
)
def test_a_line_must_be_an_object(row: str, found: str, tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(row)
    with refused("data-json-not-object", line=1, found=found):
        read(path)


def test_a_missing_field_names_the_fields_there_are(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"title": "a", "body": "b"}\n')
    with refused("data-field-missing", path=str(path), line=2, field="text", present="body, title"):
        read(path)
    path.write_text("{}")
    with refused("data-field-missing", line=1, present="none"):
        read(path)


@pytest.mark.parametrize(
    ("value", "found"),
    [(None, "null"), (1, "number"), (1.5, "number"), (True, "boolean"), ([], "array"), ({}, "object")],
)
def test_the_text_must_be_a_string(value: object, found: str, tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": value}))
    with refused("data-field-type", path=str(path), line=1, field="text", found=found):
        read(path)


def test_half_a_surrogate_pair_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "\\ud83d"}')
    with refused("data-lone-surrogate", path=str(path), line=1):
        read(path)


def test_a_line_without_end_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" + b" " * (rows.MAX_LINE_BYTES + 2), compresslevel=1))
    with refused("data-line-too-long", line=2, limit_bytes=rows.MAX_LINE_BYTES):
        read(path)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_damaged_compressed_files_are_refused(name: str, suffix: str, tmp_path: Path, refused) -> None:
    content = b"".join(b'{"text": "%d"}\n' % number for number in range(20_000))
    whole = COMPRESSORS[suffix](content)
    path = tmp_path / (name + suffix)
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"not compressed"):
        path.write_bytes(damaged)
        with refused("data-corrupt-file", path=str(path)):
            read(path)


def test_a_flipped_bit_in_compressed_files_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.txt.gz"
    whole = bytearray(gzip.compress(b"some text" * 1000))
    whole[-6] ^= 1  # in the checksum of the content
    path.write_bytes(whole)
    with refused("data-corrupt-file", path=str(path)):
        read(path)
    whole[12] ^= 0xFF  # in the description of the Huffman codes
    path.write_bytes(whole)
    with refused("data-corrupt-file", path=str(path)):
        read(path)


def test_damaged_parquet_is_refused(tmp_path: Path, refused) -> None:
    generator = random.Random(1)
    texts = ["".join(generator.choices("abcdefgh ", k=100)) for _ in range(1000)]
    path = write_parquet(tmp_path / "a.parquet", pa.array(texts), compression="zstd")
    whole = path.read_bytes()
    for damaged in (b"", b"PAR1", whole[:-1], whole[:1000], whole[:500] + bytes(3000) + whole[3500:]):
        path.write_bytes(damaged)
        with refused("data-corrupt-file", path=str(path)):
            read(path)


def test_a_missing_column_names_the_columns_there_are(tmp_path: Path, refused) -> None:
    path = write_parquet(tmp_path / "a.parquet", pa.array(["a"]), name="body")
    with refused("data-column-missing", path=str(path), field="text", present="id, body"):
        read(path)
    pq.write_table(pa.table({}), path)
    with refused("data-column-missing", present="none"):
        read(path)


def test_a_column_of_another_type_is_refused(tmp_path: Path, refused) -> None:
    path = write_parquet(tmp_path / "a.parquet", pa.array(["a"]))
    with refused("data-column-type", path=str(path), field="id", found="int64"):
        read(path, "id")


def test_a_null_in_parquet_is_refused_with_its_row(tmp_path: Path, refused) -> None:
    path = write_parquet(tmp_path / "a.parquet", pa.array(["a"] * 300 + [None]))
    with refused("data-field-type", line=301, found="null"):
        read(path)


def test_invalid_utf8_in_parquet_is_refused_with_its_row(tmp_path: Path, refused) -> None:
    broken = pa.array([b"a", b"\xff\xfe"]).view(pa.string())
    path = write_parquet(tmp_path / "a.parquet", broken)
    with refused("data-row-not-utf8", path=str(path), line=2, field="text"):
        read(path)


def test_what_cannot_be_opened_or_read_is_refused(tmp_path: Path, refused) -> None:
    for name in ("a.txt", "a.txt.gz", "a.txt.zst", "a.parquet"):
        folder = tmp_path / name
        folder.mkdir()
        with refused("data-unreadable", path=str(folder)):
            read(folder)
        with refused("data-unreadable", path=str(tmp_path / "gone" / name)):
            read(tmp_path / "gone" / name)
    # Opens, and fails at the first read.
    with refused("data-unreadable", path="/proc/self/mem"):
        read(Path("/proc/self/mem"))


@pytest.mark.parametrize("name", ["a.parquet", "a.txt.zst"])
def test_a_missing_package_is_named(name: str, tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    # None in sys.modules is how the import system itself marks a module as not importable.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused("data-package-missing", MissingDependencyError, package="pyarrow"):
        read(path)


@pytest.mark.parametrize(("row", "character"), [('{"text": "cut', 10), ('{"text": "a"', 13), ("x", 1)])
def test_the_place_in_an_invalid_line_is_counted_within_it(row: str, character: int, tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n' + row + "\n")
    with refused("data-json-invalid", line=2, character=character):
        read(path)
