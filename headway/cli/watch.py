"""``headway watch``."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json, say
from headway.cli.train import DEFAULT_RUNS
from headway.i18n import current_translator
from headway.web.serving import DEFAULT_HOST, DEFAULT_PORT, listen, serve


@command("watch")
@click.argument("runs_folder", metavar="[RUNS]", default=DEFAULT_RUNS)
@option("--host", help_id="cli-option-host", default=DEFAULT_HOST, show_default=True, metavar="ADDRESS")
@option("--port", help_id="cli-option-port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True)
@option("--token", help_id="cli-option-token", envvar="HEADWAY_TOKEN", metavar="TEXT")
@option("--open", "opens", help_id="cli-option-open", is_flag=True)
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def watch(runs_folder: str, host: str, port: int, token: str | None, opens: bool, as_json: bool) -> None:
    """Show all runs in a browser."""
    listening = listen(host, port, token=token)
    if as_json:
        print_json({"url": listening.url, "port": listening.port})
    else:
        say(current_translator().text("cli-watch-open", url=listening.url))
        if listening.token is not None:
            say(current_translator().text("cli-watch-token"))
    if opens:
        click.launch(listening.url)
    serve(listening, Path(runs_folder))
