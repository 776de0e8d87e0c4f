from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from headway.recipe.sections import DataConfig
from headway.training.data import Corpus, Split, Tokenizer, prepare

VOCAB_SIZE = 300


def make(paths: Path | list[Path], cache: Path, vocab_size: int = VOCAB_SIZE, **options: object) -> Corpus:
    listed = tuple(str(path) for path in (paths if isinstance(paths, list) else [paths]))
    progress = options.pop("progress", None)
    config = DataConfig(**{"paths": listed, "cache": str(cache), "validation_fraction": 0.2, **options})
    return prepare(config, vocab_size=vocab_size, seed=3, progress=progress)


def texts(corpus: Corpus, split: Split) -> list[str]:
    """Return the documents of a split as they were."""
    tokens = np.empty(split.num_tokens, dtype=np.int64)
    split.read(0, tokens)
    ends = np.flatnonzero(tokens == corpus.tokenizer.end_of_document_id)
    parts = np.split(tokens, ends + 1)
    assert len(parts.pop()) == 0
    starts = split.document_starts(0, split.num_tokens)
    assert starts.tolist() == [0, *(ends[:-1] + 1).tolist()]
    return [corpus.tokenizer.decode(part[:-1].tolist()) for part in parts]


def contents(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("tokenizer", ["byte", "bpe"])
def test_every_document_is_in_one_split_as_it_was(tokenizer: str, corpus_folder: Path, tmp_path: Path) -> None:
    corpus = make(corpus_folder, tmp_path / "cache", tokenizer=tokenizer)
    originals = [path.read_text() for path in sorted(corpus_folder.iterdir())]
    assert corpus.validation is not None
    train, validation = texts(corpus, corpus.train), texts(corpus, corpus.validation)
    assert not set(train) & set(validation)
    assert [text for text in originals if text in train] == train
    assert [text for text in originals if text in validation] == validation
    assert len(train) + len(validation) == 40
    assert corpus.statistics.documents == 40
    assert corpus.statistics.text_bytes == sum(len(text.encode()) for text in originals)
    assert corpus.statistics.tokens == corpus.train.num_tokens + corpus.validation.num_tokens
    assert corpus.statistics.bytes_per_token == corpus.statistics.text_bytes / corpus.statistics.tokens
    assert corpus.folder.parent == tmp_path / "cache" / "data"
    assert (corpus.tokenizer.vocab_size, corpus.from_cache, corpus.notices) == (
        259 if tokenizer == "byte" else VOCAB_SIZE,
        False,
        (),
    )


def test_a_tokenizer_of_a_file_is_used(corpus_folder: Path, tmp_path: Path) -> None:
    trained = Tokenizer.train_bpe(["abc abe"] * 10, 262)
    trained.save(tmp_path / "tokenizer.json")
    corpus = make(corpus_folder, tmp_path / "cache", tokenizer=str(tmp_path))
    assert corpus.tokenizer.digest == trained.digest
    assert len(texts(corpus, corpus.train)) == corpus.train.num_documents


def test_a_vocabulary_larger_than_the_model_is_refused_before_any_reading(
    corpus_folder: Path, tmp_path: Path, refused
) -> None:
    with refused("data-vocabulary-too-large", tokenizer_size=259, vocab_size=256):
        make(corpus_folder, tmp_path / "cache", vocab_size=256, tokenizer="byte")
    with refused("data-vocabulary-too-small", vocab_size=256):
        make(corpus_folder, tmp_path / "cache", vocab_size=256)
    assert not any(path.is_dir() for path in (tmp_path / "cache").glob("data/*"))


def test_the_streams_follow_the_recipe(corpus_folder: Path, tmp_path: Path) -> None:
    corpus = make(corpus_folder, tmp_path / "cache", tokenizer="byte", attention_within_documents=True)
    stream = corpus.train_stream(64, 8)
    assert stream.samples_per_epoch == (corpus.train.num_tokens - 1) // 64
    batch = stream.batch(0)
    assert batch.tokens.shape == (8, 65) and batch.document_ids is not None
    assert all(batch.document_ids is not None for batch in corpus.validation_batches(64, 4, 2))
    plain = make(corpus_folder, tmp_path / "cache", tokenizer="byte")
    assert plain.from_cache and plain.train_stream(64, 8).batch(0).document_ids is None
    assert np.array_equal(plain.train_stream(64, 8).batch(0).tokens, batch.tokens)


@pytest.mark.parametrize("fraction", [0.0, 0.2])
def test_one_document_leaves_no_validation(fraction: float, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("only one")
    corpus = make(tmp_path / "a.txt", tmp_path, tokenizer="byte", validation_fraction=fraction)
    assert corpus.validation is None
    assert corpus.validation_batches(4, 1, 1) == []
    assert texts(corpus, corpus.train) == ["only one"]


def test_a_second_call_reads_the_cache(corpus_folder: Path, tmp_path: Path) -> None:
    first = make(corpus_folder, tmp_path)
    again = make(corpus_folder, tmp_path)
    assert (again.from_cache, again.folder, again.statistics) == (True, first.folder, first.statistics)
    assert again.tokenizer.digest == first.tokenizer.digest


def test_whatever_changes_the_tokens_makes_another_corpus(corpus_folder: Path, tmp_path: Path) -> None:
    folders = {make(corpus_folder, tmp_path).folder}
    for options in ({"tokenizer": "byte"}, {"validation_fraction": 0.1}, {"max_bytes": 9000}, {"text_field": "body"}):
        folders.add(make(corpus_folder, tmp_path, **options).folder)
    folders.add(make(corpus_folder, tmp_path, vocab_size=301).folder)
    folders.add(make(sorted(corpus_folder.iterdir())[:20], tmp_path).folder)
    (corpus_folder / "00.txt").write_text("changed")
    folders.add(make(corpus_folder, tmp_path).folder)
    assert len(folders) == 8


def test_max_bytes_limits_the_text(corpus_folder: Path, tmp_path: Path) -> None:
    assert make(corpus_folder, tmp_path, max_bytes=5000).statistics.text_bytes == 5000


def test_no_text_is_refused(tmp_path: Path, refused) -> None:
    (tmp_path / "a.txt").write_text("")
    with refused("data-empty"):
        make(tmp_path / "a.txt", tmp_path)


def test_progress_names_the_stages_in_order(corpus_folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    make(corpus_folder, tmp_path, progress=lambda name, fraction: seen.append((name, fraction)))
    stages = list(dict.fromkeys(name for name, _ in seen))
    assert stages == ["data-progress-reading", "data-progress-tokenizer", "data-progress-encoding"]
    for stage in stages:
        fractions = [fraction for name, fraction in seen if name == stage]
        assert fractions == sorted(fractions) and fractions[-1] == 1.0
    seen.clear()
    make(corpus_folder, tmp_path, progress=lambda name, fraction: seen.append((name, fraction)))
    assert seen == [("data-progress-verifying", 0.0), ("data-progress-verifying", 1.0)]


def test_text_that_changes_meanwhile_is_refused(corpus_folder: Path, tmp_path: Path, refused) -> None:
    def change(stage: str, fraction: float) -> None:
        if stage == "data-progress-tokenizer" and fraction == 1.0:
            (corpus_folder / "07.txt").write_text("other")

    with refused("data-changed-while-reading"):
        make(corpus_folder, tmp_path / "cache", progress=change)
    assert not any(path.is_dir() for path in (tmp_path / "cache" / "data").iterdir())


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("damage", [flip, truncate, Path.unlink], ids=["flip", "truncate", "remove"])
@pytest.mark.parametrize("name", ["train-00000.bin", "validation-00000.idx", "tokenizer.json", "manifest.json"])
def test_a_damaged_corpus_is_made_again_with_a_notice(name: str, damage, corpus_folder: Path, tmp_path: Path) -> None:
    first = make(corpus_folder, tmp_path, tokenizer="byte")
    before = contents(first.folder)
    damage(first.folder / name)
    again = make(corpus_folder, tmp_path, tokenizer="byte")
    assert not again.from_cache
    assert [(notice.message_id, notice.arguments) for notice in again.notices] == [
        ("data-cache-damaged", {"path": str(first.folder), "file": name})
    ]
    assert contents(again.folder) == before
    assert make(corpus_folder, tmp_path, tokenizer="byte").notices == ()


def test_a_corpus_in_use_survives_its_replacement(corpus_folder: Path, tmp_path: Path) -> None:
    corpus = make(corpus_folder, tmp_path, tokenizer="byte")
    before = corpus.train_stream(32, 4).batch(0).tokens
    flip(corpus.folder / "validation-00000.bin")
    make(corpus_folder, tmp_path, tokenizer="byte")
    assert np.array_equal(corpus.train_stream(32, 4).batch(0).tokens, before)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here; test_cache fills a disk by a limit on the size of files")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_refused_and_nothing_is_left(small_disk: Path, prose, tmp_path: Path, refused) -> None:
    path = tmp_path / "large.txt"
    path.write_text("".join(prose(number, 2000) for number in range(30)))
    size_bytes = path.stat().st_size
    with refused("data-disk-full", path=str(small_disk / "data")) as caught:
        make(path, small_disk, tokenizer="byte")
    assert [entry.name for entry in (small_disk / "data").iterdir() if entry.is_dir()] == []
    free_bytes = shutil.disk_usage(small_disk).free
    assert caught.value.arguments["free_bytes"] == free_bytes > 200 * 1024
    # Two bytes for each token, and a token for each byte.
    assert caught.value.arguments["needed_bytes"] == pytest.approx(2 * size_bytes, rel=0.05)
    # With less text it fits.
    assert make(path, small_disk, tokenizer="byte", max_bytes=50_000).statistics.text_bytes == 50_000


PREPARE = """
import sys
from headway.recipe.sections import DataConfig
from headway.training.data import prepare

def progress(stage, fraction):
    print(stage, fraction, flush=True)
    if f"{stage} {fraction}" == sys.argv[3]:
        sys.stdin.read()

config = DataConfig(paths=(sys.argv[1],), cache=sys.argv[2], validation_fraction=0.2)
corpus = prepare(config, vocab_size=300, seed=3, progress=progress)
print("done", corpus.from_cache, corpus.folder, flush=True)
"""


def start(paths: Path, cache: Path, pause_at: str = "", **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PREPARE, str(paths), str(cache), pause_at]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **environment})


def test_two_processes_make_the_same_bytes(corpus_folder: Path, tmp_path: Path) -> None:
    processes = [start(corpus_folder, tmp_path / name, PYTHONHASHSEED=name) for name in ("1", "2")]
    assert [process.communicate()[1] or process.returncode for process in processes] == [0, 0]
    folders = [next((tmp_path / name / "data").glob("[!.]*")) for name in ("1", "2")]
    assert contents(folders[0]) == contents(folders[1])
    assert contents(make(corpus_folder, tmp_path / "3").folder) == contents(folders[0])


def test_of_processes_at_once_one_does_the_work(corpus_folder: Path, tmp_path: Path) -> None:
    processes = [start(corpus_folder, tmp_path) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    last = [output.splitlines()[-1].split() for output in outputs]
    assert sorted(words[1] for words in last) == ["False", "True", "True"]
    assert len({words[2] for words in last}) == 1


@pytest.mark.parametrize("stage", ["data-progress-tokenizer 1.0", "data-progress-encoding 1.0"])
def test_a_killed_process_leaves_nothing_that_counts(stage: str, corpus_folder: Path, tmp_path: Path) -> None:
    process = start(corpus_folder, tmp_path / "cache", stage)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(stage):
            break
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    data = tmp_path / "cache" / "data"
    assert not list(data.glob("[!.]*"))
    # What was done is there for the next.
    assert len(list(data.glob(".*.building"))) == 1
    corpus = make(corpus_folder, tmp_path / "cache")
    assert not corpus.from_cache and corpus.notices == ()
    assert [path.name for path in data.iterdir() if path.is_dir()] == [corpus.folder.name]
    assert len(texts(corpus, corpus.train)) == corpus.train.num_documents


def test_the_standard_library_is_ready_in_seconds(tmp_path: Path) -> None:
    started = time.process_time()
    config = DataConfig(source="python-stdlib", cache=str(tmp_path))
    corpus = prepare(config, vocab_size=4096, seed=0)
    processor_seconds = time.process_time() - started
    # It took 8 s where this was written; processor time, since others may use the machine too.
    assert processor_seconds < 40
    assert corpus.statistics.documents > 400
    assert corpus.statistics.text_bytes > 5_000_000
    assert corpus.tokenizer.vocab_size == 4096
    assert 3.0 < corpus.statistics.bytes_per_token < 4.0
    assert corpus.validation is not None and corpus.validation.num_tokens > 2000
    decoded = corpus.tokenizer.decode(corpus.train_stream(256, 16).batch(0).tokens.ravel().tolist())
    assert re.search(r"\bdef \w+\(", decoded)
