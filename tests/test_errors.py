from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from headway import errors
from headway.errors import HeadwayError
from headway.recipe import RecipeProblems

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, HeadwayError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_pickling_and_copying(kind: type[HeadwayError]) -> None:
    error = kind("run-unknown", name="a", count=3, ratio=0.5, known=True)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is kind
        assert (other.message_id, other.arguments) == (error.message_id, error.arguments)
        assert str(other) == str(error) == "run-unknown(name='a', count=3, ratio=0.5, known=True)"


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_drawn_in_the_tree(kind: type[HeadwayError]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")
    assert kind.exit_code in (1, 2)


def test_several_problems_survive_pickling() -> None:
    problems = RecipeProblems([errors.RecipeError("recipe-length-missing"), errors.RecipeError("recipe-head-dim-odd")])
    other = pickle.loads(pickle.dumps(problems))
    assert type(other) is RecipeProblems
    assert [problem.message_id for problem in other.problems] == ["recipe-length-missing", "recipe-head-dim-odd"]
    assert other.arguments == {"count": 2}


def test_arguments_may_have_any_name() -> None:
    error = HeadwayError("run-unknown", message_id="x", self="y", kind="z")
    assert error.arguments == {"message_id": "x", "self": "y", "kind": "z"}
    assert pickle.loads(pickle.dumps(error)).arguments == error.arguments


def test_the_json_body_is_the_id_and_the_arguments() -> None:
    assert HeadwayError("run-unknown", name="a").to_dict() == {
        "error": {"id": "run-unknown", "arguments": {"name": "a"}}
    }
    body = RecipeProblems([errors.RecipeError("recipe-length-missing")]).to_dict()
    assert body["error"]["problems"] == [{"id": "recipe-length-missing", "arguments": {}}]


def test_errors_are_caught_as_what_they_are_to_python() -> None:
    assert issubclass(errors.RecipeError, ValueError)
    assert issubclass(errors.CatalogError, LookupError)
    assert issubclass(errors.MissingDependencyError, ImportError)


def test_an_error_of_another_process_keeps_its_class() -> None:
    from headway.errors import DataError, TrainingError, base_name, rebuild_error
    from headway.training.support import ObstaclesError

    told = DataError("data-empty")
    assert type(rebuild_error(base_name(told), "data-empty", {})) is DataError
    assert base_name(ObstaclesError((told,))) == "RecipeError"
    for odd in ("None", "json", "Any", "base_name"):
        assert type(rebuild_error(odd, "data-empty", {})) is TrainingError
