"""Who does the parts of a preparation: this process, processes of this machine, or Ray on many machines.

Whoever does them, results come in the order of the items, so that what is written does not depend on it.
"""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import signal
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar, final

from headway.errors import DataError, MissingDependencyError
from headway.resilience.launchers.local import die_with_parent, with_parent

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
"""Parts for each worker that are begun before the results are asked for: none waits, and few results are held."""

_THREADS_VARIABLE = "RAYON_NUM_THREADS"
"""How many threads the package ``tokenizers`` takes. Source: rayon, "Configuration by environment variables"."""


class Executor(ABC):
    """Does the parts of a job."""

    @abstractmethod
    def results(self, job: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield what a job makes of each item, in their order.

        Raises:
            DataError: as the job does; of several, that of the first item.
        """


@final
class Serial(Executor):
    """This process."""

    def results(self, job: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Do one part after the other."""
        return map(job, items)


@final
class Processes(Executor):
    """Processes of this machine.

    Args:
        workers: how many; they share its processors.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def results(self, job: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Do as many parts at once as there are workers."""
        threads = max(1, (os.cpu_count() or 1) // self._workers)
        # Forked processes would share locks with threads of this one that are not there.
        context = get_context("spawn")
        pool = ProcessPoolExecutor(self._workers, context, _begin, (pickle.dumps(job), threads, with_parent({})))
        try:
            yield from _in_order(pool, items, _AHEAD * self._workers)
        except BrokenProcessPool as error:
            raise DataError("data-worker-killed") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@final
class OnRay(Executor):
    """The machines of a Ray cluster, or this one where there is none. All must see the files, and need Headway.

    Args:
        workers: at most so many at once; as many as Ray has processors by default.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers

    def results(self, job: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Do as many parts at once as Ray has processors for.

        Raises:
            MissingDependencyError: Ray is not installed.
        """
        try:
            ray: Any = importlib.import_module("ray")
            importlib.import_module("ray.data")
        except ImportError as error:
            raise MissingDependencyError(
                "data-package-missing", package="ray[data]", command='pip install ".[scale]"'
            ) from error
        if not items:
            return
        is_ours = not ray.is_initialized()
        # Where the environment names a cluster (RAY_ADDRESS), this is it.
        ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level=logging.ERROR)
        try:
            context = ray.data.DataContext.get_current()
            context.execution_options.preserve_order = True
            context.enable_progress_bars = False
            rows = [{"item": pickle.dumps(item)} for item in items]
            limit = self._workers or int(ray.cluster_resources().get("CPU", 1))
            workers = max(1, min(len(rows), limit))
            parts = ray.data.from_items(rows, override_num_blocks=len(rows))
            done = parts.map(_RayWorker, fn_constructor_args=(pickle.dumps(job),), concurrency=(1, workers))
            for row in done.iter_rows():
                result = pickle.loads(row["result"])
                if isinstance(result, Exception):
                    raise result
                yield result
        finally:
            if is_ours:
                ray.shutdown()


class _RayWorker:
    """An actor of Ray Data that holds the job."""

    def __init__(self, job: bytes) -> None:
        self._job = pickle.loads(job)

    def __call__(self, row: dict[str, bytes]) -> dict[str, bytes]:
        try:
            result = self._job(pickle.loads(row["item"]))
        except (DataError, MissingDependencyError) as error:
            # As a value: Ray would wrap it, and try again.
            result = error
        return {"result": pickle.dumps(result)}


def _in_order(pool: ProcessPoolExecutor, items: Iterable[Any], ahead: int) -> Iterator[Any]:
    left = iter(items)
    begun: deque[Future[Any]] = deque(pool.submit(_do, item) for item in islice(left, ahead))
    while begun:
        result = begun.popleft().result()
        begun.extend(pool.submit(_do, item) for item in islice(left, 1))
        yield result


_job: Callable[[Any], Any]
"""The job of a worker process."""


def _begin(job: bytes, threads: int, environment: dict[str, str]) -> None:
    global _job
    os.environ.update(environment)
    die_with_parent(signal.SIGKILL)
    # Ctrl-C goes to the whole group; the parent decides what becomes of its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[_THREADS_VARIABLE] = str(threads)
    _job = pickle.loads(job)


def _do(item: Any) -> Any:
    return _job(item)
