"""Headway: plan, run, survive and explain the training of large language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from headway.api import diagnose, drill, load, plan, preflight, probe, train, verify

__all__ = ["__version__", "diagnose", "drill", "load", "plan", "preflight", "probe", "train", "verify"]


def __getattr__(name: str) -> Any:
    # Imported on first use: `headway --help` must not pay for what it does not call.
    if name in ("diagnose", "drill", "load", "plan", "preflight", "probe", "train", "verify"):
        from headway import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
