from __future__ import annotations

from typing import Any

import pytest

from headway import catalog
from headway.i18n import Translator
from headway.planning import Plan, plan
from headway.planning.accelerated import hardware_of
from headway.planning.constants import constant
from headway.planning.precision import formats, settled
from headway.recipe import Recipe, resolve_recipe


def recipe(accelerator: str = "h100", devices: int = 8, **training: Any) -> Recipe:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"precision": "auto", "software": "megatron", "global_batch_size": 64, **training},
            "hardware": {"accelerator": accelerator, "devices": devices},
        }
    )


def compared(one: Recipe) -> tuple[str, ...]:
    return formats(one, hardware_of(one, one.hardware.accelerator))


@pytest.mark.parametrize(
    ("accelerator", "training", "expected"),
    [
        ("h100", {}, ("bf16", "fp8")),
        # Scales of blocks come with the next generation.
        ("b200", {}, ("bf16", "mxfp8", "fp8")),
        ("a100", {}, ("bf16",)),
        ("v100", {}, ("fp16",)),
        # Its own engine trains in no format of 8 bits that is known to keep the loss.
        ("h100", {"software": "headway"}, ("bf16",)),
        ("h100", {"method": "lora"}, ("bf16",)),
    ],
)
def test_formats_are_those_that_device_and_program_have(accelerator, training, expected) -> None:
    assert compared(recipe(accelerator, **training)) == expected


@pytest.mark.parametrize("precision", ["fp32", "tf32", "bf16", "int8"])
def test_what_a_recipe_says_is_never_changed(precision: str) -> None:
    stated = recipe(precision=precision)
    assert compared(stated) == (precision,)
    assert settled(stated, "fp8") is stated
    found = plan(stated)
    assert found.software.precision == precision
    assert found.search.formats == ()


def said(found: Plan) -> dict[str, dict[str, Any]]:
    translator = Translator("en")
    for message in found.warnings:
        assert "{" not in translator.text(message.id, **message.arguments)
    return {message.id: dict(message.arguments) for message in found.warnings}


def test_the_faster_format_is_taken_and_what_it_assumes_is_said() -> None:
    found = plan(recipe())
    assert found.software.precision == "fp8"
    wide, narrow = found.search.formats
    assert (wide.precision, narrow.precision) == ("bf16", "fp8")
    assert narrow.step_seconds == pytest.approx(found.time.step_seconds)
    assert wide.step_seconds == pytest.approx(plan(recipe(precision="bf16")).time.step_seconds)
    told = said(found)["plan-warning-precision-chosen"]
    assert told["ratio"] == pytest.approx(wide.step_seconds / found.time.step_seconds)  # type: ignore[operator]
    assert told["loss"] == constant("narrow-loss-difference")
    # All else is that of the format: its plan when the recipe asks for it.
    asked = plan(recipe(precision="fp8"))
    assert (asked.time, asked.memory, asked.energy) == (found.time, found.memory, found.energy)


def test_where_16_bits_are_as_fast_they_are_taken() -> None:
    found = plan(recipe("a100"))
    assert found.software.precision == "bf16"
    assert "plan-warning-precision-chosen" not in said(found)


def test_every_format_of_a_program_is_one_of_a_recipe() -> None:
    for program in catalog.programs.entries().values():
        for one in program.formats:
            assert recipe(precision=one.format).training.precision == one.format
