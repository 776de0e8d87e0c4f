from types import SimpleNamespace
from typing import Any

from headway.planning.unbeaten import unbeaten


def made(seconds: float | None, usd: float | None, *, fits: bool = True) -> Any:
    return SimpleNamespace(
        time=SimpleNamespace(total_seconds=seconds), cost=SimpleNamespace(total_usd=usd), is_feasible=fits
    )


def test_the_fast_and_the_cheap_by_hand() -> None:
    # The third is slower than the second and dearer; the last is as good as the second.
    plans = [made(1.0, 9.0), made(2.0, 4.0), made(3.0, 5.0), made(4.0, 3.0), made(2.0, 4.0)]
    assert unbeaten(plans) == {0, 1, 3, 4}


def test_what_cannot_run_or_has_no_price_is_not_compared() -> None:
    plans = [made(1.0, 1.0, fits=False), None, made(None, 1.0), made(1.0, None), made(5.0, 5.0)]
    assert unbeaten(plans) == {4}
