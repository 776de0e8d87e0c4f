"""Fine-tuning on real conversations, from the outside: real worker processes on a file of chats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from headway.cli.training_view import event_line
from headway.i18n import Translator
from headway.machine.inventory import take_inventory
from headway.recipe import Recipe
from headway.runs import RunFolder
from headway.training.data import Corpus, prepare
from headway.training.exporting import export_run
from headway.training.session import Session, open_run
from headway.training.support import obstacles

Make = Callable[..., Recipe]
LENGTH = 192


def events(run: RunFolder, kind: str) -> list[dict[str, Any]]:
    return [event for event in run.events() if event["event"] == kind]


def notices(run: RunFolder) -> list[dict[str, Any]]:
    return [event for event in events(run, "notice") if event["id"] != "training-no-plan"]


def tuned(make: Make, chats: Path, data: dict[str, Any] | None = None, **training: Any) -> Recipe:
    return make(
        model={"max_position_embeddings": LENGTH},
        data={"paths": [str(chats)], "format": "chat", **(data or {})},
        training={"phase": "finetune", "steps": 40, "evaluate_every_steps": 10, "sequence_length": LENGTH, **training},
    )


def corpus_of(recipe: Recipe) -> Corpus:
    return prepare(recipe.data, vocab_size=recipe.model.vocab_size, seed=recipe.training.seed)


def trained(recipe: Recipe, root: Path) -> RunFolder:
    run = open_run(recipe, {}, root=root)
    assert Session(run).wait() == 0
    assert run.status() == "finished"
    return run


@pytest.fixture(scope="module")
def from_random(make_small_recipe: Make, chat_file: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return trained(tuned(make_small_recipe, chat_file), tmp_path_factory.mktemp("random"))


def test_the_loss_on_answers_falls_from_random_weights(from_random: RunFolder) -> None:
    metrics = from_random.metrics()
    assert metrics[0]["loss"] == pytest.approx(np.log(512), rel=0.05)
    assert metrics[-1]["loss"] < metrics[0]["loss"] - 1
    evaluated = [event["loss"] for event in events(from_random, "evaluated")]
    assert len(evaluated) == 4
    assert evaluated == sorted(evaluated, reverse=True)


def test_what_is_exported_speaks_by_the_same_template(from_random: RunFolder, chat_file: Path, tmp_path: Path) -> None:
    folder = export_run(from_random, tmp_path / "exported", merges=False)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    messages = json.loads(chat_file.read_text().splitlines()[0])["messages"]
    corpus = corpus_of(from_random.recipe())
    assert corpus.template is not None
    text = corpus.template.render(messages, {}).text
    ((ids, _),) = corpus.tokenizer.encode_rendered([text])
    assert theirs.apply_chat_template(messages, tokenize=True, return_dict=True)["input_ids"] == ids
    assert theirs.eos_token_id == corpus.tokenizer.end_of_document_id


def test_what_is_told_of_an_evaluation_counts_answers_only(from_random: RunFolder) -> None:
    recipe = from_random.recipe()
    (*_, last) = events(from_random, "evaluated")
    corpus = corpus_of(recipe)
    limit = 8 * recipe.training.evaluate_batches
    batches = corpus.validation_batches(LENGTH, 4, limit)
    assert last["tokens"] == sum(batch.num_targets for batch in batches)
    assert 0 < last["tokens"] < sum(batch.tokens[:, 1:].size for batch in batches)
    assert "bits_per_byte" not in last
    line = event_line(last)
    assert line is not None and "perplexity" in line and "{" not in line


def test_conversations_that_are_cut_are_told(from_random: RunFolder, chat_file: Path) -> None:
    corpus = corpus_of(from_random.recipe())
    starts = corpus.train.document_starts(0, corpus.train.num_tokens)
    longer = int((np.diff(starts, append=corpus.train.num_tokens) > LENGTH + 1).sum())
    (notice,) = notices(from_random)
    assert (notice["id"], notice["arguments"]) == ("training-conversations-cut", {"conversations": longer})
    assert 0 < longer < len(chat_file.read_text().splitlines())
    assert "longer than a sequence" in Translator("en").text(notice["id"], **notice["arguments"])


@pytest.fixture(scope="module")
def base(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of plain text."""
    return trained(make_small_recipe(model={"max_position_embeddings": LENGTH}), tmp_path_factory.mktemp("base"))


def test_a_run_of_text_is_tuned_with_its_tokenizer(
    base: RunFolder, make_small_recipe: Make, chat_file: Path, tmp_path: Path
) -> None:
    """What it learned of Python code makes the first loss on answers, which are code, lower than chance."""
    weights = max(base.checkpoints_folder.glob("step-*"))
    recipe = tuned(
        make_small_recipe,
        chat_file,
        {"tokenizer": str(base.tokenizer_path)},
        init_from=str(weights),
        learning_rate=1e-3,
    )
    assert (
        obstacles(recipe.model_copy(update={"hardware": make_small_recipe().hardware}), take_inventory(tmp_path)) == []
    )
    run = trained(recipe, tmp_path)
    metrics = run.metrics()
    assert metrics[0]["loss"] < np.log(512) - 0.5
    assert metrics[-1]["loss"] < metrics[0]["loss"] - 0.2
    evaluated = [event["loss"] for event in events(run, "evaluated")]
    assert evaluated[-1] < evaluated[0]
    # The next one finds the template that this one was tuned with.
    assert (run.tokenizer_path.parent / "chat_template.jinja").exists()
    third = tuned(make_small_recipe, chat_file, {"tokenizer": str(run.tokenizer_path)})
    assert corpus_of(third).digest == corpus_of(recipe).digest


def test_adapters_learn_answers_too(base: RunFolder, make_small_recipe: Make, chat_file: Path, tmp_path: Path) -> None:
    weights = max(base.checkpoints_folder.glob("step-*"))
    adapters = {"method": "lora", "adapter_rank": 8, "init_from": str(weights), "learning_rate": 1e-2}
    run = trained(tuned(make_small_recipe, chat_file, {"tokenizer": str(base.tokenizer_path)}, **adapters), tmp_path)
    evaluated = [event["loss"] for event in events(run, "evaluated")]
    assert evaluated[-1] < evaluated[0] < run.metrics()[0]["loss"] < np.log(512) - 0.5


def test_rows_that_are_left_out_are_told(make_small_recipe: Make, chat_file: Path, tmp_path: Path) -> None:
    chats = tmp_path / "chats.jsonl"
    chats.write_text('{"messages": []}\nno JSON\n' + chat_file.read_text())
    run = trained(tuned(make_small_recipe, chats, {"on_bad_row": "skip"}, steps=1), tmp_path)
    skipped, first = notices(run)[:2]
    assert (skipped["id"], skipped["arguments"]) == ("data-rows-skipped", {"rows": 2})
    assert first["id"] == "data-chat-messages-type"
    assert first["arguments"]["line"] == 1
    assert "row 1 is empty" in Translator("en").text(first["id"], **first["arguments"])


def test_two_processes_learn_what_one_does(make_small_recipe: Make, chat_file: Path, tmp_path: Path) -> None:
    """The shares of a batch have different numbers of answers."""
    alone = tuned(make_small_recipe, chat_file, steps=6, precision="fp32", evaluate_every_steps=3)
    hardware = alone.hardware.model_copy(update={"devices": 2, "devices_per_node": 2, "threads": 1})
    shared = alone.model_copy(update={"hardware": hardware, "name": "shared"})
    degrees = {"data_parallel_degree": 2, "tensor_parallel_degree": 1, "pipeline_parallel_degree": 1}
    layout = {**degrees, "shard": "optimizer", "micro_batch_size": 2}
    run = open_run(shared, {"layout": layout}, root=tmp_path)
    assert Session(run, processes=2).wait() == 0
    other = trained(alone, tmp_path)
    for one, two in ((run.metrics(), other.metrics()), (events(run, "evaluated"), events(other, "evaluated"))):
        np.testing.assert_allclose([record["loss"] for record in one], [record["loss"] for record in two], rtol=1e-5)
