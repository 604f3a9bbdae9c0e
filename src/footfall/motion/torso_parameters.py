"""Parameters of the torso stages (spec 003c section 6)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Positive = Annotated[float, Meta(gt=0.0)]
NotNegative = Annotated[float, Meta(ge=0.0)]


class TorsoParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 14. first_grid_s, grid_s: distance of break points in the first and second cycle. filter_share: time
    constant of the low-pass as a part of the last transition. bound_margin_m: from the leg bounds.
    acceleration_limit_g: of the torso's height, as a multiple of gravity. method: how the torso obeys the zero moment
    point: with least error over all times, or exactly at the break points by a quintic or cubic spline as in the
    source."""

    first_grid_s: Positive = 0.2
    grid_s: Positive = 0.05
    filter_share: NotNegative = 0.25
    bound_margin_m: NotNegative = 0.005
    acceleration_limit_g: Positive = 0.5
    method: Literal["least_squares", "quintic", "cubic"] = "least_squares"
