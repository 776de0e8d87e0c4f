from __future__ import annotations

from pathlib import Path

import pytest

from headway.recipe import load_recipe, resolve_recipe
from headway.recipe.paths import anchor_paths

SMALLEST = '[model]\npreset = "headway-tiny-1m"\n[training]\nsteps = 1\n'


def test_paths_in_a_file_start_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    file = folder / "mine.toml"
    file.write_text(f'{SMALLEST}init_from = "weights"\n[data]\npaths = ["a/*.txt", "/b"]\ntokenizer = "t.json"\n')
    monkeypatch.chdir(tmp_path)
    recipe = load_recipe(file, ["data.cache=here"])
    assert recipe.data.paths == (str(folder / "a/*.txt"), "/b")
    assert recipe.data.tokenizer == str(folder / "t.json")
    assert recipe.training.init_from == str(folder / "weights")
    assert recipe.data.cache == str(tmp_path / "here"), "the command line starts from the working folder"


def test_a_resolved_recipe_means_the_same_files_elsewhere(tmp_path: Path) -> None:
    recipe = resolve_recipe(
        {"model": {"preset": "headway-tiny-1m"}, "training": {"steps": 1}, "data": {"paths": "x.txt"}}
    )
    copy = tmp_path / "copy.toml"
    copy.write_text(recipe.to_toml())
    assert load_recipe(copy).data.paths == recipe.data.paths == (str(Path.cwd() / "x.txt"),)


def test_the_series_of_a_site_are_paths(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'{SMALLEST}[site]\nelectricity_price_series = "p.csv"\ngrid_intensity_series = "/g.csv"\n')
    site = load_recipe(file).site
    assert (site.electricity_price_series, site.grid_intensity_series) == (str(tmp_path / "p.csv"), "/g.csv")


def test_built_in_tokenizers_are_no_paths() -> None:
    for name in ("bpe", "byte"):
        raw = {"data": {"tokenizer": name}}
        anchor_paths(raw, Path("/base"))
        assert raw == {"data": {"tokenizer": name}}


def test_home_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    raw = {"data": {"paths": ["~/text", "~nobody-of-that-name/x"]}}
    anchor_paths(raw, Path("/base"))
    assert raw["data"]["paths"] == ["/home/someone/text", "/base/~nobody-of-that-name/x"]


def test_what_is_no_path_is_left_for_validation() -> None:
    raw = {"data": {"paths": [3, ""], "cache": None}, "model": 7}
    anchor_paths(raw, Path("/base"))
    assert raw == {"data": {"paths": [3, ""], "cache": None}, "model": 7}
