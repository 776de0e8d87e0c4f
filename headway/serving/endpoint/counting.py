"""What the endpoint has done, as Prometheus reads it.

Source: Prometheus, "Exposition formats", text format 0.0.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from headway.serving.endpoint.rules import Gate


@dataclass
class Counts:
    """Counters since the start.

    Attributes:
        requests: answered, by path and status.
        disconnected: whose client went away before the end.
        restarts: of llama.cpp after it died.
    """

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    disconnected: int = 0
    restarts: int = 0

    def text(self, gate: Gate) -> str:
        """Return all metrics of the endpoint itself; those of llama.cpp follow them."""
        return "\n".join(self._lines(gate)) + "\n"

    def _lines(self, gate: Gate) -> Iterator[str]:
        yield from _head("headway_requests_total", "counter", "Requests answered, by path and status.")
        for (path, status), count in sorted(self.requests.items()):
            yield f'headway_requests_total{{path="{path}",status="{status}"}} {count}'
        for name, kind, text, value in (
            ("headway_disconnected_total", "counter", "Clients that went away before the end.", self.disconnected),
            ("headway_engine_restarts_total", "counter", "Restarts of llama.cpp after it died.", self.restarts),
            ("headway_requests_working", "gauge", "Requests that are worked on.", gate.working),
            ("headway_requests_waiting", "gauge", "Requests that wait for a place.", gate.waiting),
        ):
            yield from _head(name, kind, text)
            yield f"{name} {value}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
