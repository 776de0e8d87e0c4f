from __future__ import annotations

import os
import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway import catalog
from headway.errors import CatalogError, RecipeError
from headway.i18n import Translator
from headway.recipe import Recipe, RecipeProblems, find_recipe, load_recipe, reading, resolve_recipe

PRESET = {"preset": "headway-tiny-1m"}
SHAPE = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 256,
    "max_position_embeddings": 128,
}


def resolve(**sections: Any) -> Recipe:
    return resolve_recipe({"model": PRESET, "training": {"steps": 10}, **sections})


def refuse(match: str, **sections: Any) -> RecipeError:
    with pytest.raises(RecipeError) as caught:
        resolve(**sections)
    assert caught.value.message_id == match
    text, next_step = Translator("en").error(caught.value)
    assert not text.startswith(match)
    assert next_step
    return caught.value


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "my.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_smallest_recipe_is_a_preset(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, '[model]\npreset = "llama-3.1-8b"\n[hardware]\ndevices = 8\n'))
    assert recipe.name == "my"
    assert recipe.model.hidden_size == 4096
    assert recipe.model.head_dim == 128
    assert recipe.training.sequence_length == 4096
    assert recipe.training.tokens == 20 * catalog.model_preset("llama-3.1-8b").parameters
    assert recipe.data.source == "python-stdlib"
    assert recipe.hardware.devices == 8


def test_a_mixture_of_experts_has_the_length_of_its_active_parameters() -> None:
    assert find_recipe("deepseek-v3").training.tokens == 20 * 36_600_000_000


@pytest.mark.parametrize("preset", catalog.models.ids())
def test_every_preset_is_a_recipe(preset: str) -> None:
    recipe = find_recipe(preset)
    assert recipe.name == preset
    assert recipe.num_tokens >= (recipe.training.tokens or 0) > 0


def test_a_changed_shape_has_no_length_of_its_own() -> None:
    with pytest.raises(RecipeError, match="recipe-length-missing"):
        resolve_recipe({"model": {**PRESET, "num_hidden_layers": 3}})


def test_a_shape_may_be_stated_without_a_preset() -> None:
    recipe = resolve(model=SHAPE)
    assert (recipe.model.head_dim, recipe.model.num_key_value_heads) == (16, 4)
    assert recipe.training.sequence_length == 128


def test_counts_of_the_shape_may_be_written_as_text() -> None:
    recipe = resolve(model={**SHAPE, "hidden_size": "2k", "num_attention_heads": "8", "max_position_embeddings": "8k"})
    assert (recipe.model.hidden_size, recipe.model.head_dim, recipe.training.sequence_length) == (2000, 250, 4096)


def test_what_the_recipe_states_wins_over_the_preset() -> None:
    assert resolve(model={**PRESET, "vocab_size": 512}).model.vocab_size == 512


def test_quantities_are_written_as_people_do() -> None:
    recipe = resolve(
        training={"tokens": "1.5M", "sequence_length": 128, "global_batch_size": "1k"},
        data={"max_bytes": "10 MB"},
        budget={"max_duration": "7d", "max_usd": 10},
        site={"node_watts": "1.2 kW"},
        resilience={"checkpoint_every": "10 min"},
    )
    assert recipe.training.tokens == 1_500_000
    assert recipe.data.max_bytes == 10_000_000
    assert recipe.budget.max_duration == 604_800.0
    assert recipe.site.node_watts == 1200.0
    assert recipe.resilience.checkpoint_every == 600.0
    assert (recipe.tokens_per_step, recipe.num_steps) == (128_000, 12)
    assert recipe.num_tokens == 1_536_000


@pytest.mark.parametrize(
    ("override", "section", "field", "value"),
    [
        ("training.steps=7", "training", "steps", 7),
        ("training.steps = 7", "training", "steps", 7),
        ("training.precision=fp32", "training", "precision", "fp32"),
        ('training.precision="fp32"', "training", "precision", "fp32"),
        ("data.paths=['/a', '/b']", "data", "paths", ("/a", "/b")),
        ("data.paths=/a b=c", "data", "paths", ("/a b=c",)),
        ("model.tie_word_embeddings=false", "model", "tie_word_embeddings", False),
        ("budget.max_duration=7d", "budget", "max_duration", 604_800.0),
        ("layout.micro_batch_size=auto", "layout", "micro_batch_size", "auto"),
    ],
)
def test_overrides_win(tmp_path: Path, override: str, section: str, field: str, value: object) -> None:
    path = write(tmp_path, '[model]\npreset = "headway-tiny-1m"\n[training]\nsteps = 10\n')
    assert getattr(getattr(load_recipe(path, [override]), section), field) == value


def test_a_nested_override_makes_its_tables() -> None:
    scaling = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
    nested = [f"model.rope_scaling.{name}={value}" for name, value in scaling.items()]
    recipe = find_recipe("headway-tiny-1m", ["training.steps=3", *nested])
    assert recipe.model.rope_scaling is not None
    assert recipe.model.rope_scaling.factor == 8.0


def test_relative_paths_start_from_the_folder_of_the_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(
        tmp_path,
        """
        [model]
        preset = "headway-tiny-1m"
        [data]
        paths = ["texts/*.txt", "/absolute"]
        tokenizer = "tokenizer.json"
        cache = "~/cache"
        [training]
        steps = 1
        init_from = "weights"
        """,
    )
    monkeypatch.setenv("HOME", "/home/of/somebody")
    recipe = load_recipe(path)
    assert recipe.data.paths == (f"{tmp_path}/texts/*.txt", "/absolute")
    assert recipe.data.tokenizer == f"{tmp_path}/tokenizer.json"
    assert recipe.data.cache == "/home/of/somebody/cache"
    assert recipe.training.init_from == f"{tmp_path}/weights"
    assert resolve(data={"tokenizer": "byte", "paths": "~nobody-of-that-name/x"}).data.tokenizer == "byte"


@pytest.mark.parametrize("override", ["training.steps", "=3", "training.=3", ".steps=3", "name.x=3", ""])
def test_an_override_of_another_shape_is_refused(tmp_path: Path, override: str) -> None:
    path = write(tmp_path, 'name = "a"\n[model]\npreset = "headway-tiny-1m"\n')
    with pytest.raises(RecipeError, match="recipe-override-shape"):
        load_recipe(path, [override])


@pytest.mark.parametrize("text", ["[" * 5000, "1" * 5000])
def test_an_override_of_a_strange_value_is_taken_as_text(text: str) -> None:
    with pytest.raises(RecipeError, match="recipe-field-type"):
        find_recipe("headway-tiny-1m", [f"training.steps={text}"])


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="recipe-unreadable"):
        load_recipe(tmp_path / "absent.toml")
    with pytest.raises(RecipeError, match="recipe-unreadable"):
        load_recipe(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[model", b"a = " + b"[" * 5000, b"steps = " + b"1" * 5000])
def test_a_file_that_is_not_toml(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(RecipeError, match="recipe-not-toml"):
        load_recipe(write(tmp_path, content))


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="recipe-file-too-large"):
        load_recipe(write(tmp_path, b"#" * (4 * 2**20 + 1)))
    with pytest.raises(RecipeError, match="recipe-file-too-large"):
        load_recipe("/dev/zero")


def test_a_section_that_is_a_value() -> None:
    assert refuse("recipe-section-not-table", training=3).arguments == {"section": "training"}


@pytest.mark.parametrize(
    ("sections", "field", "closest"),
    [
        ({"training": {"steps": 1, "learning_rte": 1.0}}, "training.learning_rte", "learning_rate"),
        ({"sitee": {}}, "sitee", "site"),
        ({"site": {"zzz": 1}}, "site.zzz", "none"),
        ({"model": {**PRESET, "rope_scaling": {"factr": 1}}}, None, None),
    ],
)
def test_an_unknown_setting_names_the_closest(sections: dict[str, Any], field: str | None, closest: str | None) -> None:
    with pytest.raises(RecipeError) as caught:
        resolve(**sections)
    problems = caught.value.problems or (caught.value,)
    unknown = next(problem for problem in problems if problem.message_id == "recipe-unknown-key")
    if field is None:
        field, closest = "model.rope_scaling.factr", "factor"
    assert unknown.arguments["field"] == field
    assert unknown.arguments["closest"] == closest
    assert unknown.arguments["known"]


@pytest.mark.parametrize(
    ("message_id", "sections"),
    [
        ("recipe-field-missing", {"model": {name: SHAPE[name] for name in SHAPE if name != "vocab_size"}}),
        ("recipe-field-range", {"training": {"steps": 0}}),
        ("recipe-field-range", {"training": {"steps": 10**19}}),
        ("recipe-field-range", {"training": {"steps": 1, "beta1": 1.0}}),
        ("recipe-field-range", {"data": {"validation_fraction": -0.5}}),
        ("recipe-field-range", {"site": {"power_usage_effectiveness": 0.5}}),
        ("recipe-field-choice", {"training": {"steps": 1, "precision": "fp64"}}),
        ("recipe-field-choice", {"training": {"steps": 1, "engine": "caffe"}}),
        ("recipe-field-alternatives", {"layout": {"micro_batch_size": "many"}}),
        ("recipe-field-alternatives", {"layout": {"micro_batch_size": 0}}),
        ("recipe-field-type", {"training": {"steps": "ten"}}),
        ("recipe-field-type", {"training": {"steps": 1.5}}),
        ("recipe-field-type", {"training": {"steps": [1]}}),
        ("recipe-field-type", {"training": {"steps": True}}),
        ("recipe-field-type", {"training": {"steps": 16**4000}}),
        ("recipe-field-type", {"training": {"steps": 1, "compile": "yes"}}),
        ("recipe-field-type", {"training": {"steps": 1, "learning_rate": float("nan")}}),
        ("recipe-field-type", {"training": {"steps": 1, "learning_rate": "fast"}}),
        ("recipe-field-type", {"data": {"paths": 3}}),
        ("recipe-field-type", {"data": {"paths": [3]}}),
        ("recipe-field-type", {"model": {**PRESET, "rope_scaling": 3}}),
        ("recipe-field-type", {"model": {"preset": 3}}),
        ("recipe-field-type", {"name": 3}),
        ("recipe-model-twice", {"model": {**PRESET, "config": "config.json"}}),
        ("recipe-hidden-not-divisible", {"model": {**SHAPE, "hidden_size": 65}}),
        ("recipe-config-unreadable", {"model": {"config": "absent.json"}}),
    ],
)
def test_a_broken_setting_is_named(message_id: str, sections: dict[str, Any]) -> None:
    error = refuse(message_id, **sections)
    assert len(str(error)) < 1000


@pytest.mark.parametrize("value", ["wide", [64], -64, 0, None])
def test_a_shape_that_is_no_count_is_told_by_its_own_name(value: object) -> None:
    with pytest.raises(RecipeProblems) as caught:
        resolve(model={**SHAPE, "hidden_size": value})
    assert "model.hidden_size" in {problem.arguments["field"] for problem in caught.value.problems}


def test_an_unknown_preset_names_the_closest() -> None:
    with pytest.raises(CatalogError) as caught:
        resolve(model={"preset": "lama-3.1-8b"})
    assert caught.value.arguments["closest"] == "llama-3.1-8b"


def test_several_problems_are_told_at_once() -> None:
    with pytest.raises(RecipeProblems) as caught:
        resolve(training={"steps": 0, "precision": "fp64", "stepz": 1}, data={"text_field": 3})
    found = {problem.message_id for problem in caught.value.problems}
    assert found == {"recipe-field-range", "recipe-field-choice", "recipe-unknown-key", "recipe-field-type"}
    assert caught.value.arguments["count"] == len(caught.value.problems) == 4
    assert [problem.arguments for problem in pickle.loads(pickle.dumps(caught.value)).problems] == [
        problem.arguments for problem in caught.value.problems
    ]


def test_a_name_that_is_neither_a_file_nor_a_preset(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="recipe-not-found") as caught:
        find_recipe("lama-3.1-8b")
    assert caught.value.arguments["closest"] == "llama-3.1-8b"
    with pytest.raises(RecipeError, match="recipe-not-found") as caught:
        find_recipe("zzzzzz")
    assert caught.value.arguments["closest"] == "none"
    with pytest.raises(RecipeError, match="recipe-unreadable"):
        find_recipe(str(tmp_path / "absent.toml"))


def test_a_file_is_found_before_a_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("llama-3.1-8b").write_text('name = "mine"\n[model]\npreset = "headway-tiny-1m"\n')
    assert find_recipe("llama-3.1-8b").name == "mine"


FIELDS = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._ -]{0,20}\Z"),
        "model": st.fixed_dictionaries(
            {"preset": st.sampled_from(["headway-tiny-1m", "llama-3.1-8b", "qwen3-0.6b", "gpt2", "deepseek-v3"])},
            optional={
                "vocab_size": st.integers(1, 10**6),
                "rms_norm_eps": st.floats(1e-12, 1e-2),
                "rope_theta": st.floats(1.0, 1e8),
                "sliding_window": st.integers(1, 10**6),
            },
        ),
        "training": st.fixed_dictionaries(
            {"steps": st.integers(10, 10**9), "sequence_length": st.integers(1, 256)},
            optional={
                "learning_rate": st.floats(1e-9, 1.0),
                "precision": st.sampled_from(["fp32", "bf16"]),
                "schedule": st.sampled_from(["cosine", "wsd", "linear", "constant"]),
                "warmup_steps": st.integers(0, 10),
                "global_batch_size": st.integers(1, 10**6),
                "compile": st.booleans(),
                "seed": st.integers(0, 2**53),
            },
        ),
        "data": st.one_of(
            st.just({"source": "python-stdlib"}),
            st.fixed_dictionaries({"paths": st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=3)}),
        ),
        "resilience": st.fixed_dictionaries({}, optional={"checkpoint_every": st.floats(0, 1e6)}),
        "budget": st.fixed_dictionaries({}, optional={"max_usd": st.floats(1e-3, 1e9)}),
    }
)


@given(raw=FIELDS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_recipe_survives_its_own_toml(tmp_path: Path, raw: dict[str, Any]) -> None:
    recipe = resolve_recipe(raw)
    path = tmp_path / "other-name.toml"
    path.write_text(recipe.to_toml(), encoding="utf-8")
    again = load_recipe(path)
    assert again == recipe
    assert again.digest() == recipe.digest()
    assert tomllib.loads(recipe.to_toml()) == recipe.to_dict()


def test_a_recipe_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        resolve().name = "other"


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "bom.toml"
    path.write_bytes(b"\xef\xbb\xbf" + b'[model]\npreset = "headway-tiny-1m"\n')
    assert load_recipe(path).model.preset == "headway-tiny-1m"


def test_a_pipe_is_read_and_one_without_a_writer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PIPE_SECONDS", 0.01)
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(RecipeError, match="recipe-unreadable"):
        load_recipe(pipe)
    reader, writer = os.pipe()
    os.write(writer, b'[model]\npreset = "headway-tiny-1m"\n')
    os.close(writer)
    assert load_recipe(f"/dev/fd/{reader}").model.preset == "headway-tiny-1m"
    os.close(reader)


WITHOUT_VOCABULARY = {name: SHAPE[name] for name in SHAPE if name != "vocab_size"}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        # One name is misspelt, and all else that is missing came with it.
        ({"model": {"presett": "llama-3.1-8b"}, "training": {"steps": 1}}, ["recipe-unknown-key"]),
        ({"model": {**WITHOUT_VOCABULARY, "vocab_sise": 1}}, ["recipe-unknown-key"]),
        # The misspelt name is first, also where it explains nothing else.
        ({"model": WITHOUT_VOCABULARY, "training": {"steps": 1, "xyz": 1}},
         ["recipe-unknown-key", "recipe-field-missing"]),
    ],
)  # fmt: skip
def test_a_misspelt_name_comes_before_what_it_leaves_missing(changed: dict[str, Any], told: list[str]) -> None:
    with pytest.raises(RecipeError) as caught:
        resolve_recipe({"training": {"steps": 1}, **changed})
    problems = caught.value.problems or (caught.value,)
    assert [problem.message_id for problem in problems] == told


def test_what_a_phase_lacks_no_preset_brings() -> None:
    with pytest.raises(RecipeError) as caught:
        resolve_recipe({"model": {"preset": "llama-3.1-8b"}, "phases": [{"training": {"steps": 1}}]})
    step = Translator("en").next_step(caught.value.message_id, **caught.value.arguments)
    assert step is not None
    assert "phases.0.name" in step
    assert "preset" not in step
