from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headway.machine import Advice, Machine, Measurements, advice, probe
from headway.machine.accelerators import Accelerator
from headway.machine.measurements import DiskSpeed, Matmul, Note, matmul_point

MIB = 1 << 20
SHAPES = ((256, 256, 256), (2048, 4096, 384))


@pytest.fixture(scope="module")
def calm() -> Machine:
    """This machine, with everything in order, so that no rule speaks."""
    machine = probe(Path(), measure=False)
    parts: dict[str, dict[str, Any]] = {
        "processor": {"num_allowed_logical_cores": 8, "usable_cores": 8, "instruction_sets": ("avx512_bf16",)},
        "memory": {"total_bytes": 1 << 34, "swap_used_bytes": 0, "transparent_huge_pages": "madvise"},
        "disk": {"device": "nvme", "folder": "/data"},
        "limits": {
            "cpu_quota_cores": None,
            "open_files": 65536,
            "shared_memory_bytes": 1 << 33,
            "rapl_readable": True,
        },
        "software": {"compiler": "/usr/bin/cc"},
    }
    for part, values in parts.items():
        machine = with_facts(machine, part, **values)
    return machine


def with_facts(machine: Machine, part: str, **values: Any) -> Machine:
    changed = replace(getattr(machine.inventory, part), **values)
    return replace(machine, inventory=replace(machine.inventory, **{part: changed}))


def measured(machine: Machine, **values: Any) -> Machine:
    return replace(machine, measurements=Measurements(measured_at="", elapsed_seconds=1.0, **values))


def products(**flops_per_second: float) -> Matmul:
    """Rates by ``dtype__kernel``, the same for all shapes."""
    points = []
    for name, rate in flops_per_second.items():
        dtype, _, kernel = name.partition("__")
        for m, n, k in SHAPES:
            points.append(matmul_point(dtype, (m, n, k), kernel.replace("_mm", ".mm"), [2 * m * n * k / rate]))
    return Matmul(method="torch", threads=8, points=tuple(points))


def ids(machine: Machine) -> list[str]:
    return [one.message_id.removeprefix("machine-advice-") for one in advice(machine)]


def test_nothing_to_say(calm: Machine) -> None:
    assert advice(calm) == ()


@pytest.mark.parametrize(
    ("part", "values", "expected"),
    [
        ("limits", {"cpu_quota_cores": 1.5}, "cpu-quota"),
        ("limits", {"shared_memory_bytes": 64 * MIB}, "small-shared-memory"),
        ("limits", {"open_files": 1024}, "few-open-files"),
        ("limits", {"rapl_readable": False}, "rapl-unreadable"),
        ("memory", {"swap_used_bytes": 1 << 30}, "swap-in-use"),
        ("memory", {"transparent_huge_pages": "never"}, "huge-pages-off"),
        ("software", {"compiler": None}, "no-compiler"),
        ("disk", {"device": "tmpfs"}, "folder-in-memory"),
        ("processor", {"instruction_sets": ("avx2", "fma")}, "no-bf16"),
    ],
)
def test_facts(calm: Machine, part: str, values: dict[str, Any], expected: str) -> None:
    assert ids(with_facts(calm, part, **values)) == [expected]


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("limits", {"cpu_quota_cores": 8.0}),
        ("limits", {"open_files": None, "shared_memory_bytes": None}),
        ("limits", {"open_files": 4096, "shared_memory_bytes": 1 << 30}),
        ("memory", {"swap_used_bytes": 1000}),
        ("memory", {"swap_used_bytes": None, "transparent_huge_pages": None}),
        ("processor", {"num_allowed_logical_cores": None}),
        ("processor", {"instruction_sets": ()}),
        ("processor", {"instruction_sets": ("amx_bf16",)}),
        ("processor", {"instruction_sets": ("bf16", "neon")}),
    ],
)
def test_the_unknown_and_the_sufficient_are_passed_over(calm: Machine, part: str, values: dict[str, Any]) -> None:
    assert advice(with_facts(calm, part, **values)) == ()


def test_the_arguments_of_the_quota(calm: Machine) -> None:
    machine = with_facts(with_facts(calm, "limits", cpu_quota_cores=2.5), "processor", usable_cores=2)
    assert advice(machine) == (
        Advice(
            message_id="machine-advice-cpu-quota",
            level="warning",
            arguments={"quota_cores": 2.5, "visible_cores": 8, "usable_cores": 2},
        ),
    )


def test_processors_without_bf16_matter_only_where_they_train(calm: Machine) -> None:
    machine = with_facts(calm, "processor", instruction_sets=("avx2",))
    accelerated = replace(machine.inventory, accelerators=(Accelerator(index=0, kind="cuda"),))
    assert advice(replace(machine, inventory=accelerated)) == ()


@pytest.mark.parametrize(
    ("rates", "expected", "ratio"),
    [
        ({"fp32__torch_mm": 1e11, "bf16__torch_mm": 4e11}, ["use-bf16"], 4.0),
        ({"fp32__torch_mm": 1e11, "bf16__torch_mm": 0.5e11}, ["use-fp32"], 2.0),
        ({"fp32__torch_mm": 1e11, "bf16__torch_mm": 1.1e11}, [], None),
        ({"fp32__torch_mm": 1e11, "fp32__onednn_linear": 2e11}, ["use-onednn"], 2.0),
        ({"fp32__torch_mm": 2e11, "fp32__onednn_linear": 1e11}, [], None),
        # bf16 is compared with the better of both fp32 kernels.
        (
            {"fp32__torch_mm": 1e11, "fp32__onednn_linear": 4e11, "bf16__torch_mm": 2e11},
            ["use-fp32", "use-onednn"],
            2.0,
        ),
    ],
)
def test_measured_rates_decide(
    calm: Machine, rates: dict[str, float], expected: list[str], ratio: float | None
) -> None:
    machine = measured(calm, matmul=products(**rates))
    assert ids(machine) == expected
    if ratio is not None:
        assert advice(machine)[0].arguments == {"ratio": pytest.approx(ratio)}


def test_measured_rates_decide_against_the_instruction_sets(calm: Machine) -> None:
    machine = with_facts(calm, "processor", instruction_sets=("avx2",))
    matmul = products(fp32__torch_mm=1e11, bf16__torch_mm=2e11)
    assert ids(measured(machine, matmul=matmul)) == ["use-bf16"]


@pytest.mark.parametrize(("rate", "expected"), [(40e6, ["slow-disk"]), (500e6, [])])
def test_disk_speed(calm: Machine, rate: float, expected: list[str]) -> None:
    disk = DiskSpeed(
        folder="/data",
        file_bytes=1,
        write_bytes_per_second=rate,
        read_bytes_per_second=rate,
        read_method="direct",
    )
    assert ids(measured(calm, disk=disk)) == expected


def test_doubtful_figures_are_said_to_be_doubtful(calm: Machine) -> None:
    note = Note(message_id="machine-note-busy", arguments={"load": 3.0, "cores": 2})
    (found,) = advice(measured(calm, notes=(note, Note(message_id="machine-note-no-torch"))))
    assert (found.message_id, found.arguments) == ("machine-advice-measured-busy", note.arguments)


def test_doubtful_rates_decide_nothing(calm: Machine) -> None:
    note = Note(message_id="machine-note-busy", arguments={"load": 3.0, "cores": 2})
    rates = {"fp32__torch_mm": 1e11, "fp32__onednn_linear": 2e11, "bf16__torch_mm": 9e11}
    assert ids(measured(calm, matmul=products(**rates), notes=(note,))) == ["measured-busy"]


def test_warnings_come_first(calm: Machine) -> None:
    machine = with_facts(calm, "limits", rapl_readable=False, open_files=10)
    machine = with_facts(machine, "memory", transparent_huge_pages="never")
    assert [one.level for one in advice(machine)] == ["warning", "info", "info"]
