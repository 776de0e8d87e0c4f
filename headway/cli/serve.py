"""``headway serve``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headway.cli.localized import command, error_lines, option
from headway.cli.output import make_table, say, stderr_console
from headway.errors import MissingDependencyError, ServingError
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from headway.serving.endpoint import Listening
    from headway.serving.endpoint.running import Served
    from headway.serving.engine import Engine
    from headway.serving.placement import Placement, Wishes

KEY_VARIABLE = "HEADWAY_API_KEY"


@command("serve")
@click.argument("model", metavar="MODEL", type=click.Path(path_type=Path))
@option("--host", help_id="cli-option-serve-host", default="127.0.0.1", show_default=True, metavar="ADDRESS")
@option("--port", help_id="cli-option-serve-port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@option("--api-key", "key", help_id="cli-option-api-key", envvar=KEY_VARIABLE, metavar="KEY")
@option("--ctx", "context", help_id="cli-option-ctx", type=click.IntRange(16), metavar="TOKENS")
@option("--parallel", help_id="cli-option-parallel", type=click.IntRange(1, 256), default=4, show_default=True)
@option("--queue", help_id="cli-option-queue", type=click.IntRange(0), default=64, show_default=True)
@option("--threads", help_id="cli-option-serve-threads", type=click.IntRange(1))
@option(
    "--kv-type",
    "key_value_type",
    help_id="cli-option-kv-type",
    type=click.Choice(["f32", "f16", "bf16", "q8_0", "q4_0"]),
    default="f16",
    show_default=True,
)
@option("--numa", help_id="cli-option-numa", type=click.Choice(["disabled", "distribute", "isolate", "numactl"]))
@option("--mlock", "locks", help_id="cli-option-mlock", is_flag=True)
@option("--embeddings", "embeds", help_id="cli-option-embeddings", is_flag=True)
@option(
    "--grace",
    "grace_seconds",
    help_id="cli-option-serve-grace",
    type=click.FloatRange(0),
    default=30,
    show_default=True,
)
@option("--json", "as_json", help_id="cli-option-json-lines", is_flag=True)
def serve(
    model: Path,
    host: str,
    port: int,
    key: str | None,
    context: int | None,
    parallel: int,
    queue: int,
    threads: int | None,
    key_value_type: str,
    numa: str | None,
    locks: bool,
    embeds: bool,
    grace_seconds: float,
    as_json: bool,
) -> None:
    """Run a model behind an OpenAI-compatible endpoint."""
    try:
        from headway.serving.endpoint import Rules, listen
        from headway.serving.placement import Wishes
    except ModuleNotFoundError as error:
        raise MissingDependencyError("serving-package-missing", package=str(error.name), extra="serve") from error
    wishes = Wishes(
        context=context,
        parallel=parallel,
        threads=threads,
        key_value_type=key_value_type,
        numa=numa,
        locks=locks,
        embeds=embeds,
    )
    placement = placed(model, wishes)
    listening = listen(host, port, key)
    rules = Rules(
        hosts=frozenset({host.lower()}) if listening.key is None else None,
        key=listening.key,
        parallel=parallel,
        queue=queue,
        grace_seconds=grace_seconds,
    )
    _run(placement, listening, rules, shows_key=key is None, as_json=as_json)


def placed(model: Path, wishes: Wishes) -> Placement:
    """Return how a file is put onto this machine.

    Raises:
        ServingError: it is no whole GGUF file, or does not fit.
    """
    from headway.serving.header import read_header
    from headway.serving.placement import place, this_machine

    header = read_header(model)
    return place(header, wishes, *this_machine())


def _run(placement: Placement, listening: Listening, rules: object, *, shows_key: bool, as_json: bool) -> None:
    from headway.serving.endpoint import Rules, serve
    from headway.serving.engine import Engine

    assert isinstance(rules, Rules)
    if not as_json:
        show_placement(placement)
    say(current_translator().text("cli-serve-loading", model=placement.settings.alias))
    with Engine(placement.settings) as engine:
        served = serve(
            engine,
            listening,
            rules,
            on_ready=lambda: _tell_ready(engine, placement, listening, shows_key=shows_key, as_json=as_json),
            on_restart=_tell_restart,
        )
    if as_json:
        click.echo(
            json.dumps(
                {"event": "served", **served.to_dict(), "predicted_tokens_per_second": placement.tokens_per_second}
            )
        )
    else:
        _show_served(served, placement)


def show_placement(placement: Placement) -> None:
    """Print how a model runs here, and what it is predicted to do."""
    translator, settings = current_translator(), placement.settings
    locale = translator.language
    rows = [
        ("model", settings.alias),
        ("weights", format_quantity("bytes", placement.weight_bytes, locale)),
        ("context", f"{settings.parallel} x {settings.context}"),
        ("cache", f"{format_quantity('bytes', placement.cache_bytes, locale)} ({settings.key_value_type})"),
        ("memory", format_quantity("bytes", placement.usable_bytes, locale)),
        ("threads", str(settings.threads)),
        ("numa", settings.numa),
        ("speed", format_quantity("tokens_per_second", placement.tokens_per_second, locale)),
    ]
    headings = (translator.text("cli-column-what"), translator.text("cli-column-value"))
    console = stderr_console()
    console.print(make_table(headings, [(translator.text(f"cli-serve-{name}"), value) for name, value in rows]))
    if placement.is_larger_than_memory:
        say(
            translator.text(
                "cli-serve-larger", weight_bytes=placement.weight_bytes, usable_bytes=placement.usable_bytes
            )
        )


def _tell_ready(engine: Engine, placement: Placement, listening: Listening, *, shows_key: bool, as_json: bool) -> None:
    key = listening.key if shows_key else None
    if as_json:
        told = {"event": "serving", "url": listening.url, "engine_process_id": engine.process_id}
        click.echo(json.dumps({**told, **({"api_key": key} if key else {}), **placement.to_dict()}))
    else:
        say(current_translator().text("cli-serve-ready", url=f"{listening.url}/v1"))
        if key is not None:
            say(current_translator().text("cli-serve-key", key=key))


def _tell_restart(why: ServingError) -> None:
    say(error_lines(why)[0])
    say(current_translator().text("cli-serve-restart"))


def _show_served(served: Served, placement: Placement) -> None:
    translator = current_translator()

    def speed(value: float | None) -> str:
        return format_quantity("tokens_per_second", value, translator.language)

    say(translator.text("cli-serve-served", requests=served.requests, tokens=served.tokens))
    if served.tokens_per_second is not None:
        predicted, measured = speed(placement.tokens_per_second), speed(served.tokens_per_second)
        say(translator.text("cli-serve-measured", predicted=predicted, measured=measured))
