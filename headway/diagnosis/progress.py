"""Lines that show training going on, in the formats of the field's trainers."""

from __future__ import annotations

import re

LOOKED_AT = 600
"""Letters of a line that are looked at, so that Python's own engine takes little time whatever they are."""

_NUMBERED = (
    r"(?i)\b(?:global[_ ]?step|iteration|iter|step|update)s?[\"']?\s{0,3}[:=#\[/ ]\s{0,8}\[?(?P<step>\d{1,12})"
    r".*(?:loss|\blr\b|learning.rate|ms\b|s/it|it/s|tok|samples|grad|elapsed|throughput|flops|mfu)"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        _NUMBERED,
        r"\d%\|[^|]{0,200}\| *(?P<step>\d{1,12})/\d+ \[\d+:",  # tqdm
        r"^\s*(?:\[rank\d+\]: ?)?\{'loss': '?[\d.]",  # transformers
        r"(?i)^\s*(?:\S+ )?\{?\"?(?:step|iteration)\"? ?: ?(?P<step>\d{1,12}),",  # JSON lines
        r"^\s*(?P<step>\d{1,12})/\d+ (?:\[[=>.]+\]|\S{10,} \S*\d+[mu]?s/step)",  # Keras
    )
)
_OTHER_WORK = re.compile(
    r"(?i)load|download|\bmap\b|tokeniz|fetch|filter|saving|shards|converting|preprocess|evaluat|validat|warm.?up|profil"
)


def step_of(text: str) -> int | None:
    """Return the step that a line of progress names; -1 where it names none; None where it is no progress."""
    if not _may_be(text):
        return None
    text = text[:LOOKED_AT]
    for pattern in _PATTERNS:
        found = pattern.search(text)
        if found and not _OTHER_WORK.search(text[: found.start() + 40]):
            step = found.groupdict().get("step")
            return int(step) if step else -1
    return None


def _may_be(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in ("loss", "step", "iter", "%|", "update"))
