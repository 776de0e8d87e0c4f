"""A batch script for Slurm: one task for each process, told before its time ends, and queued again until all is done.

Source: Slurm documentation, sbatch (``--requeue``, ``--signal``, ``--open-mode``) and srun (signals are passed on to
all tasks; ``SLURM_PROCID``, ``SLURM_LOCALID``, ``SLURM_NTASKS``).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from headway.resilience.launchers.job import SubmittedJob

FIRST_PORT = 20_000
PORTS = 20_000


_WAITING = (
    "beside=$!",
    "",
    "# The time ends, or the job makes room for another: the processes save and end, and the job is queued again.",
    "told=0",
    "tell() {",
    "    told=1",
    '    kill -USR1 "$beside" || true',
    "}",
    "trap tell USR1 TERM",
    "",
    "status=0",
    'wait "$beside" || status=$?',
    "# A signal ends the first wait before the processes have ended.",
    'while kill -0 "$beside" 2>/dev/null; do',
    "    status=0",
    '    wait "$beside" || status=$?',
    "done",
    'if [ "$told" = 1 ] && [ "$status" -gt 128 ]; then',
    "    # It ended while the signal was being taken: its own status is still to be had.",
    "    status=0",
    '    wait "$beside" || status=$?',
    "fi",
    'if [ "$told" = 1 ] && [ "$status" = 0 ]; then',
    '    scontrol requeue "$SLURM_JOB_ID"',
    "fi",
    'exit "$status"',
)
"""How the script waits, passes on that the time ends, and has the job queued again."""


def slurm_script(job: SubmittedJob, overrides: Sequence[str] = ()) -> str:
    """Return the script for ``sbatch``.

    The run's folder is made by the first start, and gone on with by every further one. `headway run` stays beside
    ``srun``: it starts the processes again where that can help, and passes on that the time ends. Slurm itself queues
    the job again where a node fails.

    Args:
        job: the training.
        overrides: settings of the recipe's file that are others here.
    """
    quote = shlex.quote
    train = (
        f"{quote(job.python)} -m headway train {quote(job.recipe)} --runs {quote(job.runs)} --name {quote(job.name)}"
    )
    train += "".join(f" --set {quote(one)}" for one in overrides)
    beside = f"{quote(job.python)} -m headway run --runs {quote(job.runs)} --name {quote(job.name + '-slurm')}"
    per_node = min(job.devices, job.devices_per_node)
    lines = [
        "#!/bin/bash",
        f"#SBATCH --job-name={job.name}",
        f"#SBATCH --nodes={job.nodes}",
        f"#SBATCH --ntasks={job.devices}",
        f"#SBATCH --ntasks-per-node={per_node}",
        *([f"#SBATCH --gpus-per-node={per_node}"] if job.has_accelerators else []),
        "#SBATCH --requeue",
        "#SBATCH --open-mode=append",
        f"#SBATCH --signal=B:USR1@{job.notice_seconds}",
        "set -euo pipefail",
        "",
        f"run={quote(job.runs + '/' + job.name)}",
        'if [ -f "$run/recipe.toml" ]; then resume=--resume; else resume=; fi',
        f'{train} --prepare-only ${{resume:+"$resume"}}',
        "",
        'MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)',
        f"MASTER_PORT=$(({FIRST_PORT} + SLURM_JOB_ID % {PORTS}))",
        "export MASTER_ADDR MASTER_PORT",
        "",
        f"{beside} --retries {job.retries} --hang-steps 0 --grace {job.grace_seconds:g} -- \\",
        "    srun --kill-on-bad-exit=1 bash -c '",
        "        export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS LOCAL_RANK=$SLURM_LOCALID",
        f"        export LOCAL_WORLD_SIZE={per_node}",
        f'        exec "$0" -m headway.training.worker "$1"\' {quote(job.python)} "$run" &',
        *_WAITING,
    ]
    return "\n".join(lines) + "\n"
