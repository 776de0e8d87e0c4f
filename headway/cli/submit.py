"""``headway submit``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headway.cli.localized import command, option, recipe_options
from headway.cli.train import DEFAULT_RUNS
from headway.errors import RunError, TrainingError

if TYPE_CHECKING:
    from headway.recipe import Recipe
    from headway.resilience.launchers.job import SubmittedJob

SUBMITTERS = {"slurm": ("sbatch",), "kubernetes": ("kubectl", "apply", "-f", "-")}


@command("submit")
@recipe_options
@option("--to", "scheduler", help_id="cli-option-to", type=click.Choice(list(SUBMITTERS)), required=True)
@option("--output", help_id="cli-option-output", metavar="FILE")
@option("--submit", "is_submitted", help_id="cli-option-submit", is_flag=True)
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--name", help_id="cli-option-name", metavar="NAME")
@option("--retries", help_id="cli-option-train-retries", type=click.IntRange(0), metavar="N")
@option("--image", help_id="cli-option-image", default="headway", show_default=True, metavar="IMAGE")
@option("--claim", help_id="cli-option-claim", default="headway-runs", show_default=True, metavar="NAME")
def submit(
    recipe_path: str,
    overrides: tuple[str, ...],
    scheduler: str,
    output: str | None,
    is_submitted: bool,
    runs_folder: str,
    name: str | None,
    retries: int | None,
    image: str,
    claim: str,
) -> int:
    """Write what a scheduler needs to place a training, and hand it over."""
    from headway.recipe import find_recipe
    from headway.resilience.launchers.kubernetes import kubernetes_manifest
    from headway.resilience.launchers.slurm import slurm_script

    recipe = find_recipe(recipe_path, overrides)
    job = _job(recipe, recipe_path, runs_folder, name, retries)
    text = slurm_script(job, overrides) if scheduler == "slurm" else kubernetes_manifest(job, image=image, claim=claim)
    if output is not None:
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise RunError("run-unwritable", path=output, reason=error.strerror or str(error)) from error
    if is_submitted:
        return _hand_over(SUBMITTERS[scheduler], text)
    if output is None:
        click.echo(text, nl=False)
    return 0


def _job(recipe: Recipe, path: str, runs_folder: str, name: str | None, retries: int | None) -> SubmittedJob:
    from headway.resilience.launchers.job import SubmittedJob

    hardware, resilience = recipe.hardware, recipe.resilience
    if hardware.accelerator == "auto":
        # This server, where the job is written, says nothing of those where it will run.
        raise TrainingError("training-submit-accelerator")
    return SubmittedJob(
        name=name or recipe.name,
        recipe=str(Path(path).absolute()) if Path(path).exists() else path,
        recipe_text=recipe.to_toml(),
        runs=str(Path(runs_folder).absolute()),
        devices=hardware.devices,
        devices_per_node=min(hardware.devices, hardware.devices_per_node or hardware.devices),
        has_accelerators=hardware.accelerator != "cpu",
        retries=resilience.max_restarts if retries is None else retries,
        grace_seconds=resilience.grace_time,
        python=sys.executable,
    )


def _hand_over(program: tuple[str, ...], text: str) -> int:
    try:
        return subprocess.run(program, input=text, text=True, check=False).returncode
    except OSError as error:
        raise RunError("run-no-scheduler", program=program[0], reason=error.strerror or str(error)) from error
