from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from headway import catalog
from headway.errors import CatalogError
from headway.i18n import Translator
from headway.recipe import documented_settings, load_recipe, message_of, template
from headway.recipe.schema import Recipe


@pytest.mark.parametrize("preset", catalog.models.ids())
def test_a_template_is_a_valid_recipe(tmp_path: Path, preset: str) -> None:
    path = tmp_path / "new.toml"
    path.write_text(template(preset), encoding="utf-8")
    recipe = load_recipe(path)
    assert recipe.model.preset == preset
    assert recipe.num_steps == 1000


def test_an_alias_is_written_as_the_preset(tmp_path: Path) -> None:
    assert 'preset = "llama-3.1-8b"' in template("meta-llama/Llama-3.1-8B")


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(CatalogError, match=r"llama-3\.1-8b"):
        template("lama-3.1-8b")


def test_every_setting_is_documented() -> None:
    english = Translator("en")
    settings = list(documented_settings())
    sections = list(dict.fromkeys(section for section, _ in settings))
    assert [name for name in sections if "." not in name] == [name for name in Recipe.model_fields if name != "name"]
    assert "resilience.guards" in sections
    for section, setting in settings:
        assert english.has(f"recipe-doc-{message_of(section)}")
        assert english.has(f"recipe-doc-{message_of(section)}-{setting}"), (section, setting)
    lines = template("headway-tiny-1m").splitlines()
    for section, setting in settings:
        assert any(re.match(rf"(# )?{setting} =", line) for line in lines), (section, setting)


def test_every_documented_setting_exists() -> None:
    catalogue = (Path(__file__).parents[2] / "headway/i18n/locales/en/recipe.ftl").read_text(encoding="utf-8")
    documented = set(re.findall(r"^recipe-doc-(\S+) =", catalogue, re.MULTILINE)) - {"file"}
    settings = [(message_of(section), name) for section, name in documented_settings()]
    assert documented == {section for section, _ in settings} | {f"{section}-{name}" for section, name in settings}


def test_the_defaults_shown_are_the_defaults() -> None:
    section = ""
    shown = {}
    for line in template("headway-tiny-1m").splitlines():
        if line.startswith("["):
            section = line[1 : line.index("]")]
        elif matched := re.match(r"# (\w+) = (\S.*?)  # ", line):
            shown[section, matched[1]] = tomllib.loads(f"value = {matched[2]}")["value"]
    assert shown["training", "learning_rate"] == 3e-4
    for (name, setting), value in shown.items():
        model: type | None = Recipe
        for part in name.split("."):
            model = model.model_fields[part].annotation  # type: ignore[union-attr]
        assert model is not None
        default = model.model_fields[setting].default  # type: ignore[attr-defined]
        assert value == (list(default) if isinstance(default, tuple) else default)


def test_a_comment_stays_on_its_line() -> None:
    for line in template("headway-tiny-1m").splitlines():
        assert not line or line.startswith(("#", "[", "preset", "steps"))
