"""Benchmarks: each is one command that prints its figures; none of them is a test."""
