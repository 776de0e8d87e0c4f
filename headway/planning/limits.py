"""What no plan is made of, since its numbers would mean nothing."""

from __future__ import annotations

from headway.errors import PlanError
from headway.planning.parameters import count_parameters
from headway.recipe import Recipe

MAX_PARAMETERS = 10**15
"""No model has more weights, and none is planned.

The largest that a program was shown to hold has 1.74 x 10^14, and 1.45 x 10^13 were trained for some steps: Ma et al.
2022, "BaGuaLu: targeting brain scale pretrained models with over 37 million cores" (PPoPP), abstract; those that were
trained to an end have about 10^12."""

_ROUNDING = 1e-9
"""Of a limit, that sums of floating-point numbers may miss it by: eighteen trays of 7.5 kW come to 135,000.00000000003
watts. Some thousand roundings of 10^-16 each, and far below any watt that a reader could mean."""


def is_within(needed: float, limit: float) -> bool:
    """Return whether a need stays within a limit, whose like it may miss by the rounding of sums alone."""
    return needed <= limit * (1 + _ROUNDING)


def require_possible(recipe: Recipe) -> None:
    """Refuse a model that cannot be: each field of it may be possible, and all of them together not.

    Raises:
        PlanError: it has more than `MAX_PARAMETERS` weights.
    """
    parameters = count_parameters(recipe.model)
    if parameters > MAX_PARAMETERS:
        model = recipe.model
        raise PlanError(
            "plan-model-too-large",
            parameters=float(parameters),
            limit=float(MAX_PARAMETERS),
            hidden_size=model.hidden_size,
            num_hidden_layers=model.num_hidden_layers,
            vocab_size=model.vocab_size,
            num_experts=model.num_experts or 1,
        )
