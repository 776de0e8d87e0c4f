"""Every message id of this folder has a text, and every text can be rendered with what the code passes."""

import re
from pathlib import Path

import pytest

import headway.machine
from headway.errors import MachineError
from headway.i18n import Translator
from headway.machine import probing

SOURCE = Path(headway.machine.__file__).parent

ARGUMENTS = {
    "machine-folder-missing": {"folder": "/x"},
    "machine-description-invalid": {"reason": "Expected `int`"},
    "machine-note-busy": {"load": 1.37, "cores": 1},
    "machine-note-uneven": {"spread": 0.31, "rounds": 3},
    "machine-note-no-compiler": {},
    "machine-note-no-torch": {},
    "machine-note-failed": {"stage": "all_reduce", "detail": "OSError: x"},
    "machine-note-killed": {"stage": "import", "signal": "SIGKILL"},
    "machine-note-timeout": {"stage": "microbenchmarks", "timeout_seconds": 120.0},
    "machine-note-disk-full": {"folder": "/x", "free_bytes": 4194304},
    "machine-note-disk-failed": {"folder": "/x", "reason": "ENOSPC"},
    "machine-advice-cpu-quota": {"quota_cores": 1.5, "visible_cores": 8, "usable_cores": 1},
    "machine-advice-swap-in-use": {"swap_used_bytes": 1 << 30},
    "machine-advice-small-shared-memory": {"shared_memory_bytes": 64 << 20},
    "machine-advice-few-open-files": {"open_files": 1024, "wanted_files": 4096},
    "machine-advice-folder-in-memory": {"folder": "/dev/shm"},
    "machine-advice-slow-disk": {"folder": "/x", "write_bytes_per_second": 4e7},
    "machine-advice-measured-busy": {"load": 1.37, "cores": 2},
    "machine-advice-use-bf16": {"ratio": 4.57},
    "machine-advice-use-fp32": {"ratio": 2.0},
    "machine-advice-no-bf16": {},
    "machine-advice-use-onednn": {"ratio": 2.0},
    "machine-advice-huge-pages-off": {},
    "machine-advice-no-compiler": {},
    "machine-advice-rapl-unreadable": {},
}


def ids_in_code() -> set[str]:
    text = "\n".join(path.read_text() for path in SOURCE.glob("*.py"))
    return set(re.findall(r'"(machine-(?:note|advice|folder|description)[a-z0-9-]*)"', text))


def test_code_and_catalogue_name_the_same_messages() -> None:
    catalogue = (SOURCE.parent / "i18n/locales/en/machine.ftl").read_text()
    stages = {f"machine-stage-{name.replace('_', '-')}" for name in probing._FRACTIONS}
    assert ids_in_code() == set(ARGUMENTS)
    assert set(re.findall(r"^(machine-[a-z0-9-]+) =", catalogue, re.MULTILINE)) == set(ARGUMENTS) | stages


@pytest.mark.parametrize("message_id", ARGUMENTS)
def test_texts_are_whole(message_id: str) -> None:
    translator = Translator("en")
    arguments = ARGUMENTS[message_id]
    for text in (translator.text(message_id, **arguments), translator.next_step(message_id, **arguments) or ""):
        assert not re.search(r"[{}$]|machine-note|machine-advice", text), text
    assert translator.text(message_id, **arguments) != message_id


def test_errors_say_the_next_step() -> None:
    text, following = Translator("en").error(MachineError("machine-folder-missing", folder="/absent"))
    assert "/absent" in text
    assert following


def test_numbers_that_are_typed_are_not_grouped() -> None:
    arguments = ARGUMENTS["machine-advice-few-open-files"]
    assert "ulimit -n 4096`" in (Translator("en").next_step("machine-advice-few-open-files", **arguments) or "")
    assert "1 core:" not in Translator("en").text("machine-note-busy", load=2.0, cores=2)
    assert "all-reduce" in Translator("en").text("machine-note-failed", stage="all_reduce", detail="x")
