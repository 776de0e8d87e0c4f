"""Electric energy of a run: mean power times the whole time, interruptions included.

Source: definition of power usage effectiveness (ISO/IEC 30134-2): facility energy over equipment energy.
Leaves out: energy of tests, of development runs, and of machines that stand by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from headway.planning.power import Power
from headway.planning.spread import SURE, Spread, ends, product, spread_of


@dataclass(frozen=True, kw_only=True)
class Energy:
    """Electric energy of the run; None where power or time is not known.

    Attributes:
        equipment_joules: of servers, switches and storage.
        facility_joules: with cooling and losses of the site.
        facility_joules_low: lower end of an 80 % interval, from those of power and time.
        facility_joules_high: upper end of it.
        design_device_joules: of the accelerators alone, each at its design power all the time. Most model cards state
            this figure; it is here to be compared with them.
        joules_per_token: facility energy for each token that is trained on.
    """

    equipment_joules: float | None = None
    facility_joules: float | None = None
    facility_joules_low: float | None = None
    facility_joules_high: float | None = None
    design_device_joules: float | None = None
    joules_per_token: float | None = None

    @property
    def spread(self) -> Spread:
        """80 % interval of the facility's energy, as ratios; the upper one is infinite where the run may never end."""
        if self.facility_joules_low is None:
            return SURE
        high = math.inf if self.facility_joules_high is None else self.facility_joules_high
        return spread_of(self.facility_joules_low, self.facility_joules, high)


def plan_energy(
    power: Power,
    *,
    devices: int,
    seconds: float | None,
    tokens: int,
    time_spread: Spread = SURE,
) -> Energy:
    """Return the energy of a run.

    Args:
        power: mean power of the run.
        devices: accelerators.
        seconds: of the whole run; None where it is not known.
        tokens: that are trained on.
        time_spread: 80 % interval of the time, as ratios.
    """
    if seconds is None or power.facility_watts is None or power.equipment_watts is None:
        return Energy()
    facility_joules = power.facility_watts * seconds
    watts = spread_of(power.facility_watts_low, power.facility_watts, power.facility_watts_high)
    low, high = ends(facility_joules, product(watts, time_spread))
    return Energy(
        equipment_joules=power.equipment_watts * seconds,
        facility_joules=facility_joules,
        facility_joules_low=low,
        facility_joules_high=high,
        design_device_joules=design_device_joules(power, devices=devices, seconds=seconds),
        joules_per_token=facility_joules / tokens,
    )


def design_device_joules(power: Power, *, devices: int, seconds: float) -> float | None:
    """Return the energy that model cards state: device hours times design power.

    Source: the model cards of Llama 2, 3 and 3.1; Luccioni et al. 2022 (arXiv:2211.02001), table 2 (BLOOM, 400 W).
    Leaves out: that devices wait, the servers around them, and the site.
    """
    return None if power.device_design_watts is None else devices * power.device_design_watts * seconds
