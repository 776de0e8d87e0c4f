from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.training.data.shards import (
    FORMAT_VERSION,
    Manifest,
    Split,
    SplitWriter,
    find_damage,
    read_manifest,
    token_dtype,
    write_manifest,
)


def write(folder: Path, documents: list[list[int]], shard_tokens: int, per_append: int = 3, vocab_size: int = 300):
    dtype = token_dtype(vocab_size)
    writer = SplitWriter(folder, "train", dtype, shard_tokens)
    for start in range(0, len(documents), per_append):
        part = documents[start : start + per_append]
        writer.append([token for document in part for token in document], [len(document) for document in part], 1)
    record = writer.close()
    manifest = Manifest(FORMAT_VERSION, dtype.name, shard_tokens, (record,), "digest", "content", writer.files)
    write_manifest(folder, manifest)
    return manifest


def everything(split: Split) -> list[int]:
    tokens = np.empty(split.num_tokens, dtype=np.int64)
    split.read(0, tokens)
    return tokens.tolist()


@pytest.mark.parametrize(("vocab_size", "expected"), [(1, 2), (65536, 2), (65537, 4), (128256, 4)])
def test_tokens_take_as_few_bytes_as_they_can(vocab_size: int, expected: int) -> None:
    assert token_dtype(vocab_size).itemsize == expected


documents_of_tokens = st.lists(st.lists(st.integers(0, 299), min_size=1, max_size=30), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(documents_of_tokens, st.integers(1, 40), st.integers(1, 5), st.data())
def test_what_is_written_is_read(
    documents: list[list[int]], shard_tokens: int, per_append: int, data: st.DataObject
) -> None:
    tokens = [token for document in documents for token in document]
    starts = np.cumsum([0, *map(len, documents)])[:-1].tolist()
    start = data.draw(st.integers(0, len(tokens)))
    stop = data.draw(st.integers(start, len(tokens)))
    with TemporaryDirectory() as name:
        folder = Path(name)
        manifest = write(folder, documents, shard_tokens, per_append)
        split = Split(folder, manifest, manifest.splits[0])
        assert (split.name, split.num_tokens, split.num_documents) == ("train", len(tokens), len(documents))
        assert everything(split) == tokens
        part = np.empty(stop - start, dtype=np.int64)
        split.read(start, part)
        assert part.tolist() == tokens[start:stop]
        assert split.document_starts(start, stop).tolist() == [s for s in starts if start <= s < stop]
        assert len(list(folder.glob("*.bin"))) == -(-len(tokens) // shard_tokens)
        assert find_damage(folder, manifest) is None
        assert read_manifest(folder) == manifest


def test_the_files_are_what_the_format_says(tmp_path: Path) -> None:
    manifest = write(tmp_path, [[1, 2, 258], [3, 4, 5, 6, 258]], shard_tokens=4)
    assert (tmp_path / "train-00000.bin").read_bytes() == bytes([1, 0, 2, 0, 2, 1, 3, 0])
    assert np.fromfile(tmp_path / "train-00000.idx", "<i8").tolist() == [0, 3]
    assert (tmp_path / "train-00001.idx").read_bytes() == b""
    assert sorted(manifest.files) == ["train-00000.bin", "train-00000.idx", "train-00001.bin", "train-00001.idx"]
    content = json.loads((tmp_path / "manifest.json").read_text())
    assert content["manifest"]["dtype"] == "uint16"
    assert content["manifest"]["splits"][0]["num_tokens"] == 8


def test_large_vocabularies_are_kept(tmp_path: Path) -> None:
    manifest = write(tmp_path, [[70_000, 128_255]], shard_tokens=10, vocab_size=128_256)
    assert everything(Split(tmp_path, manifest, manifest.splits[0])) == [70_000, 128_255]


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    manifest = write(tmp_path, [[1, 2, 3], [4, 5, 6]], shard_tokens=4)
    for name in manifest.files:
        path = tmp_path / name
        whole = path.read_bytes()
        for position in range(len(whole)):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x10]) + whole[position + 1 :])
            assert find_damage(tmp_path, manifest) == name
        path.write_bytes(whole)
    assert find_damage(tmp_path, manifest) is None


def test_a_wrong_size_is_found_even_where_checksums_are_too_costly(tmp_path: Path) -> None:
    manifest = write(tmp_path, [[1, 2, 3]], shard_tokens=4)
    path = tmp_path / "train-00000.bin"
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole + b"x", b""):
        path.write_bytes(damaged)
        assert find_damage(tmp_path, manifest, verify_limit_bytes=0) == path.name
    path.write_bytes(bytes(len(whole)))
    assert find_damage(tmp_path, manifest, verify_limit_bytes=0) is None
    path.unlink()
    assert find_damage(tmp_path, manifest) == path.name


def test_a_manifest_that_was_changed_is_not_trusted(tmp_path: Path) -> None:
    write(tmp_path, [[1, 2, 3]], shard_tokens=4)
    path = tmp_path / "manifest.json"
    whole = path.read_bytes()
    for damaged in (
        whole.replace(b'"num_tokens": 3', b'"num_tokens": 2'),
        whole[: len(whole) // 2],
        b"",
        b"{}",
        b'{"sha256": "\xff"}',
    ):
        assert damaged != whole
        path.write_bytes(damaged)
        assert read_manifest(tmp_path) is None
    path.unlink()
    assert read_manifest(tmp_path) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 25), st.data())
def test_marks_lie_beside_the_tokens(marks: list[bool], shard_tokens: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(marks)))
    stop = data.draw(st.integers(start, len(marks)))
    with TemporaryDirectory() as name:
        folder = Path(name)
        writer = SplitWriter(folder, "train", token_dtype(300), shard_tokens)
        half = len(marks) // 2
        for part in (marks[:half], marks[half:]):
            writer.append([1] * len(part), [len(part)] if part else [], 1, part)
        record = writer.close()
        manifest = Manifest(FORMAT_VERSION, "uint16", shard_tokens, (record,), "", "", writer.files)
        assert find_damage(folder, manifest) is None
        out = np.empty(stop - start, dtype=np.bool_)
        Split(folder, manifest, record).read_marks(start, out)
        assert out.tolist() == marks[start:stop]
        assert (folder / "train-00000.mark").stat().st_size == min(len(marks), shard_tokens)


def test_without_marks_every_token_counts(tmp_path: Path) -> None:
    manifest = write(tmp_path, [[1, 2, 3]], 100)
    assert sorted(manifest.files) == ["train-00000.bin", "train-00000.idx"]
    out = np.zeros(3, dtype=np.bool_)
    Split(tmp_path, manifest, manifest.splits[0]).read_marks(0, out)
    assert out.all()
