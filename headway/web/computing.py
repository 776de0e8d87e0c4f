"""What the API works out on demand: plans, ledgers, diagnoses, and what is known of this server."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from starlette.requests import Request

from headway import api
from headway.errors import RunError
from headway.machine import advice
from headway.machine.disks import existing_folder
from headway.machine.probing import Machine, known_machine
from headway.runs import RunFolder
from headway.training.accounting import measure_run
from headway.web.answers import WebError

LARGEST_UPLOAD_BYTES = 256 * 2**20
"""A log that is larger is better explained where it lies, by `headway diagnose`."""

_SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def plan_of(recipe: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return the plan of a recipe; this server is taken as it is known, since measuring it takes a minute.

    Raises:
        WebError: the recipe names a file of this server; whoever may look at runs may not look at all files.
        HeadwayError: as `headway.api.plan` has it.
    """
    if isinstance(model := recipe.get("model"), dict) and model.get("config") is not None:
        raise WebError("web-plan-opens-file", status=403, setting="model.config")

    def known(folder: Path | str = ".", *, measure: bool = True, refresh: bool = False) -> Machine:
        return known_machine(Path(folder))

    return api.plan(recipe, runs=root, probing=known).to_dict()


def ledger_of(run: RunFolder) -> dict[str, Any]:
    """Return the ledger of a run, as far as it has gone.

    Raises:
        RunError: it has done no step yet.
    """
    if not any("step_seconds" in record for record in run.metrics()):
        raise RunError("run-no-metrics", name=run.name)
    return measure_run(run).to_dict()


def known_server(root: Path) -> dict[str, Any]:
    """Return what this server is, its figures where they were measured before, and advice."""
    machine = known_machine(existing_folder(root))
    advised = [{"id": one.message_id, "level": one.level, "arguments": one.arguments} for one in advice(machine)]
    return {**machine.to_dict(), "advice": advised}


async def keep_upload(request: Request) -> Path:
    """Write the body of a request into a file of its own, under the name that the query gives.

    Raises:
        WebError: it is too large, or empty.
    """
    given = request.query_params.get("name", "log")
    # Of a name only what tells the format is of use; it must not lead anywhere.
    name = _SAFE_NAME.sub("-", given.replace("\\", "/").rpartition("/")[2]).strip(".-")[-100:] or "log"
    folder = Path(tempfile.mkdtemp(prefix="headway-"))
    size = 0
    try:
        with (folder / name).open("wb") as file:
            async for part in request.stream():
                size += len(part)
                if size > LARGEST_UPLOAD_BYTES:
                    raise WebError("web-body-large", status=413, limit_bytes=LARGEST_UPLOAD_BYTES)
                file.write(part)
        if not size:
            raise WebError("web-body-empty")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder / name


def drop_upload(path: Path) -> None:
    """Remove what `keep_upload` wrote."""
    shutil.rmtree(path.parent, ignore_errors=True)
