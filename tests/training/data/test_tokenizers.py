from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tokenizers as hf
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.errors import MissingDependencyError
from headway.training.data import tokenizers
from headway.training.data.tokenizers import Tokenizer, check_vocabulary

TEXTS = [f"def function_{number}(value): return value + {number * 37}\n" * 3 for number in range(50)]


@pytest.fixture(scope="module")
def bpe() -> Tokenizer:
    return Tokenizer.train_bpe(TEXTS, 275)


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=100, deadline=None)
@given(any_text)
def test_every_text_survives_the_round_trip(text: str) -> None:
    for tokenizer in (Tokenizer.byte(), _trained()):
        assert tokenizer.decode(tokenizer.encode(text)) == text


_TRAINED: list[Tokenizer] = []


def _trained() -> Tokenizer:
    if not _TRAINED:
        _TRAINED.append(Tokenizer.train_bpe(TEXTS, 275))
    return _TRAINED[0]


def test_the_byte_tokenizer_maps_bytes_to_themselves() -> None:
    tokenizer = Tokenizer.byte()
    assert tokenizer.vocab_size == 259
    assert tokenizer.end_of_document_id == 257
    assert tokenizer.encode("a\u00e4\n") == [97, 0xC3, 0xA4, 10]
    assert tokenizer.encode("") == []


@settings(max_examples=50, deadline=None)
@given(any_text)
def test_the_saved_byte_tokenizer_means_the_same_to_hugging_face(text: str) -> None:
    theirs = hf.Tokenizer.from_str(Tokenizer.byte().to_bytes().decode())
    theirs.encode_special_tokens = True
    assert theirs.encode(text).ids == Tokenizer.byte().encode(text)


def test_all_256_bytes_have_their_own_character() -> None:
    assert set(tokenizers._byte_characters()) == set(hf.pre_tokenizers.ByteLevel.alphabet())
    # The first byte of the printable range and the space are fixed points of GPT-2's table.
    assert tokenizers._byte_characters()[ord("!")] == "!"
    assert tokenizers._byte_characters()[ord(" ")] == "\u0120"


def test_a_trained_tokenizer_is_what_was_asked_for(bpe: Tokenizer) -> None:
    assert bpe.vocab_size == 275
    assert bpe.end_of_document_id == 0
    text = TEXTS[3]
    assert len(bpe.encode(text)) < len(text) * 0.6


def test_digits_stand_alone(bpe: Tokenizer) -> None:
    theirs = hf.Tokenizer.from_str(bpe.to_bytes().decode())
    assert theirs.encode("1850").tokens == ["1", "8", "5", "0"]


def test_too_little_text_leaves_the_vocabulary_smaller() -> None:
    tokenizer = Tokenizer.train_bpe(["ab"], 4096)
    assert 258 <= tokenizer.vocab_size < 270
    assert tokenizer.decode(tokenizer.encode("\u00e4 z")) == "\u00e4 z"


def test_a_vocabulary_without_room_for_the_bytes_is_refused(refused) -> None:
    assert Tokenizer.train_bpe(TEXTS, 258).vocab_size == 258
    with refused("data-vocabulary-too-small", vocab_size=257, minimum=258):
        Tokenizer.train_bpe(TEXTS, 257)


@pytest.mark.parametrize("make", [Tokenizer.byte, _trained], ids=["byte", "bpe"])
def test_a_text_cannot_spell_a_special_token(make) -> None:
    tokenizer = make()
    ids = tokenizer.encode("a<|endoftext|>b<|pad|>")
    assert tokenizer.end_of_document_id not in ids
    assert tokenizer.decode(ids) == "a<|endoftext|>b<|pad|>"


@pytest.mark.parametrize("make", [Tokenizer.byte, _trained], ids=["byte", "bpe"])
def test_saving_and_loading_keeps_everything(make, tmp_path: Path) -> None:
    tokenizer = make()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == tokenizer.digest
    for loaded in (Tokenizer.load(path), Tokenizer.load(str(tmp_path))):
        assert loaded.digest == tokenizer.digest
        assert loaded.vocab_size == tokenizer.vocab_size
        assert loaded.encode_batch(TEXTS) == tokenizer.encode_batch(TEXTS)
        assert loaded.end_of_document_id == tokenizer.end_of_document_id


def test_decoding_leaves_out_what_has_no_text(bpe: Tokenizer) -> None:
    for tokenizer in (bpe, Tokenizer.byte()):
        ids = tokenizer.encode("ab")
        assert tokenizer.decode([*ids, tokenizer.end_of_document_id, 10**6, -1]) == "ab"
    assert Tokenizer.byte().decode([0xC3]) == "\ufffd"


def test_training_is_the_same_in_every_process() -> None:
    code = (
        "import sys; from headway.training.data import Tokenizer\n"
        "texts = [f'def function_{n}(value): return value + {n * 37}\\n' * 3 for n in range(50)]\n"
        "sys.stdout.buffer.write(Tokenizer.train_bpe(texts, 275).to_bytes())\n"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                       stdout=subprocess.PIPE).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert outputs == {_trained().to_bytes()}


def foreign(path: Path, special: list[str], plain: list[str] | None = None) -> Path:
    """Write a word-level tokenizer as another project could have made it: it truncates, pads, and adds tokens."""
    tokenizer = hf.Tokenizer(hf.models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = hf.pre_tokenizers.Whitespace()
    tokenizer.add_tokens(plain or [])
    tokenizer.add_special_tokens(special)
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=8)
    if special:
        pair = (special[0], tokenizer.token_to_id(special[0]))
        tokenizer.post_processor = hf.processors.TemplateProcessing(f"{special[0]} $A", None, [pair])
    tokenizer.save(str(path))
    return path


@pytest.mark.parametrize(
    ("special", "end"),
    [(["<s>", "</s>"], "</s>"), (["<|eot_id|>", "<|end_of_text|>"], "<|end_of_text|>"), (["<bos>", "<eos>"], "<eos>")],
)
def test_a_foreign_tokenizer_ends_documents_in_its_own_way(special: list[str], end: str, tmp_path: Path) -> None:
    tokenizer = Tokenizer.load(foreign(tmp_path / "t.json", special))
    assert tokenizer.end_of_document_id == 3 + special.index(end)
    assert tokenizer.vocab_size == 5
    # Neither its truncation nor its padding nor its start token applies.
    assert tokenizer.encode("a b a b") == [0, 1, 0, 1]


def test_the_vocabulary_counts_up_to_the_highest_id(tmp_path: Path) -> None:
    path = foreign(tmp_path / "t.json", ["</s>"])
    content = json.loads(path.read_text())
    content["model"]["vocab"]["far"] = 99
    path.write_text(json.dumps(content))
    assert Tokenizer.load(path).vocab_size == 100


def test_a_tokenizer_without_an_end_is_refused(tmp_path: Path, refused) -> None:
    path = foreign(tmp_path / "t.json", ["[CLS]", "[SEP]"])
    with refused("data-tokenizer-without-end", path=str(path), found="[CLS], [SEP]"):
        Tokenizer.load(path)
    # A token of the right name that is not special could be part of a text.
    path = foreign(tmp_path / "u.json", [], plain=["</s>"])
    with refused("data-tokenizer-without-end", path=str(path), found="none"):
        Tokenizer.load(path)


def test_what_is_no_tokenizer_is_refused(tmp_path: Path, refused) -> None:
    path = tmp_path / "tokenizer.json"
    for content in (b"", b"{}", b'{"model": {"type": "Magic"}}', b"\xff"):
        path.write_bytes(content)
        with refused("data-tokenizer-invalid", path=str(path)):
            Tokenizer.load(path)


def test_a_missing_tokenizer_is_refused(tmp_path: Path, refused) -> None:
    with refused("data-unknown-tokenizer", name="bytes", closest="byte"):
        Tokenizer.load("bytes")
    with refused("data-unknown-tokenizer", closest="none"):
        Tokenizer.load(tmp_path / "gone")
    with refused("data-tokenizer-missing", path=str(tmp_path / "tokenizer.json")):
        Tokenizer.load(tmp_path)
    # A folder, and a FIFO that would block, in the place of the file.
    (tmp_path / "tokenizer.json").mkdir()
    with refused("data-tokenizer-missing", path=str(tmp_path / "tokenizer.json")):
        Tokenizer.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with refused("data-tokenizer-missing", path=str(tmp_path / "pipe")):
        Tokenizer.load(tmp_path / "pipe")


def test_a_vocabulary_must_fit_the_model(refused) -> None:
    check_vocabulary(Tokenizer.byte(), 259)
    with refused("data-vocabulary-too-large", tokenizer_size=259, vocab_size=258):
        check_vocabulary(Tokenizer.byte(), 258)


def test_a_missing_package_is_named(refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with refused("data-package-missing", MissingDependencyError, package="tokenizers"):
        Tokenizer.train_bpe(TEXTS, 300)


PRINT_PARALLELISM = (
    "import os; from headway.training.data import Tokenizer; Tokenizer.train_bpe(['ab'], 300)\n"
    "if os.fork(): os.wait(); print(os.environ['TOKENIZERS_PARALLELISM'])\n"
)


@pytest.mark.parametrize(("wish", "expected"), [(None, "false"), ("true", "true")])
def test_parallelism_ends_with_the_work_unless_the_user_decides(wish: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    if wish is not None:
        environment["TOKENIZERS_PARALLELISM"] = wish
    done = subprocess.run(
        [sys.executable, "-c", PRINT_PARALLELISM], env=environment, check=True, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == (expected, "")


def test_rendered_text_may_spell_special_tokens() -> None:
    """Nothing is added to what a template writes, whatever the file would add to plain text."""
    saved = json.loads(_trained().to_bytes())
    saved["added_tokens"].append({**saved["added_tokens"][0], "id": 275, "content": "<|im_end|>"})
    saved["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<|im_end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<|im_end|>": {"id": "<|im_end|>", "ids": [275], "tokens": ["<|im_end|>"]}},
    }
    tokenizer = Tokenizer(json.dumps(saved))
    assert tokenizer.special_tokens == {"<|endoftext|>": 0, "<|pad|>": 1, "<|im_end|>": 275}
    text = "def value \N{SNOWMAN}<|im_end|>\n"
    ((ids, offsets),) = tokenizer.encode_rendered([text])
    assert ids == [*tokenizer.encode(text[:11]), 275, *tokenizer.encode("\n")]
    place = ids.index(275)
    assert offsets[place] == (11, 21)
    # Several tokens may stand for one character, and together they stand for all of them.
    assert {at for first, last in offsets for at in range(first, last)} == set(range(len(text)))
    assert 275 not in tokenizer.encode(text)


@pytest.mark.parametrize("tokenizer", [Tokenizer.byte(), Tokenizer.train_bpe(TEXTS, 275)])
def test_rendered_text_says_where_each_token_stands(tokenizer: Tokenizer) -> None:
    text = "def a\u00e4: \N{SNOWMAN} return"
    ((ids, offsets),) = tokenizer.encode_rendered([text])
    assert tokenizer.decode(ids) == text
    for place in range(len(text)):
        inside = [token for token, (first, last) in zip(ids, offsets, strict=True) if first <= place < last]
        assert text[place] in tokenizer.decode(inside)
