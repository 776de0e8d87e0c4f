"""All signatures at once: which of them show in a line, and which blocks of a log hold any.

Blocks go through Hyperscan, which reads more than a gigabyte a second whatever the number of patterns; lines of the few
blocks that hold something go through RE2, which says what and where. Both take time in proportion to the text alone.
Where Hyperscan has no build, every block is taken to hold something.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from headway.diagnosis.line import LONGEST_LINE, cleaned, compiled
from headway.diagnosis.signature import Signature, signatures

NOISE = (r"NCCL INFO", r"\b(?:User|Future|Deprecation|PendingDeprecation|Syntax|Resource|Import)Warning\b")
"""Lines that only inform: NCCL tries files and networks, and says in full what it did not find."""

RE2_MEMORY_BYTES = 256 << 20
"""What RE2 may use for its automaton; it starts small and grows with what it meets."""


class Matcher:
    """Finds signatures in lines.

    Args:
        known: the signatures by id.
    """

    def __init__(self, known: Mapping[str, Signature]) -> None:
        import re2

        self.known = known
        options = re2.Options()
        options.max_mem = RE2_MEMORY_BYTES
        options.case_sensitive = False
        options.log_errors = False
        self._patterns = [(one, pattern) for one in known.values() for pattern in one.patterns]
        self._set = re2.Set.SearchSet(options)
        for _, pattern in self._patterns:
            self._set.Add(pattern)
        self._set.Compile()

    def find_raw(self, line: bytes) -> list[int]:
        """Return the numbers of the expressions that a line holds."""
        if len(line) > LONGEST_LINE:
            line = cleaned(line).encode()
        return list(self._set.Match(line) or ())

    def caught(self, numbers: Iterable[int], text: str) -> list[tuple[Signature, dict[str, str]]]:
        """Return the signatures that a line shows, each once, with what their named groups caught."""
        found: dict[str, tuple[Signature, dict[str, str]]] = {}
        is_noise = is_any(NOISE, text)
        for index in sorted(numbers):
            one, pattern = self._patterns[index]
            if is_noise and one.kind in ("cause", "symptom"):
                continue
            if one.id not in found and not is_any(one.excludes, text):
                found[one.id] = (one, _caught(pattern, text))
        return list(found.values())

    def owner(self, number: int) -> str:
        """Return the id of the signature that an expression belongs to."""
        return self._patterns[number][0].id


def is_any(patterns: Iterable[str], text: str) -> bool:
    """Say whether one of several expressions is found in a text, letters of either case."""
    return any(compiled(f"(?i){pattern}").search(text) for pattern in patterns)


def _caught(pattern: str, text: str) -> dict[str, str]:
    if "(?P<" not in pattern:
        return {}
    found = compiled(f"(?i){pattern}").search(text)
    return {name: value for name, value in found.groupdict().items() if value is not None} if found else {}


@cache
def matcher() -> Matcher:
    """Return the matcher of all signatures."""
    return Matcher(signatures())


class BlockFilter:
    """Says which blocks of a log can hold a signature.

    Args:
        patterns: all expressions.
        cache_folder: where the compiled automaton is kept between runs; None keeps none.
    """

    def __init__(self, patterns: Sequence[str], cache_folder: Path | None = None) -> None:
        self._database = _database([pattern.encode() for pattern in patterns], cache_folder)

    @property
    def is_exact(self) -> bool:
        """Whether blocks are told apart at all."""
        return self._database is not None

    def found_in(self, block: bytes) -> set[int]:
        """Return the indices of the patterns that a block holds; all -1 where that is not known."""
        if self._database is None:
            return {-1}
        found: set[int] = set()
        self._database.scan(block, match_event_handler=lambda index, *_: found.add(index))
        return found


@cache
def block_filter() -> BlockFilter:
    """Return the filter of all signatures."""
    patterns = [pattern for one in signatures().values() for pattern in one.patterns]
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return BlockFilter(patterns, Path(home, "headway", "diagnosis"))


def _database(patterns: list[bytes], folder: Path | None) -> Any:
    try:
        import hyperscan
    except ImportError:
        return None
    kept = None if folder is None else folder / _digest(patterns, hyperscan)
    database = _load(kept, hyperscan)
    if database is None:
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        flags = hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_MULTILINE
        database.compile(
            expressions=patterns, ids=list(range(len(patterns))), elements=len(patterns), flags=[flags] * len(patterns)
        )
        _keep(database, kept, hyperscan)
    return database


def _digest(patterns: list[bytes], hyperscan: Any) -> str:
    machine = f"{platform.machine()} {platform.processor()} {hyperscan.__version__} {os.cpu_count()}"
    return hashlib.sha256(b"\0".join([machine.encode(), _cpu_flags(), *patterns])).hexdigest()[:32]


def _cpu_flags() -> bytes:
    """Return what instructions this processor has: an automaton is compiled for them."""
    try:
        content = Path("/proc/cpuinfo").read_bytes()
    except OSError:
        return b""
    return next((line for line in content.splitlines() if line.startswith((b"flags", b"Features"))), b"")


def _load(kept: Path | None, hyperscan: Any) -> Any:
    if kept is None or not kept.is_file():
        return None
    try:
        database = hyperscan.loadb(kept.read_bytes(), mode=hyperscan.HS_MODE_BLOCK)
        database.scratch = hyperscan.Scratch(database)
    except (OSError, hyperscan.error):
        return None
    return database


def _keep(database: Any, kept: Path | None, hyperscan: Any) -> None:
    if kept is None:
        return
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(f".{os.getpid()}")
        partial.write_bytes(hyperscan.dumpb(database))
        partial.replace(kept)
    except OSError:
        return  # a cache that cannot be written costs a third of a second next time
