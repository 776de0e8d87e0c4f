"""The entry point of ``headway``: the group, and the one place where errors become text and exit codes."""

from __future__ import annotations

import sys

import click

from headway import __version__
from headway.cli.localized import LazyGroup, error_lines, language_option
from headway.cli.output import print_json
from headway.errors import HeadwayError

COMMANDS = {
    "probe": "headway.cli.probe:probe",
    "recipe": "headway.cli.recipe:recipe",
    "plan": "headway.cli.plan:plan",
    "train": "headway.cli.train:train",
    "generate": "headway.cli.generate:generate",
    "runs": "headway.cli.runs:runs",
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
    wants_json = "--json" in sys.argv[1:]
    try:
        code = cli.main(standalone_mode=False)
    except HeadwayError as error:
        if wants_json:
            print_json(error.to_dict())
        else:
            click.echo("\n".join(error_lines(error)), err=True)
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        click.echo(err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SystemExit:
        # Only click ends the process from within: where the reader of our output went away, as in
        # `headway runs list | head`, and that is no fault of ours.
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)
