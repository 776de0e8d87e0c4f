"""A command line that was not understood, as an error of ours: localised, and JSON where JSON is asked for."""

from __future__ import annotations

import difflib
from typing import Any

import click

from headway.errors import HeadwayError


class UsageProblem(HeadwayError):  # noqa: N818  it is what the reader sees
    """The command line breaks a rule."""

    exit_code = 2


def usage_problem(error: click.ClickException) -> HeadwayError:
    """Return click's error as one of ours."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = "headway" if context is None else context.command_path
    if isinstance(error, click.NoSuchOption):
        known = [] if context is None else [name for one in context.command.get_params(context) for name in one.opts]
        return _unknown("cli-usage-option", error.option_name, known, command)
    # click 8.4 has a class for it, and earlier ones have not.
    name = getattr(error, "command_name", None)
    if name is not None and context is not None and isinstance(context.command, click.Group):
        return _unknown("cli-usage-command", str(name), context.command.list_commands(context), command)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return UsageProblem("cli-usage-missing", parameter=_name_of(error.param), command=command)
    return UsageProblem("cli-usage-other", reason=error.format_message(), command=command)


def value_problem(parameter: click.Parameter, value: Any, context: click.Context) -> UsageProblem:
    """Return the error of an option whose value is of the wrong kind or outside its range."""
    kind = parameter.type
    whole = isinstance(kind, click.types.IntParamType)
    expected = "integer" if whole else "number" if isinstance(kind, click.types.FloatParamType) else "other"
    return UsageProblem(
        "cli-usage-value",
        parameter=_name_of(parameter),
        value=str(value),
        expected=expected,
        range=_range_of(kind),
        command=context.command_path,
    )


def _unknown(message_id: str, name: str, known: list[str], command: str) -> UsageProblem:
    closest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return UsageProblem(message_id, name=name, closest=closest[0] if closest else "none", command=command)


def _name_of(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(click.Context(click.Command(None))).rstrip(".")
    return max(parameter.opts, key=len)


def _range_of(kind: object) -> str:
    """Return the bounds of a number, such as ``> 0, <= 1``; ``none`` where there are none."""
    if not isinstance(kind, (click.IntRange, click.FloatRange)):
        return "none"
    bounds = []
    if kind.min is not None:
        bounds.append(f"{'>' if kind.min_open else '>='} {kind.min}")
    if kind.max is not None:
        bounds.append(f"{'<' if kind.max_open else '<='} {kind.max}")
    return ", ".join(bounds) or "none"
