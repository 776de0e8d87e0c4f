from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import DataError
from headway.training.data import conversations
from headway.training.data.conversations import PADDING_TOKEN, PackedConversations, best_fit
from headway.training.data.shards import Manifest, Split, SplitWriter, token_dtype


def split_of(folder: Path, lengths: list[int], is_target: list[bool] | None = None, shard_tokens: int = 150) -> Split:
    """Return a split of which each token is its own place, from 1, so that none is the padding."""
    writer = SplitWriter(folder, "train", token_dtype(70_000), shard_tokens)
    total = sum(lengths)
    writer.append(list(range(1, total + 1)), lengths, total, is_target)
    record = writer.close()
    return Split(folder, Manifest(1, "uint32", shard_tokens, (record,), "", "", writer.files), record)


many_lengths = st.lists(st.integers(1, 40), min_size=1, max_size=30).filter(lambda lengths: max(lengths) > 1)


@settings(max_examples=50, deadline=None)
@given(many_lengths, st.integers(1, 20), st.data())
def test_every_target_is_there_once_and_nothing_else_is(lengths: list[int], length: int, data: st.DataObject) -> None:
    total = sum(lengths)
    marks = data.draw(st.none() | st.lists(st.booleans(), min_size=total, max_size=total))
    conversation_of = np.repeat(np.arange(len(lengths)), lengths)
    first_tokens = set((np.cumsum(lengths) - lengths + 1).tolist())
    expected = {
        token for token in range(1, total + 1) if token not in first_tokens and (marks is None or marks[token - 1])
    }
    with TemporaryDirectory() as folder:
        split = split_of(Path(folder), lengths, marks)
        if not expected:
            with pytest.raises(DataError, match="data-no-targets"):
                PackedConversations(split, length)
            return
        packed = PackedConversations(split, length)
        tokens, documents, is_target = packed.read(np.arange(packed.count))
        assert packed.num_targets(np.arange(packed.count)) == is_target.sum()
    assert tokens.shape == (packed.count, length + 1)
    assert documents.shape == is_target.shape == (packed.count, length)
    counted = tokens[:, 1:][is_target].tolist()
    assert len(counted) == len(set(counted))
    assert set(counted) == expected
    # What predicts a target is the token before it, and nothing that it sees is of another conversation.
    assert (tokens[:, :-1][is_target] == tokens[:, 1:][is_target] - 1).all()
    for row, ids in zip(tokens, documents, strict=True):
        for number in set(ids.tolist()):
            seen = row[:-1][ids == number]
            assert len({-1 if token == PADDING_TOKEN else conversation_of[token - 1] for token in seen}) == 1


@settings(max_examples=40, deadline=None)
@given(many_lengths, st.integers(1, 20))
def test_a_conversation_that_fits_is_not_cut(lengths: list[int], length: int) -> None:
    ends = np.cumsum(lengths)
    with TemporaryDirectory() as folder:
        packed = PackedConversations(split_of(Path(folder), lengths), length)
        tokens, _, _ = packed.read(np.arange(packed.count))
    assert packed.num_cut == sum(one > length + 1 for one in lengths)
    rows = [set(row.tolist()) for row in tokens]
    for size, end in zip(lengths, ends.tolist(), strict=True):
        whole = set(range(end - size + 1, end + 1))
        if 1 < size <= length + 1:
            assert sum(whole <= row for row in rows) == 1
            assert sum(bool(whole & row) for row in rows) == 1


def test_attention_ends_where_a_conversation_does(tmp_path: Path) -> None:
    packed = PackedConversations(split_of(tmp_path, [3, 2, 4]), 6)
    tokens, documents, is_target = packed.read(np.arange(packed.count))
    assert tokens.tolist() == [[4, 5, 0, 0, 0, 0, 0], [1, 2, 3, 6, 7, 8, 9]]
    assert documents.tolist() == [[0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]]
    assert is_target.astype(int).tolist() == [[1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 1]]


def test_a_long_conversation_is_cut_as_text_is(tmp_path: Path) -> None:
    """Pieces share a token, so that no target is lost."""
    packed = PackedConversations(split_of(tmp_path, [8]), 3)
    tokens, _, is_target = packed.read(np.arange(packed.count))
    assert packed.num_cut == 1
    assert tokens.tolist() == [[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 0, 0]]
    assert is_target.sum() == 7


def test_a_split_without_any_target_is_refused(tmp_path: Path, refused) -> None:
    split = split_of(tmp_path, [1, 1])
    with refused("data-too-few-tokens", split="train", tokens=2):
        PackedConversations(split, 4)


def test_pieces_of_which_nothing_counts_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are counted a few tokens at a time."""
    marks = [False, True, False] * 2 + [False] * 7 + [True] + [True, False]
    split = split_of(tmp_path, [3, 3, 8, 2], marks)
    packed = PackedConversations(split, 3)
    tokens, _, _ = packed.read(np.arange(packed.count))
    assert tokens.tolist() == [[1, 2, 3, 0], [4, 5, 6, 0], [13, 14, 0, 0]]
    assert [packed.num_targets(np.array([index])) for index in range(3)] == [1, 1, 1]
    monkeypatch.setattr(conversations, "_CHUNK_TOKENS", 2)
    again, _, _ = PackedConversations(split, 3).read(np.arange(3))
    assert np.array_equal(again, tokens)


def _naive(lengths: list[int], capacity: int) -> list[list[int]]:
    bins: list[list[int]] = []
    for length in sorted(lengths, reverse=True):
        fitting = [one for one in bins if sum(one) + length <= capacity]
        if fitting:
            max(fitting, key=sum).append(length)
        else:
            bins.append([length])
    return bins


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 50), st.data())
def test_the_fullest_that_has_room_is_chosen(capacity: int, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(1, capacity), min_size=1, max_size=40))
    found = best_fit(np.array(lengths), capacity)
    bins = [[length for length, one in zip(lengths, found, strict=True) if one == number] for number in set(found)]
    assert sorted(map(sum, bins)) == sorted(map(sum, _naive(lengths, capacity)))
    assert max(map(sum, bins)) <= capacity


def test_sequences_are_full(tmp_path: Path) -> None:
    """Of conversations of all lengths, less than one place in a hundred is padding."""
    lengths = np.random.default_rng(0).integers(10, 500, 2000)
    bins = best_fit(lengths, 1025)
    assert lengths.sum() / (1025 * (bins.max() + 1)) > 0.99
