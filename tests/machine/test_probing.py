import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import headway
from headway.errors import MachineError
from headway.machine import Machine, advice, measure_machine, probe, probing, take_inventory
from headway.machine.cache import PROBE_VERSION
from headway.machine.measure_compute import ComputeResults
from headway.machine.measurements import Note

STAGES = ["inventory", "memory", "framework", "matmul", "attention", "operations", "all-reduce", "disk", "done"]


def test_everything_is_measured_here(real_probe: Any) -> None:
    found = real_probe.machine.measurements
    assert found is not None
    # Neighbours may keep this machine busy; nothing else may be wrong.
    assert {note.message_id for note in found.notes} <= {"machine-note-busy", "machine-note-uneven"}
    assert found.memory.method == "c-openmp"
    assert found.matmul.method == "torch"
    assert {(point.dtype, point.kernel) for point in found.matmul.points} >= {
        ("fp32", "torch.mm"),
        ("fp32", "onednn_linear"),
        ("bf16", "torch.mm"),
    }
    assert found.framework.version == metadata.version("torch")
    assert [point.dtype for point in found.attention] == ["fp32", "bf16"]
    assert found.all_reduce.num_ranks == 2
    assert found.disk.folder == str(real_probe.folder)
    assert found.elapsed_seconds < 300
    assert found.rounds >= 1
    assert 0 <= found.spread < 1
    assert [path.name for path in real_probe.folder.iterdir()] == ["cache"]


def test_stages_are_told_in_order(real_probe: Any) -> None:
    told = [stage for stage, _ in real_probe.stages if stage != "machine-stage-again"]
    assert told == [f"machine-stage-{name}" for name in STAGES]
    fractions = [done for _, done in real_probe.stages]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)


def test_json_round_trip(real_probe: Any) -> None:
    values = real_probe.machine.to_dict()
    assert Machine.from_dict(json.loads(json.dumps(values, allow_nan=False))) == real_probe.machine
    assert values["measurements"]["memory"]["triad_bytes_per_second"] > 0
    assert values["inventory"]["processor"]["usable_cores"] >= 1
    assert values["probe_version"] == PROBE_VERSION


@pytest.mark.parametrize("values", [{}, {"inventory": 5}, {"inventory": {"processor": {"usable_cores": "many"}}}])
def test_a_foreign_description_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(MachineError) as caught:
        Machine.from_dict(values)
    assert caught.value.message_id == "machine-description-invalid"
    assert caught.value.arguments["reason"]


def test_the_second_probe_reads_the_cache(real_probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(real_probe.cache_folder))
    monkeypatch.setattr("os.getloadavg", lambda: (9e9, 0.0, 0.0))
    stages: list[str] = []
    found = probe(real_probe.folder, progress=lambda stage, _: stages.append(stage))
    assert found.measurements == real_probe.machine.measurements
    assert stages == ["machine-stage-inventory", "machine-stage-done"]


def test_without_measuring(tmp_path: Path) -> None:
    found = probe(tmp_path, measure=False)
    assert found.measurements is None
    assert found.inventory.disk.folder == str(tmp_path)
    assert Machine.from_dict(found.to_dict()) == found


@pytest.mark.parametrize("name", ["absent", "file"])
def test_the_folder_must_exist(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MachineError) as caught:
        probe(tmp_path / name)
    assert caught.value.message_id == "machine-folder-missing"
    assert caught.value.arguments == {"folder": str(tmp_path / name)}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, real_probe: Any) -> list[int]:
    """Replay the real measurements in place of taking them again, and count how often they are asked for."""
    taken: list[int] = []

    def replay(*_: Any, **__: Any) -> Any:
        taken.append(1)
        return real_probe.machine.measurements

    monkeypatch.setattr(probing, "measure_machine", replay)
    # Whether the recorded figures were disturbed must not matter here.
    monkeypatch.setattr("os.getloadavg", lambda: (9e9, 0.0, 0.0))
    return taken


def test_disturbed_figures_serve_until_the_machine_is_idle(
    real_probe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = replace(real_probe.machine.measurements, notes=())
    busy = replace(calm, notes=(Note(message_id="machine-note-busy", arguments={"load": 9.0, "cores": 2}),))
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path / "cache"))
    for load, measured, expected in ((9e9, busy, busy), (9e9, calm, busy), (0.0, calm, calm), (9e9, busy, calm)):
        monkeypatch.setattr("os.getloadavg", lambda load=load: (load, 0.0, 0.0))
        monkeypatch.setattr(probing, "measure_machine", lambda *_, measured=measured, **__: measured)
        assert probe(tmp_path).measurements == expected


def test_refresh_and_damage_measure_anew(quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path / "cache"))
    for expected, refresh in ((1, False), (1, False), (2, True)):
        probe(tmp_path, refresh=refresh)
        assert len(quick) == expected
    (file,) = (tmp_path / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    probe(tmp_path)
    probe(tmp_path)
    assert len(quick) == 3


def test_another_disk_is_all_that_is_measured_of_a_known_machine(
    real_probe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, inventory = real_probe.machine.measurements, real_probe.machine.inventory
    elsewhere = replace(inventory, disk=replace(inventory.disk, mount_point="/elsewhere", filesystem="nfs4"))
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(probing, "take_inventory", lambda _folder: elsewhere)
    monkeypatch.setattr(probing, "measure_machine", lambda *_, **__: replace(known, notes=()))
    assert probe(tmp_path).measurements is not None
    monkeypatch.setattr(probing, "take_inventory", lambda _folder: inventory)
    monkeypatch.setattr(probing, "measure_machine", lambda *_, **__: pytest.fail("the machine was measured again"))
    speed = replace(known.disk, folder=str(tmp_path))
    monkeypatch.setattr(probing, "measure_disk", lambda _disk: (speed, []))
    for _ in range(2):
        assert probe(tmp_path).measurements == replace(known, notes=(), disk=speed)
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_without_a_usable_cache_it_still_measures(
    quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nothing"))
    monkeypatch.setenv("HEADWAY_CACHE", "/proc/no/such")
    assert probe(tmp_path).measurements is not None
    monkeypatch.delenv("HEADWAY_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    assert probe(tmp_path).measurements is not None
    assert len(quick) == 2


def test_an_unusable_cache_does_not_measure_each_time(
    quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HEADWAY_CACHE", "/proc/no/such")
    for _ in range(3):
        assert probe(tmp_path).measurements is not None
    assert len(quick) == 1
    spare = tmp_path / f"headway-{os.getuid()}"
    assert len(list(spare.iterdir())) == 1
    # Where others can write, they could make plans say anything.
    spare.chmod(0o777)
    probe(tmp_path)
    assert len(quick) == 2


@pytest.mark.parametrize(
    ("load", "spreads", "rounds", "notes"),
    [
        (0.0, [0.05], 1, []),
        (0.0, [0.5, 0.1], 2, []),
        (9.0, [0.05, 0.05], 2, ["machine-note-busy"]),
        (0.0, [0.5, 0.4], 2, ["machine-note-uneven"]),
    ],
)
def test_a_disturbed_machine_is_measured_again_within_bounds(
    load: float,
    spreads: list[float],
    rounds: int,
    notes: list[str],
    real_probe: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured, left = real_probe.machine.measurements, list(spreads)

    def replay(**_: Any) -> ComputeResults:
        low = 1 - left.pop(0)
        points = tuple(
            replace(point, median_flops_per_second=low * point.flops_per_second) for point in measured.matmul.points
        )
        return ComputeResults(matmul=replace(measured.matmul, points=points))

    monkeypatch.setattr(probing, "measure_compute", replay)
    monkeypatch.setattr(probing, "measure_memory", lambda *_: (measured.memory, []))
    monkeypatch.setattr(probing, "measure_disk", lambda *_: (measured.disk, []))
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    stages: list[str] = []
    found = measure_machine(real_probe.machine.inventory, progress=lambda stage, _: stages.append(stage))
    assert found.rounds == rounds
    assert found.spread == pytest.approx(min(spreads))
    assert [note.message_id for note in found.notes] == notes
    assert stages.count("machine-stage-again") == rounds - 1


def test_a_failed_measurement_is_not_kept(real_probe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = replace(real_probe.machine.measurements, notes=(Note(message_id="machine-note-killed"),))
    monkeypatch.setattr(probing, "measure_machine", lambda *_, **__: failed)
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path / "cache"))
    assert probe(tmp_path).measurements == failed
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("load", "expected"), [(0.2, []), (1.0, []), (1.5, [{"load": 1.5, "cores": 2}])])
def test_a_busy_machine_is_noted(load: float, expected: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    assert [note.arguments for note in probing._busy(2)] == expected


PROGRAM = """
import json, sys
from headway.machine import advice, probe
machine = probe(sys.argv[1])
assert not {"torch", "numpy"} & set(sys.modules)
print(json.dumps(machine.to_dict()))
advice(machine)
"""


def test_without_any_framework(tmp_path: Path) -> None:
    """A bare interpreter that finds only what `headway probe` needs."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("msgspec", "numpy"):
        for path in metadata.distribution(name).locate_file("").iterdir():
            if path.name.split(".")[0].split("-")[0] == name and not (packages / path.name).exists():
                (packages / path.name).symlink_to(path)
    environment = os.environ | {
        "PYTHONPATH": f"{Path(headway.__file__).parent.parent}{os.pathsep}{packages}",
        "HEADWAY_CACHE": str(tmp_path / "cache"),
        "PYTHONNOUSERSITE": "1",
    }
    command = [sys._base_executable, "-c", PROGRAM, str(tmp_path)]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    machine = Machine.from_dict(json.loads(found.stdout))
    assert "torch" not in machine.inventory.software.frameworks
    assert machine.measurements is not None
    assert machine.measurements.matmul is not None
    assert machine.measurements.matmul.method == "numpy"
    assert {point.dtype for point in machine.measurements.matmul.points} == {"fp32"}
    assert machine.measurements.framework is machine.measurements.all_reduce is None
    assert "machine-note-no-torch" in {note.message_id for note in machine.measurements.notes}
    # Not a failure: without the framework there is no more to measure, so that the figures are kept.
    assert len(list((tmp_path / "cache").glob("machine-*.json"))) == 1


def test_the_public_names() -> None:
    assert callable(advice) and callable(measure_machine) and callable(take_inventory)
    assert headway.machine.probe is probe
