"""Headway: plan, run, survive and explain the training of large language models."""

__version__ = "0.1.0"
