from __future__ import annotations

from pathlib import Path

import pytest

from headway.telemetry.energy import PackageEnergyMeter


def zone(
    powercap: Path, name: str, microjoules: int, label: str = "package-0", limit: int | None = 262_143_328_850
) -> Path:
    folder = powercap / name
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{label}\n")
    (folder / "energy_uj").write_text(f"{microjoules}\n")
    if limit is not None:
        (folder / "max_energy_range_uj").write_text(f"{limit}\n")
    return folder


def count(folder: Path, microjoules: int) -> None:
    (folder / "energy_uj").write_text(f"{microjoules}\n")


def test_all_packages_are_added(tmp_path: Path) -> None:
    first, second = zone(tmp_path, "intel-rapl:0", 1_000_000), zone(tmp_path, "intel-rapl:1", 5_000_000, "package-1")
    meter = PackageEnergyMeter(tmp_path)
    assert meter.joules() == 0.0
    count(first, 3_000_000)
    count(second, 5_500_000)
    assert meter.joules() == 2.5
    assert meter.joules() == 2.5
    count(first, 3_500_000)
    assert meter.joules() == 3.0


def test_parts_of_a_package_and_the_platform_are_not_counted_twice(tmp_path: Path) -> None:
    package = zone(tmp_path, "intel-rapl:0", 0)
    others = [
        zone(tmp_path, "intel-rapl:0:0", 0, "core"),
        zone(tmp_path, "intel-rapl:1", 0, "psys"),
        zone(tmp_path, "intel-rapl-mmio:0", 0),
    ]
    meter = PackageEnergyMeter(tmp_path)
    for folder in (package, *others):
        count(folder, 1_000_000)
    assert meter.joules() == 1.0


def test_a_counter_that_wraps(tmp_path: Path) -> None:
    folder = zone(tmp_path, "intel-rapl:0", 9_000_000, limit=10_000_000)
    meter = PackageEnergyMeter(tmp_path)
    count(folder, 500_000)
    assert meter.joules() == 1.5
    count(folder, 400_000)
    assert meter.joules() == pytest.approx(11.4)


def test_a_wrap_at_an_unknown_place_is_not_made_up(tmp_path: Path) -> None:
    folder = zone(tmp_path, "intel-rapl:0", 9_000_000, limit=None)
    meter = PackageEnergyMeter(tmp_path)
    count(folder, 500_000)
    assert meter.joules() is None
    count(folder, 9_500_000)
    assert meter.joules() == 0.5


def test_a_counter_that_cannot_be_read(tmp_path: Path) -> None:
    folder = zone(tmp_path, "intel-rapl:0", 1_000_000)
    meter = PackageEnergyMeter(tmp_path)
    (folder / "energy_uj").write_text("garbage")
    assert meter.joules() is None
    (folder / "energy_uj").unlink()
    assert meter.joules() is None
    count(folder, 2_000_000)
    assert meter.joules() == 1.0


def test_a_counter_that_could_not_be_read_at_first_is_not_known(tmp_path: Path) -> None:
    folder = zone(tmp_path, "intel-rapl:0", 0)
    (folder / "energy_uj").unlink()
    meter = PackageEnergyMeter(tmp_path)
    count(folder, 2_000_000)
    assert meter.joules() is None


def test_a_zone_without_a_name_is_a_package(tmp_path: Path) -> None:
    folder = zone(tmp_path, "intel-rapl:0", 0)
    (folder / "name").unlink()
    meter = PackageEnergyMeter(tmp_path)
    count(folder, 2_000_000)
    assert meter.joules() == 2.0


def test_a_machine_without_counters(tmp_path: Path) -> None:
    assert PackageEnergyMeter(tmp_path).joules() is None
    assert PackageEnergyMeter(tmp_path / "absent").joules() is None


def test_this_machine() -> None:
    joules = PackageEnergyMeter().joules()
    assert joules is None or joules >= 0
