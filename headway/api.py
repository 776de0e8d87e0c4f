"""What a program calls: ``headway.probe()``, ``.plan()``, ``.train()``, ``.verify()``, ``.diagnose()`` and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from headway.errors import PlanError, RunError
from headway.recipe import Recipe, find_recipe, resolve_recipe

if TYPE_CHECKING:
    from headway.diagnosis import Diagnosis
    from headway.machine import Machine
    from headway.machine.inventory import Inventory
    from headway.planning import Plan
    from headway.resilience.checkpoint.verifying import Verified
    from headway.resilience.drills import Drill
    from headway.resilience.preflight import Preflight
    from headway.runs import RunFolder
    from headway.training.session import Followers, Launcher

AnyRecipe = Recipe | str | Path | Mapping[str, Any]
"""A recipe, the path of one, the name of a model preset, or sections by name."""

UNKNOWN_SPEED = (
    "plan-accelerator-unknown",
    "plan-bandwidth-unknown",
    "plan-cpu-not-measured",
    "plan-operation-not-measured",
    "plan-rate-unknown",
    "plan-setting-unsupported",
)
"""Reasons for which there is no plan, and none of which keeps a training from running."""

Probe = Callable[..., "Machine"]


def load(recipe: AnyRecipe) -> Recipe:
    """Return the resolved recipe.

    Raises:
        RecipeError: a rule is broken.
    """
    if isinstance(recipe, Recipe):
        return recipe
    if isinstance(recipe, Mapping):
        return resolve_recipe(recipe)
    return find_recipe(str(recipe))


def alone(recipe: Recipe) -> Recipe:
    """Return a recipe without the phases that follow it."""
    return recipe.model_copy(update={"phases": ()})


def probe(folder: Path | str = ".", *, measure: bool = True, refresh: bool = False) -> Machine:
    """Say what this machine is and what it can do; see `headway.machine.probe`."""
    from headway import machine

    return machine.probe(folder, measure=measure, refresh=refresh)


def diagnose(paths: str | Path | Iterable[str | Path]) -> Diagnosis:
    """Say why a job failed, from the logs that it left; see `headway.diagnosis.diagnose`.

    Args:
        paths: a file, folder, glob or archive, or several of them.

    Raises:
        DiagnosisError: a path does not exist.
    """
    from headway import diagnosis

    return diagnosis.diagnose([paths] if isinstance(paths, (str, Path)) else paths)


def plan(recipe: AnyRecipe, machine: Machine | None = None, *, runs: Path | str = ".", probing: Probe = probe) -> Plan:
    """Predict what a recipe will take, and each phase that follows it (`Plan.chain`).

    Args:
        recipe: the recipe.
        machine: the server that will train; this one is probed where the recipe is to run here and none is given.
        runs: where the run will be stored; its disk is probed.
        probing: how this machine is probed, for callers that show its progress.

    Raises:
        RecipeError: a rule is broken.
        PlanError: the plan cannot be made from what is known.
    """
    from headway.planning import plan as plan_recipe
    from headway.planning.phases import with_phases

    resolved = load(recipe)
    made = plan_recipe(resolved, machine or _machine_for(resolved.hardware.accelerator, probing, Path(runs)))
    return with_phases(resolved, made, lambda one: plan(one, machine, runs=runs, probing=probing))


def preflight(
    recipe: AnyRecipe,
    *,
    runs: Path | str = "runs",
    checks: Sequence[str] | None = None,
    probing: Probe = probe,
    on_begin: Callable[[str, float], None] = lambda _name, _fraction: None,
) -> Preflight:
    """Look at everything that a run of a recipe needs of this server, before it starts: seconds, once it was probed.

    Args:
        recipe: the recipe.
        runs: the folder of all runs.
        checks: names of the checks; all of `headway.resilience.preflight.CHECKS` by default.
        probing: how this machine is probed, where the plan needs it.
        on_begin: told of each check when it begins, with the share that is done.

    Raises:
        RecipeError: a rule is broken.
        RunError: there is no check of a name.
    """
    from headway.resilience.preflight import CHECKS
    from headway.resilience.preflight import preflight as look
    from headway.resilience.preflight.subject import this_server

    resolved = _with_precision(load(recipe), probing, Path(runs))
    made = _plan_if_known(resolved, probing, Path(runs))
    subject = this_server(resolved, Path(runs), {} if made is None else made.to_dict())
    return look(subject, tuple(CHECKS) if checks is None else tuple(checks), on_begin)


def verify(name: str, *, runs: Path | str = "runs") -> tuple[Verified, ...]:
    """Read all checkpoints of a run as a resumed run would, and say which can be trusted.

    Args:
        name: the run's.
        runs: the folder of all runs.

    Raises:
        RunError: there is no such run.
    """
    from headway.resilience.checkpoint import CheckpointStore
    from headway.resilience.checkpoint.verifying import verify as verify_store
    from headway.runs import RunFolder
    from headway.training.loop import odd_state

    return tuple(verify_store(CheckpointStore(RunFolder.open(Path(runs), name).checkpoints_folder), odd_state))


def drill(
    recipe: AnyRecipe,
    *,
    faults: Sequence[str] = (),
    runs: Path | str = "runs",
    on_begin: Callable[[str, float], None] = lambda _name, _share: None,
) -> Drill:
    """Rehearse faults on a short version of a recipe; see `headway.resilience.drills.drill`.

    Args:
        recipe: the recipe.
        faults: names; all of `headway.resilience.drills.FAULTS` by default.
        runs: the folder of all runs; those of a drill are in ``drills/NAME`` below it, in the place of earlier ones.
        on_begin: told of each run when it begins, with the share that is done.

    Raises:
        RecipeError: a rule is broken.
        RunError: there is no fault of a name, or the run fails without any.
    """
    from headway.resilience.drills import drill as rehearse

    resolved = load(recipe)
    return rehearse(resolved, Path(runs) / "drills" / resolved.name, faults, on_begin)


def train(
    recipe: AnyRecipe,
    *,
    runs: Path | str = "runs",
    name: str | None = None,
    resume: bool = False,
    force: bool = False,
    retries: int | None = None,
    launcher: Launcher | Literal["ray"] = "local",
    probing: Probe = probe,
    watching: Callable[[RunFolder], AbstractContextManager[Followers | None]] = lambda _run: nullcontext(),
) -> RunFolder:
    """Plan a recipe and train it in a process for each device; return when they have ended.

    Where they fail or hang, they are started again from the newest good checkpoint, as far as that can help. A run that
    is finished is returned as it is, where it is to be resumed; nobody is told that it is watched.

    Args:
        recipe: the recipe.
        runs: the folder of all runs.
        name: the run's name; by default the recipe's, with a number where that is taken.
        resume: go on with the newest run of that name.
        force: train even where the plan says that it cannot fit.
        retries: how often it may be started again, instead of the recipe's ``resilience.max_restarts``.
        launcher: who starts the processes: this one, torchrun, or Ray Train, which starts them again by itself.
        probing: how this machine is probed.
        watching: makes the context that is told about steps and events while the run lasts.

    Raises:
        InfeasibleError: the plan says that the run cannot fit.
        NotReadyError: the run would fail on this server as it is now.
        HeadwayError: as the plan, the run folder or the training reports it.
        KeyboardInterrupt: passed on after the run has saved and stopped.
    """
    from headway.training.placed_by_ray import train_by_ray
    from headway.training.supervised import train_supervised

    run, is_done = prepare(recipe, runs=runs, name=name, resume=resume, force=force, probing=probing)
    if is_done:
        return run
    processes = run.recipe().hardware.devices
    with watching(run) as followers:
        if launcher == "ray":
            train_by_ray(run, followers, processes=processes, retries=retries)
        else:
            train_supervised(run, followers, processes=processes, retries=retries, launcher=launcher)
    return run


def prepare(
    recipe: AnyRecipe,
    *,
    runs: Path | str = "runs",
    name: str | None = None,
    resume: bool = False,
    force: bool = False,
    probing: Probe = probe,
) -> tuple[RunFolder, bool]:
    """Plan a recipe and make the folder of its run, or find the one to resume, without training.

    Args:
        recipe: as all others, see `train`.
        runs: the folder of all runs.
        name: the run's name.
        resume: go on with the newest run of that name.
        force: also where the plan says that it cannot fit.
        probing: how this machine is probed.

    Returns:
        The run, and whether nothing is left to do, since it is finished.

    Raises:
        InfeasibleError: the plan says that the run cannot fit.
        NotReadyError: the run would fail on this server as it is now.
        HeadwayError: as the plan or the run folder reports it.
    """
    from headway.training.resuming import find_run, is_complete, require_resumable
    from headway.training.session import open_run
    from headway.training.support import for_training, require_trainable

    resolved = _with_precision(load(recipe), probing, Path(runs))
    present_bytes = 0
    if resume:
        found = find_run(Path(runs), resolved, name)
        require_resumable(found, resolved)
        if is_complete(found, resolved):
            return found, True
        present_bytes = found.size_bytes()
        # From here on it is this run, whatever others do meanwhile.
        name = found.name
    require_trainable(resolved, _inventory(Path(runs)))
    made = _plan_if_known(for_training(resolved), probing, Path(runs))
    if made is not None and not force:
        _require_feasible(made, present_bytes)
    plan_content = made.to_dict() if made is not None else {}
    looked = _look_before(resolved, Path(runs), plan_content, present_bytes)
    if not force:
        _require_ready(looked)
    run = open_run(resolved, plan_content, root=Path(runs), name=name, resume=resume, before=looked.to_dict())
    return run, False


def _look_before(recipe: Recipe, runs: Path, plan: Mapping[str, Any], present_bytes: int) -> Preflight:
    """Look at what costs no time; `preflight` looks at the rest, and at the port where servers meet."""
    from headway.resilience.preflight import QUICK
    from headway.resilience.preflight import preflight as look
    from headway.resilience.preflight.subject import this_server

    # Processes of one server meet at a file, whatever a launcher has left in the environment.
    names = tuple(name for name in QUICK if name != "port")
    return look(this_server(recipe, runs, plan, present_bytes), names)


def _require_ready(looked: Preflight) -> None:
    """Refuse a run that would fail on this server as it is now."""
    failed = [one for check in looked.checks for one in check.findings if one.status == "failed"]
    if failed:
        raise NotReadyError(tuple(RunError(one.message_id, **one.arguments) for one in failed))


def _with_precision(recipe: Recipe, probing: Probe, runs: Path) -> Recipe:
    """Return the recipe with the format that the plan chooses, where it leaves that to it; the usual one without."""
    from headway.planning.precision import AUTO, USUAL, settled

    if recipe.training.precision != AUTO:
        return recipe
    made = _plan_if_known(recipe, probing, runs)
    return settled(recipe, USUAL if made is None else made.software.precision)


def kept(run: RunFolder) -> Literal["nothing", "all", "part"]:
    """Say what a run that was stopped has kept of the steps that it did: ``nothing`` where it did none."""
    from headway.training.resuming import saved_step

    saved, metrics = saved_step(run), run.metrics()
    if not metrics and not saved:
        return "nothing"
    return "part" if metrics and saved < metrics[-1]["step"] else "all"


class NotReadyError(RunError):
    """This server is not ready for a run; ``problems`` holds an error for each reason."""

    def __init__(self, problems: tuple[RunError, ...]) -> None:
        self.problems = problems
        super().__init__("preflight-not-ready", count=len(problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return NotReadyError, (self.problems,)


class InfeasibleError(PlanError):
    """The plan says that a run cannot fit; ``problems`` holds an error for each reason."""

    def __init__(self, problems: tuple[PlanError, ...]) -> None:
        self.problems = problems
        super().__init__("training-infeasible", count=len(problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return InfeasibleError, (self.problems,)


def _require_feasible(made: Plan, present_bytes: int) -> None:
    """Refuse a run that cannot fit; what a resumed run has on the disk already needs no room any more."""
    problems = []
    for message in made.infeasible:
        arguments = message.arguments
        if message.id == "plan-infeasible-disk":
            missing_bytes = float(arguments["needed_bytes"]) - float(arguments["free_bytes"])
            if missing_bytes <= present_bytes:
                continue
        problems.append(PlanError(message.id, **arguments))
    if problems:
        raise InfeasibleError(tuple(problems))


def _inventory(runs: Path) -> Inventory:
    from headway.machine.disks import existing_folder
    from headway.machine.inventory import take_inventory

    return take_inventory(existing_folder(runs))


def _plan_if_known(recipe: Recipe, probing: Probe, runs: Path) -> Plan | None:
    """Return the plan, or None where this machine's speed is not known: one can train without knowing."""
    try:
        # Of a chain, the recipe itself is what is trained.
        return plan(alone(recipe), runs=runs, probing=probing)
    except PlanError as error:
        if error.message_id not in UNKNOWN_SPEED:
            raise
        return None


def _machine_for(accelerator: str, probing: Probe, runs: Path) -> Machine | None:
    """Probe this machine where the recipe needs it; measure it only where its processors will train."""
    from headway.machine.disks import existing_folder

    if accelerator not in ("auto", "cpu"):
        return None
    folder = existing_folder(runs)
    if accelerator == "auto":
        described = probing(folder, measure=False)
        if described.inventory.accelerators:
            return described
    return probing(folder)
