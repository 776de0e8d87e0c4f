import pytest

from headway.catalog.reliability import entries, failure_trace, recovery, traces


def test_the_trace_is_whole() -> None:
    trace = failure_trace("infinitehbd")
    events = trace.events
    assert len(events) == entries()["infinitehbd-all"].interruptions == 584
    assert len({event.node for event in events}) == 231 <= trace.nodes
    assert [event.start_seconds for event in events] == sorted(event.start_seconds for event in events)
    assert all(0 <= event.start_seconds <= trace.duration_seconds * 1.003 for event in events)
    assert sum(event.component == "GPU" for event in events) == 158


def test_every_trace_and_time_says_where_it_is_from() -> None:
    for entry in (*traces().values(), *recovery().values()):
        assert entry.source
        assert entry.basis


@pytest.mark.parametrize("name", recovery())
def test_every_time_has_a_value(name: str) -> None:
    value = recovery()[name].value
    assert value is not None
    assert value > 0
