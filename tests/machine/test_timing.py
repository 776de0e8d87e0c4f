from headway.machine.timing import best_seconds, repeat_seconds


def test_there_are_at_least_the_minimum_of_repetitions_and_one_run_to_warm_up() -> None:
    calls: list[int] = []
    times = repeat_seconds(lambda: calls.append(1), budget_seconds=0.0, minimum=4, inner=10)
    assert len(times) == 4
    assert len(calls) == 1 + 4 * 10
    assert all(time > 0 for time in times)


def test_the_budget_buys_more_repetitions() -> None:
    assert len(repeat_seconds(lambda: None, budget_seconds=0.02)) > 3


def test_best_is_no_longer_than_the_whole() -> None:
    assert 0 < best_seconds(lambda: sum(range(1000)), budget_seconds=0.01) < 1.0
