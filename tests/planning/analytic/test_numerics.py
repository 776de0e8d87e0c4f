import pytest

from headway.planning.analytic.numerics import QUANTIZED_BASE_BYTES, Optimizer, Weights, numerics


@pytest.mark.parametrize(
    ("weights", "states"),
    [("fp32", (4, 4, 0, 8)), ("master", (2, 4, 4, 8)), ("pure", (2, 2, 0, 4))],
)
def test_bytes_of_a_weight_in_bf16_training(weights: Weights, states: tuple[int, ...]) -> None:
    """Weight, gradient, master copy and moments: 16 bytes with fp32 weights, 18 with a copy, 8 in pure bf16."""
    found = numerics("bf16", weights)
    assert (found.weight_bytes, found.gradient_bytes, found.master_bytes, found.moment_bytes) == states
    assert found.update_bytes == 0


def test_rajbhandari_counts_2_2_12() -> None:
    """Rajbhandari et al. 2020, section 3.1: fp16 weights and gradients, fp32 copy and two moments."""
    found = numerics("fp16", "master", half_gradients=True)
    assert (found.weight_bytes, found.gradient_bytes, found.optimizer_bytes) == (2, 2, 12)
    assert found.update_bytes == 4


@pytest.mark.parametrize(
    ("optimizer", "moments"), [("adamw", 8), ("adamw8bit", 2), ("adamw16bit", 4), ("adamw-in-backward", 8)]
)
def test_moments_by_optimizer(optimizer: Optimizer, moments: float) -> None:
    assert numerics("bf16", "fp32", optimizer).moment_bytes == moments


def test_only_an_update_in_the_backward_pass_frees_gradients() -> None:
    assert numerics("bf16", "pure", "adamw8bit-in-backward").frees_gradients
    assert not numerics("bf16", "pure", "adamw8bit").frees_gradients


def test_weights_travel_in_8_bits_for_8_bit_products_only() -> None:
    assert numerics("fp8", "fp32", low_precision_gather=True).gathered_bytes == 1
    assert numerics("bf16", "fp32", low_precision_gather=True).gathered_bytes == 2


@pytest.mark.parametrize("precision", ["fp32", "tf32"])
def test_fp32_training_has_no_copies(precision: str) -> None:
    found = numerics(precision, "master")
    assert (found.value_bytes, found.weight_bytes, found.master_bytes) == (4, 4, 0)


def test_double_quantisation_takes_0_127_bits_more_than_4() -> None:
    assert pytest.approx((4 + 0.127) / 8) == QUANTIZED_BASE_BYTES
