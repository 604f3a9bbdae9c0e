"""In which order Newton's method on the natural map tries its kinds of steps, in a native step and in contact space."""

from __future__ import annotations

from typing import NamedTuple


class StepKind(NamedTuple):
    """How a step is made: see `newton_step` for reach, softness (over the residual, and at least) and leaning."""

    reach: float
    softness: float = 1e-2
    least_softness: float = 0.0
    leaning: float = 1.0


LEAST_SOFTNESS, MOST_SOFTNESS = 1e-7, 1e-2
HALVINGS = 6
# The first steps are all that is needed from a good start; each of the others is tried for some steps. A long reach
# tells slow sliding from sticking; friction that does not lean on the normal impulse makes the step that of a convex
# problem, which finds out of circles.
_EARLY = (StepKind(reach=3.0, softness=1e-3),) * 6
_LATER = (
    StepKind(reach=1e1),
    StepKind(reach=1.0, least_softness=1e-2, leaning=0.0),
    StepKind(reach=1e2),
    StepKind(reach=1e3),
    StepKind(reach=3.0, least_softness=1e-3),
    StepKind(reach=1e4),
    StepKind(reach=1e5),
    StepKind(reach=1e6),
)
ONE_ROUND = _EARLY + tuple(kind for kind in _LATER for _ in range(5))
