"""What a diagnosis may show to others."""

from __future__ import annotations

from pathlib import Path

import pytest

from headway.diagnosis import diagnose
from headway.diagnosis.redaction import redacted, without_names


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("login with hf_abcdefghijklmnop failed", "hf_abc", "failed"),
        ("export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567 ok", "0123456789abcdef", "ok"),
        ("Authorization: Bearer eyJhbGciOi.eyJzdWIi.sig4567 x", "eyJ", "x"),
        ("key AKIAIOSFODNN7EXAMPLE", "AKIA", "key"),
        ("password: hunter22", "hunter22", ""),
        ('File "/home/alice/proj/train.py", line 3', "alice", "train.py"),
        ('File "/opt/v/lib/python3.11/site-packages/torch/optim/adamw.py", line 3', "/opt/v", "torch/optim/adamw.py"),
        ("C:\\Users\\alice\\train.py not found", "alice", "train.py"),
        ("connect to 10.4.0.2<38211> failed", "10.4.0.2", "failed"),
        ("peer fe80::1:2:3:4 gone", "fe80", "gone"),
        ("mail alice@example.org", "alice", "mail"),
        ("GET https://user:pw@example.org/x?token=1 failed", "example.org", "failed"),
        ("node gpu-node-17 is down", "gpu-node-17", "is down"),
        ("user=alice uid=1001", "alice", ""),
    ],
)
def test_names_are_taken_out(text: str, gone: str, kept: str) -> None:
    cleaned = without_names(text, {"gpu-node-17"})
    assert gone not in cleaned
    assert kept in cleaned


def test_the_reason_is_still_readable() -> None:
    text = "12:00:00 c10::Error c10d::ProcessGroup: CUDA out of memory. Tried to allocate 2.00 GiB, step 3/9"
    assert without_names(text, set()) == text


def test_a_whole_diagnosis_names_nobody(tmp_path: Path) -> None:
    log = tmp_path / "alice-secret-project.log"
    log.write_text(
        "Nov 30 12:00:00 dgx-bob kernel: NVRM: Xid (PCI:0000:65:00): 79, pid=1, GPU has fallen off the bus.\n"
        "OSError: [Errno 28] No space left on device: '/home/alice/ckpt/x.pt'\n"
    )
    shown = str(redacted(diagnose([log])).to_dict())
    assert not [name for name in ("alice", "dgx-bob", "secret", str(tmp_path)) if name in shown]
    assert "No space left on device" in shown
