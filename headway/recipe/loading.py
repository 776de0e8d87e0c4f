"""From a TOML file to a resolved recipe: overrides, presets, defaults, then validation."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from headway import catalog, units
from headway.catalog import programs
from headway.errors import CatalogError, RecipeError
from headway.recipe.hf_config import read_config
from headway.recipe.paths import anchor_paths
from headway.recipe.phases import PhaseConfig, phase_content, with_clipping
from headway.recipe.reading import read_limited
from headway.recipe.rules import broken_rules
from headway.recipe.schema import Recipe
from headway.recipe.sections import PLACES

_MAX_RECIPE_BYTES = 4 * 2**20

_RANGE_KINDS = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
_SHAPES = ("model.preset", "model.config")
"""Settings that bring all others which a recipe must have."""

_DEFAULT_SEQUENCE_LENGTH = 4096
_TOKENS_PER_PARAMETER = 20


class RecipeProblems(RecipeError):  # noqa: N818  it is what the reader sees: problems, in the plural
    """Several rules are broken at once; ``problems`` holds an error for each."""

    problems: tuple[RecipeError, ...]

    def __init__(self, problems: Iterable[RecipeError]) -> None:
        self.problems = tuple(problems)
        super().__init__("recipe-problems", count=len(self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return RecipeProblems, (self.problems,)


def load_recipe(path: str | Path, overrides: Iterable[str] = ()) -> Recipe:
    """Load a recipe from a TOML file.

    Args:
        path: the file.
        overrides: ``section.key=value`` strings that win over the file; the value is TOML, or else plain text. Relative
            paths in them start from the working folder, those in the file from the file's.

    Raises:
        RecipeError: the file cannot be read, is not TOML, or breaks a rule.
    """
    file = Path(path)
    raw = _read_toml(file)
    raw.setdefault("name", file.stem)
    anchor_paths(raw, file.parent)
    for override in overrides:
        _apply_override(raw, override)
    return resolve_recipe(raw)


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        content = read_limited(file, _MAX_RECIPE_BYTES)
    except OSError as error:
        raise RecipeError("recipe-unreadable", path=str(file), reason=error.strerror or str(error)) from error
    if len(content) > _MAX_RECIPE_BYTES:
        raise RecipeError("recipe-file-too-large", path=str(file), limit_bytes=_MAX_RECIPE_BYTES)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        # ValueError: not UTF-8, not TOML, or an integer of thousands of digits.
        raise RecipeError("recipe-not-toml", path=str(file), reason=str(error)) from error


def _exists(path: Path) -> bool:
    """Say whether there is such a path; a name that is too long for any path is none."""
    try:
        return path.exists()
    except OSError:
        return False


def resolve_recipe(raw: Mapping[str, Any], base: Path | None = None) -> Recipe:
    """Resolve and validate a recipe given as plain data.

    Args:
        raw: sections by name, as TOML or JSON gives them.
        base: the folder that relative paths start from; the working folder by default.

    Raises:
        RecipeError: a rule is broken (`RecipeProblems` where several are).
    """
    content = {key: dict(value) if isinstance(value, Mapping) else value for key, value in raw.items()}
    for section in ("model", "data", "training", "hardware", "layout", "site", "resilience", "budget"):
        content.setdefault(section, {})
        if not isinstance(content[section], dict):
            raise RecipeError("recipe-section-not-table", section=section)
    anchor_paths(content, base or Path.cwd())
    content["training"] = with_clipping(program_settings(_fill_training(content["training"], content["model"])))
    content["model"] = _resolve_model(content["model"])
    limit = _whole(content["model"].get("max_position_embeddings"))
    if "sequence_length" not in content["training"] and limit is not None:
        content["training"]["sequence_length"] = min(limit, _DEFAULT_SEQUENCE_LENGTH)
    data = content["data"]
    if not any(data.get(place) for place in PLACES):
        data["source"] = "python-stdlib"
    try:
        recipe = Recipe.model_validate(content)
    except ValidationError as error:
        problems = _translate_all(error)
        raise (problems[0] if len(problems) == 1 else RecipeProblems(problems)) from error
    broken = broken_rules(recipe)
    if broken:
        raise broken[0] if len(broken) == 1 else RecipeProblems(broken)
    resolve_phases(recipe)
    return recipe


class PhaseProblems(RecipeProblems):
    """A phase breaks rules; ``problems`` holds an error for each."""

    def __init__(self, phase: str, problems: Iterable[RecipeError]) -> None:
        self.problems = tuple(problems)
        RecipeError.__init__(self, "recipe-phase-problems", phase=phase, count=len(self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return PhaseProblems, (self.arguments["phase"], self.problems)


def resolve_phases(recipe: Recipe) -> tuple[Recipe, ...]:
    """Return the recipe of each phase after the first, which is the recipe itself.

    Raises:
        RecipeError: a phase breaks a rule, or two have one name.
    """
    names = [phase.name for phase in recipe.phases]
    for name in names:
        if names.count(name) > 1:
            raise RecipeError("recipe-phase-twice", phase=name)
    return tuple(_resolve_phase(recipe, phase) for phase in recipe.phases)


def _resolve_phase(recipe: Recipe, phase: PhaseConfig) -> Recipe:
    try:
        return resolve_recipe(phase_content(recipe.to_dict(), phase))
    except RecipeProblems as error:
        raise PhaseProblems(phase.name, error.problems) from error
    except RecipeError as error:
        raise PhaseProblems(phase.name, (error,)) from error


def _resolve_model(model: dict[str, Any]) -> dict[str, Any]:
    """Fill the shape from the preset or the config file; what the recipe itself states wins."""
    if "preset" in model and "config" in model:
        raise RecipeError("recipe-model-twice", preset=str(model["preset"]), config=str(model["config"]))
    filled: dict[str, Any] = {}
    if "preset" in model:
        if not isinstance(model["preset"], str):
            raise RecipeError(
                "recipe-field-type", field="model.preset", value=_shown(model["preset"]), expected="string"
            )
        filled = dict(catalog.model_preset(model["preset"]).config)
    elif "config" in model:
        filled = read_config(Path(str(model["config"])))
        # What was read is the shape from here on: the recipe of a run must load where that file is not.
        model = {name: value for name, value in model.items() if name != "config"}
    filled.update(model)
    if "num_key_value_heads" not in filled and "num_attention_heads" in filled:
        filled["num_key_value_heads"] = filled["num_attention_heads"]
    heads, hidden = _whole(filled.get("num_attention_heads")), _whole(filled.get("hidden_size"))
    if "head_dim" not in filled and heads and hidden:
        if hidden % heads:
            raise RecipeError("recipe-hidden-not-divisible", hidden_size=hidden, num_attention_heads=heads)
        filled["head_dim"] = hidden // heads
    return filled


def _fill_training(training: dict[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    """Fill the length of the training for a model whose size is known: a preset whose shape is not changed.

    Source: Hoffmann et al. 2022 (arXiv:2203.15556), table 3: about 20 tokens for each parameter.
    """
    if "steps" in training or "tokens" in training or set(model) != {"preset"} or not isinstance(model["preset"], str):
        return training
    preset = catalog.model_preset(model["preset"])
    return {**training, "tokens": _TOKENS_PER_PARAMETER * (preset.active_parameters or preset.parameters)}


def program_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of ``[training]`` with those of the program that trains, where nothing else is stated."""
    name = training.get("software", programs.OWN)
    if not isinstance(name, str) or name == programs.OWN or name not in programs.entries():
        # The schema says what is wrong with a name that is not known.
        return dict(training)
    method = str(training.get("method", "full"))
    return {**programs.entries()[name].settings(method, compiled=training.get("compile") is True), **training}


def _whole(value: Any) -> int | None:
    """Return a count that may be written as text, or None where it is none; the schema says what is wrong."""
    try:
        return max(0, units.parse_count(value))
    except (TypeError, ValueError):
        return None


def _apply_override(raw: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    names = key.strip().split(".")
    if not separator or not all(names):
        raise RecipeError("recipe-override-shape", override=override)
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        value = text.strip()
    table = raw
    for name in names[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise RecipeError("recipe-override-shape", override=override)
    table[names[-1]] = value


def _translate_all(error: ValidationError) -> list[RecipeError]:
    """Turn pydantic's problems into errors of ours: one for each field, however many of its alternatives failed."""
    by_field: dict[str, list[Any]] = {}
    for item in error.errors(include_url=False):
        by_field.setdefault(_field_name(item["loc"]), []).append(item)
    problems = []
    for field, items in by_field.items():
        # A number above its limit is no misspelt name.
        items = [item for item in items if item["type"] == "less_than_equal"] or items
        if len(items) == 1:
            problems.append(_translate(field, items[0]))
            continue
        choices = next((str(item["ctx"]["expected"]) for item in items if item["type"] == "literal_error"), "none")
        value = _shown(items[0]["input"])
        problems.append(RecipeError("recipe-field-alternatives", field=field, value=value, choices=choices))
    return _causes_first(problems)


def _causes_first(problems: list[RecipeError]) -> list[RecipeError]:
    """Return misspelt names before all else, without what is only missing since a name was misspelt."""
    misspelt = [problem for problem in problems if problem.message_id == "recipe-unknown-key"]
    meant = set()
    for problem in misspelt:
        section = str(problem.arguments["field"]).rpartition(".")[0]
        meant.add(f"{section}.{problem.arguments['closest']}")
    brings_shape = not meant.isdisjoint(_SHAPES)
    others = [
        problem
        for problem in problems
        if problem not in misspelt
        and not (
            problem.message_id == "recipe-field-missing"
            and (problem.arguments["field"] in meant or (brings_shape and problem.arguments["section"] != "phases"))
        )
    ]
    return [*misspelt, *others]


def _translate(field: str, item: Any) -> RecipeError:
    """Turn one pydantic problem into an error of ours."""
    kind = item["type"]
    if kind == "extra_forbidden":
        *parents, name = field.split(".")
        known = _known_fields(parents)
        closest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        return RecipeError(
            "recipe-unknown-key", field=field, closest=closest[0] if closest else "none", known=", ".join(known)
        )
    if kind == "missing":
        return RecipeError("recipe-field-missing", field=field, section=field.partition(".")[0])
    value = _shown(item["input"])
    context = {name: limit for name, limit in item.get("ctx", {}).items() if name != "error"}
    if kind in _RANGE_KINDS:
        bound = next(iter(context.values()))
        return RecipeError("recipe-field-range", field=field, value=value, kind=kind, bound=float(bound))
    if kind == "literal_error":
        return RecipeError("recipe-field-choice", field=field, value=value, choices=str(context["expected"]))
    expected = kind.removesuffix("_type").removesuffix("_parsing")
    return RecipeError("recipe-field-type", field=field, value=value, expected=expected)


def _field_name(location: tuple[int | str, ...]) -> str:
    """Return ``section.setting``; what pydantic adds to name the alternative of a union is left out."""
    model: type[BaseModel] | None = Recipe
    names = []
    for part in map(str, location):
        names.append(part)
        if part.isdigit():
            # The place in a list.
            continue
        if model is None or part not in model.model_fields:
            break
        annotation = model.model_fields[part].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        sections = [kind for kind in candidates if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not sections:
            break
        model = sections[0]
    return ".".join(names)


def _shown(value: object, limit: int = 80) -> str:
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write an integer of thousands of digits.
        text = type(value).__name__
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _known_fields(path: list[str]) -> list[str]:
    model: type[BaseModel] = Recipe
    for name in path:
        if name.isdigit():
            continue
        annotation = model.model_fields[name].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        model = next(kind for kind in candidates if isinstance(kind, type) and issubclass(kind, BaseModel))
    return sorted(model.model_fields)


def find_recipe(name: str, overrides: Iterable[str] = ()) -> Recipe:
    """Load a recipe file, or make the smallest recipe of a model preset.

    Args:
        name: a path, or the name of a model preset such as ``llama-3.1-8b``.
        overrides: as in `load_recipe`.

    Raises:
        RecipeError: there is neither such a file nor such a preset, or a rule is broken.
    """
    if _exists(Path(name)) or Path(name).suffix == ".toml":
        return load_recipe(name, overrides)
    try:
        preset = catalog.model_preset(name)
    except CatalogError as error:
        raise RecipeError("recipe-not-found", name=name, closest=error.arguments.get("closest", "none")) from error
    raw: dict[str, Any] = {"name": preset.id, "model": {"preset": preset.id}}
    for override in overrides:
        _apply_override(raw, override)
    return resolve_recipe(raw)
