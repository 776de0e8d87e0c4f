"""Telemetry: what the machine is doing now."""
