"""The root cause among many findings."""

from __future__ import annotations

from pathlib import Path

from headway.diagnosis import diagnose
from headway.diagnosis.result import Diagnosis

STEP = "[2026-11-30 %02d:%02d:%02d] iteration %d/ 5000 | lm loss: 2.5 | grad norm: 0.3\n"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
FULL = "OSError: [Errno 28] No space left on device\n"


def steps(count: int, hour: int = 10, every_seconds: int = 5) -> str:
    times = [hour * 3600 + n * every_seconds for n in range(count)]
    return "".join(STEP % (t // 3600, t // 60 % 60, t % 60, n) for n, t in enumerate(times))


def told(tmp_path: Path, **logs: str) -> Diagnosis:
    for name, text in logs.items():
        (tmp_path / f"{name}.log").write_text(text)
    return diagnose([tmp_path])


def test_what_training_went_on_after_is_not_the_cause(tmp_path: Path) -> None:
    one = told(tmp_path, a=steps(10) + OOM + steps(20, hour=11) + FULL)
    assert one.cause == "disk-full"
    assert one.survived == ("device-memory",)


def test_one_more_step_is_no_survival(tmp_path: Path) -> None:
    """The other ranks end the step that they are in."""
    assert told(tmp_path, a=steps(10) + OOM + steps(1, hour=11)).cause == "device-memory"


def test_the_first_of_two_equal_causes_wins(tmp_path: Path) -> None:
    assert told(tmp_path, a=steps(5) + FULL + OOM).cause == "disk-full"


def test_a_consequence_that_is_written_first_is_no_cause(tmp_path: Path) -> None:
    """Lines of other ranks may be flushed before those of the rank that failed."""
    text = "[rank0]: RuntimeError: Connection closed by peer [10.0.0.1]:4000\n" + steps(2) + f"[rank3]: {OOM}"
    one = told(tmp_path, a=text)
    assert (one.cause, one.first_failure.rank) == ("device-memory", 3)
    assert one.chain == ("device-memory", "peer-gone")


def test_time_tells_the_order_across_logs(tmp_path: Path) -> None:
    early = "2026-11-30 09:00:00,000 ERROR [Errno 28] No space left on device\n"
    late = "2026-11-30 10:00:00,000 ERROR CUDA out of memory. Tried to allocate 2.00 GiB\n"
    assert told(tmp_path, a=late, b=early).cause == "disk-full"


def test_a_warning_is_the_cause_only_of_what_it_explains(tmp_path: Path) -> None:
    hot = "clocks_throttle_reasons.hw_thermal_slowdown: Active\n"
    assert told(tmp_path, a=hot + steps(20)).cause == "healthy"
    assert told(tmp_path, a=steps(5) + hot + FULL).cause == "disk-full"


def test_steps_that_stop_while_others_write_are_a_hang(tmp_path: Path) -> None:
    alive = "".join(f"2026-11-30 {10 + n // 60:02}:{n % 60:02}:00,0 INFO heartbeat ok\n" for n in range(90))
    one = told(tmp_path, steps=steps(60), beats=alive)
    assert one.cause == "hang"
    assert one.numbers["usual_step_seconds"] == 5.0
    assert 5000 < one.numbers["silent_seconds"] < 5400


def test_a_pause_of_some_steps_is_no_hang(tmp_path: Path) -> None:
    assert told(tmp_path, a=steps(60) + "2026-11-30 10:05:20,0 INFO evaluating\n").cause == "healthy"


def test_only_consequences_are_told_as_such(tmp_path: Path) -> None:
    one = told(tmp_path, a=steps(5) + "Signal 9 (SIGKILL) received by PID 12\n")
    assert one.cause == "killed"
    assert one.confidence < 0.7


def test_nothing_known_is_unknown_and_asks_for_more(tmp_path: Path) -> None:
    one = told(tmp_path, a="the job began\n")
    assert (one.cause, one.confidence) == ("unknown", 0.0)
    assert "collect-all-ranks" in one.remedies


def test_two_reasons_make_either_less_sure(tmp_path: Path) -> None:
    alone = told(tmp_path / "x", a=FULL) if (tmp_path / "x").mkdir() is None else None
    both = told(tmp_path, a=FULL, b=OOM)
    assert alone is not None
    assert both.confidence < alone.confidence
