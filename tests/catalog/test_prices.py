import pytest

from headway.catalog import names, price
from headway.catalog.prices import entries
from headway.errors import CatalogError


def test_every_price_of_an_accelerator_is_found_by_alias():
    by_provider = {entry.provider: entry for entry in price("h100") if "2023" not in entry.id}
    assert by_provider["AWS"].usd_per_device_hour == 6.88
    assert by_provider["AWS"].spot_usd_per_device_hour == 2.2
    assert by_provider["Nebius"].usd_per_device_hour == 2.95
    market = by_provider["market range"]
    assert (market.low_usd_per_device_hour, market.high_usd_per_device_hour) == (1.99, 5.0)


def test_every_price_is_of_an_accelerator_in_the_catalogue():
    assert {entry.accelerator for entry in entries().values()} <= set(names("accelerator"))


@pytest.mark.parametrize("name", ["mi300x", "tpu-v4", "tpu-v5e"])
def test_a_price_that_nobody_verified_is_left_out(name):
    assert price(name) == ()


def test_the_unverified_price_of_aws_for_b200_is_left_out():
    assert {entry.provider for entry in price("b200")} == {"Nebius", "Lambda"}


def test_a_price_of_an_unknown_accelerator_is_an_error():
    with pytest.raises(CatalogError) as caught:
        price("h10")
    assert caught.value.arguments["kind"] == "accelerator"
    assert caught.value.arguments["closest"] == "h100"
