import errno
import fcntl
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headway.machine.disks import Disk, read_disk
from headway.machine.measure_disk import _read, measure_disk

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """A file system of 4 MiB, or None where this user may not mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file of this process may grow beyond 6 MiB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores SIGXFSZ, so that the write fails instead of the process.
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    resource.setrlimit(resource.RLIMIT_FSIZE, (6 * MIB, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_this_disk(tmp_path: Path) -> None:
    found, notes = measure_disk(read_disk(tmp_path), file_bytes=32 * MIB)
    assert notes == []
    assert found is not None
    assert (found.folder, found.file_bytes) == (str(tmp_path), 32 * MIB)
    assert 1e5 < found.write_bytes_per_second < 1e12
    assert 1e5 < found.read_bytes_per_second < 1e12
    assert found.read_method in ("direct", "uncached", "cached")
    assert list(tmp_path.iterdir()) == []


def test_memory_is_said_to_be_cached() -> None:
    found, _ = measure_disk(read_disk(Path("/dev/shm")), file_bytes=8 * MIB)
    assert found is not None and found.read_method == "cached"


@pytest.fixture
def no_direct_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on a file system that refuses O_DIRECT: ramfs, or one made to refuse where none may be mounted."""
    folder = tmp_path / "ram"
    folder.mkdir()
    command = ["mount", "-t", "ramfs", "ramfs", str(folder)]
    if os.geteuid() == 0 and not subprocess.run(command, capture_output=True, check=False).returncode:
        yield folder
        subprocess.run(["umount", str(folder)], check=True)
        return
    real = fcntl.fcntl

    def refuse(descriptor: int, command: int, flags: int = 0) -> int:
        if command == fcntl.F_SETFL and flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "refused")
        return real(descriptor, command, flags)

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    yield folder


def test_where_direct_reads_are_refused_the_cache_is_dropped(no_direct_reads: Path) -> None:
    found, notes = measure_disk(Disk(folder=str(no_direct_reads)), file_bytes=8 * MIB)
    assert notes == []
    assert found is not None and found.read_method == "uncached"


def test_other_failures_of_reading_are_not_hidden() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        _read(1_000_000, MIB, 1.0, in_memory=False)


def test_a_file_that_became_shorter_ends_the_reading(tmp_path: Path) -> None:
    with tempfile.TemporaryFile(dir=tmp_path) as file:
        file.write(b"x" * MIB)
        file.flush()
        _, read_bytes, _ = _read(file.fileno(), 8 * MIB, 10.0, in_memory=True)
    assert read_bytes == MIB


def test_a_slow_disk_is_given_up_at_the_next_flush(tmp_path: Path) -> None:
    found, _ = measure_disk(read_disk(tmp_path), budget_seconds=0.0, file_bytes=128 * MIB)
    assert found is not None and found.file_bytes == 64 * MIB


def test_no_more_than_a_quarter_of_the_free_space_is_used(tmp_path: Path) -> None:
    found, _ = measure_disk(Disk(folder=str(tmp_path), free_bytes=33 * MIB))
    assert found is not None and found.file_bytes == 8 * MIB


def test_too_little_space(small_disk: Path | None, tmp_path: Path) -> None:
    disk = read_disk(small_disk) if small_disk else Disk(folder=str(tmp_path), free_bytes=4 * MIB)
    found, (note,) = measure_disk(disk)
    assert found is None
    assert note.message_id == "machine-note-disk-full"
    assert note.arguments == {"folder": disk.folder, "free_bytes": 4 * MIB}


def test_a_disk_that_fills_up_while_it_is_measured(
    small_disk: Path | None, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if small_disk is None:
        request.getfixturevalue("small_files")
    folder = small_disk or tmp_path
    found, (note,) = measure_disk(Disk(folder=str(folder)))
    assert found is None
    assert note.message_id == "machine-note-disk-failed"
    assert note.arguments == {"folder": str(folder), "reason": "ENOSPC" if small_disk else "EFBIG"}
    assert [path for path in folder.iterdir() if path.is_file()] == []


def test_a_file_size_limit(tmp_path: Path, small_files: None) -> None:
    found, (note,) = measure_disk(Disk(folder=str(tmp_path)))
    assert found is None
    assert note.arguments["reason"] == errno.errorcode[errno.EFBIG]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    _, (note,) = measure_disk(Disk(folder=str(tmp_path / "gone")))
    assert note.arguments["reason"] == "ENOENT"
