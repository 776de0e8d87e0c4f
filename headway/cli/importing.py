"""``headway import``."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json
from headway.i18n import current_translator


@command("import")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@option(
    "--output", help_id="cli-option-output-folder", required=True, type=click.Path(path_type=Path), metavar="FOLDER"
)
@option("--no-tokenizer", "without_tokenizer", help_id="cli-option-no-tokenizer", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def import_model(file: Path, output: Path, without_tokenizer: bool, as_json: bool) -> None:
    """Write the model of a GGUF file as a folder that training starts from."""
    from headway.training.importing import import_gguf

    written = import_gguf(file, output, with_tokenizer=not without_tokenizer)
    if as_json:
        print_json({"folder": str(written), "files": sorted(one.name for one in written.iterdir())})
    else:
        click.echo(current_translator().text("cli-plot-written", path=str(written)))
