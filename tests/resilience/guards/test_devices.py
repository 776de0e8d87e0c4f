"""The guards of devices and of silent corruption, fed with events and digests."""

from __future__ import annotations

import pytest

from headway.i18n import Translator
from headway.resilience.guards.corruption import Corruption, odd_one
from headway.resilience.guards.device_events import DeviceEvents
from headway.telemetry.device_events import DeviceEvent


def test_an_error_that_was_not_corrected_stops_the_run_and_others_are_told() -> None:
    guard = DeviceEvents("stop")
    events = [
        DeviceEvent(device="mc0", kind="corrected", count=3),
        DeviceEvent(device="cpu1", kind="thermal"),
        DeviceEvent(device="mc0", kind="uncorrectable"),
    ]
    assert [one.action for one in guard.take(7, events)] == ["warn", "warn", "stop"]
    assert [one.action for one in DeviceEvents("warn").take(7, events)] == ["warn"] * 3
    assert list(DeviceEvents("off").take(7, events)) == []


def test_what_happens_over_and_over_is_told_ever_more_rarely() -> None:
    guard = DeviceEvents("stop")
    told = [
        number for number in range(1, 1001) if list(guard.take(number, [DeviceEvent(device="cpu1", kind="thermal")]))
    ]
    assert told == [1, 10, 100, 1000]


def test_every_kind_of_event_has_a_text() -> None:
    english = Translator("en")
    for kind in ("uncorrectable", "corrected", "xid", "thermal", "power"):
        for code in (0, 79):
            (found,) = DeviceEvents("stop").take(3, [DeviceEvent(device="x", kind=kind, code=code)])  # type: ignore[arg-type]
            for text in (
                english.text("guard-device-events", step=3, **found.arguments),
                english.next_step("guard-device-events", step=3, **found.arguments),
                *english.error(found.error),  # type: ignore[arg-type]
            ):
                assert text
                assert "{" not in text
                assert "\n" not in text


@pytest.mark.parametrize(
    ("digests", "rank"),
    [([5, 5, 6], 2), ([6, 5, 5, 5], 0), ([5, 6], -1), ([5, 5], -1), ([1, 2, 3], -1), ([], -1), ([5, 5, 6, 6], -1)],
)
def test_the_majority_names_the_odd_one(digests: list[int], rank: int) -> None:
    assert odd_one(digests) == rank


def test_steps_and_copies_that_differ_are_found() -> None:
    guard = Corruption("stop", every_steps=10)
    assert [step for step in range(1, 31) if guard.is_due(step)] == [10, 20, 30]
    assert guard.take(10, wrong_ranks=[], digests=[3, 3, 3]) is None
    assert guard.take(10, wrong_ranks=[], digests=[]) is None
    found = [guard.take(10, wrong_ranks=[0], digests=[3, 3]), guard.take(10, wrong_ranks=[], digests=[3, 3, 4])]
    assert [(one.arguments["what"], one.arguments["rank"]) for one in found if one] == [("replay", 0), ("copies", 2)]
    english = Translator("en")
    for one in found:
        assert one is not None
        assert "{" not in english.text("guard-corruption", step=10, **one.arguments) + english.error(one.error)[0]  # type: ignore[arg-type]
    assert not Corruption("stop", every_steps=None).is_due(10)
    assert not Corruption("off", every_steps=1).is_due(10)
    assert Corruption("off", every_steps=1).take(10, wrong_ranks=[0], digests=[]) is None
