"""What stands before the message of a log line: time, rank, host, process and level, in the field's many formats.

These expressions are simple and see the first `PREFIX_LETTERS` of a line only, where Python's own engine is the fastest
and no line can stall it. Whatever sees a whole line runs in RE2, whose time grows with its length alone (`compiled`).
"""

from __future__ import annotations

import calendar
import math
import re
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

LONGEST_LINE = 8192
"""Characters of a line that are looked at; beyond it the middle is left out."""

PREFIX_LETTERS = 400

MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}
SECONDS_PER_DAY = 86_400

_ESCAPES = r"\x1b\[[0-9;:?]*[A-Za-z~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-Za-z]|\x1b[=>78DEHM]"

_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
_TIME_PATTERNS = (
    # 2026-11-30 12:34:56,789 and 2026-11-30T12:34:56.789Z, of Python's logging, TensorFlow, Kubernetes, journald
    r"(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ]" + _CLOCK + r" ?(?P<zone>Z|[+-]\d\d:?\d\d)?",
    # [Mon Nov 30 12:34:56 2026], of dmesg -T
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<name>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) " + _CLOCK + r" (?P<year>20\d\d)",
    # E1130 12:34:56.789012, of glog, absl, klog and PyTorch's C++ code
    r"\b[IWEF](?P<month>\d{1,2})(?P<day>\d\d) " + _CLOCK,
    # Nov 30 12:34:56, of syslog and journalctl
    r"\b(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(?P<day>\d{1,2}) " + _CLOCK,
    # 11/30/2026 12:34:56, of older Hugging Face scripts and of Windows
    r"\b(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>20\d\d) (?:- )?" + _CLOCK,
)

_RANK_PATTERNS = (
    r"(?:^|[\s>])\[(?:rank|default|Rank |RANK )(?P<rank>\d{1,6})\]",  # PyTorch, torchrun --tee
    r"^\s*\[\d+,(?P<rank>\d{1,6})\]<(?:stderr|stdout|stddiag)>",  # mpirun --tag-output
    r"^\s*(?P<rank>\d{1,5}): ",  # srun --label, mpirun of Intel
    r"\[(?:Global |global )?[Rr](?:ank|ANK)[ :=](?P<rank>\d{1,6})[\]\s/:,]",  # NCCL's watchdog, DeepSpeed, axolotl
    r"\[(?:RANK|rank)[ _=:]{0,2}(?P<rank>\d{1,6})\]",
    r"\brank ?[=:] ?(?P<rank>\d{1,6})\b",
    r"\((?:RayTrainWorker|TrainWorker|RayWorker\w*|Worker_?\w*) (?:rank=|pid=\d+, rank=)(?P<rank>\d{1,6})",
    r"^\s*\[?[Ww]orker[ -_](?P<rank>\d{1,5})[\]:]",
    r'"(?:global_rank|rank|RANK)" ?: ?"?(?P<rank>\d{1,6})',  # JSON lines
    r"\bRank (?P<rank>\d{1,6})[:\]]",
)

_HOST_PATTERNS = (
    r"^(?P<host>[A-Za-z][\w.-]*):(?P<pid>\d+):\d+ \[(?P<device>\d+)\] ",  # NCCL
    r"\((?:[\w.]+ )?pid=(?P<pid>\d+)(?:, ip=(?P<host>[\w.:-]+))?\)",  # Ray
    # syslog and journalctl
    r"^(?:[A-Z][a-z]{2} +\d{1,2} [\d:]{8}|20\d\d-\d\d-\d\dT[\d:.+-]+Z?) (?P<host>[\w.-]+) "
    r"(?:kernel|[\w./()-]+(?:\[(?P<pid>\d+)\])?):",
)

_FILE_RANK_PATTERNS = (
    r"(?:^|[/_.\-!])(?:global_)?ranks?[_.\-]?(?P<rank>\d{1,6})(?:\D|$)",
    r"attempt_\d+/(?P<rank>\d{1,6})/(?:stdout|stderr)",  # torchrun --log-dir
    r"(?:stdout|stderr|std_out|std_err)[._\-](?P<rank>\d{1,6})(?:\D|$)",
    r"(?:^|[/_.\-!])(?:worker|proc|process|task|trainer)[_.\-]?(?P<rank>\d{1,6})(?:\D|$)",
)

_TIMES, _RANKS, _HOSTS, _FILE_RANKS = (
    tuple(map(re.compile, patterns))
    for patterns in (_TIME_PATTERNS, _RANK_PATTERNS, _HOST_PATTERNS, _FILE_RANK_PATTERNS)
)
_UPTIME = re.compile(r"^(?:<\d+>)?\[ *(?P<seconds>\d{1,9}\.\d{6})\]")


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a line says of itself.

    Attributes:
        time: seconds since 1970, its zone taken as UTC where none is stated; None where there is no date.
        uptime: seconds since the machine started, of the kernel's own log.
        rank: global rank of the process that wrote the line.
        host: name or address of the machine.
        pid: process that wrote the line.
    """

    time: float | None = None
    uptime: float | None = None
    rank: int | None = None
    host: str | None = None
    pid: int | None = None


@cache
def compiled(pattern: str) -> Any:
    """Return a pattern compiled by RE2."""
    import re2

    return re2.compile(pattern)


def cleaned(raw: bytes) -> str:
    """Return a line as text: of any encoding, without terminal escapes, and of bounded length."""
    if len(raw) > LONGEST_LINE:
        half = LONGEST_LINE // 2
        raw = raw[:half] + b" ... " + raw[-half:]
    text = raw.decode("utf-8", errors="replace")
    if "\x1b" in text:
        text = compiled(_ESCAPES).sub("", text)
    # A progress bar rewrites its line; what a reader saw last stands behind the last return.
    return text.rstrip("\r\n").replace("\x00", "")


def parse_prefix(text: str, year: int | None = None) -> Prefix:
    """Read what stands before the message of a line.

    Args:
        text: the line, cleaned.
        year: what a date without a year belongs to; this year where None.
    """
    start = text[:PREFIX_LETTERS]
    host, pid = _host_of(start)
    return Prefix(time=_time_of(start, year), uptime=_uptime_of(start), rank=_rank_of(start), host=host, pid=pid)


def rank_of_file(name: str) -> int | None:
    """Return the rank that the name of a log names, as launchers name theirs."""
    for pattern in _FILE_RANKS:
        found = pattern.search(name)
        if found:
            return int(found.group("rank"))
    return None


def _rank_of(text: str) -> int | None:
    lowered = "ank" in text or "ANK" in text
    for number, pattern in enumerate(_RANKS):
        if number >= 3 and not lowered and "orker" not in text:
            return None
        if (lowered or number in (1, 2, 7) or "default" in text) and (found := pattern.search(text)):
            return int(found.group("rank"))
    return None


def _host_of(text: str) -> tuple[str | None, int | None]:
    for pattern in _HOSTS:
        found = pattern.search(text)
        if found:
            groups = found.groupdict()
            pid = groups.get("pid")
            return groups.get("host"), int(pid) if pid else None
    return None, None


def _uptime_of(text: str) -> float | None:
    found = _UPTIME.search(text)
    return float(found.group("seconds")) if found else None


def _time_of(text: str, year: int | None) -> float | None:
    if ":" not in text:
        return None
    for pattern in _TIMES:
        found = pattern.search(text)
        if found:
            return _seconds(found.groupdict(), year)
    return None


def _seconds(part: dict[str, str | None], year: int | None) -> float | None:
    name = part.get("name")
    month = MONTHS[name] if name else int(part.get("month") or 0)
    stated = part.get("year")
    fields = (
        int(stated) if stated else year or time.gmtime().tm_year,
        month,
        int(part.get("day") or 0),
        int(part.get("hour") or 0),
        int(part.get("minute") or 0),
        int(part.get("second") or 0),
    )
    if not (1 <= fields[1] <= 12 and 1 <= fields[2] <= 31 and fields[3] < 24 and fields[4] < 60 and fields[5] <= 60):
        return None
    fraction = float(f"0.{part.get('fraction') or 0}")
    seconds = calendar.timegm((*fields, 0, 0, 0)) + fraction - _zone_seconds(part.get("zone"))
    return seconds if math.isfinite(seconds) else None


def _zone_seconds(zone: str | None) -> int:
    if not zone or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if zone[0] == "-" else seconds
