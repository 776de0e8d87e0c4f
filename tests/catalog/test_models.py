"""The presets, against a parameter count of its own and against published totals."""

import pytest

from headway.catalog import model_preset, names
from headway.errors import CatalogError
from headway.recipe.model import ModelConfig

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-8b": 8_030_261_248,
    "llama-3.1-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "mistral-7b-v0.1": 7_241_732_096,
    "mistral-7b-v0.3": 7_248_023_552,
    "qwen2.5-0.5b": 494_032_768,
    "qwen2.5-1.5b": 1_543_714_304,
    "qwen2.5-3b": 3_085_938_688,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-14b": 14_770_033_664,
    "qwen2.5-32b": 32_763_876_352,
    "qwen2.5-72b": 72_706_203_648,
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "qwen3-30b-a3b": 30_532_122_624,
    "qwen3-235b-a22b": 235_093_634_560,
    "smollm2-135m": 134_515_008,
    "smollm2-360m": 361_821_120,
    "smollm2-1.7b": 1_711_376_384,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 140_630_071_296,
    "deepseek-v3": 671_026_419_200,
    # Published rounded (1T; 116.8B and 20.9B with biases and sinks): the exact totals follow from the shapes.
    "kimi-k2": 1_026_408_232_448,
    "gpt-oss-120b": 116_789_048_640,
    "gpt-oss-20b": 20_907_927_360,
}


def attention_weights(m):
    if m.kv_lora_rank is not None:
        key_size = m.qk_nope_head_dim + m.qk_rope_head_dim
        query = m.hidden_size * m.q_lora_rank + m.q_lora_rank + m.q_lora_rank * m.num_attention_heads * key_size
        down = m.hidden_size * (m.kv_lora_rank + m.qk_rope_head_dim) + m.kv_lora_rank
        up = m.kv_lora_rank * m.num_attention_heads * (m.qk_nope_head_dim + m.v_head_dim)
        return query + down + up + m.num_attention_heads * m.v_head_dim * m.hidden_size
    head = m.head_dim or m.hidden_size // m.num_attention_heads
    query, pair = m.num_attention_heads * head, 2 * m.num_key_value_heads * head
    weights = m.hidden_size * (2 * query + pair)
    weights += (query + pair) * m.attention_bias + m.hidden_size * m.attention_output_bias
    return weights + 2 * head * m.qk_norm


def feed_forward_weights(m, layer, experts=None):
    if m.architecture == "gpt2":
        return 2 * m.hidden_size * m.intermediate_size + m.intermediate_size + m.hidden_size
    dense = 3 * m.hidden_size * m.intermediate_size
    if m.num_experts is None or layer < (m.first_k_dense_replace or 0):
        return dense
    expert = 3 * m.hidden_size * (m.moe_intermediate_size or m.intermediate_size)
    router = m.hidden_size * m.num_experts + (m.num_experts if m.architecture == "deepseek_v3" else 0)
    return ((m.num_experts if experts is None else experts) + (m.num_shared_experts or 0)) * expert + router


def count(m, experts=None):
    norm = m.hidden_size * (2 if m.architecture == "gpt2" else 1)
    layers = sum(
        attention_weights(m) + feed_forward_weights(m, layer, experts) + 2 * norm
        for layer in range(m.num_hidden_layers)
    )
    positions = m.max_position_embeddings * m.hidden_size if m.architecture == "gpt2" else 0
    embeddings = m.vocab_size * m.hidden_size * (1 if m.tie_word_embeddings else 2)
    return layers + norm + positions + embeddings


@pytest.mark.parametrize("name", names("model"))
def test_the_stated_total_follows_from_the_shape(name):
    preset = model_preset(name)
    assert count(preset) == preset.parameters


@pytest.mark.parametrize(("name", "parameters"), PUBLISHED.items())
def test_the_stated_total_is_the_published_one(name, parameters):
    assert model_preset(name).parameters == parameters


def test_every_preset_but_our_own_has_a_published_total():
    assert {name for name in names("model") if not name.startswith("headway-")} == set(PUBLISHED)


@pytest.mark.parametrize("name", [name for name in names("model") if model_preset(name).num_experts])
def test_the_active_weights_of_an_expert_mixture_are_the_published_ones(name):
    preset = model_preset(name)
    assert count(preset, experts=preset.num_experts_per_tok) == pytest.approx(preset.active_parameters, rel=0.035)


@pytest.mark.parametrize(
    ("name", "millions"), [("1m", 1.2), ("4m", 4.0), ("11m", 11.0), ("25m", 25.2), ("110m", 110.1)]
)
def test_our_own_presets_are_as_large_as_their_names(name, millions):
    preset = model_preset(f"headway-tiny-{name}")
    assert preset.parameters / 1e6 == pytest.approx(millions, abs=0.05)
    for size in (preset.hidden_size, preset.intermediate_size, preset.vocab_size, preset.head_dim):
        assert size % 64 == 0
    assert preset.tie_word_embeddings


@pytest.mark.parametrize("name", names("model"))
def test_a_shape_fits_together(name):
    preset = model_preset(name)
    assert preset.num_attention_heads % preset.num_key_value_heads == 0
    assert preset.head_dim or preset.hidden_size % preset.num_attention_heads == 0
    assert (preset.num_experts is None) == (preset.num_experts_per_tok is None)
    assert (preset.rms_norm_eps is None) == (preset.architecture == "gpt2")
    assert preset.qk_norm == preset.architecture.startswith("qwen3")
    assert preset.attention_bias == (preset.architecture in ("gpt2", "qwen2"))


@pytest.mark.parametrize("name", names("model"))
def test_a_config_is_the_shape_of_a_recipe(name):
    preset = model_preset(name)
    head = preset.hidden_size // preset.num_attention_heads
    shape = ModelConfig.model_validate({"head_dim": head, **preset.config})
    assert shape.hidden_size == preset.hidden_size
    assert shape.num_experts == preset.num_experts
    assert shape.kv_lora_rank == preset.kv_lora_rank


def test_a_config_leaves_out_what_is_not_the_shape():
    config = model_preset("deepseek-v3").config
    assert not {"id", "source", "parameters", "rope_scaling", "routed_scaling_factor", "sliding_window"} & set(config)
    assert model_preset("llama-3.1-8b").config["rope_scaling"] == {
        "rope_type": "llama3",
        "factor": 8.0,
        "original_max_position_embeddings": 8192,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    }
    assert model_preset("mistral-7b-v0.1").config["sliding_window"] == 4096


@pytest.mark.parametrize(
    ("name", "preset_id"),
    [
        ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
        ("meta-llama/Meta-Llama-3-8B", "llama-3-8b"),
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("Qwen/Qwen2.5-0.5B", "qwen2.5-0.5b"),
        ("openai-community/gpt2-xl", "gpt2-xl"),
        ("mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b"),
        ("deepseek-ai/DeepSeek-V3", "deepseek-v3"),
        ("LLAMA 3.1 8B", "llama-3.1-8b"),
        ("headway_tiny_11m", "headway-tiny-11m"),
    ],
)
def test_a_name_as_people_write_it(name, preset_id):
    assert model_preset(name).id == preset_id


@pytest.mark.parametrize("name", ["llama-3.1-9b", "../facts/grids", "llama-3.1-8b.toml"])
def test_an_unknown_preset_is_an_error(name):
    with pytest.raises(CatalogError) as caught:
        model_preset(name)
    assert caught.value.message_id == "catalog-unknown-name"
    assert caught.value.arguments["kind"] == "model"
    assert "llama-3.1-8b" in caught.value.arguments["known"]
