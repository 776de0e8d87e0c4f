from typing import Any

import pytest

from headway.i18n import Translator
from headway.planning import plan
from headway.recipe import resolve_recipe


def warnings_of(**sections: dict[str, Any]) -> dict[str, dict[str, Any]]:
    content: dict[str, dict[str, Any]] = {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"steps": 10, "global_batch_size": 64, "sequence_length": 4096},
        "hardware": {"accelerator": "h100", "devices": 64, "network": "roce-400gbe"},
    }
    for name, section in sections.items():
        content[name] = {**content.get(name, {}), **section}
    found = plan(resolve_recipe(content)).warnings
    for message in found:
        assert "{" not in Translator("en").text(message.id, **message.arguments)
    return {str(message.arguments.get("setting", message.id)): message.arguments for message in found}


@pytest.mark.parametrize(
    ("setting", "reason", "sections"),
    [
        ("layout.shard", "replicas", {"layout": {"shard": "parameters", "tensor_parallel_degree": 8},
                                      "hardware": {"devices": 8}}),
        ("layout.reshard_after_forward", "gathered", {"layout": {"shard": "optimizer", "reshard_after_forward": True}}),
        ("layout.overlap_tensor_communication", "tensor",
         {"layout": {"tensor_parallel_degree": 1, "overlap_tensor_communication": True}}),
        ("layout.overlap_expert_communication", "exchange", {"layout": {"overlap_expert_communication": True}}),
        ("layout.count_tables_as_layers", "stages",
         {"layout": {"pipeline_parallel_degree": 1, "count_tables_as_layers": True}}),
        ("training.adapter_rank", "adapters", {"training": {"adapter_rank": 32}}),
        ("training.adapter_targets", "adapters", {"training": {"adapter_targets": "attention"}}),
        ("data.attention_within_documents", "documents", {"data": {"attention_within_documents": True}}),
        ("resilience.asynchronous_stall_share", "asynchronous", {"resilience": {"asynchronous_stall_share": 0.1}}),
    ],
)  # fmt: skip
def test_what_changes_nothing_is_told_with_its_reason(setting: str, reason: str, sections: dict[str, Any]) -> None:
    assert warnings_of(**sections)[setting]["reason"] == reason
    assert setting not in warnings_of()


def test_what_has_an_effect_is_not_told() -> None:
    layout = {"shard": "parameters", "reshard_after_forward": False, "tensor_parallel_degree": 2,
              "overlap_tensor_communication": True}  # fmt: skip
    training = {"method": "lora", "adapter_rank": 32, "adapter_targets": "attention"}
    found = warnings_of(layout=layout, training=training)
    assert not [name for name in found if name.startswith(("layout", "training"))]


def test_narrow_products_that_are_no_faster_are_told() -> None:
    """The catalogue's tpu-v6e multiplies fp8 as fast as bf16."""
    hardware = {"accelerator": "tpu-v6e", "network_bytes_per_second": "25 GB"}
    found = warnings_of(hardware=hardware, training={"precision": "fp8"})
    assert found["plan-warning-precision-no-faster"] == {"precision": "fp8", "accelerator": "tpu-v6e"}
    assert "plan-warning-precision-no-faster" not in warnings_of(hardware=hardware)
    assert "plan-warning-precision-no-faster" not in warnings_of(training={"precision": "fp8"})
