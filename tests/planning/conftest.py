from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headway.machine import Inventory, Machine, Measurements
from headway.machine.cpu import Processor
from headway.machine.disks import Disk
from headway.machine.limits import Limits
from headway.machine.measurements import DiskSpeed, Framework, Matmul, OperationPoint, matmul_point
from headway.machine.memory import Memory
from headway.machine.software import Software
from headway.planning.measured import work_amounts
from headway.recipe import ModelConfig, Recipe, resolve_recipe

TINY = {
    "hidden_size": 4,
    "intermediate_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 2,
    "vocab_size": 10,
    "max_position_embeddings": 8,
}
"""Small enough to count by hand."""

SECONDS_PER_AMOUNT = (1e-5, 1e-11, 1e-9, 1e-9, 1e-9)
SHAPES = {
    "linear": ((16, 16, 16), (512, 128, 384), (2048, 384, 1024), (4096, 512, 512), (2048, 1024, 384), (128, 64, 256)),
    "attention": ((1, 1, 1, 16, 16), (8, 6, 2, 256, 64), (4, 8, 4, 512, 64), (16, 2, 2, 128, 32), (2, 4, 4, 1024, 64)),
    "head": ((16, 16, 64), (1024, 384, 4096), (2048, 128, 512), (512, 768, 8192), (2048, 384, 260)),
    "embedding": ((16, 16, 64), (512, 128, 512), (2048, 384, 4096), (8192, 384, 512)),
    "norm": ((16, 16), (512, 128), (2048, 384), (8192, 384)),
    "add": ((16, 16), (512, 128), (2048, 384), (8192, 384)),
    "rotary": ((16, 16), (1024, 64), (12288, 64), (49152, 64)),
    "gated": ((16, 16), (512, 384), (2048, 1024), (8192, 1024)),
    "expand": ((16, 16), (384, 384), (1024, 384), (2048, 768)),
}


def law_seconds(kind: str, shape: tuple[int, ...]) -> float:
    """Return the time of an operation on the invented machine of these tests: a sum of its amounts of work."""
    return sum(a * b for a, b in zip(SECONDS_PER_AMOUNT, work_amounts(kind, shape), strict=False))


def operation_points() -> tuple[OperationPoint, ...]:
    points = [
        OperationPoint(
            kind=kind,
            dtype=dtype,
            shape=shape,
            threads=2,
            forward_seconds=law_seconds(kind, shape),
            backward_seconds=2 * law_seconds(kind, shape),
            forward_cold_seconds=3 * law_seconds(kind, shape),
            backward_cold_seconds=4 * law_seconds(kind, shape),
        )
        for dtype in ("fp32", "bf16")
        for kind, shapes in SHAPES.items()
        for shape in shapes
    ]
    points += [
        OperationPoint(
            kind=kind,
            dtype="fp32",
            shape=(parameters, 1),
            threads=2,
            forward_seconds=law_seconds(kind, (parameters, 1)),
            backward_seconds=0.0,
            forward_cold_seconds=law_seconds(kind, (parameters, 1)),
            backward_cold_seconds=0.0,
        )
        for kind in ("update", "accumulate")
        for parameters in (200_000, 2_000_000, 11_000_000)
    ]
    return tuple(points)


def measurements() -> Measurements:
    """Return what was measured of a server whose operations take what `law_seconds` says."""
    framework = Framework(
        name="torch",
        version="2.13.0",
        threads=2,
        import_seconds=1.0,
        resident_bytes=250 * 2**20,
        private_bytes=150 * 2**20,
        training_resident_bytes=350 * 2**20,
        small_op_seconds=1e-6,
        small_op_autograd_seconds=2e-5,
        elementwise_bytes_per_second=1e10,
    )
    points = tuple(matmul_point(dtype, (512, 512, 512), "torch.mm", [1e-3]) for dtype in ("fp32", "bf16"))
    return Measurements(
        measured_at="2026-01-01T00:00:00+00:00",
        elapsed_seconds=20.0,
        matmul=Matmul(method="torch", threads=2, points=points),
        framework=framework,
        operations=operation_points(),
        disk=DiskSpeed(
            folder=".",
            file_bytes=2**28,
            write_bytes_per_second=1e9,
            read_bytes_per_second=2e9,
            read_method="direct",
        ),
    )


@pytest.fixture
def machine() -> Machine:
    """A server of two cores and 8 GiB whose operations take what `law_seconds` says."""
    return Machine(
        inventory=Inventory(
            processor=Processor(model_name="Xeon Platinum 8480+", num_physical_cores=2, usable_cores=2),
            memory=Memory(total_bytes=8 * 2**30),
            disk=Disk(folder=".", free_bytes=100 * 10**9),
            network=(),
            accelerators=(),
            limits=Limits(),
            software=Software(frameworks={"torch": "2.13.0"}),
        ),
        measurements=measurements(),
    )


@pytest.fixture
def tiny() -> ModelConfig:
    return ModelConfig.model_validate(TINY)


@pytest.fixture
def make_recipe() -> Callable[..., Recipe]:
    """Build a recipe from sections; an 11 M Llama on a CPU where nothing else is said."""

    def make(**sections: dict[str, Any]) -> Recipe:
        content: dict[str, Any] = {
            "model": {"preset": "headway-tiny-11m"},
            "training": {"steps": 100, "sequence_length": 256, "global_batch_size": 16},
            "hardware": {"accelerator": "cpu"},
        }
        for name, section in sections.items():
            content[name] = {**content.get(name, {}), **section} if name != "model" else section
        return resolve_recipe(content)

    return make
