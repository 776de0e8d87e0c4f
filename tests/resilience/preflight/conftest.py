from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headway.machine.inventory import take_inventory
from headway.recipe import resolve_recipe
from headway.resilience.preflight.subject import Subject

RECIPE = {
    "model": {"preset": "headway-tiny-4m"},
    "training": {"steps": 10},
    "hardware": {"accelerator": "cpu"},
    "resilience": {"checkpoint_every": "60s"},
}


@pytest.fixture
def subject(tmp_path: Path) -> Callable[..., Subject]:
    """Makes what is looked at: this server, with parts of its inventory changed."""
    inventory = take_inventory(tmp_path)

    def make(
        sections: dict[str, Any] | None = None, parts: dict[str, dict[str, Any]] | None = None, **fields: Any
    ) -> Subject:
        changed = {name: replace(getattr(inventory, name), **values) for name, values in (parts or {}).items()}
        merged = {**RECIPE, **(sections or {})}
        return Subject(
            recipe=resolve_recipe(merged),
            inventory=replace(inventory, **changed, **fields.pop("inventory", {})),
            folder=fields.pop("folder", tmp_path),
            **fields,
        )

    return make
