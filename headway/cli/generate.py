"""``headway generate``."""

from __future__ import annotations

from pathlib import Path

import click

from headway.cli.localized import command, option
from headway.cli.output import print_json
from headway.cli.train import DEFAULT_RUNS
from headway.errors import MissingDependencyError


@command("generate")
@click.argument("run_name", metavar="RUN")
@option("--prompt", help_id="cli-option-prompt", default="", metavar="TEXT")
@option("--tokens", help_id="cli-option-tokens", type=click.IntRange(1), default=200, show_default=True)
@option("--temperature", help_id="cli-option-temperature", type=click.FloatRange(0), default=0.8, show_default=True)
@option("--top-k", help_id="cli-option-top-k", type=click.IntRange(1), default=50, show_default=True)
@option("--top-p", help_id="cli-option-top-p", type=click.FloatRange(0, 1, min_open=True))
@option("--seed", help_id="cli-option-seed", type=click.IntRange(0), default=0, show_default=True)
@option("--chat/--no-chat", "chat", help_id="cli-option-chat", default=None)
@option("--step", help_id="cli-option-step", type=click.IntRange(0))
@option("--best", help_id="cli-option-best", is_flag=True)
@option("--runs", "runs_folder", help_id="cli-option-runs", default=DEFAULT_RUNS, show_default=True, metavar="FOLDER")
@option("--json", "as_json", help_id="cli-option-json", is_flag=True)
def generate(
    run_name: str,
    prompt: str,
    tokens: int,
    temperature: float,
    top_k: int,
    top_p: float | None,
    seed: int,
    chat: bool | None,
    step: int | None,
    best: bool,
    runs_folder: str,
    as_json: bool,
) -> None:
    """Write text with the model of a run."""
    from headway.runs import RunFolder

    run = RunFolder.open(Path(runs_folder), run_name)
    try:
        from headway.training.engines.torch.generation import Sampling
        from headway.training.reading import chosen_step
        from headway.training.writing import write_text
    except ModuleNotFoundError as error:
        raise MissingDependencyError("training-engine-missing", engine="torch", extra="torch") from error
    sampling = Sampling(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    pieces = write_text(run, prompt, tokens, sampling, chosen_step(run, step, best=best), chat=chat)
    if as_json:
        print_json({"prompt": prompt, "text": "".join(pieces)})
        return
    # The prompt is shown when the model has begun: it may be one that it refuses.
    first = next(pieces, "")
    click.echo(prompt + first, nl=False)
    for piece in pieces:
        click.echo(piece, nl=False)
    click.echo()
