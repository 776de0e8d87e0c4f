from pathlib import Path

import pytest

from headway.recipe.reading import read_limited


def test_one_byte_more_tells_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "five"
    path.write_bytes(b"12345")
    assert read_limited(path, 5) == b"12345"
    assert read_limited(path, 3) == b"1234"
    assert len(read_limited(Path("/dev/zero"), 100)) == 101


def test_what_the_file_system_says_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "none", 5)
    with pytest.raises(IsADirectoryError):
        read_limited(tmp_path, 5)
