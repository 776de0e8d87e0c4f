from headway import catalog
from headway.planning.constants import constant


def test_constants_are_those_of_the_catalogue() -> None:
    assert constant("nccl-buffer") == catalog.constants()["nccl-buffer"].value
    for name in ("device-memory-reserve", "nccl-buffer", "server-power-without-gpus", "gpu-service-life"):
        assert constant(name) > 0
