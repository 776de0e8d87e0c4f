from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure: no example has a time limit.
settings.register_profile("any-speed", deadline=None)
settings.load_profile("any-speed")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole session, so that the machine is measured once."""
    return tmp_path_factory.mktemp("headway-cache")
