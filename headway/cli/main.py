"""The entry point of ``headway``: the group, and the one place where errors become text and exit codes."""

from __future__ import annotations

import sys

import click

from headway import __version__
from headway.cli.localized import LazyGroup, error_lines, language_option
from headway.cli.output import print_json, say
from headway.cli.stopping import exit_code
from headway.cli.streams import OutputError, ReaderGoneError, guard_streams
from headway.cli.usage import usage_problem
from headway.errors import HeadwayError
from headway.i18n import current_translator

COMMANDS = {
    "probe": "headway.cli.probe:probe",
    "recipe": "headway.cli.recipe:recipe",
    "plan": "headway.cli.plan:plan",
    "data": "headway.cli.data:data",
    "preflight": "headway.cli.preflight:preflight",
    "drill": "headway.cli.drill:drill",
    "train": "headway.cli.train:train",
    "submit": "headway.cli.submit:submit",
    "import": "headway.cli.importing:import_model",
    "export": "headway.cli.export:export",
    "generate": "headway.cli.generate:generate",
    "serve": "headway.cli.serve:serve",
    "chat": "headway.cli.chat:chat",
    "runs": "headway.cli.runs:runs",
    "run": "headway.cli.run:run",
    "watch": "headway.cli.watch:watch",
    "diagnose": "headway.cli.diagnose:diagnose",
    "i18n": "headway.cli.i18n:i18n",
    "demo": "headway.cli.demo:demo",
}

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group("headway", cls=LazyGroup, lazy_commands=COMMANDS, context_settings=SETTINGS)
@click.version_option(__version__, "--version", message="headway %(version)s")
@language_option
def cli() -> None:
    """Hold the commands; their help is in the message catalogues."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    guard_streams()
    sys.exit(run())


def run() -> int:
    """Run the command line; return the exit code, which tells the truth even where nobody reads the output."""
    code = 0
    try:
        code, error = _outcome()
        if error is not None:
            _tell(error)
        sys.stdout.flush()
    except ReaderGoneError:
        # Whoever read our output has seen enough, as in `headway runs list | head`.
        return code
    except OutputError as error:
        say("\n".join(error_lines(error)))
        return code or error.exit_code
    return code


def _outcome() -> tuple[int, HeadwayError | None]:
    """Return the exit code of the command, and the error where there is one to tell."""
    try:
        code = cli.main(standalone_mode=False)
    except OutputError:
        raise
    except HeadwayError as error:
        return error.exit_code, error
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        say(current_translator().text("cli-stopped"))
        # Click hides what interrupted it.
        return exit_code(error.__cause__ or error), None
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code, None
    except click.ClickException as error:
        problem = usage_problem(error)
        return problem.exit_code, problem
    return (code if isinstance(code, int) else 0), None


def _tell(error: HeadwayError) -> None:
    if "--json" in sys.argv[1:]:
        print_json(error.to_dict())
    else:
        say("\n".join(error_lines(error)))
