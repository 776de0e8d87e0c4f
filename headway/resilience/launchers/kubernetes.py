"""A JobSet for Kubernetes: a pod for each node, all started again where one fails, the runs on a shared volume.

Source: JobSet documentation, API reference (jobset.x-k8s.io/v1alpha2: ``failurePolicy.maxRestarts``,
``network.enableDNSHostnames``, pods named JOBSET-JOB-INDEX-POD.JOBSET); Kubernetes documentation, "Indexed Job".
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from headway.resilience.launchers.job import PORT, SAVING_SECONDS, SubmittedJob

WORKERS = "workers"
RUNS = "/runs"
RECIPE = "/recipe"


def kubernetes_manifest(job: SubmittedJob, *, image: str, claim: str) -> str:
    """Return the manifest for ``kubectl apply``: the recipe in a ConfigMap, and the JobSet.

    It is JSON in two documents, which YAML is a superset of.

    Args:
        job: the training.
        image: of a container that has Headway.
        claim: the persistent volume claim that all nodes can mount for writing, for the runs.
    """
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{job.name}-recipe"},
        "data": {"recipe.toml": job.recipe_text},
    }
    return "---\n".join(json.dumps(document, indent=2) + "\n" for document in (config, _job_set(job, image, claim)))


def _job_set(job: SubmittedJob, image: str, claim: str) -> dict[str, Any]:
    pods = {
        "completionMode": "Indexed",
        "parallelism": job.nodes,
        "completions": job.nodes,
        "backoffLimit": 0,
        "template": {"spec": _pod(job, image, claim)},
    }
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": job.name},
        "spec": {
            "failurePolicy": {"maxRestarts": job.retries},
            "network": {"enableDNSHostnames": True},
            "replicatedJobs": [{"name": WORKERS, "replicas": 1, "template": {"spec": pods}}],
        },
    }


def _pod(job: SubmittedJob, image: str, claim: str) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": "worker",
        "image": image,
        "command": ["bash", "-c", _script(job)],
        "volumeMounts": [
            {"name": "runs", "mountPath": RUNS},
            {"name": "recipe", "mountPath": RECIPE},
            {"name": "shm", "mountPath": "/dev/shm"},
        ],
    }
    if job.has_accelerators:
        container["resources"] = {"limits": {"nvidia.com/gpu": min(job.devices, job.devices_per_node)}}
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": job.notice_seconds,
        "containers": [container],
        "volumes": [
            {"name": "runs", "persistentVolumeClaim": {"claimName": claim}},
            {"name": "recipe", "configMap": {"name": f"{job.name}-recipe"}},
            # The default of 64 MB is too little for what NCCL and data loaders share.
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
        ],
    }


def _script(job: SubmittedJob) -> str:
    """Return what a pod does: the first makes the run's folder, and each starts its processes by torchrun."""
    run, per_node = shlex.quote(f"{RUNS}/{job.name}"), min(job.devices, job.devices_per_node)
    train = f"headway train {RECIPE}/recipe.toml --runs {RUNS} --name {shlex.quote(job.name)} --prepare-only"
    return f"""set -euo pipefail
export HEADWAY_OWN_LOG=1
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
    if [ -f {run}/recipe.toml ]; then {train} --resume; else {train}; fi
fi
until [ -f {run}/recipe.toml ]; do sleep 1; done
exec torchrun --nnodes {job.nodes} --node-rank "$JOB_COMPLETION_INDEX" --nproc-per-node {per_node} \\
    --master-addr {job.name}-{WORKERS}-0-0.{job.name} --master-port {PORT} \\
    --max-restarts 0 --shutdown-timeout {job.notice_seconds - SAVING_SECONDS} -m headway.training.worker {run}
"""
