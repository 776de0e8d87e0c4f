"""Mixed sources: exact shares, no overlap between ranks, and every sample once in each epoch of its source."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.recipe.sections import DataConfig, SourceConfig
from headway.training.data import Corpus, prepare
from headway.training.data.mixture import BLOCK, Mixer, quotas

weights = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None)
@given(weights, st.integers(6, BLOCK))
def test_quotas_add_up_and_are_nearest(given_weights: list[float], total: int) -> None:
    found = quotas(given_weights, total)
    assert found.sum() == total and found.min() >= 1
    shares = np.array(given_weights) / sum(given_weights) * total
    # Only what has to have one at least may take from the others.
    if shares.min() >= 1:
        assert np.abs(found - shares).max() < 1


def test_shares_are_exact_in_each_block() -> None:
    mixer = Mixer([10, 7, 3], [0.5, 0.3, 0.2], seed=1)
    expected = quotas([0.5, 0.3, 0.2], BLOCK)
    for block in range(2):
        rows = mixer.rows(block, BLOCK, 0, BLOCK)
        assert np.array_equal(np.bincount(rows.sources), expected)
    assert np.array_equal(mixer.counts(2 * BLOCK), 2 * expected)


def test_counts_are_those_of_the_rows() -> None:
    mixer = Mixer([10, 7], [3, 1], seed=5)
    seen = np.zeros(2, dtype=np.int64)
    for step in range(40):
        assert np.array_equal(mixer.counts(step * 16), seen)
        seen += np.bincount(mixer.rows(step, 16, 0, 16).sources, minlength=2)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0.05, 1), min_size=2, max_size=5), st.integers(0, 2 * BLOCK), st.integers(1, 500))
def test_any_run_of_rows_has_the_shares(given_weights: list[float], first: int, count: int) -> None:
    mixer = Mixer([10] * len(given_weights), given_weights, seed=5)
    seen = mixer.counts(first + count) - mixer.counts(first)
    shares = np.array(given_weights) / sum(given_weights) * count
    # Within a row of each source at both ends.
    assert np.abs(seen - shares).max() <= 2 * len(given_weights)


def test_a_source_gives_each_sample_once_in_an_epoch() -> None:
    mixer, sizes = Mixer([50, 13], [1, 1], seed=3), (50, 13)
    rows = mixer.rows(0, 1000, 0, 1000)
    for source, size in enumerate(sizes):
        samples = rows.samples[rows.sources == source]
        epochs = [samples[start : start + size] for start in range(0, len(samples) - size, size)]
        assert len(epochs) > 5
        assert all(sorted(epoch.tolist()) == list(range(size)) for epoch in epochs)
        assert not np.array_equal(epochs[0], epochs[1])


@pytest.mark.parametrize("world", [1, 2, 3, 5, 8])
def test_ranks_read_the_batch_without_overlap(world: int) -> None:
    mixer = Mixer([101, 57, 9], [5, 3, 1], seed=11)
    for step in (0, 7, BLOCK // 24 + 1):
        whole = mixer.rows(step, 24, 0, 24)
        bounds = [rank * 24 // world for rank in range(world + 1)]
        parts = [mixer.rows(step, 24, start, stop - start) for start, stop in pairwise(bounds)]
        assert np.array_equal(np.concatenate([part.sources for part in parts]), whole.sources)
        assert np.array_equal(np.concatenate([part.samples for part in parts]), whole.samples)


def test_seeds_and_sources_have_orders_of_their_own() -> None:
    first, second = (Mixer([1000, 1000], [1, 1], seed) for seed in (1, 2))
    rows, other = first.rows(0, 500, 0, 500), second.rows(0, 500, 0, 500)
    assert not np.array_equal(rows.sources, other.sources)
    firsts = [rows.samples[rows.sources == source][:100] for source in (0, 1)]
    assert not np.array_equal(*firsts)


@pytest.fixture
def mixed(corpus_folder: Path, prose, tmp_path: Path) -> DataConfig:
    """Three parts of prose and one part of capitals."""
    (tmp_path / "capitals.txt").write_text(prose(99, 3000).upper())
    return DataConfig(
        sources=(
            SourceConfig(name="prose", weight=3, paths=(str(corpus_folder),)),
            SourceConfig(name="capitals", paths=(str(tmp_path / "capitals.txt"),)),
        ),
        cache=str(tmp_path / "cache"),
        validation_fraction=0.2,
    )


def made(config: DataConfig) -> Corpus:
    return prepare(config, vocab_size=300, seed=3)


def test_batches_have_rows_of_all_sources_by_weight(mixed: DataConfig) -> None:
    corpus = made(mixed)
    assert [source.name for source in corpus.sources] == ["prose", "capitals"]
    assert len({source.manifest.tokenizer_digest for source in corpus.sources}) == 1
    stream = corpus.train_stream(32, 16)
    texts = [corpus.tokenizer.decode(row.tolist()) for step in range(50) for row in stream.batch(step).tokens]
    kinds = Counter("capitals" if text.isupper() else "prose" for text in texts)
    assert [kinds["prose"], kinds["capitals"]] == stream.rows_of_sources(50)
    assert abs(kinds["capitals"] - 200) <= 2
    whole, part = stream.batch(7), stream.batch(7, 5, 6)
    assert np.array_equal(whole.tokens[5:11], part.tokens)
    assert made(mixed).from_cache


def test_a_run_goes_on_at_any_step_with_the_same_batch(mixed: DataConfig) -> None:
    stream = made(mixed).train_stream(32, 16)
    expected = [stream.batch(step).tokens for step in range(6)]
    again = made(mixed).train_stream(32, 16)
    for step in (5, 2, 3):
        assert np.array_equal(again.batch(step).tokens, expected[step])


def test_validation_has_text_of_each_source(mixed: DataConfig) -> None:
    corpus = made(mixed)
    batches = corpus.validation_batches(32, 4, 8)
    texts = [corpus.tokenizer.decode(row.tolist()) for batch in batches for row in batch.tokens]
    # One document of capitals is all there is: it is for training.
    assert len(texts) == 8 and not any(text.isupper() for text in texts)


def test_bytes_of_a_token_are_those_of_the_mixture(corpus_folder: Path, prose, tmp_path: Path) -> None:
    (tmp_path / "wide").mkdir()
    for number in range(40):
        # Two bytes each.
        (tmp_path / "wide" / f"{number}.txt").write_text(f"{number} " + "\u00e4" * 400)
    sources = tuple(
        SourceConfig(name=folder.name, weight=weight, paths=(str(folder),))
        for folder, weight in ((corpus_folder, 3), (tmp_path / "wide", 1))
    )
    corpus = made(DataConfig(sources=sources, cache=str(tmp_path), validation_fraction=0.2))
    each = (
        [source.train.text_bytes + source.validation.text_bytes for source in corpus.sources if source.validation],
        [source.train.num_tokens + source.validation.num_tokens for source in corpus.sources if source.validation],
    )
    expected = 0.75 * each[0][0] / each[1][0] + 0.25 * each[0][1] / each[1][1]
    assert corpus.validation_bytes_per_token == pytest.approx(expected)
    assert corpus.validation_bytes_per_token != pytest.approx(corpus.statistics.bytes_per_token, rel=1e-3)


def test_the_mixture_is_part_of_what_a_run_is_true_to(mixed: DataConfig) -> None:
    prose, capitals = mixed.sources
    heavier = mixed.model_copy(update={"sources": (prose, capitals.model_copy(update={"weight": 2.0}))})
    assert made(mixed).digest != made(heavier).digest
    assert made(heavier).from_cache


def test_one_source_is_read_as_the_same_files_without_a_name(corpus_folder: Path, tmp_path: Path) -> None:
    paths = (str(corpus_folder),)
    common = {"cache": str(tmp_path), "tokenizer": "byte", "validation_fraction": 0.2}
    named = made(DataConfig(sources=(SourceConfig(name="a", paths=paths),), **common))
    plain = made(DataConfig(paths=paths, **common))
    assert plain.digest == named.digest and plain.from_cache
    assert np.array_equal(plain.train_stream(16, 4).batch(3).tokens, named.train_stream(16, 4).batch(3).tokens)


def test_text_and_conversations_do_not_mix(corpus_folder: Path, tmp_path: Path, refused) -> None:
    (tmp_path / "chat.jsonl").write_text('{"prompt": "hello there", "completion": "hello to you"}\n' * 3)
    config = DataConfig(
        sources=(
            SourceConfig(name="text", paths=(str(corpus_folder),)),
            SourceConfig(name="chat", paths=(str(tmp_path / "chat.jsonl"),)),
        ),
        format="auto",
        tokenizer="byte",
        cache=str(tmp_path),
    )
    with refused("data-sources-kinds", first="text", other="chat"):
        made(config)


def test_conversations_of_several_sources_count_their_targets_together(tmp_path: Path) -> None:
    for name, answer in (("short", "yes"), ("long", "yes, and this answer is much longer")):
        rows = [f'{{"prompt": "question {number}", "completion": "{answer} {number}"}}\n' for number in range(30)]
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    sources = tuple(SourceConfig(name=name, paths=(str(tmp_path / f"{name}.jsonl"),)) for name in ("short", "long"))
    corpus = made(DataConfig(sources=sources, format="chat", tokenizer="byte", cache=str(tmp_path)))
    stream = corpus.train_stream(128, 8)
    whole = stream.batch(0)
    parts = [stream.batch(0, start, 2) for start in range(0, 8, 2)]
    assert whole.num_targets_in_step == whole.num_targets == sum(part.num_targets for part in parts)
    assert all(part.num_targets_in_step == whole.num_targets for part in parts)
