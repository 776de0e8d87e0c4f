"""Preparation by many: the same bytes whoever works, going on after a kill, and the card of what was made."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow
import pyarrow.parquet
import pytest

from headway.recipe.sections import DataConfig
from headway.training.data import Corpus, prepare
from headway.training.data.card import read_card
from headway.training.data.executors import Executor, Processes, Serial
from headway.training.data.work import Sizes

SMALL = Sizes(unit_bytes=20_000, piece_bytes=5_000)


@pytest.fixture
def many_formats(prose, tmp_path: Path) -> Path:
    """Files that are cut in pieces, each in another format, and some small ones."""
    folder = tmp_path / "text"
    folder.mkdir()
    rows = [json.dumps({"text": prose(number, 60)}) for number in range(120)]
    rows[50] = "{broken"
    content = ("\n".join(rows) + "\n").encode()
    (folder / "rows.jsonl").write_bytes(content)
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(content))
    with pyarrow.CompressedOutputStream(folder / "rows.jsonl.zst", "zstd") as stream:
        stream.write(content)
    table = pyarrow.table({"text": [prose(number, 60) for number in range(200, 320)]})
    pyarrow.parquet.write_table(table, folder / "rows.parquet", row_group_size=50)
    (folder / "long.txt").write_text("".join(prose(number, 3000) for number in range(4)))
    for number in range(9):
        (folder / f"small-{number}.txt").write_text(prose(number, 50))
    return folder


def made(folder: Path, cache: Path, executor: Executor | None = None, sizes: Sizes = SMALL, **settings: Any) -> Corpus:
    config = {
        "paths": (str(folder),),
        "cache": str(cache),
        "validation_fraction": 0.2,
        "on_bad_row": "skip",
        **settings,
    }
    return prepare(DataConfig(**config), vocab_size=300, seed=3, executor=executor, sizes=sizes)


def contents(folder: Path, *, but: str = "") -> dict[str, str]:
    files = sorted(path for path in folder.iterdir() if path.name != but)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_many_pieces_give_the_tokens_of_few(many_formats: Path, tmp_path: Path) -> None:
    cut, whole = made(many_formats, tmp_path / "1"), made(many_formats, tmp_path / "2", sizes=Sizes())
    assert cut.digest == whole.digest and cut.statistics == whole.statistics
    # How it was cut is in the digest of the content alone, which the manifest and the card have.
    assert set(contents(cut.folder)) == set(contents(whole.folder))


@pytest.mark.parametrize("tokenizer", ["byte", "bpe"])
def test_processes_make_the_same_bytes(tokenizer: str, many_formats: Path, tmp_path: Path) -> None:
    expected = contents(made(many_formats, tmp_path / "1", Serial(), tokenizer=tokenizer).folder)
    assert contents(made(many_formats, tmp_path / "2", Processes(2), tokenizer=tokenizer).folder) == expected


def test_ray_makes_the_same_bytes(many_formats: Path, tmp_path: Path) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from pathlib import Path
from headway.training.data.executors import OnRay
from tests.training.data.test_workers import made
print(made(Path({str(many_formats)!r}), Path({str(tmp_path / "ray")!r}), OnRay(2), tokenizer="byte").folder)
"""
    # In a process of its own: what Ray starts, and what it warns of, is not this one's.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = made(many_formats, tmp_path / "1", tokenizer="byte")
    assert contents(Path(done.stdout.splitlines()[-1])) == contents(expected.folder)


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=["serial", "processes"])
def test_of_several_errors_the_first_is_told(executor: Executor, tmp_path: Path, refused) -> None:
    folder = tmp_path / "text"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.jsonl").write_text('{"text": "good"}\n' * 9 + ("{broken\n" if number >= 3 else ""))
    with refused("data-json-invalid", path=str(folder / "3.jsonl"), line=10):
        made(folder, tmp_path / "cache", executor, sizes=Sizes(unit_bytes=50), on_bad_row="stop", tokenizer="byte")


def test_a_worker_that_is_killed_ends_the_work(many_formats: Path, tmp_path: Path, refused) -> None:
    with refused("data-worker-killed"):
        list(Processes(1).results(_Killed(), [1, 2]))


class _Killed:
    def __call__(self, _item: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


PREPARE = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from headway.recipe.sections import DataConfig
from headway.training.data import prepare
from tests.training.data.test_workers import SMALL

def progress(stage, fraction):
    print(stage, fraction, flush=True)
    if stage == sys.argv[4] and fraction >= float(sys.argv[5]):
        sys.stdin.read()

config = DataConfig(
    paths=(sys.argv[2],), cache=sys.argv[3], validation_fraction=0.2, on_bad_row="skip", tokenizer=sys.argv[6]
)
prepare(config, vocab_size=300, seed=3, progress=progress, sizes=SMALL)
"""


@pytest.mark.parametrize(
    ("stage", "share", "tokenizer"),
    [
        ("data-progress-reading", 0.4, "byte"),
        ("data-progress-encoding", 0.5, "byte"),
        ("data-progress-encoding", 0.9, "bpe"),
    ],
)
def test_what_was_done_before_a_kill_is_not_done_again(
    stage: str, share: float, tokenizer: str, many_formats: Path, tmp_path: Path
) -> None:
    arguments = [str(Path(__file__).parents[3]), str(many_formats), str(tmp_path / "1"), stage, str(share), tokenizer]
    command = [sys.executable, "-c", PREPARE, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told, fraction = line.split()
            if told == stage and float(fraction) >= share:
                break
        process.kill()
    assert process.returncode == -signal.SIGKILL
    begun: list[tuple[str, int]] = []
    corpus = made(many_formats, tmp_path / "1", _Counting(begun), tokenizer=tokenizer)
    everything: list[tuple[str, int]] = []
    expected = made(many_formats, tmp_path / "2", _Counting(everything), tokenizer=tokenizer)
    assert contents(corpus.folder) == contents(expected.folder)
    left, total = dict(begun), dict(everything)
    if stage == "data-progress-reading":
        assert 0 < left["ScanJob"] < total["ScanJob"] and left["EncodeJob"] == total["EncodeJob"]
    else:
        assert left["ScanJob"] == 0 and left["EncodeJob"] <= total["EncodeJob"] - 5


class _Counting(Executor):
    """Notes how many parts of each job are asked for."""

    def __init__(self, asked: list[tuple[str, int]]) -> None:
        self._asked = asked

    def results(self, job: Any, items: Any) -> Any:
        self._asked.append((type(job).__name__, len(items)))
        return map(job, items)


def test_a_torn_journal_is_read_to_its_last_whole_line(many_formats: Path, tmp_path: Path) -> None:
    expected = made(many_formats, tmp_path / "1", tokenizer="byte")

    class _StoppingError(KeyboardInterrupt):
        pass

    class Stopping(Executor):
        def results(self, job: Any, items: Any) -> Any:
            for number, item in enumerate(items):
                if type(job).__name__ == "EncodeJob" and number == 7:
                    raise _StoppingError
                yield job(item)

    with pytest.raises(_StoppingError):
        made(many_formats, tmp_path / "2", Stopping(), tokenizer="byte")
    (building,) = (tmp_path / "2" / "data").glob(".*.building")
    journal = building / "journal"
    journal.write_bytes(journal.read_bytes() + b'encoded [{"num_tok')
    # Bytes that were written after the last line are not counted.
    with (building / "train-00000.bin").open("ab") as file:
        file.write(b"xyz")
    again = made(many_formats, tmp_path / "2", tokenizer="byte")
    assert contents(again.folder) == contents(expected.folder)


def test_a_journal_of_other_sizes_is_of_no_use(many_formats: Path, tmp_path: Path) -> None:
    class Stopping(Executor):
        def results(self, job: Any, items: Any) -> Any:
            yield job(items[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(many_formats, tmp_path / "2", Stopping(), tokenizer="byte")
    again = made(many_formats, tmp_path / "2", sizes=Sizes(unit_bytes=30_000, piece_bytes=9_000), tokenizer="byte")
    assert again.digest == made(many_formats, tmp_path / "1", tokenizer="byte").digest


def test_the_card_tells_what_there_is(many_formats: Path, tmp_path: Path) -> None:
    corpus = made(many_formats, tmp_path, tokenizer="byte")
    card = read_card(corpus.folder)
    statistics = corpus.statistics
    assert (card.documents, card.tokens, card.text_bytes) == (
        statistics.documents,
        statistics.tokens,
        statistics.text_bytes,
    )
    files = {Path(file.path).name: file for file in card.sources}
    assert set(files) == {path.name for path in many_formats.iterdir()}
    for path in many_formats.iterdir():
        content = path.read_bytes()
        assert (files[path.name].size_bytes, files[path.name].sha256) == (
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
    assert card.tokenizer_sha256 == corpus.tokenizer.digest
    for name, record in card.files.items():
        assert hashlib.sha256((corpus.folder / name).read_bytes()).hexdigest() == record.sha256
    (skipped,) = card.skipped
    assert (skipped.rows, skipped.message_id, skipped.first["line"]) == (3, "data-json-invalid", 51)
    assert [notice.message_id for notice in corpus.notices] == ["data-rows-skipped", "data-json-invalid"]


def test_a_limit_of_text_is_the_same_however_it_is_cut(many_formats: Path, tmp_path: Path) -> None:
    cut = made(many_formats, tmp_path / "1", Processes(2), max_bytes=100_000, tokenizer="byte")
    whole = made(many_formats, tmp_path / "2", sizes=Sizes(), max_bytes=100_000, tokenizer="byte")
    assert cut.digest == whole.digest and cut.statistics.text_bytes == 100_000


def test_a_card_that_is_missing_is_refused(tmp_path: Path, refused) -> None:
    with refused("data-card-missing", path=str(tmp_path)):
        read_card(tmp_path)


SLEEPING = """
import sys
sys.path.insert(0, sys.argv[1])
from headway.training.data.executors import Processes
from tests.training.data.test_workers import Pid
for pid in Processes(2).results(Pid(), [0, 0, 600, 600]):
    print(pid, flush=True)
"""


class Pid:
    """Sleeps, and tells who slept."""

    def __call__(self, seconds: int) -> int:
        time.sleep(seconds)
        return os.getpid()


def test_no_worker_outlives_its_parent() -> None:
    command = [sys.executable, "-c", SLEEPING, str(Path(__file__).parents[3])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        worker = psutil.Process(int(process.stdout.readline()))
        process.kill()
    worker.wait(timeout=60)
