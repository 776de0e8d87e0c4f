"""Archives, and what an enemy would send."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from headway.diagnosis import diagnose, opening
from headway.diagnosis.opening import Trouble, find_files, open_streams
from headway.errors import DiagnosisError

LOG = b"step 1\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


def contents(path: Path) -> tuple[dict[str, bytes], list[Trouble]]:
    troubles: list[Trouble] = []
    return {stream.name: stream.content.read() for stream in open_streams(path, troubles)}, troubles


PACKERS = {"gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_logs_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "whatever-it-is-called"
    path.write_bytes(PACKERS[ending](LOG))
    assert contents(path) == ({str(path): LOG}, [])


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_tar_archives_are_read(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "logs.tar"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name in ("rank0.log", "../../etc/passwd", "weights.safetensors"):
            info = tarfile.TarInfo(name)
            info.size = len(LOG)
            archive.addfile(info, io.BytesIO(LOG))
    found, troubles = contents(path)
    assert found == {f"{path}!rank0.log": LOG, f"{path}!../../etc/passwd": LOG}
    assert not troubles
    assert [file.name for file in tmp_path.iterdir()] == ["logs.tar"], "nothing is unpacked to disk"


def test_zip_archives_and_nested_ones_are_read(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/rank1.log", LOG)
        archive.writestr("a/rank2.log.gz", gzip.compress(LOG))
    assert contents(path)[0] == {f"{path}!a/rank1.log": LOG, f"{path}!a/rank2.log.gz": LOG}


def test_a_cut_archive_is_read_until_there(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(os.urandom(200_000))[:100_000])
    found, troubles = contents(path)
    assert 0 < len(found[str(path)]) < 200_000
    assert [trouble.message_id for trouble in troubles] == ["diagnosis-note-damaged"]


def test_a_bomb_is_not_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "EXPANDED_FREELY_BYTES", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(200 << 20), 9))
    troubles: list[Trouble] = []
    read = 0
    for stream in open_streams(path, troubles):
        while piece := stream.content.read(1 << 16):
            read += len(piece)
    assert read < 100 << 20
    assert [trouble.message_id for trouble in troubles] == ["diagnosis-note-bomb"]


def test_archives_in_archives_end_somewhere(tmp_path: Path) -> None:
    content = LOG
    for _ in range(10):
        content = gzip.compress(content)
    path = tmp_path / "deep"
    path.write_bytes(content)
    found, troubles = contents(path)
    assert not found
    assert [trouble.message_id for trouble in troubles] == ["diagnosis-note-nested"]


def test_paths_folders_and_globs(tmp_path: Path) -> None:
    (tmp_path / "logs" / ".git").mkdir(parents=True)
    for name in ("logs/b.log", "logs/a.out", "logs/model.safetensors", "logs/.git/config", "top.log"):
        (tmp_path / name).write_bytes(LOG)
    found = [path.name for path in find_files([tmp_path / "logs", f"{tmp_path}/*.log", tmp_path / "top.log"])]
    assert found == ["a.out", "b.log", "top.log"]


def test_a_pipe_that_nobody_writes_to_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert diagnose([tmp_path / "pipe"]).cause == "unknown"


def test_links_lead_nowhere_twice(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LOG)
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "b.log").symlink_to(tmp_path / "a.log")
    for pattern in (f"{tmp_path}/**/*.log", f"{tmp_path}/**/*", str(tmp_path)):
        assert [path.name for path in find_files([pattern])] == ["a.log"]


@pytest.mark.parametrize("path", ["missing.log", "missing/*.log", ""])
def test_what_is_not_there_is_said(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiagnosisError) as refused:
        find_files([path or "empty-folder"])
    assert refused.value.message_id == "diagnosis-nothing-there"


def test_a_log_that_may_not_be_read_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)

    def refuse(*arguments: object, **settings: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert [trouble.message_id for trouble in contents(path)[1]] == ["diagnosis-note-unreadable"]


@pytest.mark.parametrize("content", [b"", b"\x00" * 100_000, os.urandom(300_000), b"\n" * 10_000, b"\xff\xfe"])
def test_what_is_no_log_is_no_failure(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "strange"
    path.write_bytes(content)
    assert diagnose([path]).cause == "unknown"
