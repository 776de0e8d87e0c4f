"""The ledger: every resource of a run, what the plan predicted beside what the run took, with the error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

Value = float | int | str

PLANNED_QUANTITIES: tuple[tuple[str, str, str], ...] = (
    # resource, quantity (its last word is the unit), where the plan states it
    ("accelerators", "tokens_per_second", "time.tokens_per_second"),
    ("accelerators", "model_flops_utilization", "time.model_flops_utilization"),
    ("time", "step_seconds", "time.step_seconds"),
    ("time", "total_seconds", "time.total_seconds"),
    ("memory", "peak_bytes", "memory.device_peak_bytes"),
    ("storage", "dataset_bytes", "storage.dataset_bytes"),
    ("storage", "data_stall_seconds", "storage.data_stall_seconds"),
    ("storage", "checkpoint_bytes", "storage.checkpoint_bytes"),
    ("storage", "checkpoint_write_seconds", "storage.checkpoint_write_seconds"),
    ("network", "network_bytes_per_step", "network.scale_out_bytes_per_step"),
    ("energy", "energy_joules", "energy.facility_joules"),
    ("energy", "package_joules", "energy.package_joules"),
    ("energy", "carbon_kg_co2e", "carbon.operational_kg_co2e"),
    ("cooling", "heat_watts", "cooling.heat_watts"),
    ("software", "engine_version", "software.engine_version"),
    ("algorithms", "precision", "software.precision"),
    ("algorithms", "skipped_steps", "quality.skipped_steps"),
    ("hyperparameters", "validation_loss", "quality.validation_loss"),
    ("hyperparameters", "bits_per_byte", "quality.bits_per_byte"),
    ("failures", "interruptions", "reliability.expected_interruptions"),
    ("failures", "goodput", "reliability.goodput"),
    ("failures", "checkpoint_stall_share", "reliability.losses.stalls"),
    ("failures", "restart_share", "reliability.losses.back"),
    ("failures", "lost_work_share", "reliability.losses.lost_work"),
    ("money", "total_usd", "cost.total_usd"),
    ("money", "energy_usd", "cost.energy_usd"),
)
"""The rows of the ledger, in order (DESIGN.md, section 4). A row that neither side knows is left out."""


@dataclass(frozen=True, kw_only=True)
class LedgerRow:
    """One quantity of one resource."""

    resource: str
    quantity: str
    predicted: Value | None = None
    predicted_low: float | None = None
    predicted_high: float | None = None
    measured: Value | None = None
    source: str | None = None
    """Which source of the data it is of; None where it is of the whole run."""
    basis: str | None = None
    """How the measured side came about: ``measured``, or ``estimated`` where no instrument could be read."""

    @property
    def error(self) -> float | None:
        """Relative error of the prediction, predicted / measured - 1; None where it has no meaning."""
        if isinstance(self.predicted, str) or isinstance(self.measured, str):
            return None
        if self.predicted is None or not self.measured:
            return None
        error = self.predicted / self.measured - 1
        return error if math.isfinite(error) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data, without what is not known."""
        row = {**asdict(self), "error": self.error}
        return {name: value for name, value in row.items() if value is not None}


@dataclass(frozen=True)
class Ledger:
    """All rows of a run."""

    rows: tuple[LedgerRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as plain data."""
        return {"rows": [row.to_dict() for row in self.rows]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Ledger:
        """Read what `to_dict` wrote."""
        known = set(LedgerRow.__dataclass_fields__)
        rows = content.get("rows", [])
        return cls(tuple(LedgerRow(**{key: row[key] for key in row if key in known}) for row in rows))


@dataclass(frozen=True)
class Measurement:
    """What a run took of something; ``estimated`` where it was worked out and not read from an instrument."""

    value: Value
    estimated: bool = False


def build_ledger(
    plan: Mapping[str, Any], measured: Mapping[str, Measurement], source_tokens: Mapping[str, int] | None = None
) -> Ledger:
    """Lay a plan beside measurements.

    Args:
        plan: as ``Plan.to_dict`` gives it.
        measured: by quantity, as `PLANNED_QUANTITIES` names them.
        source_tokens: tokens that were trained on of each source, where there are several.
    """
    rows = []
    for resource, quantity, path in PLANNED_QUANTITIES:
        predicted, taken = _look_up(plan, path), measured.get(quantity)
        if predicted is None and taken is None:
            continue
        rows.append(
            LedgerRow(
                resource=resource,
                quantity=quantity,
                predicted=predicted,
                predicted_low=_look_up(plan, f"{path}_low"),
                predicted_high=_look_up(plan, f"{path}_high"),
                measured=None if taken is None else taken.value,
                basis=None if taken is None else ("estimated" if taken.estimated else "measured"),
            )
        )
    return Ledger((*rows, *_source_rows(plan, source_tokens or {})))


def _source_rows(plan: Mapping[str, Any], source_tokens: Mapping[str, int]) -> Iterator[LedgerRow]:
    planned = plan.get("run", {}).get("sources", [])
    tokens = {one["name"]: one["tokens"] for one in planned if isinstance(one, dict) and {"name", "tokens"} <= set(one)}
    for source, taken in source_tokens.items():
        yield LedgerRow(
            resource="data",
            quantity="tokens",
            source=source,
            predicted=tokens.get(source),
            measured=taken,
            basis="measured",
        )


def _look_up(plan: Mapping[str, Any], path: str) -> Any:
    value: Any = plan
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value if isinstance(value, (int, float, str)) else None
