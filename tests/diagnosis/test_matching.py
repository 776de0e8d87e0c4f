"""Signatures in lines and blocks."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from headway.diagnosis.matching import BlockFilter, matcher
from headway.diagnosis.signature import signatures

CASES = Path(__file__).parent / "cases"
LINES = sorted({line for path in CASES.rglob("*.log") for line in path.read_bytes().splitlines()})


def test_a_line_shows_each_signature_once_with_what_it_caught() -> None:
    known = matcher()
    text = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 1.01 GiB is free."  # noqa: E501
    found = {one.id: caught for one, caught in known.caught(known.find_raw(text.encode()), text)}
    assert found["device-memory"]["tried"] == "2.00 GiB"
    assert found["device-memory"]["capacity"] == "79.11 GiB"


def test_what_excludes_a_signature_voids_it() -> None:
    known = matcher()
    text = "WARNING: CUDA out of memory, retrying with a smaller batch"
    assert "device-memory" not in {one.id for one, _ in known.caught(known.find_raw(text.encode()), text)}


def test_the_filter_passes_every_block_that_holds_a_signature(tmp_path: Path) -> None:
    """Whatever RE2 finds in a line, Hyperscan finds in the block around it."""
    patterns = [pattern for one in signatures().values() for pattern in one.patterns]
    found_in = BlockFilter(patterns, tmp_path).found_in
    known = matcher()
    quiet = b"iteration 12 | loss 2.0\n" * 50
    for line in LINES:
        expected = set(known.find_raw(line))
        assert expected <= found_in(quiet + line + b"\n" + quiet), line
    assert not found_in(quiet)


def test_the_compiled_filter_is_kept_and_a_damaged_one_made_again(tmp_path: Path) -> None:
    patterns = ["CUDA out of memory", "No space left"]
    first = BlockFilter(patterns, tmp_path)
    if not first.is_exact:
        pytest.fail("Hyperscan is a dependency on this platform")
    (kept,) = tmp_path.iterdir()
    written = kept.read_bytes()
    kept.write_bytes(written[: len(written) // 2])
    assert BlockFilter(patterns, tmp_path).found_in(b"x No space left on device") == {1}
    assert BlockFilter(patterns, Path("/proc/nowhere")).found_in(b"CUDA out of memory") == {0}


def repeated(seed: int, length: int) -> bytes:
    """Return letters that many patterns begin with, over and over."""
    words = [word for line in LINES[seed::97] for word in line.split()][:40] or [b"x"]
    made = random.Random(seed).choices(words, k=length // 4)
    return b" ".join(made)[:length]


@pytest.mark.parametrize("seed", range(6))
def test_time_grows_with_the_length_alone(seed: int) -> None:
    """Ten times the text may take ten times as long, with room for noise: no pattern backtracks."""
    known = matcher()

    def seconds(line: bytes) -> float:
        started = time.process_time()
        known._set.Match(line)
        return time.process_time() - started

    short, long = repeated(seed, 80_000), repeated(seed, 800_000)
    known._set.Match(long)  # the automaton grows with what it meets first
    assert min(seconds(long) for _ in range(5)) < 40 * min(seconds(short) for _ in range(5)) + 5e-3
