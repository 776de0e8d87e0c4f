"""From files of conversations to tokens of which only answers count."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tokenizers as hf
import transformers
import zstandard

from headway.recipe.sections import DataConfig
from headway.training.data import Corpus, Split, Tokenizer, is_prepared, prepare
from headway.training.data.chats import require_template

TEMPLATES = Path(__file__).parent / "chat_templates"
ROWS = [
    {
        "messages": [
            {"role": "user", "content": f"What is {n}?"},
            {"role": "assistant", "content": f"It is {n} \N{SNOWMAN}."},
        ]
    }
    for n in range(30)
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    compress: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_bytes(compress.get(path.suffix, bytes)(content))
    return path


def config(path: Path, **options: Any) -> DataConfig:
    defaults = {
        "paths": (str(path),),
        "format": "chat",
        "cache": str(path.parent / "cache"),
        "validation_fraction": 0.2,
    }
    return DataConfig(**{**defaults, **options})


def make(path: Path, vocab_size: int = 300, **options: Any) -> Corpus:
    return prepare(config(path, **options), vocab_size=vocab_size, seed=3)


def documents(corpus: Corpus, split: Split) -> list[tuple[list[int], list[bool]]]:
    tokens, marks = np.empty(split.num_tokens, np.int64), np.empty(split.num_tokens, np.bool_)
    split.read(0, tokens)
    split.read_marks(0, marks)
    starts = split.document_starts(0, split.num_tokens)[1:]
    return [
        (one.tolist(), two.tolist()) for one, two in zip(np.split(tokens, starts), np.split(marks, starts), strict=True)
    ]


def told(corpus: Corpus) -> list[tuple[str, str]]:
    """Return of each conversation the whole text and what counts, with the end of a document as a bar."""
    end = corpus.tokenizer.end_of_document_id
    assert corpus.validation is not None
    texts = []
    for tokens, marks in documents(corpus, corpus.train) + documents(corpus, corpus.validation):
        answer = [token for token, mark in zip(tokens, marks, strict=True) if mark]
        texts.append(tuple("|".join(map(corpus.tokenizer.decode, _cut(one, end))) for one in (tokens, answer)))
    return sorted(texts)


def _cut(tokens: list[int], end: int) -> list[list[int]]:
    parts: list[list[int]] = [[]]
    for token in tokens:
        if token == end:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


EXPECTED = sorted(
    (f"<|user|>\nWhat is {n}?|\n<|assistant|>\nIt is {n} \N{SNOWMAN}.|\n", f"It is {n} \N{SNOWMAN}.|")
    for n in range(30)
)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet"])
@pytest.mark.parametrize("tokenizer", ["byte", "bpe"])
def test_only_answers_and_their_ends_count(suffix: str, tokenizer: str, tmp_path: Path) -> None:
    corpus = make(write(tmp_path / f"a{suffix}", ROWS), tokenizer=tokenizer)
    assert corpus.is_chat
    assert told(corpus) == EXPECTED
    assert corpus.statistics.documents == 30
    assert corpus.notices == ()


def test_everything_counts_where_the_recipe_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    everything, answers = make(path, loss_on="all", tokenizer="byte"), make(path, tokenizer="byte")
    assert told(everything) == sorted((text, text) for text, _ in EXPECTED)
    assert [tokens for tokens, _ in documents(everything, everything.train)] == [
        tokens for tokens, _ in documents(answers, answers.train)
    ]
    assert everything.folder != answers.folder
    assert everything.digest != answers.digest
    stream = everything.train_stream(100, 2)
    batch = stream.batch(0)
    assert batch.is_target is not None
    assert batch.num_targets > 3 * answers.train_stream(100, 2).batch(0).num_targets


@pytest.mark.parametrize(
    "row", [{"prompt": "What is 1?", "completion": "It is 1."}, {"instruction": "What is 1?", "output": "It is 1."}]
)
def test_every_shape_gives_the_same_tokens(row: dict[str, str], tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "What is 1?"}, {"role": "assistant", "content": "It is 1."}]
    digests = {
        make(write(tmp_path / f"{number}.jsonl", [one]), tokenizer="byte", validation_fraction=0).digest
        for number, one in enumerate((row, {"messages": messages}))
    }
    assert len(digests) == 1


def model_folder(tmp_path: Path, template: str, special: list[str]) -> Path:
    """Return a folder as Hugging Face keeps it: a tokenizer with the model's special tokens, and its template."""
    folder = tmp_path / "model"
    folder.mkdir()
    saved = json.loads(Tokenizer.train_bpe(["What is it? It is one of these."] * 20, 290).to_bytes())
    tokenizer = hf.Tokenizer.from_str(json.dumps(saved))
    tokenizer.add_special_tokens([hf.AddedToken(token, special=True) for token in special])
    tokenizer.save(str(folder / "tokenizer.json"))
    source = (TEMPLATES / template).read_text()
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": source, "bos_token": special[0]}))
    return folder


@pytest.mark.parametrize(
    ("template", "special", "end"),
    [
        ("smollm2.jinja", ["<|im_start|>", "<|im_end|>"], "<|im_end|>"),
        ("marked.jinja", ["<|im_start|>", "<|im_end|>"], "<|im_end|>"),
        ("llama3.jinja", ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"], "<|eot_id|>"),
    ],
)
@pytest.mark.parametrize("names_file", [True, False])
def test_the_template_of_a_model_makes_its_tokens(
    template: str, special: list[str], end: str, names_file: bool, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path, template, special)
    rows = [
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is it?"},
                {"role": "assistant", "content": "It is one."},
                {"role": "user", "content": "And these?"},
                {"role": "assistant", "content": "These\n\nare two."},
            ]
        }
    ]
    path = write(tmp_path / "a.jsonl", rows)
    named = folder / "tokenizer.json" if names_file else folder
    corpus = make(path, 400, tokenizer=str(named), validation_fraction=0)
    ((tokens, marks),) = documents(corpus, corpus.train)
    ids = corpus.tokenizer.special_tokens
    assert tokens.count(ids[end]) == 5
    assert tokens[0] == ids[special[0]]
    # Runs of tokens that count: each is an answer with the token that ends it.
    runs: list[list[int]] = []
    for place, (token, mark) in enumerate(zip(tokens, marks, strict=True)):
        if mark and not marks[place - 1]:
            runs.append([])
        if mark:
            runs[-1].append(token)
    assert [run[-1] for run in runs] == [ids[end]] * 2
    assert [corpus.tokenizer.decode(run) for run in runs] == ["It is one.", "These\n\nare two."]


@pytest.mark.parametrize("template", ["smollm2.jinja", "marked.jinja", "llama3.jinja"])
def test_tokens_and_marks_are_those_of_transformers(template: str, tmp_path: Path) -> None:
    special = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    folder = model_folder(tmp_path, template, special if template == "llama3.jinja" else ["<|im_start|>", "<|im_end|>"])
    theirs = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        chat_template=(TEMPLATES / template).read_text(),
        bos_token="<|begin_of_text|>" if template == "llama3.jinja" else None,
    )
    corpus = make(write(tmp_path / "a.jsonl", ROWS), 400, tokenizer=str(folder), validation_fraction=0)
    for (tokens, marks), row in zip(documents(corpus, corpus.train), ROWS, strict=True):
        marked = template == "marked.jinja"
        expected = theirs.apply_chat_template(
            row["messages"], tokenize=True, return_dict=True, return_assistant_tokens_mask=marked
        )
        assert tokens == expected["input_ids"]
        if marked:
            assert marks == [bool(mark) for mark in expected["assistant_masks"]]


def test_the_first_row_tells_what_a_file_holds(tmp_path: Path) -> None:
    chats = write(tmp_path / "chats.jsonl", ROWS)
    assert make(chats, format="auto", tokenizer="byte").folder == make(chats, tokenizer="byte").folder
    for name, row in (
        ("text.jsonl", {"text": "a b c"}),
        ("both.jsonl", {"text": "a b c", "prompt": "a", "completion": "b"}),
    ):
        texts = write(tmp_path / name, [row])
        auto = make(texts, format="auto", tokenizer="byte", validation_fraction=0)
        assert not auto.is_chat
        assert auto.folder == make(texts, format="text", tokenizer="byte", validation_fraction=0).folder
    assert make(write(tmp_path / "a.parquet", ROWS), format="auto", tokenizer="byte").is_chat
    (tmp_path / "a.txt").write_text("plain")
    assert not make(tmp_path / "a.txt", format="auto", tokenizer="byte", validation_fraction=0).is_chat


BAD: list[dict[str, Any]] = [
    {"messages": [{"role": "robot", "content": "x"}]},
    {"messages": [{"role": "user", "content": "no answer"}]},
    {"messages": [{"role": "user", "content": "<|endoftext|>"}, {"role": "assistant", "content": "x"}]},
    {"text": "x"},
]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_bad_rows_stop_or_are_left_out_and_counted(suffix: str, tmp_path: Path, refused) -> None:
    path = write(tmp_path / f"a{suffix}", [ROWS[0], *BAD, *ROWS[1:]])
    with refused("data-chat-role", path=str(path), line=2, message=1, role="robot"):
        make(path, tokenizer="byte")
    # In Parquet the row without messages has an empty value, and is refused as any other.
    corpus = make(path, tokenizer="byte", on_bad_row="skip")
    assert len(told(corpus)) == 30
    rows, first = corpus.notices
    assert (rows.message_id, rows.arguments) == ("data-rows-skipped", {"rows": 4})
    assert first.message_id == "data-chat-role"
    assert first.arguments["line"] == 2
    again = make(path, tokenizer="byte", on_bad_row="skip")
    assert again.from_cache
    assert again.notices == corpus.notices
    assert corpus.digest == make(write(tmp_path / "good.jsonl", ROWS), tokenizer="byte").digest


def test_where_no_row_is_left_the_first_error_is_told(tmp_path: Path, refused) -> None:
    path = write(tmp_path / "a.jsonl", BAD)
    with refused("data-chat-role", line=1):
        make(path, on_bad_row="skip")


def test_what_cannot_hold_conversations_is_refused(tmp_path: Path, refused) -> None:
    (tmp_path / "a.txt").write_text("plain")
    with refused("data-chat-file-kind", path=str(tmp_path / "a.txt")):
        make(tmp_path / "a.txt")
    table = write(tmp_path / "a.parquet", [{"text": "a", "title": "b"}])
    with refused("data-chat-columns", path=str(table), present="text, title"):
        make(table)


def test_a_template_is_required_before_anything_is_read(tmp_path: Path, refused) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    folder = model_folder(tmp_path, "smollm2.jinja", ["<|im_start|>", "<|im_end|>"])
    require_template(config(path, tokenizer=str(folder)))
    (folder / "tokenizer_config.json").unlink()
    with refused("data-chat-template-missing", path=str(folder)):
        require_template(config(path, tokenizer=str(folder)))
    require_template(config(path, tokenizer=str(folder), format="text"))
    require_template(config(path))
    assert not is_prepared(config(path), vocab_size=300)


def test_no_more_text_is_read_than_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", ROWS)
    corpus = make(path, tokenizer="byte", max_bytes=200)
    assert 0 < corpus.statistics.documents < 5
    assert corpus.statistics.text_bytes <= 200


@pytest.mark.parametrize("name", ["byte", "bpe"])
def test_a_saved_tokenizer_of_ours_has_our_template(name: str, tmp_path: Path) -> None:
    """A run may be tuned that was trained on plain text, whose folder holds a tokenizer and no template."""
    path = write(tmp_path / "a.jsonl", ROWS)
    first = make(path, tokenizer=name)
    saved = tmp_path / "run" / "tokenizer.json"
    saved.parent.mkdir()
    first.tokenizer.save(saved)
    assert make(path, tokenizer=str(saved)).digest == first.digest
    assert first.template is not None
    first.template.save(saved.parent)
    again = make(path, tokenizer=str(saved.parent))
    assert again.digest == first.digest
    assert again.template is not None
    assert again.template.digest == first.template.digest
