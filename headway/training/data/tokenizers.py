"""From text to token ids and back.

Every tokenizer is held in its saved form, the text of a Hugging Face ``tokenizer.json``, so whatever is trained here
can be loaded by that library, and its digest tells two tokenizers apart. A document never turns into a special token,
whatever it spells: ``<|endoftext|>`` inside a text is encoded as these thirteen characters.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, final

from headway.errors import DataError, MissingDependencyError

FILE_NAME = "tokenizer.json"
NUM_BYTES = 256
END_OF_DOCUMENT = "<|endoftext|>"
"""What ends a document in the tokenizers that are made here."""

BYTE_SPECIAL_TOKENS = ("<|bos|>", END_OF_DOCUMENT, "<|pad|>")
"""Ids 256, 257 and 258 of the byte tokenizer; below them, an id is the value of a byte."""

BPE_SPECIAL_TOKENS = (END_OF_DOCUMENT, "<|pad|>")
"""Ids 0 and 1 of a trained tokenizer."""

END_OF_DOCUMENT_TOKENS = ("</s>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<eos>")
"""What ends a document in the tokenizers of others, in the order of preference."""

_BUILT_IN = ("byte", "bpe")
_INSTALL_COMMAND = 'pip install ".[torch]"'
_PARALLELISM_VARIABLE = "TOKENIZERS_PARALLELISM"
_PARALLELISM_WISH = os.environ.get(_PARALLELISM_VARIABLE)


def is_built_in(name: str) -> bool:
    """Say whether a recipe's ``tokenizer`` names one that Headway makes itself, and not a file."""
    return name in _BUILT_IN


def require_room(name: str, vocab_size: int) -> None:
    """Refuse a vocabulary that is too small for a tokenizer that Headway makes itself; others must be read first.

    Raises:
        DataError: ``data-vocabulary-too-small`` or ``data-vocabulary-too-large``.
    """
    minimum = NUM_BYTES + len(BPE_SPECIAL_TOKENS)
    if name == "bpe" and vocab_size < minimum:
        raise DataError("data-vocabulary-too-small", vocab_size=vocab_size, minimum=minimum)
    byte_size = NUM_BYTES + len(BYTE_SPECIAL_TOKENS)
    if name == "byte" and vocab_size < byte_size:
        raise DataError("data-vocabulary-too-large", tokenizer_size=byte_size, vocab_size=vocab_size)


@final
class Tokenizer:
    """Turns text into token ids and back.

    Args:
        saved: the text of a ``tokenizer.json``.
        path: where it came from, for error messages.

    Raises:
        DataError: the text is not a tokenizer, or has no token that ends a document.
        MissingDependencyError: the package ``tokenizers`` is not installed.
    """

    def __init__(self, saved: str, path: str = FILE_NAME) -> None:
        self._saved = saved
        self._backend = _parse(saved, path)
        self._path = path
        self._is_byte = saved == _byte_form()
        self.digest = hashlib.sha256(saved.encode("utf-8")).hexdigest()
        self.vocab_size = 1 + max(self._backend.get_vocab(with_added_tokens=True).values(), default=-1)
        self.special_tokens = _special_tokens(self._backend)
        """Ids by spelling."""
        self.end_of_document_id = _end_of_document_id(self.special_tokens, path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._saved, self._path)

    @cached_property
    def _rendered_backend(self) -> Any:
        backend = _parse(self._saved, self._path)
        backend.encode_special_tokens = False
        # It would add nothing, but may move the borders of tokens away from their white space.
        backend.post_processor = None
        return backend

    @classmethod
    def byte(cls) -> Tokenizer:
        """Return the byte tokenizer: 256 bytes and `BYTE_SPECIAL_TOKENS`, 259 ids in all."""
        return cls(_byte_form())

    @classmethod
    def train_bpe(cls, texts: Iterable[str], vocab_size: int) -> Tokenizer:
        """Train a byte-level BPE tokenizer; the same texts in the same order give the same bytes.

        Text is split as GPT-2 splits it, with every digit by itself, which is what SmolLM and StarCoder do, so that
        other programs have a name for it (``smollm`` in llama.cpp).

        Args:
            texts: the documents.
            vocab_size: the size to reach; too little text leaves the vocabulary smaller.

        Raises:
            DataError: ``vocab_size`` has no room for the 256 bytes and the special tokens.
            MissingDependencyError: the package ``tokenizers`` is not installed.

        Source: Radford et al. 2019 (GPT-2), section 2.2; Sennrich et al. 2016 (arXiv:1508.07909).
        """
        require_room("bpe", vocab_size)
        package = _import_tokenizers()
        backend = _byte_level(package, package.models.BPE())
        byte_level = package.pre_tokenizers.ByteLevel(add_prefix_space=False)
        digits = package.pre_tokenizers.Digits(individual_digits=True)
        backend.pre_tokenizer = package.pre_tokenizers.Sequence([digits, byte_level])
        trainer = package.trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=list(BPE_SPECIAL_TOKENS),
            initial_alphabet=sorted(package.pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        with _parallel():
            backend.train_from_iterator(iter(texts), trainer)
        return cls(backend.to_str())

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Load a ``tokenizer.json``, or the one that a folder holds.

        Raises:
            DataError: the file cannot be read, is not a tokenizer, or has no token that ends a document.
            MissingDependencyError: the package ``tokenizers`` is not installed.
        """
        return cls(read_saved(path), str(path))

    def save(self, path: str | Path) -> None:
        """Write the saved form to a file."""
        Path(path).write_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the saved form: the content of a ``tokenizer.json``."""
        return self._saved.encode("utf-8")

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without any special token."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of several texts, encoded in parallel, without any special token."""
        if self._is_byte:
            return [list(text.encode("utf-8")) for text in texts]
        with _parallel():
            encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def encode_rendered(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """Return the ids of texts that a chat template made, and which characters each id stands for.

        Special tokens that are spelled become themselves, and no others are added: the template writes them all.

        Returns:
            For each text, the ids, and for each id its first character and the one after its last.
        """
        with _parallel():
            encodings = self._rendered_backend.encode_batch(list(texts), add_special_tokens=False)
        return [(encoding.ids, encoding.offsets) for encoding in encodings]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; special tokens and unknown ids have none, and broken UTF-8 becomes U+FFFD."""
        known = [int(token) for token in ids if 0 <= token < self.vocab_size]
        return str(self._backend.decode(known, skip_special_tokens=True))


def read_saved(path: str | Path) -> str:
    """Return the text of a ``tokenizer.json``, given the file or its folder.

    Raises:
        DataError: ``data-unknown-tokenizer`` where nothing has this name, ``data-tokenizer-unreadable`` otherwise.
    """
    named = Path(path).expanduser()
    if not os.path.lexists(named):
        closest = difflib.get_close_matches(str(path), _BUILT_IN, n=1, cutoff=0.5)
        raise DataError("data-unknown-tokenizer", name=str(path), closest=closest[0] if closest else "none")
    file = named / FILE_NAME if named.is_dir() else named
    try:
        if not file.is_file():
            raise DataError("data-tokenizer-missing", path=str(file))
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError("data-tokenizer-invalid", path=str(file), reason=str(error)) from error


def check_vocabulary(tokenizer: Tokenizer, vocab_size: int) -> None:
    """Check that the model has a row for every id of the tokenizer.

    Raises:
        DataError: ``data-vocabulary-too-large``.
    """
    if tokenizer.vocab_size > vocab_size:
        raise DataError("data-vocabulary-too-large", tokenizer_size=tokenizer.vocab_size, vocab_size=vocab_size)


def _import_tokenizers() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingDependencyError("data-package-missing", package="tokenizers", command=_INSTALL_COMMAND) from error
    return tokenizers


def _parse(saved: str, path: str) -> Any:
    package = _import_tokenizers()
    try:
        backend = package.Tokenizer.from_str(saved)
    except Exception as error:  # the package raises bare Exception for a file it cannot parse
        raise DataError("data-tokenizer-invalid", path=path, reason=str(error)) from error
    backend.no_truncation()
    backend.no_padding()
    backend.encode_special_tokens = True
    return backend


def _special_tokens(backend: Any) -> dict[str, int]:
    added = backend.get_added_tokens_decoder().items()
    return {token.content: int(number) for number, token in added if token.special}


def _end_of_document_id(special: Mapping[str, int], path: str) -> int:
    for content in END_OF_DOCUMENT_TOKENS:
        if content in special:
            return special[content]
    listed = ", ".join(special) or "none"
    expected = ", ".join(END_OF_DOCUMENT_TOKENS)
    raise DataError("data-tokenizer-without-end", path=path, found=listed, expected=expected)


def _byte_level(package: Any, model: Any) -> Any:
    backend = package.Tokenizer(model)
    backend.pre_tokenizer = package.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = package.decoders.ByteLevel()
    return backend


@cache
def _byte_form() -> str:
    package = _import_tokenizers()
    vocabulary = {character: byte for byte, character in enumerate(_byte_characters())}
    backend = _byte_level(package, package.models.BPE(vocab=vocabulary, merges=[]))
    backend.add_special_tokens(list(BYTE_SPECIAL_TOKENS))
    return str(backend.to_str())


def _byte_characters() -> list[str]:
    """Return the visible character that stands for each byte in a byte-level vocabulary.

    Source: Radford et al. 2019, the function ``bytes_to_unicode`` of openai/gpt-2, src/encoder.py.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)}
    hidden = [byte for byte in range(NUM_BYTES) if byte not in visible]
    return [chr(byte) if byte in visible else chr(NUM_BYTES + hidden.index(byte)) for byte in range(NUM_BYTES)]


@contextmanager
def _parallel() -> Iterator[None]:
    """Let the package use all cores here, and only here.

    Left alone it warns at each later fork; told to be parallel for good it can hang in a forked child. Whoever set
    the variable before Headway was imported decides.
    """
    if _PARALLELISM_WISH is not None:
        yield
        return
    os.environ[_PARALLELISM_VARIABLE] = "true"
    try:
        yield
    finally:
        os.environ[_PARALLELISM_VARIABLE] = "false"
