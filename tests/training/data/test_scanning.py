from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from hypothesis import given, settings
from hypothesis import strategies as st

from headway.training.data.scanning import SAMPLE_LIMIT_BYTES, Scan, merge_scans, scan_documents, split_key
from headway.training.data.sources import Document


def as_documents(texts: Iterable[str]) -> list[Document]:
    return [Document(text, len(text.encode()), blake2b(text.encode(), digest_size=16).digest()) for text in texts]


def scan(documents: list[Document], fraction: float, sample_limit_bytes: int = SAMPLE_LIMIT_BYTES) -> Scan:
    return merge_scans([scan_documents(documents, sample_limit_bytes)], fraction, sample_limit_bytes)


def validation(texts: Iterable[str], fraction: float) -> set[str]:
    found = as_documents(texts)
    border = scan(found, fraction).validation_below
    return {document.text for document in found if split_key(document) < border}


def test_counts_and_digest() -> None:
    found = as_documents(["one", "\u00e4", "one"])
    result = scan(found, 0)
    assert (result.num_documents, result.text_bytes) == (3, 8)
    digest = blake2b(b"".join(document.fingerprint for document in found), digest_size=16).digest()
    assert result.pieces == ((0, 0, 0, 0, 3, 8, digest.hex()),)
    assert result.content_digest == blake2b(digest, digest_size=16).hexdigest()
    assert result.content_digest != scan(found[::-1][1:], 0).content_digest


def test_what_was_too_much_for_a_unit_is_too_much_for_all() -> None:
    # The second unit's sample is empty, since one halving drops all of it.
    found, limit = as_documents(["a", "a", "aaaa", "aaaa"]), 8
    together = merge_scans([scan_documents(part, limit) for part in (found[:1], found[1:])], 0.3, limit)
    assert together.training_sample == scan(found, 0.3, limit).training_sample == ()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=30), st.data())
def test_units_together_are_the_whole(texts: list[str], data: st.DataObject) -> None:
    found, limit = as_documents(texts), data.draw(st.integers(8, 40))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(found)), max_size=3)))
    parts = [found[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(found)], strict=True)]
    together = merge_scans([scan_documents(part, limit, piece_bytes=6) for part in parts], 0.3, limit)
    whole = scan(found, 0.3, limit)
    assert together.training_sample == whole.training_sample
    assert (together.validation_below, together.num_documents, together.text_bytes) == (
        whole.validation_below,
        whole.num_documents,
        whole.text_bytes,
    )
    assert sum(piece.num_documents for piece in together.pieces) == len(found)


def test_no_text_at_all_is_refused(refused) -> None:
    with refused("data-empty"):
        scan([], 0.1)


texts = st.lists(st.text("abc", min_size=1, max_size=4), min_size=2, max_size=30)


@settings(max_examples=200, deadline=None)
@given(texts, st.floats(1e-9, 0.999999))
def test_no_split_is_empty_where_two_documents_differ(given_texts: list[str], fraction: float) -> None:
    chosen = validation(given_texts, fraction)
    if len(set(given_texts)) >= 2:
        assert 0 < len(chosen) < len(set(given_texts))
    else:
        assert not chosen


@settings(max_examples=100, deadline=None)
@given(texts)
def test_no_fraction_means_no_validation(given_texts: list[str]) -> None:
    assert not validation(given_texts, 0)


def test_the_share_is_about_the_fraction() -> None:
    many = [f"document {number}" for number in range(10_000)]
    assert 900 < len(validation(many, 0.1)) < 1100


def test_a_document_stays_where_it_is_when_others_come() -> None:
    few = [f"document {number}" for number in range(1000)]
    more = [f"other {number}" for number in range(1000)] + few
    assert validation(few, 0.2) == validation(more, 0.2) & set(few)


def test_the_sample_has_training_documents_only_and_in_order() -> None:
    many = [f"document {number}" for number in range(200)]
    sample = scan(as_documents(many), 0.3).training_sample
    assert list(sample) == [text for text in many if text not in validation(many, 0.3)]


def test_the_sample_is_bounded_and_the_same_every_time() -> None:
    many = [f"document {number:06d}" for number in range(10_000)]
    first = scan(as_documents(many), 0.1, sample_limit_bytes=20_000).training_sample
    assert first == scan(as_documents(many), 0.1, sample_limit_bytes=20_000).training_sample
    assert 2_000 < sum(map(len, first)) <= 20_000
    # It is not just the beginning.
    assert sum(text > "document 005000" for text in first) > len(first) / 3


def test_no_sample_is_kept_where_none_is_asked_for() -> None:
    assert scan(as_documents(["a", "b"]), 0, sample_limit_bytes=0).training_sample == ()


def test_one_document_beyond_the_limit_is_kept() -> None:
    assert scan(as_documents(["a" * 100]), 0, sample_limit_bytes=10).training_sample == ("a" * 100,)
