from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.machine import sources


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-3,8,10-11", (0, 1, 2, 3, 8, 10, 11)),
        ("0", (0,)),
        ("", ()),
        ("\n", ()),
        ("3,1,1-2", (1, 2, 3)),
        ("0-", None),
        ("-3", None),
        ("3-1", None),
        ("a", None),
        ("1,,2", None),
        ("0-99999999", None),
        (None, None),
    ],
)
def test_cpu_list_examples(text: str | None, expected: tuple[int, ...] | None) -> None:
    assert sources.parse_cpu_list(text) == expected


def as_kernel_list(numbers: set[int]) -> str:
    parts: list[str] = []
    for number in sorted(numbers):
        first, _, last = parts[-1].partition("-") if parts else ("", "", "")
        if parts and int(last or first) == number - 1:
            parts[-1] = f"{first}-{number}"
        else:
            parts.append(str(number))
    return ",".join(parts)


@given(st.sets(st.integers(0, 8191), max_size=60))
def test_cpu_list_reads_what_the_kernel_prints(numbers: set[int]) -> None:
    assert sources.parse_cpu_list(as_kernel_list(numbers)) == tuple(sorted(numbers))


@given(st.text(max_size=30))
def test_parsers_never_crash(text: str) -> None:
    for parse in (sources.parse_cpu_list, sources.parse_int, sources.parse_float, sources.parse_size_bytes):
        result = parse(text)
        assert result is None or result is not False
    assert isinstance(sources.parse_fields(text), dict)


@given(st.integers(-(10**15), 10**15), st.sampled_from(["", " kB", "\n"]))
def test_int_is_read_with_what_follows_it(number: int, tail: str) -> None:
    assert sources.parse_int(f" {number}{tail}") == number


def test_int_refuses_an_absurd_number() -> None:
    assert sources.parse_int("1" * 30) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("48K", 49152), ("491520K", 503316480), ("24683656k", 25276063744), ("1G", 1 << 30), ("5", 5)],
)
def test_sizes(text: str, expected: int) -> None:
    assert sources.parse_size_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "K", "-1K", "1.5M", "1 Kx", None])
def test_malformed_sizes(text: str | None) -> None:
    assert sources.parse_size_bytes(text) is None


def test_float_with_unit() -> None:
    assert sources.parse_float("400 Gb/sec (4X NDR)") == 400.0


def test_unreadable_files_are_none(tmp_path: Path) -> None:
    assert sources.read_text(tmp_path) is None
    assert sources.read_text(tmp_path / "absent") is None
    assert sources.read_text(Path("a\0b")) is None
    (tmp_path / "binary").write_bytes(b"\xff\xfe 12")
    assert sources.read_int(tmp_path / "binary") is None


def test_children_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("node10", "node2", "nodes", "node2x", "power"):
        (tmp_path / name).mkdir()
    assert [path.name for path in sources.children(tmp_path, "node")] == ["node2", "node10"]
    assert next(path.name for path in sources.children(tmp_path)) == "node10"
    assert sources.children(tmp_path / "absent") == []


def test_mounts_are_read_and_damaged_lines_skipped(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(
        "22 27 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
        "damaged line\n"
        "23 27 0:50 / /mnt/my\\040disk rw - tmpfs tmpfs rw,size=4096k\n"
        "24 27 0:51 / /x rw - short\n"
    )
    root, disk = sources.mounts(tmp_path)
    assert (root.device, root.mount_point, root.filesystem, root.source) == ("254:0", "/", "ext4", "/dev/vda")
    assert (disk.mount_point, disk.options) == ("/mnt/my disk", "rw,size=4096k")
