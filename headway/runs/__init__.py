"""Runs: the run folder, its metric and event logs, and the ledger. The folder is the database."""

from headway.runs.folder import RunFolder, list_runs
from headway.runs.ledger import Ledger, LedgerRow, Measurement, build_ledger
from headway.runs.logs import EventLog, MetricLog, read_lines

__all__ = [
    "EventLog",
    "Ledger",
    "LedgerRow",
    "Measurement",
    "MetricLog",
    "RunFolder",
    "build_ledger",
    "list_runs",
    "read_lines",
]
