"""The contract suite that every engine must pass: subclass `EngineContract` and say which engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.training.data import Batch
from headway.training.engines import Engine, build_engine

VOCAB_SIZE, LENGTH = 97, 24


def make_recipe(engine: str, **training: Any) -> Recipe:
    return resolve_recipe(
        {
            "model": {
                "hidden_size": 48,
                "intermediate_size": 96,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": VOCAB_SIZE,
                "max_position_embeddings": LENGTH,
                "tie_word_embeddings": training.pop("tie_word_embeddings", False),
            },
            "training": {
                "engine": engine,
                "steps": 10,
                "sequence_length": LENGTH,
                "global_batch_size": 8,
                "precision": "fp32",
                **training,
            },
            "hardware": {"accelerator": "cpu", "threads": 2},
        }
    )


def make_batch(step: int, rows: int = 8) -> Batch:
    generator = np.random.default_rng(step)
    return Batch(generator.integers(0, VOCAB_SIZE, (rows, LENGTH + 1)))


def make_marked_batch(step: int) -> Batch:
    """Return a batch of whose rows the first two have no target that counts, and the others ever more."""
    generator = np.random.default_rng(step)
    is_target = generator.random((8, LENGTH)) < np.array([0, 0, 0.1, 0.2, 0.4, 0.6, 0.8, 1])[:, None]
    return Batch(make_batch(step).tokens, None, is_target, int(is_target.sum()))


def rows_of(batch: Batch, rows: slice) -> Batch:
    """Return some rows of a marked batch."""
    assert batch.is_target is not None
    return replace(batch, tokens=batch.tokens[rows], is_target=batch.is_target[rows])


def copy_of(snapshot: Snapshot, step: int = 0) -> Snapshot:
    """Return a snapshot that does not share the engine's memory."""
    return Snapshot(
        parameters={name: np.array(array) for name, array in snapshot.parameters.items()},
        optimizer={name: np.array(array) for name, array in snapshot.optimizer.items()},
        state={**snapshot.state, "step": step},
    )


def assert_equal(first: Snapshot, second: Snapshot) -> None:
    for ours, theirs in ((first.parameters, second.parameters), (first.optimizer, second.optimizer)):
        assert set(ours) == set(theirs)
        for name, array in ours.items():
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)


class EngineContract:
    """What the loop relies on, whichever framework runs."""

    engine_name: str

    def build(self, **training: Any) -> Engine:
        return build_engine(make_recipe(self.engine_name, **training))

    def run(self, engine: Engine, steps: Sequence[int], rate: float = 1e-3) -> list[float]:
        return [engine.step([make_batch(step)], rate).loss for step in steps]

    def test_same_seed_gives_the_same_run(self) -> None:
        assert self.run(self.build(), range(5)) == self.run(self.build(), range(5))

    def test_first_loss_is_that_of_a_uniform_guess(self) -> None:
        assert self.run(self.build(), [0])[0] == pytest.approx(np.log(VOCAB_SIZE), rel=0.02)

    def test_learns_to_repeat_a_batch(self) -> None:
        engine = self.build()
        losses = [engine.step([make_batch(0)], 3e-3).loss for _ in range(60)]
        assert losses[-1] < 0.7 * losses[0]

    def test_micro_batches_give_the_gradient_of_the_whole_batch(self) -> None:
        whole, parts = self.build(), self.build()
        batch = make_batch(0)
        split = [Batch(batch.tokens[:2]), Batch(batch.tokens[2:3]), Batch(batch.tokens[3:])]
        first, second = whole.step([batch], 1e-3), parts.step(split, 1e-3)
        assert first.loss == pytest.approx(second.loss, rel=1e-5)
        assert first.gradient_norm == pytest.approx(second.gradient_norm, rel=1e-4)

    def test_parts_with_uneven_targets_give_the_gradient_of_the_whole_batch(self) -> None:
        """One of the parts has no target at all. After one step of Adam the first moment is a tenth of the gradient."""
        whole, parts, plain = self.build(), self.build(), self.build()
        batch = make_marked_batch(0)
        assert batch.is_target is not None and batch.is_target[:2].sum() == 0 < batch.num_targets
        split = [rows_of(batch, rows) for rows in (slice(0, 2), slice(2, 3), slice(3, 8))]
        results = [whole.step([batch], 1e-3), parts.step(split, 1e-3), plain.step([Batch(batch.tokens)], 1e-3)]
        first, second, third = (copy_of(engine.snapshot()).optimizer for engine in (whole, parts, plain))
        assert results[0].loss == pytest.approx(results[1].loss, rel=1e-6)
        for name in first:
            if name.endswith("exp_avg"):
                np.testing.assert_allclose(10 * first[name], 10 * second[name], atol=1e-6, err_msg=name)
        assert abs(results[0].loss - results[2].loss) > 1e-4
        assert any(np.abs(first[name] - third[name]).max() > 1e-4 for name in first if name.endswith("exp_avg"))

    def test_what_does_not_count_changes_nothing(self) -> None:
        """The last targets do not count, so what they are does not matter."""
        batch = make_marked_batch(0)
        is_target = np.zeros_like(batch.is_target)
        is_target[:, :10] = True
        changed = batch.tokens.copy()
        changed[:, 12:] = (changed[:, 12:] + 1) % VOCAB_SIZE
        losses = [
            self.build().step([Batch(tokens, None, is_target, int(is_target.sum()))], 1e-3).loss
            for tokens in (batch.tokens, changed)
        ]
        short = self.build().step([Batch(batch.tokens[:, :11])], 1e-3).loss
        assert losses[0] == losses[1] == pytest.approx(short, rel=1e-6)

    def test_a_step_without_targets_has_no_loss(self) -> None:
        batch = make_batch(0)
        result = self.build().step([Batch(batch.tokens, None, np.zeros((8, LENGTH), np.bool_), 0)], 1e-3)
        assert (result.loss, result.gradient_norm) == (0.0, 0.0)

    def test_evaluation_weighs_by_targets_that_count(self) -> None:
        engine = self.build()
        batches = [rows_of(make_marked_batch(0), slice(0, 6)), rows_of(make_marked_batch(1), slice(5, 8))]
        alone = [engine.evaluate([batch]) for batch in batches]
        counts = [batch.num_targets for batch in batches]
        expected = float(np.average(alone, weights=counts))
        assert engine.evaluate(batches) == pytest.approx(expected, rel=1e-5)
        assert counts[0] != counts[1]

    def test_evaluation_changes_nothing(self) -> None:
        engine = self.build()
        before = copy_of(engine.snapshot())
        loss = engine.evaluate([make_batch(0, 3), make_batch(1, 8)])
        assert_equal(before, engine.snapshot())
        assert loss == pytest.approx(
            (3 * engine.evaluate([make_batch(0, 3)]) + 8 * engine.evaluate([make_batch(1, 8)])) / 11, rel=1e-5
        )

    @pytest.mark.parametrize("tied", [False, True])
    def test_resume_is_exact(self, tied: bool, tmp_path: Path) -> None:
        straight = self.build(tie_word_embeddings=tied)
        losses = self.run(straight, range(6))
        first = self.build(tie_word_embeddings=tied)
        assert self.run(first, range(3)) == losses[:3]
        store = CheckpointStore(tmp_path)
        store.save(copy_of(first.snapshot(), step=3))
        second = self.build(tie_word_embeddings=tied, seed=99)
        loaded, _ = store.load_newest()
        assert loaded is not None
        second.load(loaded)
        assert self.run(second, range(3, 6)) == losses[3:]
        assert_equal(straight.snapshot(), second.snapshot())

    def test_a_snapshot_before_the_first_step_can_be_resumed(self) -> None:
        first, second = self.build(), self.build(seed=99)
        second.load(copy_of(first.snapshot()))
        assert self.run(first, range(3)) == self.run(second, range(3))

    def test_snapshot_is_canonical(self) -> None:
        snapshot = self.build().snapshot()
        assert snapshot.parameters["model.layers.1.self_attn.k_proj.weight"].shape == (24, 48)
        assert snapshot.parameters["lm_head.weight"].shape == (VOCAB_SIZE, 48)
        assert {array.dtype for array in snapshot.parameters.values()} == {np.dtype(np.float32)}
        assert set(snapshot.optimizer) == {
            f"{name}.{moment}" for name in snapshot.parameters for moment in ("exp_avg", "exp_avg_sq")
        }

    def test_weights_of_another_shape_are_refused(self) -> None:
        engine = self.build()
        snapshot = copy_of(engine.snapshot())
        name = "model.norm.weight"
        wrong = {**snapshot.parameters, name: np.ones(3, np.float32)}
        with pytest.raises(CheckpointError) as refused:
            engine.load_weights(wrong)
        assert refused.value.arguments == {"name": name, "found": "(3,)", "expected": "(48,)"}
        wrong.pop(name)
        with pytest.raises(CheckpointError, match="missing"):
            engine.load_weights(wrong)
        with pytest.raises(CheckpointError, match="unknown"):
            engine.load_weights({**snapshot.parameters, "extra": np.ones(3, np.float32)})

    def test_weights_alone_start_the_optimizer_afresh(self) -> None:
        first = self.build()
        self.run(first, range(3))
        second = self.build(seed=5)
        second.load_weights(copy_of(first.snapshot()).parameters)
        fresh = second.snapshot()
        assert all(not array.any() for array in fresh.optimizer.values())
        np.testing.assert_array_equal(
            fresh.parameters["model.norm.weight"], first.snapshot().parameters["model.norm.weight"]
        )

    def test_clipping_bounds_the_gradient(self) -> None:
        free, clipped = self.build(gradient_clip_norm=1e9), self.build(gradient_clip_norm=1e-3)
        batch = [make_batch(0)]
        assert free.step(batch, 1e-3).gradient_norm == clipped.step(batch, 1e-3).gradient_norm
        moment = "model.layers.0.mlp.up_proj.weight.exp_avg"
        ratio = np.linalg.norm(free.snapshot().optimizer[moment]) / np.linalg.norm(clipped.snapshot().optimizer[moment])
        norm = free.step([make_batch(1)], 0.0).gradient_norm
        assert ratio > 100 * norm

    def test_bf16_trains_and_differs_from_fp32(self) -> None:
        exact, rounded = self.run(self.build(), range(5)), self.run(self.build(precision="bf16"), range(5))
        assert exact != rounded
        assert rounded == pytest.approx(exact, rel=0.02)

    def test_a_step_without_a_number_updates_nothing(self) -> None:
        engine = self.build()
        self.run(engine, range(2))
        state = copy_of(engine.snapshot())
        name = next(iter(state.parameters))
        broken = {**state.parameters, name: np.full_like(state.parameters[name], np.nan)}
        engine.load(replace(state, parameters=broken))
        result = engine.step([make_batch(2)], 1e-3)
        assert not np.isfinite(result.loss)
        assert not result.is_skipped, "that is for an overflow which a lower loss scale mends"
        assert_equal(engine.snapshot(), replace(state, parameters=broken))
        engine.load(state)
        straight = self.build()
        assert self.run(straight, range(4))[2:] == self.run(engine, range(2, 4)), "no gradient was left over"

    def test_a_step_that_is_done_twice_is_as_if_done_once(self) -> None:
        once, twice = self.build(), self.build()
        losses = self.run(once, range(4))
        results = [twice.replay([make_batch(step)], 1e-3) for step in range(4)]
        assert [result.loss for result, _ in results] == losses
        assert {is_same for _, is_same in results} <= {True, None}
        assert_equal(once.snapshot(), twice.snapshot())

    def test_a_digest_of_copies_sees_a_single_bit(self) -> None:
        engine = self.build()
        self.run(engine, range(2))
        before = engine.replica_digest()
        if before is None:
            return
        assert 0 <= before < 2**63
        assert engine.replica_digest() == before
        state = copy_of(engine.snapshot())
        name = next(iter(state.parameters))
        state.parameters[name].view(np.uint32).flat[5] ^= 1
        engine.load(state)
        assert engine.replica_digest() != before

    def test_settings_say_what_runs(self) -> None:
        settings = self.build().settings
        assert settings.threads == 2
        assert settings.versions

    def test_peak_memory_is_known(self) -> None:
        assert self.build().peak_memory_bytes() > 2**20
