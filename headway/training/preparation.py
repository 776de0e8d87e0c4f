"""Turn a run's text into tokens in a process of its own.

    python -m headway.training.preparation RUN_FOLDER

Training a tokenizer and encoding take hundreds of megabytes that a process never gives back. In the process that
trains they would count as the training's own, and be missing on a machine that is just large enough.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from headway.errors import HeadwayError, TrainingError, base_name, rebuild_error
from headway.recipe import Recipe
from headway.resilience.launchers.local import die_with_parent, with_parent
from headway.runs import EventLog, RunFolder
from headway.training.data import Corpus, Progress, is_prepared, prepare

_REPORT_SECONDS = 0.2


def prepare_apart(run: RunFolder, recipe: Recipe, events: EventLog) -> Corpus:
    """Return the corpus of a run; where it is not in the cache, another process puts it there first.

    Raises:
        DataError: the text or the tokenizer cannot be used, or the cache cannot be written.
        TrainingError: the process was killed.
    """
    if not is_prepared(recipe.data, vocab_size=recipe.model.vocab_size):
        command = [sys.executable, "-m", "headway.training.preparation", str(run.path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, env=with_parent(os.environ), check=False)
        if done.returncode:
            raise _error(done.stdout, done.returncode)
    return prepare(
        recipe.data,
        vocab_size=recipe.model.vocab_size,
        seed=recipe.training.seed,
        progress=stage_reporter(events),
    )


def stage_reporter(events: EventLog) -> Progress:
    """Return what records the stages of a preparation as events, a few in a second."""
    last = [0.0]

    def report(message_id: str, fraction: float) -> None:
        if time.monotonic() - last[0] > _REPORT_SECONDS or fraction >= 1:
            last[0] = time.monotonic()
            events.record("stage", message=message_id, fraction=fraction)

    return report


def main(arguments: list[str]) -> int:
    """Prepare the data of the run in the folder named by the first argument; print the error where there is one."""
    die_with_parent(signal.SIGKILL)
    run = RunFolder(Path(arguments[0]))
    recipe = run.recipe()
    with EventLog(run.events_path) as events:
        try:
            prepare(
                recipe.data,
                vocab_size=recipe.model.vocab_size,
                seed=recipe.training.seed,
                progress=stage_reporter(events),
            )
        except HeadwayError as error:
            sys.stdout.write(json.dumps({**error.to_dict(), "kind": base_name(error)}))
            return 1
    return 0


def _error(output: bytes, code: int) -> HeadwayError:
    try:
        content = json.loads(output)
        told, kind = content["error"], str(content["kind"])
    except (ValueError, KeyError):
        return TrainingError("training-preparation-failed", code=code)
    return rebuild_error(kind, told["id"], told["arguments"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
