"""A log that still grows."""

from __future__ import annotations

import contextlib
from pathlib import Path

from headway.diagnosis.following import follow


def test_each_change_is_told_once(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("{'loss': 2.0, 'epoch': 0.1}\n" * 5)
    more = iter(
        [
            "",
            "{'loss': 1.9, 'epoch': 0.2}\n",
            "OSError: [Errno 28] No space left on device\n",
            "Killed\n",
            "",
        ]
    )
    told: list[str] = []

    class StoppedError(Exception):
        pass

    def wait() -> None:
        try:
            text = next(more)
        except StopIteration:
            raise StoppedError from None
        with log.open("a") as file:
            file.write(text)

    with contextlib.suppress(StoppedError):
        told.extend(one.cause + str(len(one.chain)) for one in follow([tmp_path], wait))
    assert told == ["healthy0", "disk-full1", "disk-full2"]
