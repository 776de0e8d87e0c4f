from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from headway.errors import CheckpointError
from headway.resilience.checkpoint import tensor_file
from headway.resilience.checkpoint.tensor_file import read_tensor_file, sha256_of, write_tensor_file

DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        assert found[name].shape == array.shape
        assert found[name].dtype.name == array.dtype.name
        assert found[name].tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_library_reads_what_is_written(tmp_path: Path, dtype: str) -> None:
    arrays = {
        "matrix": np.arange(12).reshape(3, 4).astype(dtype),
        "scalar": np.array(1, dtype),
        "none": np.zeros((0, 5), dtype),
        "one": np.ones(1, dtype),
    }
    path = tmp_path / "a.safetensors"
    size_bytes, digest = write_tensor_file(path, arrays)
    assert size_bytes == path.stat().st_size
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest() == sha256_of(path)
    same(load_file(path), arrays)
    same(read_tensor_file(path), arrays)
    with safe_open(path, "numpy") as opened:
        assert opened.metadata() == {"format": "pt"}
        assert opened.get_slice("matrix")[1:2, :].tolist() == arrays["matrix"][1:2].tolist()


def test_the_bytes_of_the_arrays_are_those_that_the_library_writes(tmp_path: Path) -> None:
    arrays = {"a": np.arange(7, dtype=np.float32), "b": np.arange(4, dtype=np.float32).reshape(2, 2)}
    write_tensor_file(tmp_path / "ours", arrays)
    save_file(arrays, tmp_path / "theirs")

    def body(path: Path) -> bytes:
        content = path.read_bytes()
        return content[8 + int.from_bytes(content[:8], "little") :]

    assert body(tmp_path / "ours") == body(tmp_path / "theirs") == arrays["a"].tobytes() + arrays["b"].tobytes()
    header_bytes = int.from_bytes((tmp_path / "ours").read_bytes()[:8], "little")
    assert header_bytes % 8 == 0


def test_bfloat16(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file as load_torch

    values = np.array([0.0, 1.0, -2.5, 3e38, np.nan, np.inf], np.float32)
    arrays = {"a": values.astype(ml_dtypes.bfloat16), "scalar": np.array(1.5, ml_dtypes.bfloat16)}
    write_tensor_file(tmp_path / "a.safetensors", arrays)
    loaded = load_torch(tmp_path / "a.safetensors")
    assert loaded["scalar"].shape == ()
    assert loaded["a"].dtype == torch.bfloat16
    assert loaded["a"].view(torch.uint8).numpy().tobytes() == arrays["a"].tobytes()
    same(read_tensor_file(tmp_path / "a.safetensors"), arrays)


@given(
    arrays=st.dictionaries(
        st.text(min_size=1, max_size=12).filter(lambda name: name != "__metadata__"),
        st.sampled_from(DTYPES).flatmap(
            lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
        ),
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_arrays_survive(tmp_path: Path, arrays: dict[str, Any]) -> None:
    path = tmp_path / "a.safetensors"
    path.unlink(missing_ok=True)
    write_tensor_file(path, arrays)
    same(load_file(path), arrays)


def test_arrays_that_lie_otherwise_in_memory(tmp_path: Path) -> None:
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    arrays = {
        "t": base.T,
        "strided": base[::2, ::3],
        "reversed": base[::-1],
        "big": base.astype(">f4"),
        "order": np.asfortranarray(base),
    }
    write_tensor_file(tmp_path / "a.safetensors", arrays)
    found = load_file(tmp_path / "a.safetensors")
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_arrays_are_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_file, "_WRITE_BYTES", 16)
    array = np.arange(33, dtype=np.float32)
    _, digest = write_tensor_file(tmp_path / "a.safetensors", {"a": array})
    assert digest == sha256_of(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(load_file(tmp_path / "a.safetensors")["a"], array)


def test_a_type_that_the_format_lacks(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="checkpoint-dtype") as caught:
        write_tensor_file(tmp_path / "a.safetensors", {"a": np.zeros(2, np.complex64)})
    assert caught.value.arguments["dtype"] == "complex64"
    assert not (tmp_path / "a.safetensors").exists()


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"precious")
    with pytest.raises(FileExistsError):
        write_tensor_file(tmp_path / "a.safetensors", {})
    assert (tmp_path / "a.safetensors").read_bytes() == b"precious"


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(b"no such format")
    with pytest.raises(ValueError, match="header"):
        read_tensor_file(path)
