import errno
from pathlib import Path

import pytest

from headway.runs.durable import flush_folder, is_disk_full


def test_a_folder_is_flushed_and_a_missing_one_reported(tmp_path: Path) -> None:
    flush_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        flush_folder(tmp_path / "absent")


def test_a_file_system_that_takes_no_more_is_full() -> None:
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        assert is_disk_full(OSError(number, ""))
    assert not is_disk_full(OSError(errno.EROFS, ""))
    assert not is_disk_full(OSError())
