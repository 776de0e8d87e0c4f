"""The software: system, kernel, Python, compiler, frameworks. Nothing is imported to be named."""

from __future__ import annotations

import os
import platform
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from headway.machine import sources

_FRAMEWORKS = {
    "torch": ("torch",),
    "jax": ("jax",),
    "jaxlib": ("jaxlib",),
    "optax": ("optax",),
    "tensorflow": ("tensorflow", "tensorflow-cpu"),
    "ray": ("ray",),
    "torchao": ("torchao",),
    "xllamacpp": ("xllamacpp",),
    "numpy": ("numpy",),
}
"""Our name -> the distributions that provide it."""


@dataclass(frozen=True, kw_only=True)
class Software:
    """The software of the machine."""

    system: str | None = None
    """The distribution's own name, such as ``Debian GNU/Linux 12 (bookworm)``."""
    kernel: str | None = None
    python: str = ""
    libc: str | None = None
    compiler: str | None = None
    """The path of a C compiler, or None."""
    frameworks: dict[str, str] = field(default_factory=dict)
    """Name -> installed version."""


def read_software(root: Path = sources.ROOT) -> Software:
    """Read what is installed; Python, libc, compiler and frameworks are those of this process."""
    release = sources.read_text(root / "etc/os-release") or ""
    named = re.search(r'^PRETTY_NAME="?([^"\n]+)"?$', release, re.MULTILINE)
    return Software(
        system=named.group(1) if named else None,
        kernel=sources.read_text(root / "proc/sys/kernel/osrelease"),
        python=platform.python_version(),
        libc=_libc(),
        compiler=find_compiler(),
        frameworks=_frameworks(),
    )


def find_compiler() -> str | None:
    """Return the path of the C compiler: ``$CC`` where it names one program, else cc, gcc or clang; None without."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path is not None:
            return path
    return None


def _libc() -> str | None:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        return None


def _frameworks() -> dict[str, str]:
    # It imports the e-mail parser, which only this needs.
    from importlib import metadata

    found = {}
    for name, distributions in _FRAMEWORKS.items():
        for distribution in distributions:
            try:
                found[name] = metadata.version(distribution)
                break
            except metadata.PackageNotFoundError:
                continue
    return found
