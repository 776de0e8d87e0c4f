from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.web.conftest import Server, make_run

API = "/api/v1"


def test_runs_are_listed_damaged_ones_too(server: Server) -> None:
    broken = server.root / "broken"
    broken.mkdir(exist_ok=True)
    (broken / "recipe.toml").write_text("[model")
    (server.root / "foreign").mkdir(exist_ok=True)
    found = {run["name"]: run for run in server.ask(f"{API}/runs").json["runs"]}
    assert {"first", "broken"} <= found.keys()
    assert "foreign" not in found
    assert (found["first"]["status"], found["first"]["step"], found["first"]["steps"]) == ("interrupted", 100, 1000)
    assert found["first"]["loss"] == 0.05
    assert found["broken"]["status"] == "damaged"
    assert found["broken"]["error"]["id"]


def test_a_series_keeps_nan_and_ends(server: Server) -> None:
    answer = server.ask(f"{API}/runs/first/series?metric=loss&metric=tokens&axis=step&buckets=10")
    loss, tokens = answer.json["series"]
    assert (loss["first"][0], loss["last"][-1], loss["records"]) == (1.0, 100.0, 100)
    assert sum(loss["non_finite"]) == 1
    assert loss["high"][0] == 5.0
    assert tokens["final"][-1] == 10000
    part = server.ask(f"{API}/runs/first/series?metric=loss&start=40&end=59.5&buckets=1000").json["series"][0]
    assert (part["first"][0], part["last"][-1], len(part["first"])) == (40.0, 59.0, 20)
    assert part["final"][10] is None
    along = server.ask(f"{API}/runs/first/series?axis=tokens").json["series"][0]
    assert along["last"][-1] == 10000


def test_a_run_a_ledger_and_its_events(server: Server) -> None:
    assert server.ask(f"{API}/runs/first").json["settings"]["model"]["hidden_size"] > 0
    assert "loss" in server.ask(f"{API}/runs/first/metrics").json["names"]
    assert server.ask(f"{API}/runs/first/events").json["events"][0]["event"] == "started"
    rows = server.ask(f"{API}/runs/first/ledger").json["rows"]
    measured = {row["quantity"]: row["measured"] for row in rows}
    assert measured["step_seconds"] == pytest.approx(0.1)
    assert server.ask(f"{API}/runs/first/plan").json == {}


def test_a_plan_is_that_of_the_command_line(server: Server) -> None:
    recipe = {"model": {"preset": "llama-3.1-8b"}, "hardware": {"accelerator": "h100-sxm-80gb", "devices": 8}}
    answer = server.ask(f"{API}/plan", "POST", json.dumps(recipe).encode())
    assert answer.status == 200
    assert answer.json["memory"]["fits"] is True
    wrong = server.ask(f"{API}/plan", "POST", json.dumps({"model": {"preset": "llama-9"}}).encode())
    assert (wrong.status, wrong.json["error"]["id"]) == (422, "catalog-unknown-name")
    # This server was measured before, by the fixture, or never: then there is no plan, and nothing is measured now.
    here = server.ask(f"{API}/plan", "POST", json.dumps({"model": {"preset": "headway-tiny-1m"}}).encode())
    assert here.status in (200, 422)


def test_a_plan_opens_no_file_of_the_server(server: Server, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text("{}")
    for path in (str(config), "/etc/passwd"):
        answer = server.ask(f"{API}/plan", "POST", json.dumps({"model": {"config": path}}).encode())
        assert (answer.status, answer.json["error"]["id"]) == (403, "web-plan-opens-file")


def test_a_log_is_explained(server: Server) -> None:
    log = (
        b"step 1 loss 2\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
        b"GPU 0 has a total capacity of 79.11 GiB of which 1.00 GiB is free.\n"
    )
    for name, body in (("log.txt", log), ("../../x.gz", gzip.compress(log))):
        answer = server.ask(f"{API}/diagnose?name={quote(name)}", "POST", body)
        assert answer.status == 200, answer.body
        assert answer.json["cause"] == "device-memory", name
    assert server.ask(f"{API}/diagnose", "POST", b"").json["error"]["id"] == "web-body-empty"
    assert server.ask(f"{API}/runs/first/diagnosis").json["cause"]


def test_what_the_server_is(server: Server) -> None:
    found = server.ask(f"{API}/probe").json
    assert found["inventory"]["processor"]["usable_cores"] >= 1
    assert isinstance(found["advice"], list)


def test_messages_have_names_of_their_content(server: Server) -> None:
    about = server.ask(f"{API}/about").json
    name = about["locales"]["en"]["run"]
    answer = server.ask(f"/locales/{name}")
    assert "immutable" in answer.headers["cache-control"]
    assert b"run-unknown = " in answer.body
    assert b"\n#" not in answer.body
    assert server.ask("/locales/en.run.0000.ftl").status == 404


@pytest.mark.parametrize(
    ("path", "status", "message_id"),
    [
        ("/api/v1/runs/none", 404, "run-unknown"),
        ("/api/v1/runs/..%2f..%2fetc/events", 404, "web-not-found"),
        ("/api/v1/runs/%2e%2e", 404, "run-unknown"),
        ("/api/v1/runs/first/series?metric=nothing", 404, "web-no-metric"),
        ("/api/v1/runs/first/series?axis=colour", 400, "web-axis"),
        ("/api/v1/runs/first/series?buckets=0", 400, "web-query-count"),
        ("/api/v1/runs/first/series?buckets=999999", 400, "web-query-count"),
        ("/api/v1/runs/first/series?start=nan", 400, "web-query-number"),
        ("/api/v1/runs/first/series?start=x", 400, "web-query-number"),
        ("/api/v1/nothing", 404, "web-not-found"),
        ("/assets/..%2fapp.py", 404, "web-not-found"),
        ("/assets/app.py", 404, "web-not-found"),
        ("/favicon.ico", 404, "web-not-found"),
    ],
)
def test_what_is_not_there_or_wrong(server: Server, path: str, status: int, message_id: str) -> None:
    answer = server.ask(path)
    assert (answer.status, answer.json["error"]["id"]) == (status, message_id)


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_recipe(server: Server, body: bytes) -> None:
    answer = server.ask(f"{API}/plan", "POST", body)
    assert (answer.status, answer.json["error"]["id"]) == (400, "web-body-json")


def test_a_body_that_is_too_large(server: Server) -> None:
    answer = server.ask(f"{API}/plan", "POST", b" " * (2**20 + 1))
    assert (answer.status, answer.json["error"]["id"]) == (413, "web-body-large")
    assert server.ask(f"{API}/plan").status == 404
    assert server.ask(f"{API}/runs", "DELETE").json["error"]["id"] == "web-method"


def test_a_run_whose_log_cannot_be_read_does_not_hide_the_others(server: Server) -> None:
    run = make_run(server.root, "v1.0-odd", steps=1)
    run.metrics_path().unlink()
    run.metrics_path().mkdir()
    found = {one["name"]: one for one in server.ask(f"{API}/runs").json["runs"]}
    assert found["v1.0-odd"]["error"]["id"] == "run-file-damaged"
    assert found["first"]["status"] == "interrupted"
    # Names of runs may have dots.
    assert server.ask("/runs/v1.0-odd").headers["content-type"].startswith("text/html")


def test_a_link_out_of_the_folder_is_not_followed(server: Server, tmp_path: Path) -> None:
    make_run(tmp_path, "secret", steps=1)
    link = server.root / "link"
    link.symlink_to(tmp_path / "secret")
    try:
        answer = server.ask(f"{API}/runs/link/events")
        assert (answer.status, answer.json["error"]["id"]) == (403, "web-outside")
        assert "link" not in {one["name"] for one in server.ask(f"{API}/runs").json["runs"]}
    finally:
        link.unlink()
