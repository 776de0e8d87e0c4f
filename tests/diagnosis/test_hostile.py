"""Whatever a log holds, reading it ends, and ends well."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from headway.diagnosis.reading import read_log
from headway.diagnosis.reasoning import Reasoning
from headway.diagnosis.redaction import redacted

WORDS = (
    b"[rank", b"]: ", b"CUDA out of memory", b"Traceback (most recent call last):\n", b'  File "a.py", line 3, in f\n',
    b"Error: ", b"Xid (PCI:0000:65:00): 79,", b"SeqNum=99999999999999999999", b"2026-11-30 12:00:00", b"\x1b[31m",
    b"\xff\xfe", b"\x00", b"\n", b"\r", b"iteration 9999999999999/ loss", b"rank : 3 (local_rank: 3)", b"exitcode: -9",
    b"world_size=0", b"\xf0\x9f\x94\xa5", b"{'loss': nan}", b"99999-99-99 99:99:99", b"E9999 12:00:00.1",
    b"[Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=X)",
)  # fmt: skip

TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.binary(max_size=20)), max_size=60).map(b"".join)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_any_bytes_are_diagnosed(logs: list[bytes]) -> None:
    reports = [read_log(f"rank{number}.log", io.BytesIO(text)) for number, text in enumerate(logs)]
    told = Reasoning(reports).diagnose()
    assert 0 <= told.confidence <= 1
    assert "\x1b" not in str(redacted(told).to_dict()).replace("\\x1b", "")
    assert all(len(one.text) < 10_000 for one in told.evidence)


def test_a_line_of_a_gibibyte_takes_little_memory() -> None:
    """The longest line that is held is a mebibyte; the rest passes through."""
    import resource

    class Endless(io.RawIOBase):
        left = 1 << 30

        def read(self, size: int = -1) -> bytes:
            size = min(size, self.left)
            self.left -= size
            return b"x" * size

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read_log("a.log", Endless())  # type: ignore[arg-type]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10
