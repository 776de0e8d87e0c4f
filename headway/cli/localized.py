"""Click classes whose help comes from the message catalogues, in the language of the moment."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from headway.cli.output import say
from headway.cli.usage import value_problem
from headway.errors import HeadwayError
from headway.i18n import current_translator, known_languages, use_language
from headway.i18n.negotiation import match_language

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class LocalizedOption(click.Option):
    """An option whose help is a message.

    Args:
        help_id: id of the message.
    """

    def __init__(self, declarations: Sequence[str], help_id: str, **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.help_id = help_id

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Convert what was given.

        Raises:
            UsageProblem: it is of the wrong kind, or outside the range.
        """
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            raise value_problem(self, value, ctx) from error

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Render the help at the moment it is shown."""
        self.help = current_translator().text(self.help_id)
        return super().get_help_record(ctx)


class LocalizedCommand(click.Command):
    """A command whose help is the message ``cli-<names>-help``, with ``cli-<names>`` as its line in lists.

    The names are those of the groups above it, but for the outermost, and its own.
    """

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Render the help at the moment it is shown."""
        self.help = help_text(_names(ctx))
        super().format_help_text(ctx, formatter)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the line of the usage."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, f"{current_translator().text('cli-usage')}: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and the commands where there are any."""
        options = (one for one in self.get_params(ctx) if isinstance(one, click.Option))
        records = (one.get_help_record(ctx) for one in options)
        rows = [record for record in records if record is not None]
        with formatter.section(current_translator().text("cli-options")):
            formatter.write_dl(rows)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option that shows the help, described in the language of the moment."""
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = current_translator().text("cli-option-help")
        return found

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the line that lists this command."""
        return current_translator().text(f"cli-{self.name}")


class LazyGroup(LocalizedCommand, click.Group):
    """A group that imports a command's module only when that command runs.

    Args:
        lazy_commands: ``module:attribute`` by command name.
    """

    def __init__(self, *args: Any, lazy_commands: dict[str, str] | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._lazy_commands = lazy_commands or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all command names in the order in which they were given."""
        return [*self._lazy_commands, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self._lazy_commands:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._lazy_commands[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        translator = current_translator()
        prefix = "" if ctx.parent is None else f"{self.name}-"
        rows = [(name, translator.text(f"cli-{prefix}{name}")) for name in self.list_commands(ctx)]
        with formatter.section(translator.text("cli-commands")):
            formatter.write_dl(rows)


def _names(ctx: click.Context) -> str:
    """Return the names of a command below the outermost one, joined as in a message id."""
    names: list[str] = []
    at: click.Context | None = ctx
    while at is not None:
        names.insert(0, at.command.name or "")
        at = at.parent
    return "-".join(names[1:] or names)


def help_text(name: str) -> str:
    """Return the long help of a command by its names; click keeps the line breaks of a paragraph that ``\\b`` opens.

    Such are the paragraphs that begin with two spaces, in any language: examples.
    """
    return re.sub(r"(?<=\n\n)(?=  )", "\b\n", current_translator().text(f"cli-{name}-help"))


def option(*declarations: str, help_id: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Add an option with a localised help to a command."""

    def decorate(function: Decorated) -> Decorated:
        parameters: list[click.Parameter] = getattr(function, "__click_params__", [])
        parameters.append(LocalizedOption(declarations, help_id, **settings))
        function.__click_params__ = parameters  # type: ignore[attr-defined]
        return function

    return decorate


def recipe_options(function: Decorated) -> Decorated:
    """Add the argument ``RECIPE`` and ``--set``, which every command on a recipe takes."""
    add_recipe = click.argument("recipe_path", metavar="RECIPE")
    add_overrides = option("--set", "overrides", help_id="cli-option-set", multiple=True, metavar="KEY=VALUE")
    return add_recipe(add_overrides(function))


def language_option(function: Decorated) -> Decorated:
    """Add ``--lang``, which decides before anything is printed."""

    def choose(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        translator = use_language(value)
        if match_language(value, known_languages()) is None:
            known = ", ".join(known_languages())
            say(translator.text("cli-lang-unknown", tag=value, known=known, used=translator.language))

    add = option("--lang", help_id="cli-option-lang", metavar="TAG", is_eager=True, expose_value=False, callback=choose)
    return add(function)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a localised command of a function; every command takes ``--lang``."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, cls=LocalizedCommand, **settings)(language_option(function))
        return made

    return decorate


def error_lines(error: HeadwayError) -> list[str]:
    """Render an error, its problems where it has several, and the next step."""
    translator = current_translator()
    text, next_step = translator.error(error)
    lines = [f"{translator.text('cli-error')}: {text}"]
    for problem in error.problems:
        problem_text, problem_next = translator.error(problem)
        lines.append(f"  - {problem_text}" + (f" {problem_next}" if problem_next else ""))
    if next_step:
        lines.append(f"{translator.text('cli-next')}: {next_step}")
    return lines
