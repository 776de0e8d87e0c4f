from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole session, so that the machine is measured once."""
    return tmp_path_factory.mktemp("headway-cache")
