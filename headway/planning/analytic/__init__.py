"""Accelerators whose figures the catalogue holds: what a training takes on many of them, for many layouts at once."""
