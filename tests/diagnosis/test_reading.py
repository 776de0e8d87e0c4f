"""One pass over a log."""

from __future__ import annotations

import io

import pytest

from headway.diagnosis.reading import SATURATED, read_log

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
STEP = "[2026-11-30 12:%02d:%02d] iteration %d/ 5000 | lm loss: 2.5 | grad norm: 0.3\n"


def steps(count: int, start: int = 0) -> str:
    return "".join(STEP % (n // 60 % 60, n % 60, n) for n in range(start, start + count))


def read(text: str, **settings: int):  # type: ignore[no-untyped-def]
    return read_log("a.log", io.BytesIO(text.encode()), **settings)


@pytest.mark.parametrize("filtered_from", [0, 1 << 30])
@pytest.mark.parametrize("count", [3, 20_000])
def test_a_sighting_has_its_place_and_time(count: int, filtered_from: int) -> None:
    before = steps(count)
    report = read(before + OOM + "\n" + steps(2, count), filtered_from=filtered_from)
    (one,) = [one for one in report.sightings if one.signature == "device-memory"]
    assert (one.line, one.offset, one.text) == (count + 1, len(before), OOM)
    assert one.time is not None
    assert report.last_time is not None
    assert abs(one.time - report.last_time) < 60
    assert report.lines == count + 3
    assert report.progress[-1].step == count + 1


def test_the_filter_finds_what_reading_every_line_finds() -> None:
    text = steps(30_000) + OOM + "\n" + steps(9000) + "OSError: [Errno 28] No space left on device\n" + steps(30_000)
    seen = [[(one.signature, one.line) for one in read(text, filtered_from=limit).sightings] for limit in (0, 1 << 30)]
    assert seen[0] == seen[1]
    assert ("disk-full", 39_002) in seen[0]


def test_the_traceback_is_that_of_its_rank() -> None:
    lines = [
        "[rank1]: Traceback (most recent call last):",
        "[rank0]: Traceback (most recent call last):",
        '[rank1]:   File "/x/torch/optim/adamw.py", line 1, in step',
        '[rank0]:   File "/x/train.py", line 2, in evaluate',
        f"[rank1]: {OOM}",
        f"[rank0]: {OOM}",
    ]
    found = {(one.signature, one.rank) for one in read("\n".join(lines) + "\n").sightings}
    assert {("device-memory-optimizer", 1), ("device-memory-evaluation", 0)} <= found
    assert not {("device-memory-optimizer", 0), ("device-memory-evaluation", 1)} & found


def test_what_repeats_is_counted_and_each_episode_kept() -> None:
    text = (OOM + "\n") * 50 + steps(10) + (OOM + "\n") * 3
    found = [one for one in read(text).sightings if one.signature == "device-memory"]
    assert [one.count for one in found] == [50, 3]


def test_a_flood_of_one_signature_hides_no_other() -> None:
    text = "Connection reset by peer\n" * (SATURATED * 40) + OOM + "\n"
    report = read(text, filtered_from=0)
    assert {"device-memory", "peer-gone"} <= {one.signature for one in report.sightings}
    assert report.lines == SATURATED * 40 + 1


def test_a_progress_bar_without_line_ends_is_read() -> None:
    bars = "".join(f"\r {n:3}%|#####     | {n}/100 [00:10<00:20,  2.0it/s]" for n in range(60))
    report = read(bars + "\n" + OOM + "\n")
    assert report.progress[-1].step == 59
    assert report.sightings[-1].line == 2


def test_colours_do_not_hide_an_error() -> None:
    report = read("\x1b[31mtorch.OutOf\x1b[1mMemoryError\x1b[0m: CUDA \x1b[4mout of memory\x1b[0m.\n")
    assert "device-memory" in {one.signature for one in report.sightings}
    assert "\x1b" not in report.sightings[0].text
