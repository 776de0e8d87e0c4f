"""Weights in 4 bits: the levels, blocks and constants by hand, and trainings beside a base that is kept so."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
import torch

from headway.planning.adapters import packed_bytes
from headway.planning.choice import Layout
from headway.resilience.checkpoint import CheckpointStore
from headway.training.adapters import Merged, adapter_alpha, is_projection
from headway.training.engines import Engine, build_engine
from headway.training.engines.torch import nf4
from headway.training.engines.torch.native import activate_native, load_native
from headway.training.engines.torch.products import PackedWeight
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.real_text import batch_of, recipe_of, run


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def expanded(packed: nf4.Packed, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    result: torch.Tensor = nf4.expanded(packed.codes_OW, packed.constants_OK, packed.scales_O4, packed.columns, dtype)
    return result


def test_the_levels_are_quantiles_of_the_normal_distribution() -> None:
    """Eight below zero and seven above, between the quantiles of 1/2 and of 0.9677083: Dettmers et al. 2023."""
    offset = 0.9677083
    quantile = NormalDist().inv_cdf
    above = [quantile(offset + (0.5 - offset) * step / 8) for step in range(8)]
    below = [-quantile(offset + (0.5 - offset) * step / 7) for step in range(7)]
    values = sorted([*above, 0.0, *below])
    expected = [value / max(values) for value in values]
    np.testing.assert_allclose(nf4.LEVELS, expected, atol=1e-6)


def test_a_row_by_hand() -> None:
    """Two blocks of one row, of largest numbers 1 and 2: constants 128/255 (rounded up) and 255/255 of the scale 2."""
    row = torch.zeros(1, 128)
    row[0, 0], row[0, 1], row[0, 64], row[0, 65] = 1.0, 0.35, -2.0, 1.1
    packed = nf4.quantised(row)
    assert packed.scales_O4.view(torch.float32).item() == 2
    assert packed.constants_OK.tolist() == [[128, 255]]
    assert packed.codes_OW[0, 0].item() == 15 + 16 * 11, "1 is the last level, 0.35 the one of 0.338"
    assert packed.codes_OW[0, 32].item() == 0 + 16 * 13, "-2 is the first level, 0.55 the one of 0.563"
    assert packed.codes_OW[0, 5].item() == 7 + 16 * 7, "zero stays zero"
    found = expanded(packed)[0]
    constant = 2 * 128 / 255
    assert found[[0, 1, 64, 65, 9]].tolist() == pytest.approx(
        [constant, constant * nf4.LEVELS[11], -2.0, 2 * nf4.LEVELS[13], 0.0]
    )


def test_normal_weights_lose_a_tenth_of_their_size() -> None:
    weight = random(64, 256)
    assert 0.08 < ((nf4.rounded(weight) - weight).norm() / weight.norm()).item() < 0.1
    assert torch.equal(nf4.rounded(torch.zeros(2, 64)), torch.zeros(2, 64))


@pytest.mark.parametrize("shape", [(33, 256), (6, 96), (5, 33), (2, 1), (3, 2)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_compiled_operation_gives_the_same_bytes(shape: tuple[int, int], dtype: torch.dtype) -> None:
    if load_native() is None:
        pytest.fail("there is a C compiler where this is tested")
    packed = nf4.quantised(random(*shape))
    found = []
    for is_active in (False, True):
        activate_native(is_active=is_active)
        found.append(expanded(packed, dtype))
    assert torch.equal(*found)


@pytest.mark.parametrize(("columns", "parts"), [(256, 2), (96, 2), (48, 2), (34, 2), (192, 3)])
def test_parts_are_those_of_the_whole(columns: int, parts: int) -> None:
    """However a matrix is divided, each device has what it would have of the whole."""
    weight = random(4, columns)
    whole, own = nf4.quantised(weight), columns // parts
    block = nf4.common_block(columns, own)
    cut = [nf4.part_of_columns(whole, slice(start, start + own), block) for start in range(0, columns, own)]
    assert torch.equal(torch.cat([expanded(part) for part in cut], dim=1), expanded(whole))
    rows = [expanded(nf4.quantised(weight[start : start + 2])) for start in (0, 2)]
    assert torch.equal(torch.cat(rows), expanded(whole))


def of_base(text_folder: Path) -> dict[str, Any]:
    """Return the weights of a model that has learnt a little."""
    engine = build_engine(recipe_of())
    run(engine, text_folder, range(40), 3e-3)
    return dict(copy_of(engine.snapshot()).parameters)


@pytest.fixture(scope="module")
def base(text_folder: Path) -> dict[str, Any]:
    return of_base(text_folder)


def tuned(base: dict[str, Any], method: str = "qlora", layout: Layout | None = None, **training: Any) -> Engine:
    engine = build_engine(recipe_of(method=method, adapter_rank=8, **training), layout=layout)
    engine.load_weights(base)
    return engine


def test_losses_are_near_to_those_beside_an_exact_base(base: dict[str, Any], text_folder: Path) -> None:
    """bf16, real text: the start is worse by what rounding costs, and adapters learn as well from there."""
    wide, narrow, still = (
        run(tuned(base, method, precision="bf16"), text_folder, range(60), rate)
        for method, rate in (("lora", 4e-3), ("qlora", 4e-3), ("qlora", 0.0))
    )
    assert wide[0] != narrow[0]
    assert np.abs(np.array(wide) - narrow).max() < 1.5e-2
    assert abs(np.mean(wide[-20:]) - np.mean(narrow[-20:])) < 5e-3
    assert np.mean(narrow[-20:]) < np.mean(still[-20:]) - 0.1


def test_layers_are_held_in_4_bits_and_nothing_else(base: dict[str, Any]) -> None:
    engine: Any = tuned(base, precision="bf16")
    (model,) = engine._parts
    packed = [module for module in model.modules() if isinstance(module, PackedWeight)]
    assert len(packed) == 14
    held = sum(value.numel() for module in packed for value in module.parameters())
    weights = sum(array.size for name, array in base.items() if is_projection(name))
    assert 0.5 + 1 / 64 <= held / weights < 0.6, "4 bits, 8 for each block, and 32 for each row"
    others = {
        str(value.dtype) for name, value in model.named_parameters() if "packed" not in name and "lora" not in name
    }
    assert others == {"torch.bfloat16"}
    assert all("lora_" in name for name in engine.snapshot().parameters)


def test_what_was_trained_is_the_merged_rounded_base(base: dict[str, Any], text_folder: Path) -> None:
    engine, recipe = tuned(base), recipe_of(method="qlora", adapter_rank=8)
    run(engine, text_folder, range(8), 3e-3)

    def rounded(weight: Any) -> Any:
        return nf4.rounded(torch.from_numpy(weight)).numpy()

    scale = adapter_alpha(recipe) / 8
    whole, other = build_engine(recipe_of()), build_engine(recipe_of())
    whole.load_weights(Merged(base, engine.snapshot().parameters, scale, rounded))
    other.load_weights(Merged(base, engine.snapshot().parameters, scale))
    batch = [batch_of(text_folder, 500)]
    assert whole.evaluate(batch) == pytest.approx(engine.evaluate(batch), rel=1e-5)
    assert abs(other.evaluate(batch) - engine.evaluate(batch)) > 1e-4, "the original base is another model"


def test_gradients_are_those_beside_the_rounded_base(base: dict[str, Any], text_folder: Path) -> None:
    plain = build_engine(recipe_of(method="lora", adapter_rank=8))
    plain.load_weights(
        {name: nf4.rounded(torch.from_numpy(a)).numpy() if is_projection(name) else a for name, a in base.items()}
    )
    packed = tuned(base)
    for engine in (plain, packed):
        engine.step([batch_of(text_folder, 500)], 1e-3)
    ours, theirs = packed.snapshot().optimizer, plain.snapshot().optimizer
    assert set(ours) == set(theirs)
    for name, array in theirs.items():
        np.testing.assert_allclose(10 * ours[name], 10 * array, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("precision", ["bf16", "int8", "fp8"])
def test_resume_is_exact(base: dict[str, Any], text_folder: Path, tmp_path: Path, precision: str) -> None:
    straight, first = (tuned(base, precision=precision) for _ in range(2))
    losses = run(straight, text_folder, range(4))
    run(first, text_folder, range(2))
    CheckpointStore(tmp_path).save(copy_of(first.snapshot(), step=2))
    loaded, _ = CheckpointStore(tmp_path).load_newest()
    assert loaded is not None
    second = tuned(base, precision=precision, seed=99)
    second.load(loaded)
    assert run(second, text_folder, range(2, 4)) == losses[2:]
    assert_equal(straight.snapshot(), second.snapshot())


@pytest.mark.parametrize("level", ["selective", "products", "full"])
def test_what_is_computed_again_is_the_same(base: dict[str, Any], text_folder: Path, level: str) -> None:
    layout = Layout(
        data_parallel_degree=1, shard="none", micro_batch_size=8, gradient_accumulation_steps=1, recompute=level
    )
    kept, again = tuned(base, precision="bf16"), tuned(base, precision="bf16", layout=layout)
    assert run(again, text_folder, range(2)) == run(kept, text_folder, range(2))


@pytest.mark.parametrize("shape", [(33, 256), (6, 96), (5, 34), (2, 1)])
def test_plans_know_how_large_a_matrix_is(shape: tuple[int, int]) -> None:
    held = PackedWeight(torch.empty(shape, device="meta"))
    assert sum(value.numel() for value in held.parameters()) == packed_bytes(*shape)
