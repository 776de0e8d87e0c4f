"""The workers of a training placed by Ray Train, and started again by it; checkpoints stay in the run's folder."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from headway.errors import MissingDependencyError, TrainingError

EXTRA = "scale"


def train_on_ray(
    entry: Callable[[dict[str, Any]], None],
    settings: Mapping[str, Any],
    *,
    workers: int,
    use_gpu: bool | None,
    max_failures: int,
    folder: Path,
) -> None:
    """Run a function in each of the processes that Ray places; return when all have ended.

    Args:
        entry: what each process runs; an exception in it is a failure.
        settings: passed to it.
        workers: how many processes; Ray gives each its rank.
        use_gpu: whether each has an accelerator of its own; None where the cluster has enough for all.
        max_failures: how often Ray may start them all again.
        folder: where Ray keeps its own notes; all nodes must see it.

    Raises:
        MissingDependencyError: Ray is not installed.
        TrainingError: it failed more often.
    """
    try:
        import ray
        from ray.train import FailureConfig, RunConfig, ScalingConfig
        from ray.train.torch import TorchConfig, TorchTrainer
    except ImportError as error:
        raise MissingDependencyError("training-engine-missing", engine="ray", extra=EXTRA) from error
    is_ours = not ray.is_initialized()
    if is_ours:
        # On the cluster that RAY_ADDRESS names, else on this machine.
        ray.init(logging_level=logging.WARNING, log_to_driver=False, runtime_env={"env_vars": _variables()})
    if use_gpu is None:
        use_gpu = ray.cluster_resources().get("GPU", 0) >= workers
    trainer = TorchTrainer(
        entry,
        train_loop_config=dict(settings),
        torch_config=None if use_gpu else TorchConfig(backend="gloo"),
        scaling_config=ScalingConfig(num_workers=workers, use_gpu=use_gpu),
        run_config=RunConfig(
            name="ray", storage_path=str(folder.absolute()), failure_config=FailureConfig(max_failures=max_failures)
        ),
    )
    try:
        trainer.fit()
    except ray.exceptions.RayError as error:
        raise TrainingError("training-ray-failed", reason=str(error).splitlines()[0]) from error
    except Exception as error:
        if type(error).__module__.startswith("ray."):
            raise TrainingError("training-ray-failed", reason=str(error).splitlines()[0]) from error
        raise
    finally:
        if is_ours:
            ray.shutdown()


def _variables() -> dict[str, str]:
    """Return the variables of this process that the workers need too."""
    return {name: value for name, value in os.environ.items() if name.startswith("HEADWAY_") or name == "PYTHONPATH"}
