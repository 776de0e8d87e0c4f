"""Energy counters of the processor packages (RAPL), where the system lets us read them.

Source: Linux kernel documentation, Power Capping Framework: ``energy_uj`` counts microjoules and wraps at
``max_energy_range_uj``.
"""

from __future__ import annotations

from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
_MICROJOULES_PER_JOULE = 1e6


class PackageEnergyMeter:
    """Joules of all processor packages since it was made.

    Args:
        powercap: the kernel's power-capping folder.
    """

    def __init__(self, powercap: Path = POWERCAP) -> None:
        zones = [zone for zone in sorted(powercap.glob("intel-rapl:*")) if zone.name.count(":") == 1]
        # "psys" is the whole platform: it holds the packages once more.
        self._zones = [zone for zone in zones if _read_name(zone) != "psys"]
        self._last = {zone: _read(zone / "energy_uj") for zone in self._zones}
        self._total_microjoules = 0

    def joules(self) -> float | None:
        """Return the energy so far, or None where a counter cannot be read. Call it at least once a minute."""
        if not self._zones:
            return None
        for zone in self._zones:
            now, before = _read(zone / "energy_uj"), self._last[zone]
            if now is None or before is None:
                return None
            wrapped = _read(zone / "max_energy_range_uj") if now < before else 0
            if wrapped is None:
                return None
            self._total_microjoules += now - before + wrapped
            self._last[zone] = now
        return self._total_microjoules / _MICROJOULES_PER_JOULE


def _read(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _read_name(zone: Path) -> str | None:
    try:
        return (zone / "name").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
