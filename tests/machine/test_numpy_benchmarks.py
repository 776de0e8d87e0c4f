from headway.machine import numpy_benchmarks

MIB = 1 << 20


def test_bandwidth_counts_bytes_as_stream_does() -> None:
    found = numpy_benchmarks.measure_memory(32 * MIB, threads=2, budget_seconds=0.05)
    assert (found.method, found.threads, found.array_bytes) == ("numpy", 2, 32 * MIB)
    # Any machine of this century lies between; a factor of eight (bytes for elements) would not.
    assert 5e8 < found.triad_bytes_per_second < 2e12
    assert 5e8 < found.copy_bytes_per_second < 2e12


def test_rates_are_of_the_named_shapes() -> None:
    found = numpy_benchmarks.measure_matmul(2, sizes=(32, 64), budget_seconds=0.01)
    assert [(point.m, point.n, point.k) for point in found.points] == [(32, 32, 32), (64, 64, 64)]
    assert {point.dtype for point in found.points} == {"fp32"}
    assert all(0 < point.median_flops_per_second <= point.flops_per_second < 1e14 for point in found.points)
