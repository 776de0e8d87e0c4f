"""Reading the kernel's text files: absent, unreadable or malformed is None, never a crash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from headway import units

ROOT = Path("/")

_SIZE = re.compile(r"(\d+)([KMGT]?)B?", re.IGNORECASE)
_SIZE_FACTORS = {"": 1, "K": units.KIB, "M": units.MIB, "G": units.GIB, "T": units.TIB}
_LARGEST_CPU_NUMBER = 1 << 20
"""Far above any kernel's NR_CPUS (8,192 on x86): a range beyond it is damage, not a machine."""


def read_text(path: Path) -> str | None:
    """Return the stripped text of a file, or None where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, ValueError):
        return None


def read_int(path: Path) -> int | None:
    """Return the whole number that a file holds, or None."""
    return parse_int(read_text(path))


def parse_int(text: str | None) -> int | None:
    """Return the whole number that a text starts with (``"64 kB"`` gives 64), or None."""
    match = re.match(r"\s*([+-]?\d{1,19})(?!\d)", text or "")
    return int(match.group(1)) if match else None


def parse_float(text: str | None) -> float | None:
    """Return the decimal number that a text starts with (``"400 Gb/sec"`` gives 400.0), or None."""
    match = re.match(r"\s*(\d{1,19}(?:\.\d{1,19})?)", text or "")
    return float(match.group(1)) if match else None


def parse_cpu_list(text: str | None) -> tuple[int, ...] | None:
    """Parse the kernel's list format, such as ``"0-3,8,10-11"``.

    Returns:
        The numbers, sorted and without repetition; empty for an empty text; None for None or a malformed text.

    Source: Linux, Documentation/admin-guide/kernel-parameters.rst, "cpu lists" (without the group syntax, which
    the kernel accepts but never prints).
    """
    if text is None:
        return None
    if not text.strip():
        return ()
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part, re.ASCII)
        if match is None:
            return None
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        if last < first or last > _LARGEST_CPU_NUMBER:
            return None
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def parse_size_bytes(text: str | None) -> int | None:
    """Parse a size as sysfs and mount options write it: ``"48K"``, ``"24683656k"``, ``"491520K"``; K is 1,024."""
    match = _SIZE.fullmatch((text or "").strip())
    return int(match.group(1)) * _SIZE_FACTORS[match.group(2).upper()] if match else None


def parse_fields(text: str | None) -> dict[str, str]:
    """Parse ``key: value`` lines (``/proc/meminfo``, one block of ``/proc/cpuinfo``); the first of a key wins."""
    fields: dict[str, str] = {}
    for line in (text or "").splitlines():
        key, separator, value = line.partition(":")
        if separator:
            fields.setdefault(key.strip(), value.strip())
    return fields


def children(folder: Path, prefix: str = "") -> list[Path]:
    """Return the entries of a folder whose name is ``prefix`` and a number, by number; with no prefix, all by name."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    if not prefix:
        return sorted(entries)
    numbered = [entry for entry in entries if re.fullmatch(re.escape(prefix) + r"\d+", entry.name, re.ASCII)]
    return sorted(numbered, key=lambda entry: int(entry.name[len(prefix) :]))


@dataclass(frozen=True, kw_only=True)
class Mount:
    """One line of ``/proc/self/mountinfo``."""

    device: str
    """Major and minor number, such as ``254:0``."""
    mount_point: str
    filesystem: str
    source: str
    options: str
    """The file system's own options, such as ``rw,size=65536k``."""


def mounts(root: Path = ROOT) -> list[Mount]:
    """Return the mounts of this process, in the kernel's order (a later one hides an earlier one)."""
    found = []
    for line in (read_text(root / "proc/self/mountinfo") or "").splitlines():
        mount = _parse_mount(line)
        if mount is not None:
            found.append(mount)
    return found


def _parse_mount(line: str) -> Mount | None:
    # Fields as in Documentation/filesystems/proc.rst, 3.5; the optional ones end at the lone hyphen.
    left, separator, right = line.partition(" - ")
    head, tail = left.split(), right.split()
    if not separator or len(head) < 6 or len(tail) < 2:
        return None
    return Mount(
        device=head[2],
        mount_point=_unescape(head[4]),
        filesystem=tail[0],
        source=_unescape(tail[1]),
        options=tail[2] if len(tail) > 2 else "",
    )


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), text)
