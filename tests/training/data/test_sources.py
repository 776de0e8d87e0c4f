from __future__ import annotations

import gzip
import os
import socket
import sysconfig
from pathlib import Path

import pytest

from headway.recipe.sections import DataConfig
from headway.training.data.sources import documents, list_files


def names(folder: Path, *paths: str) -> list[str]:
    files = list_files(DataConfig(paths=tuple(str(folder / path) for path in paths)))
    return [os.path.relpath(file.path, folder) for file in files]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.md", "sub/c.rst", "sub/deep/d.py", "sub/e.jsonl.gz", "f.unknown", "g.bin"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(b'{"text": "x"}') if name.endswith(".gz") else b"x")
    for name in (".hidden.txt", ".git/h.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return tmp_path


def test_a_folder_gives_its_known_files_sorted(tree: Path) -> None:
    assert names(tree, "") == ["a.md", "b.txt", "sub/c.rst", "sub/deep/d.py", "sub/e.jsonl.gz"]


def test_a_pattern_gives_any_suffix(tree: Path) -> None:
    assert names(tree, "*.unknown") == ["f.unknown"]
    assert names(tree, "**/*.[rp]*") == ["sub/c.rst", "sub/deep/d.py"]
    assert names(tree, "sub/**") == ["sub/c.rst", "sub/deep/d.py", "sub/e.jsonl.gz"]


def test_a_file_named_twice_is_read_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    files = list_files(DataConfig(paths=("b.txt", "*.txt", str(tree / "b.txt"), "sub/../a.md")))
    assert [file.path for file in files] == [str(tree / "a.md"), str(tree / "b.txt")]


def test_a_name_with_magic_characters_can_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("x")
    assert names(tmp_path, "a[1].txt") == ["a[1].txt"]


def test_a_home_folder_is_expanded(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tree))
    assert [file.path for file in list_files(DataConfig(paths=("~/b.txt",)))] == [str(tree / "b.txt")]


def test_links_to_files_are_followed_and_to_folders_are_not(tree: Path) -> None:
    folder = tree / "links"
    folder.mkdir()
    (folder / "file.txt").symlink_to(tree / "b.txt")
    (folder / "loop").symlink_to(tree)
    assert names(tree, "links") == ["links/file.txt"]


def test_what_matches_nothing_is_refused(tree: Path, refused) -> None:
    with refused("data-path-missing", path=str(tree / "gone.txt")):
        names(tree, "gone.txt")
    with refused("data-pattern-matches-nothing", path=str(tree / "*.gone")):
        names(tree, "*.gone")
    # Only a folder matches.
    with refused("data-pattern-matches-nothing"):
        names(tree, "su[b]")
    (tree / "empty.txt").mkdir()
    with refused("data-folder-without-text", path=str(tree / "empty.txt")):
        names(tree, "empty.txt")


def test_a_known_binary_format_is_refused(tree: Path, refused) -> None:
    with refused("data-format-unsupported", path=str(tree / "g.bin"), suffix=".bin"):
        names(tree, "g.bin")


def test_a_dangling_link_is_refused(tree: Path, refused) -> None:
    (tree / "dangling.txt").symlink_to(tree / "gone")
    for path in ("dangling.txt", "", "*.txt"):
        with refused("data-unreadable", path=str(tree / "dangling.txt")):
            names(tree, path)


def test_what_is_no_regular_file_is_refused_and_never_opened(tree: Path, refused) -> None:
    os.mkfifo(tree / "pipe.txt")
    for path in ("pipe.txt", "", "*.txt"):
        with refused("data-not-a-file", path=str(tree / "pipe.txt"), kind="fifo"):
            names(tree, path)
    with refused("data-not-a-file", path="/dev/zero", kind="device"):
        list_files(DataConfig(paths=("/dev/zero",)))


def test_a_socket_is_refused(tmp_path: Path, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short by its protocol
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.txt")
        with refused("data-not-a-file", kind="socket"):
            list_files(DataConfig(paths=("socket.txt",)))


def test_a_folder_that_vanishes_is_refused(tmp_path: Path, refused) -> None:
    from headway.training.data.sources import _walk

    with refused("data-unreadable", path=str(tmp_path / "gone")):
        list(_walk(tmp_path / "gone"))


def test_the_standard_library_is_sources_without_tests() -> None:
    files = list_files(DataConfig(source="python-stdlib"))
    folder = sysconfig.get_paths()["stdlib"]
    inner = [os.path.relpath(file.path, folder) for file in files]
    assert inner == sorted(inner, key=lambda path: Path(folder, path))
    assert {"json/decoder.py", "argparse.py"} <= set(inner)
    assert all(path.endswith(".py") for path in inner)
    left_out = ("site-packages", "test", "tests", "encodings", "idlelib")
    assert not any(part in left_out for path in inner for part in path.split("/"))
    assert sum(file.size_bytes for file in files) > 5_000_000


def test_documents_come_in_order_with_their_fingerprints(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same")
    (tmp_path / "b.jsonl").write_text('{"text": "\u00e4\u00e4"}\n{"text": "same"}\n')
    (tmp_path / "c.txt").write_text("")
    files = list_files(DataConfig(paths=(str(tmp_path),)))
    found = list(documents(files, "text"))
    assert [document.text for document in found] == ["same", "\u00e4\u00e4", "same"]
    assert [document.num_bytes for document in found] == [4, 4, 4]
    assert found[0].fingerprint == found[2].fingerprint != found[1].fingerprint


@pytest.mark.parametrize(
    ("max_bytes", "expected"),
    [(None, ["abcd", "\u00e4\u00e4"]), (8, ["abcd", "\u00e4\u00e4"]), (7, ["abcd", "\u00e4"]), (5, ["abcd"]),
     (4, ["abcd"]), (2, ["ab"]), (0, [])],
)  # fmt: skip
def test_max_bytes_shortens_the_last_document(max_bytes: int | None, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("abcd")
    (tmp_path / "b.txt").write_text("\u00e4\u00e4")
    files = list_files(DataConfig(paths=(str(tmp_path),)))
    assert [document.text for document in documents(files, "text", max_bytes)] == expected
