"""Engines: PyTorch, JAX and TensorFlow behind one small contract."""

from __future__ import annotations

from headway.errors import MissingDependencyError
from headway.planning.choice import Layout
from headway.recipe import Recipe
from headway.training.engines.base import Engine, EngineSettings, Share, StepResult

__all__ = ["Engine", "EngineSettings", "Share", "StepResult", "build_engine"]


def build_engine(recipe: Recipe, settings: EngineSettings | None = None, layout: Layout | None = None) -> Engine:
    """Build the engine that a recipe names, with freshly initialised weights.

    Args:
        recipe: the resolved recipe.
        settings: of the run that is resumed; chosen for this machine where there is none.
        layout: how the work is split over the processes; one device where None.

    Raises:
        MissingDependencyError: the framework is not installed.
        TrainingError: the engine cannot run this recipe.
    """
    try:
        from headway.training.engines.torch.engine import TorchEngine
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("torch"):
            raise
        raise MissingDependencyError("training-engine-missing", engine="torch", extra="torch") from error
    return TorchEngine(recipe, settings, layout)
