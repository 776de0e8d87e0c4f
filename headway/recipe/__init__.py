"""Recipes: one TOML file that says what is trained, on what, how, where and within which limits."""

from headway.recipe.hf_config import from_hf_config, read_config, to_hf_config
from headway.recipe.loading import RecipeProblems, find_recipe, load_recipe, resolve_phases, resolve_recipe
from headway.recipe.model import ModelConfig, RopeScaling
from headway.recipe.schema import Recipe
from headway.recipe.template import documented_settings, message_of, section_heading, setting_default, template

__all__ = [
    "ModelConfig",
    "Recipe",
    "RecipeProblems",
    "RopeScaling",
    "documented_settings",
    "find_recipe",
    "from_hf_config",
    "load_recipe",
    "message_of",
    "read_config",
    "resolve_phases",
    "resolve_recipe",
    "section_heading",
    "setting_default",
    "template",
    "to_hf_config",
]
