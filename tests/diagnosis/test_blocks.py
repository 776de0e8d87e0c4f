"""Streams as blocks of whole lines."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.diagnosis.blocks import BLOCK_BYTES, LONGEST_CARRIED_BYTES, blocks, is_text


@given(st.lists(st.binary(max_size=300), max_size=60), st.booleans())
def test_blocks_put_together_are_the_stream(lines: list[bytes], ends: bool) -> None:
    # Zero bytes can make a text look like UTF-16, which another test is about.
    content = b"\n".join(
        line.replace(b"\x00", b"").replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"") for line in lines
    )
    content += b"\n" if ends else b""
    assert b"".join(blocks(io.BytesIO(content))) == content


def test_blocks_end_where_lines_end() -> None:
    content = b"".join(b"line %d\n" % number for number in range(50_000))
    found = list(blocks(io.BytesIO(content)))
    assert len(found) > 5
    assert all(block.endswith(b"\n") for block in found)


def test_a_line_without_an_end_is_cut() -> None:
    found = list(blocks(io.BytesIO(b"x" * (5 * LONGEST_CARRIED_BYTES))))
    assert max(map(len, found)) <= LONGEST_CARRIED_BYTES + BLOCK_BYTES


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_wide_encodings_are_read(encoding: str) -> None:
    text = "RuntimeError: CUDA out of memory\r\n" * 3000
    assert b"".join(blocks(io.BytesIO(text.encode(encoding)))).decode().lstrip("\ufeff") == text


@pytest.mark.parametrize(
    ("content", "is_log"),
    [
        (b"", True),
        (b"Error: x\n" * 20, True),
        ("\N{SNOWMAN}\u8a13\u7df4".encode() * 100, True),
        ("na\u00efve ".encode("latin-1") * 100, True),
        (bytes(range(256)) * 20, False),
        (b"\x00" * 1000, False),
    ],
)
def test_text_is_told_from_other_files(content: bytes, is_log: bool) -> None:
    assert is_text(content) is is_log


def test_a_limit_ends_at_the_end_of_a_line() -> None:
    content = b"".join(b"line %d\n" % number for number in range(1000))
    found = b"".join(blocks(io.BytesIO(content), limit_bytes=100))
    assert content.startswith(found)
    assert found.endswith(b"\n")
    assert 100 <= len(found) < 120
