from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

from headway.machine import Machine, probe

# A busy machine is no failure: no example has a time limit.
settings.register_profile("any-speed", deadline=None)
settings.load_profile("any-speed")


class RealProbe:
    """One whole probe of this machine, for all processes that run tests: the first that asks measures.

    Attributes:
        folder: where runs would be stored.
        cache_folder: the cache that holds the figures.
        machine: what was found.
        stages: what was told of each stage, with the share that was done.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, told = folder / "probed", folder / "stages.json"
        self.cache_folder = self.folder / "cache"
        self.folder.mkdir(exist_ok=True)
        with (folder / "lock").open("a") as lock, pytest.MonkeyPatch.context() as patch:
            fcntl.flock(lock, fcntl.LOCK_EX)
            patch.setenv("HEADWAY_CACHE", str(self.cache_folder))
            stages: list[tuple[str, float]] = []
            self.machine: Machine = probe(self.folder, progress=lambda stage, done: stages.append((stage, done)))
            if not told.exists():
                told.write_text(json.dumps(stages))
        self.stages = [(str(stage), float(done)) for stage, done in json.loads(told.read_text())]


@pytest.fixture(scope="session")
def _session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a session share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "session"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def real_probe(_session_folder: Path) -> RealProbe:
    return RealProbe(_session_folder)


@pytest.fixture(scope="session")
def shared_cache(_session_folder: Path, request: pytest.FixtureRequest) -> Path:
    """One cache for the whole session, so that the machine is measured once.

    Where several processes run tests it is filled here, lest each of them measures at once and disturbs the others.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        request.getfixturevalue("real_probe")
    return _session_folder / "probed" / "cache"
