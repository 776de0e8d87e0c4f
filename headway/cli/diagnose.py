"""``headway diagnose``."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json
from headway.errors import DiagnosisError


@command("diagnose")
@click.argument("paths", metavar="PATH...", nargs=-1)
@option("--recipe", help_id="cli-option-diagnose-recipe", metavar="RECIPE")
@option("--follow", help_id="cli-option-follow", is_flag=True)
@option("--redact", help_id="cli-option-redact", is_flag=True)
@option("--list", "list_causes", help_id="cli-option-list-causes", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def diagnose(
    paths: tuple[str, ...], recipe: str | None, follow: bool, redact: bool, list_causes: bool, as_json: bool
) -> None:
    """Say why a training failed, from its logs."""
    from headway.cli import diagnose_view

    if list_causes:
        diagnose_view.show_causes(as_json=as_json)
        return
    if not paths:
        raise DiagnosisError("diagnosis-nothing-named")
    if follow:
        _follow(paths, redact=redact, as_json=as_json)
        return
    told = diagnose_view.with_progress(list(paths), recipe)
    if redact:
        from headway.diagnosis.redaction import redacted

        told = redacted(told)
    if as_json:
        print_json(told.to_dict())
    else:
        diagnose_view.show(told)


def _follow(paths: tuple[str, ...], *, redact: bool, as_json: bool) -> None:
    """Diagnose again whenever the logs have grown, and show what is new."""
    from headway.cli import diagnose_view
    from headway.diagnosis.following import follow
    from headway.diagnosis.redaction import redacted

    for told in follow([Path(path) for path in paths]):
        shown = redacted(told) if redact else told
        if as_json:
            print_json(shown.to_dict())
        else:
            diagnose_view.show(shown)
