"""The errors that Headway raises on purpose.

HeadwayError                    every error that a user can meet; carries a message id and its arguments
|-- RecipeError                 the recipe breaks a rule
|-- CatalogError                a name that the catalogue does not know
|-- MachineError                the machine cannot be read or measured
|-- PlanError                   the plan cannot be made
|-- DataError                   the training data or the tokenizer cannot be used
|-- CheckpointError             a checkpoint cannot be written, read or trusted
|-- DiagnosisError              the logs to explain cannot be read, or a table of signatures breaks its rules
|-- RunError                    a run folder cannot be created, read or continued
|-- TrainingError               the training cannot start or go on
|-- ServingError                the model cannot be exported or served
`-- MissingDependencyError      an optional package is not installed

An error never holds a sentence. It holds the id of a message and the message's arguments; the text is made
at the edge (`headway.i18n.render_error`) in the reader's language. Each message states the rule and the value
received; its `.next` attribute states the next step.
"""

from __future__ import annotations

from typing import Any


class HeadwayError(Exception):
    """Base of all errors that Headway raises on purpose.

    Args:
        message_id: id of the message in the Fluent catalogues; it is also the stable code of the error.
        arguments: the values that the message names. They must be plain (str, int, float, bool).
    """

    exit_code = 1
    """The exit code of the command line: 2 where the input is wrong, 1 where the work failed."""

    problems: tuple[HeadwayError, ...] = ()
    """The errors that this one sums up, where it is of several things at once."""

    def __init__(self, message_id: str, /, **arguments: Any) -> None:
        self.message_id = message_id
        self.arguments = arguments
        super().__init__(message_id, arguments)

    def __str__(self) -> str:
        listed = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.message_id}({listed})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the constructor with a dictionary in place of keywords.
        return _rebuild, (type(self), self.message_id, self.arguments)

    def to_dict(self) -> dict[str, Any]:
        """Return the error as the JSON body that the command line and the HTTP API share; with its problems, if any."""
        body: dict[str, Any] = {"id": self.message_id, "arguments": self.arguments}
        if self.problems:
            body["problems"] = [problem.to_dict()["error"] for problem in self.problems]
        return {"error": body}


def base_name(error: HeadwayError) -> str:
    """Return the name of the class of this module that an error belongs to, for `rebuild_error`."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == __name__)


def rebuild_error(kind: str, message_id: str, arguments: dict[str, Any]) -> HeadwayError:
    """Return an error that another process wrote down, of the class that `base_name` named there."""
    found = globals().get(kind)
    if isinstance(found, type) and issubclass(found, HeadwayError):
        return found(message_id, **arguments)
    return TrainingError(message_id, **arguments)


def _rebuild(kind: type[HeadwayError], message_id: str, arguments: dict[str, Any]) -> HeadwayError:
    return kind(message_id, **arguments)


class RecipeError(HeadwayError, ValueError):
    """The recipe breaks a rule."""

    exit_code = 2


class CatalogError(HeadwayError, LookupError):
    """A name that the catalogue does not know, or a catalogue file that breaks its schema."""

    exit_code = 2


class MachineError(HeadwayError):
    """The machine cannot be read or measured."""


class PlanError(HeadwayError, ValueError):
    """The plan cannot be made from what is known."""

    exit_code = 2


class DataError(HeadwayError, ValueError):
    """The training data or the tokenizer cannot be used."""

    exit_code = 2


class CheckpointError(HeadwayError):
    """A checkpoint cannot be written, read or trusted."""


class DiagnosisError(HeadwayError, ValueError):
    """The logs to explain cannot be read, or a table of signatures breaks its rules."""

    exit_code = 2


class RunError(HeadwayError):
    """A run folder cannot be created, read or continued."""


class TrainingError(HeadwayError):
    """The training cannot start or cannot go on."""


class ServingError(HeadwayError):
    """The model cannot be exported or served."""


class MissingDependencyError(HeadwayError, ImportError):
    """An optional package is not installed; the arguments name it and the command that installs it."""
