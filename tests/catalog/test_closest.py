import pytest

from headway.catalog.closest import closest_name, normal_form


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("  H100_SXM 80GB ", "h100-sxm-80gb"),
        ("Intel(R) Xeon(R) Platinum 8480+", "intel-xeon-platinum-8480+"),
        ("Intel(R) Core(TM) i7", "intel-core-i7"),
        ("", ""),
        ("\t\n", ""),
        ("llama-3.1-8b", "llama-3.1-8b"),
    ],
)
def test_the_form_in_which_names_are_compared(name, form):
    assert normal_form(name) == form


def test_the_closest_name_is_given_as_it_is_known():
    assert closest_name("h10O", ["A100", "H100", "L4"]) == "H100"


@pytest.mark.parametrize("name", ["", "zzzzzz", "?" * 100_000])
def test_no_name_may_be_alike(name):
    assert closest_name(name, ["h100", "a100"]) is None


def test_a_very_long_name_is_compared_by_its_start():
    assert closest_name("gcp-us-central1" + " " * 100_000, ["gcp-us-central1"]) == "gcp-us-central1"
    assert closest_name("x" * 10_000_000, ["x" * 64]) == "x" * 64
