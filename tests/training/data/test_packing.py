from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headway.training.data.batches import BatchStream, validation_batches
from headway.training.data.packing import count_samples, read_document_ids, read_samples
from headway.training.data.shards import Manifest, Split, SplitWriter, token_dtype

LENGTHS = [5, 1, 7, 20, 3, 4]


@pytest.fixture(params=[6, 1000], ids=["many shards", "one shard"])
def split(request: pytest.FixtureRequest, tmp_path: Path) -> Split:
    """Tokens 0 to 39 in six documents."""
    writer = SplitWriter(tmp_path, "train", token_dtype(300), request.param)
    writer.append(list(range(40)), LENGTHS, 40)
    record = writer.close()
    return Split(tmp_path, Manifest(1, "uint16", request.param, (record,), "", "", writer.files), record)


@pytest.mark.parametrize(("length", "expected"), [(1, 39), (2, 19), (13, 3), (38, 1), (39, 1)])
def test_samples_share_one_token_with_the_next(split: Split, length: int, expected: int) -> None:
    assert count_samples(split, length) == expected
    samples = read_samples(split, np.arange(expected), length)
    assert samples.dtype == np.int64
    assert samples.tolist() == [list(range(i * length, i * length + length + 1)) for i in range(expected)]


def test_a_split_that_holds_no_sample_is_refused(split: Split, refused) -> None:
    with refused("data-too-few-tokens", split="train", tokens=40, needed_tokens=41):
        count_samples(split, 40)
    with refused("data-too-few-tokens"):
        BatchStream(split, 40, 1, 0)
    with refused("data-too-few-tokens"):
        validation_batches(split, 40, 1, 1)


@pytest.mark.parametrize("length", [1, 3, 5, 13, 39])
def test_document_ids_count_the_documents_of_a_sample(split: Split, length: int) -> None:
    document_of_token = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
    ids = read_document_ids(split, np.arange(count_samples(split, length)), length)
    assert ids.dtype == np.int32
    for row, found in enumerate(ids):
        expected = document_of_token[row * length : (row + 1) * length]
        assert found.tolist() == (expected - expected[0]).tolist()
