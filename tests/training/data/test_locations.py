"""Text and tokens behind URLs: a store in memory, files by URL, and a real server."""

from __future__ import annotations

import builtins
import functools
import gzip
import http.server
import json
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from headway.errors import MissingDependencyError
from headway.recipe import resolve_recipe
from headway.recipe.sections import DataConfig, SourceConfig
from headway.training.data import Corpus, prepare
from headway.training.data.publishing import publish
from headway.training.data.sources import documents, list_files


@pytest.fixture
def memory() -> Iterator[Any]:
    """A store of its own in this process."""
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server of the files below ``tmp_path / "site"``."""
    (tmp_path / "site").mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def corpus_of(*paths: str, cache: Path, **settings: Any) -> Corpus:
    config = {"paths": paths, "cache": str(cache), "tokenizer": "byte", "validation_fraction": 0.2, **settings}
    return prepare(DataConfig(**config), vocab_size=300, seed=3)


ROWS = "".join(json.dumps({"text": f"row {number} " + "x" * number}) + "\n" for number in range(40)).encode()


def put_all_formats(system: Any, prefix: str) -> None:
    system.pipe(f"{prefix}/a.txt", b"plain text\n" * 40)
    system.pipe(f"{prefix}/b.jsonl", ROWS)
    system.pipe(f"{prefix}/c.jsonl.gz", gzip.compress(ROWS))
    system.pipe(f"{prefix}/d.jsonl.zst", zstandard.compress(ROWS))
    with system.open(f"{prefix}/e.parquet", "wb") as file:
        pyarrow.parquet.write_table(pyarrow.table({"text": [f"cell {number}" for number in range(9)]}), file)
    system.pipe(f"{prefix}/.hidden/f.txt", b"not this")


def test_a_store_is_read_as_a_folder_is(memory: Any, tmp_path: Path) -> None:
    put_all_formats(memory, "/bucket/text")
    (tmp_path / "text").mkdir()
    for path in memory.find("/bucket/text"):
        (tmp_path / "text" / Path(path).name).write_bytes(memory.cat(path))
    (tmp_path / "text" / "f.txt").unlink()
    remote = list_files(DataConfig(paths=("memory://bucket/text",)))
    assert [file.path.rpartition("/")[2] for file in remote] == [
        "a.txt",
        "b.jsonl",
        "c.jsonl.gz",
        "d.jsonl.zst",
        "e.parquet",
    ]
    local = list_files(DataConfig(paths=(str(tmp_path / "text"),)))
    assert list(documents(remote, "text")) == list(documents(local, "text"))
    found = corpus_of("memory://bucket/text", cache=tmp_path / "one")
    assert found.digest == corpus_of(str(tmp_path / "text"), cache=tmp_path / "two").digest
    assert corpus_of("memory://bucket/text", cache=tmp_path / "one").from_cache


def test_patterns_match_in_a_store(memory: Any) -> None:
    put_all_formats(memory, "/bucket/text")
    files = list_files(DataConfig(paths=("memory://bucket/*/*.jsonl*", "memory://bucket/text/a.txt")))
    assert [file.path.rpartition("/")[2] for file in files] == ["a.txt", "b.jsonl", "c.jsonl.gz", "d.jsonl.zst"]


def test_what_changes_in_a_store_is_another_corpus(memory: Any, tmp_path: Path) -> None:
    memory.pipe("/b/a.txt", b"one text here\n" * 9)
    first = corpus_of("memory://b/a.txt", cache=tmp_path)
    memory.pipe("/b/a.txt", b"two text here\n" * 9)
    again = corpus_of("memory://b/a.txt", cache=tmp_path)
    assert not again.from_cache and again.digest != first.digest


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.jsonl", "rows.parquet"])
def test_a_server_is_read(name: str, server: str, tmp_path: Path) -> None:
    """A server of Python's own has no ranges: it gives a file from its beginning only, or not at all."""
    many = ROWS * 200
    content = {"rows.jsonl": many, "rows.jsonl.gz": gzip.compress(many, 0)}
    if name in content:
        (tmp_path / "site" / name).write_bytes(content[name])
    else:
        table = pyarrow.table({"text": [secrets.token_hex(1000) for _ in range(2800)]})
        pyarrow.parquet.write_table(table, tmp_path / "site" / name)
    found = corpus_of(f"{server}/{name}", cache=tmp_path / "one")
    assert (tmp_path / "site" / name).stat().st_size > 5 * 2**20 or name != "rows.parquet"
    assert found.digest == corpus_of(str(tmp_path / "site" / name), cache=tmp_path / "two").digest


def test_what_is_not_there_is_refused_with_its_url(memory: Any, server: str, refused) -> None:
    for url in ("memory://b/none.txt", f"{server}/none.txt", "http://127.0.0.1:9/a.txt"):
        with refused("data-url-unreachable", path=url):
            list_files(DataConfig(paths=(url,)))
    with refused("data-pattern-matches-nothing", path="memory://b/*.txt"):
        list_files(DataConfig(paths=("memory://b/*.txt",)))
    memory.pipe("/b/c/image.png", b"x")
    with refused("data-folder-without-text", path="memory://b/c"):
        list_files(DataConfig(paths=("memory://b/c",)))
    with refused("data-url-protocol", scheme="nowhere"):
        list_files(DataConfig(paths=("nowhere://b/c.txt",)))


def test_a_bad_row_of_a_store_is_told_with_its_url(memory: Any, refused) -> None:
    memory.pipe("/b/a.jsonl", b'{"text": "good"}\n{"text": \n')
    with refused("data-json-invalid", path="memory:///b/a.jsonl", line=2):
        list(documents(list_files(DataConfig(paths=("memory://b/a.jsonl",))), "text"))


@pytest.mark.parametrize(("url", "command"), [("s3://b/c.txt", "pip install s3fs"), ("gs://b/c", "pip install gcsfs")])
def test_a_missing_driver_is_named(url: str, command: str, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("s3fs", "gcsfs"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for module in ("s3fs", "gcsfs"):
        monkeypatch.setitem(sys.modules, module, None)
    with refused("data-driver-missing", MissingDependencyError, command=command):
        list_files(DataConfig(paths=(url,)))


def test_fsspec_is_not_imported_for_paths(corpus_folder: Path, tmp_path: Path) -> None:
    script = f"""
import sys
from headway.recipe.sections import DataConfig
from headway.training.data import prepare
prepare(DataConfig(paths=({str(corpus_folder)!r},), cache={str(tmp_path)!r}, tokenizer="byte"), vocab_size=300, seed=3)
assert "fsspec" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_recipe_keeps_a_url_as_it_is(tmp_path: Path) -> None:
    raw = {
        "model": {"preset": "headway-tiny-1m"},
        "training": {"steps": 1},
        "data": {"sources": [{"name": "a", "paths": ["s3://b/*.txt", "c.txt"]}, {"name": "d", "prepared": "gs://d"}]},
    }
    first, second = resolve_recipe(raw, tmp_path).data.sources
    assert first.paths == ("s3://b/*.txt", str(tmp_path / "c.txt")) and second.prepared == "gs://d"


# Prepared tokens.


@pytest.fixture
def made(corpus_folder: Path, tmp_path: Path) -> Corpus:
    return corpus_of(str(corpus_folder), cache=tmp_path / "made")


def prepared(location: str, cache: Path) -> Corpus:
    return prepare(DataConfig(prepared=location, cache=str(cache)), vocab_size=300, seed=3)


def same_batches(one: Corpus, other: Corpus) -> bool:
    streams = [corpus.train_stream(32, 8) for corpus in (one, other)]
    return all(np.array_equal(*(stream.batch(step).tokens for stream in streams)) for step in range(3))


def test_prepared_tokens_are_read_from_a_store_shard_by_shard(made: Corpus, memory: Any, tmp_path: Path) -> None:
    assert publish(made, "memory://bucket/tokens") == {"": "memory://bucket/tokens"}
    found = prepared("memory://bucket/tokens", tmp_path / "cache")
    assert not (found.folder / "train-00000.bin").exists()
    assert same_batches(found, made) and found.digest == made.digest
    assert (found.folder / "train-00000.bin").exists() and not (found.folder / "validation-00000.bin").exists()
    # What is there is not fetched again.
    memory.rm("/bucket/tokens/train-00000.bin")
    assert same_batches(prepared("memory://bucket/tokens", tmp_path / "cache"), made)


def test_prepared_tokens_are_read_from_a_server(made: Corpus, server: str, tmp_path: Path) -> None:
    publish(made, str(tmp_path / "site" / "tokens"))
    assert same_batches(prepared(f"{server}/tokens", tmp_path / "cache"), made)


def test_a_copy_that_is_damaged_is_fetched_again(made: Corpus, memory: Any, tmp_path: Path) -> None:
    publish(made, "memory://bucket/tokens")
    found = prepared("memory://bucket/tokens", tmp_path / "cache")
    assert same_batches(found, made)
    shard = found.folder / "train-00000.bin"
    shard.write_bytes(b"\0" * shard.stat().st_size)
    assert same_batches(prepared("memory://bucket/tokens", tmp_path / "cache"), made)


def test_what_a_store_has_damaged_is_refused(made: Corpus, memory: Any, tmp_path: Path, refused) -> None:
    publish(made, "memory://bucket/tokens")
    memory.pipe("/bucket/tokens/train-00000.bin", b"\0" * 100)
    corpus = prepared("memory://bucket/tokens", tmp_path / "cache")
    with refused("data-prepared-damaged", file="train-00000.bin"):
        corpus.train_stream(32, 8).batch(0)
    assert not (corpus.folder / "train-00000.bin").exists()
    memory.pipe("/bucket/tokens/manifest.json", b"{}")
    with refused("data-prepared-damaged", file="manifest.json"):
        prepared("memory://bucket/tokens", tmp_path / "cache")


def test_a_folder_without_tokens_is_refused(tmp_path: Path, refused) -> None:
    with refused("data-prepared-missing", path=str(tmp_path)):
        prepared(str(tmp_path), tmp_path / "cache")


def test_a_place_that_is_taken_is_left_alone(made: Corpus, memory: Any, tmp_path: Path, refused) -> None:
    for destination in ("memory://bucket/tokens", str(tmp_path / "tokens")):
        publish(made, destination)
        with refused("data-output-exists", path=destination):
            publish(made, destination)
    (tmp_path / "file").write_text("")
    with refused("data-output-unwritable"):
        publish(made, str(tmp_path / "file" / "below"))


def test_prepared_tokens_and_text_mix_under_one_tokenizer(corpus_folder: Path, tmp_path: Path, refused, prose) -> None:
    trained = corpus_of(str(corpus_folder), cache=tmp_path / "made", tokenizer="bpe")
    publish(trained, str(tmp_path / "tokens"))
    (tmp_path / "more.txt").write_text(prose(7, 2000))
    sources = (
        SourceConfig(name="ready", prepared=str(tmp_path / "tokens")),
        SourceConfig(name="text", paths=(str(tmp_path / "more.txt"),)),
    )
    mixed = prepare(DataConfig(sources=sources, cache=str(tmp_path)), vocab_size=300, seed=3)
    assert mixed.tokenizer.digest == trained.tokenizer.digest
    with refused("data-sources-tokenizers", first="ready", other="text"):
        prepare(DataConfig(sources=sources, tokenizer="byte", cache=str(tmp_path)), vocab_size=300, seed=3)


def test_conversations_are_prepared_with_their_template(chat_file: Path, memory: Any, tmp_path: Path) -> None:
    chats = corpus_of(str(chat_file), cache=tmp_path / "made", format="chat")
    publish(chats, "memory://bucket/chats")
    found = prepared("memory://bucket/chats", tmp_path / "cache")
    assert found.is_chat and found.template is not None and chats.template is not None
    assert found.template.digest == chats.template.digest
    streams = [corpus.train_stream(64, 4).batch(1) for corpus in (found, chats)]
    assert np.array_equal(streams[0].is_target, streams[1].is_target)
