import pytest

from headway import catalog
from headway.catalog import Efficiency
from headway.catalog.efficiencies import entries

GENERATIONS = list(entries().values())


@pytest.mark.parametrize("found", GENERATIONS, ids=lambda found: found.id)
def test_kernels_that_were_tuned_are_no_slower_than_portable_ones(found: Efficiency) -> None:
    assert found.tuned_attention_forward_efficiency >= found.attention_forward_efficiency
    assert found.tuned_attention_backward_efficiency >= found.attention_backward_efficiency
    assert found.attention_backward_efficiency == pytest.approx(0.8 * found.attention_forward_efficiency, abs=0.01)


@pytest.mark.parametrize("found", GENERATIONS, ids=lambda found: found.id)
def test_products_hold_no_more_in_a_training_than_anybody_measured_of_them_alone(found: Efficiency) -> None:
    members = [catalog.accelerator(name) for name in found.accelerators]
    measured = [
        member.measured_bf16_flops_per_second / member.bf16_dense_flops_per_second
        for member in members
        if member.measured_bf16_flops_per_second and member.bf16_dense_flops_per_second
    ]
    assert found.matmul_16bit_efficiency <= max(measured, default=1.0)
    # Nor much less than they do: no generation loses more than four tenths of it.
    assert found.matmul_16bit_efficiency >= 0.6 * max(measured, default=0.0)


def test_a_device_that_nobody_trained_on_has_none() -> None:
    assert catalog.efficiency_of("gaudi2") is None
