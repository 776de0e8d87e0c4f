"""How well fleets foretell each other's failures, how fast chance is: ``python -m benchmarks.plan_reliability``.

Aims: Llama 3.1's 419 interruptions inside the 80 % interval that the other fleets give; 1,000 replicas of 54 days on
16,384 devices well below a second.
"""

from __future__ import annotations

import time

from benchmarks.machine_line import machine_line
from headway import units
from headway.catalog.reliability import Failure, failure_trace
from headway.planning.reliability.goodput import Checkpointing, exact_goodput, kokolis_goodput
from headway.planning.reliability.rates import interruptions, pooled_rate, published_fleets
from headway.planning.reliability.simulation import Ageing, FailureProcess, Poisson, Replay, Weibull, simulate

LLAMA_3 = "llama-3-405b-unexpected"
SECONDS = 54 * units.SECONDS_PER_DAY
DEVICES = 16384
MTBF_SECONDS = SECONDS / 419
WAY = Checkpointing(work_seconds=1800, stall_seconds=30, detection_seconds=60, restart_seconds=768)


def count_of(fleet: Failure) -> tuple[int, int, float]:
    """Return devices, interruptions and seconds; for a published rate, what Llama 3.1's job would have seen."""
    if fleet.devices and fleet.interruptions and fleet.duration_seconds:
        return fleet.devices, fleet.interruptions, fleet.duration_seconds
    rate = fleet.rate_per_device_hour or 0.0
    return DEVICES, round(rate * DEVICES * SECONDS / units.SECONDS_PER_HOUR), SECONDS


def print_fleets() -> None:
    """Print each fleet beside what the others foretell, and beside what all foretell."""
    print(f"{'fleet':28} {'devices':>8} {'days':>6} {'seen':>6} {'from the others':>24}  inside  {'from all':>20}")
    for fleet in published_fleets():
        devices, seen, seconds = count_of(fleet)
        others, every = (
            interruptions(rate, devices=devices, seconds=seconds) for rate in (pooled_rate(fleet.id), pooled_rate())
        )
        is_inside = "yes" if others.low <= seen <= others.high else "no"
        print(
            f"{fleet.id:28} {devices:8,} {seconds / units.SECONDS_PER_DAY:6.1f} {seen:6,} "
            f"{others.expected:8,.0f} ({others.low:,.0f} to {others.high:,.0f})".ljust(77)
            + f"  {is_inside:6}  {every.expected:6,.0f} ({every.low:,.0f} to {every.high:,.0f})"
        )


def print_chance() -> None:
    """Print the goodput of Llama 3.1's job by chance, and how long 1,000 replicas take."""
    exact = exact_goodput(MTBF_SECONDS, WAY)
    downtime_seconds = WAY.detection_seconds + WAY.restart_seconds
    closed = kokolis_goodput(MTBF_SECONDS, WAY.work_seconds, WAY.stall_seconds, downtime_seconds)
    print(f"goodput, exact {exact:.4f}, closed form {closed:.4f}; 1,000 replicas of 54 days on 16,384 devices:")
    processes: dict[str, FailureProcess] = {
        "Poisson": Poisson(mtbf_seconds=MTBF_SECONDS),
        "Weibull, shape 0.7 (bursts)": Weibull(mtbf_seconds=MTBF_SECONDS, shape=0.7),
        "ageing, shape 0.7 (infant mortality)": Ageing(mtbf_seconds=MTBF_SECONDS, shape=0.7),
        "ageing, shape 1.5 (wear)": Ageing(mtbf_seconds=MTBF_SECONDS, shape=1.5),
        "replay of the InfiniteHBD trace": Replay(trace=failure_trace("infinitehbd"), nodes=DEVICES // 8),
    }
    for name, process in processes.items():
        begin = time.perf_counter()
        found = simulate(process, WAY, seconds=SECONDS, replicas=1000)
        taken = time.perf_counter() - begin
        low, high = found.goodput_interval()
        fewest, most = found.interruptions_interval()
        print(
            f"{name:38} {taken:6.3f} s  goodput {found.mean_goodput:.4f} ({low:.4f} to {high:.4f})"
            f"  interruptions {found.interruptions.mean():.0f} ({fewest:.0f} to {most:.0f})"
        )


def main() -> None:
    """Print both tables."""
    print(machine_line())
    print_fleets()
    print()
    print_chance()


if __name__ == "__main__":
    main()
