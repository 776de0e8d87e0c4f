from __future__ import annotations

import platform

import pytest

from headway.machine.tuned_environment import SPIN_COUNT, tuned_environment


def test_what_the_user_has_set_stays() -> None:
    mine = {"GLIBC_TUNABLES": "glibc.malloc.check=3", "GOMP_SPINCOUNT": "5", "PATH": "/bin"}
    assert tuned_environment(mine) == mine
    waiting = tuned_environment({"OMP_WAIT_POLICY": "passive"})
    assert "GOMP_SPINCOUNT" not in waiting


def test_threads_do_not_spin_for_long() -> None:
    assert tuned_environment({})["GOMP_SPINCOUNT"] == SPIN_COUNT


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the tunables are those of glibc")
def test_the_allocator_keeps_what_it_has() -> None:
    assert "glibc.malloc.mmap_max=0" in tuned_environment({})["GLIBC_TUNABLES"].split(":")


def test_the_process_is_where_it_starts_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_TEST_VARIABLE", "x")
    assert tuned_environment()["HEADWAY_TEST_VARIABLE"] == "x"
