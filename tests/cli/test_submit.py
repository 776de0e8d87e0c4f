"""``headway submit``: a batch script that is run under shims of Slurm's programs, and the structure of a JobSet.

The shims are mocks: neither Slurm nor Kubernetes can be had here. What they start is real.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headway.runs import RunFolder
from tests.command_line import Headway

SRUN = """#!/usr/bin/env python3
# A shim of srun: starts two tasks, passes signals on, and ends them all where one fails.
import os, signal, subprocess, sys, time
arguments = [word for word in sys.argv[1:]]
while arguments[0].startswith("--"):
    arguments.pop(0)
tasks = [
    subprocess.Popen(
        arguments, env={**os.environ, "SLURM_PROCID": str(n), "SLURM_LOCALID": str(n), "SLURM_NTASKS": "2"}
    )
    for n in range(2)
]
for number in (signal.SIGUSR1, signal.SIGTERM):
    signal.signal(number, lambda number, frame: [task.send_signal(number) for task in tasks])
while any(task.poll() is None for task in tasks):
    if any(task.poll() for task in tasks):
        [task.kill() for task in tasks]
    time.sleep(0.05)
sys.exit(max(task.returncode for task in tasks) and 1)
"""
SCONTROL = """#!/bin/bash
if [ "$1" = show ]; then echo localhost; else echo "$@" >> "$SHIM_REQUEUED"; fi
"""
SBATCH = """#!/bin/bash
cat > "$SHIM_SUBMITTED"
"""
SETTINGS = (
    *("--set", "hardware.devices=2", "--set", "hardware.devices_per_node=2", "--set", "hardware.threads=1"),
    *("--set", "layout.micro_batch_size=auto", "--set", "training.precision=fp32"),
)


@pytest.fixture
def shims(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL), ("sbatch", SBATCH)):
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    paths = {"SHIM_REQUEUED": str(tmp_path / "requeued"), "SHIM_SUBMITTED": str(tmp_path / "submitted.sh")}
    return {"PATH": f"{folder}:{os.environ['PATH']}", **paths}


def test_a_job_is_told_saves_is_queued_again_and_goes_on(
    trained: Headway, shims: dict[str, str], tmp_path: Path
) -> None:
    runs = str(tmp_path / "runs")
    arguments = ("submit", "small.toml", "--to", "slurm", "--runs", runs, "--name", "queued", *SETTINGS)
    assert trained(*arguments, "--set", "training.steps=100000", "--submit", **shims).code == 0
    script = Path(shims["SHIM_SUBMITTED"])
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    environment = {**trained.environment, **shims, "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "localhost"}
    job = subprocess.Popen(["bash", str(script)], cwd=trained.folder, env=environment)
    run = RunFolder(tmp_path / "runs" / "queued")
    try:
        deadline = time.monotonic() + 200
        while not run.metrics():
            assert job.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        job.send_signal(signal.SIGUSR1)
        assert job.wait(120) == 0
    finally:
        job.kill()
    assert Path(shims["SHIM_REQUEUED"]).read_text() == "requeue 7\n"
    assert run.status() == "interrupted"
    saved = run.metrics()[-1]["step"]
    again = script.read_text().replace("training.steps=100000", f"training.steps={saved + 3}")
    done = subprocess.run(
        ["bash", "-c", again], cwd=trained.folder, env=environment, check=False, stderr=subprocess.PIPE
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert run.metrics()[-1]["step"] == saved + 3
    assert run.status() == "finished"


def test_names_with_odd_letters_are_quoted(trained: Headway) -> None:
    odd = trained("submit", "small.toml", "--to", "slurm", "--runs", "my $(runs)'")
    assert odd.code == 0
    assert subprocess.run(["bash", "-n"], input=odd.out, text=True, check=False).returncode == 0
    assert "'\"'\"'" in odd.out


def test_without_a_scheduler_it_is_said(trained: Headway) -> None:
    refused = trained("submit", "small.toml", "--to", "slurm", "--submit", PATH=str(Path(sys.executable).parent))
    assert refused.code != 0
    assert "sbatch" in refused.err
    assert trained("submit", "small.toml", "--to", "slurm", "--output", "no/such/folder.sh").code != 0


def test_what_the_nodes_have_must_be_said(trained: Headway) -> None:
    for scheduler in ("slurm", "kubernetes"):
        refused = trained("submit", "small.toml", "--to", scheduler, "--set", "hardware.accelerator=auto")
        assert refused.code != 0
        assert "hardware.accelerator" in refused.err


def test_a_job_set_starts_all_pods_again_and_shares_the_runs(trained: Headway, tmp_path: Path) -> None:
    sizes = ("--set", "hardware.devices=16", "--set", "hardware.devices_per_node=8")
    changes = (*sizes, "--set", "hardware.accelerator=h100", "--set", "resilience.grace_time=10 min")
    output = tmp_path / "job.yaml"
    made = trained("submit", "small.toml", "--to", "kubernetes", *changes, "--name", "llm", "--output", str(output))
    assert made.code == 0, made.err
    recipe, jobs = (json.loads(text) for text in output.read_text().split("---\n"))
    assert "[training]" in recipe["data"]["recipe.toml"]
    assert (jobs["apiVersion"], jobs["kind"]) == ("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert jobs["spec"]["failurePolicy"] == {"maxRestarts": 3}
    (workers,) = jobs["spec"]["replicatedJobs"]
    job = workers["template"]["spec"]
    assert (job["parallelism"], job["completions"], job["completionMode"]) == (2, 2, "Indexed")
    pod = job["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["terminationGracePeriodSeconds"] == 630
    (container,) = pod["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == 8
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    script = container["command"][-1]
    assert "--master-addr llm-workers-0-0.llm" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
