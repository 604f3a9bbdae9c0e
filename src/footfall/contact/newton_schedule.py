"""In which order Newton's method on the natural map tries its kinds of steps, in a native step and in contact space."""

from __future__ import annotations

from typing import NamedTuple


class NewtonStep(NamedTuple):
    """How a step is made: see `law.linear_law` for reach, softness (over the residual, and at least) and leaning."""

    reach: float
    softness: float = 1e-2
    least_softness: float = 0.0
    leaning: float = 1.0


LEAST_SOFTNESS, MOST_SOFTNESS = 1e-7, 1e-2
HALVINGS = 6
# Steps of a kind whose merits a further one is held against. What slides or sticks changes from step to step, and with
# it the merit jumps: held against the last step alone, steps get short where the next full one would have been right.
MEMORY = 3
# The first steps are all that is needed from a good start; each of the others is tried for some steps. A long reach
# tells slow sliding from sticking; friction that does not lean on the normal impulse makes the step that of a convex
# problem, which finds out of circles.
_FIRST = 10
_LATER = {
    NewtonStep(reach=1e2): 5,
    NewtonStep(reach=1.0, least_softness=1e-3, leaning=0.0): 5,
    NewtonStep(reach=1e1): 5,
    NewtonStep(reach=1e3): 5,
    NewtonStep(reach=3.0, least_softness=1e-3): 4,
    NewtonStep(reach=1e4): 4,
    NewtonStep(reach=1e5): 4,
    NewtonStep(reach=1e6): 4,
}


def one_round(first: NewtonStep) -> tuple[NewtonStep, ...]:
    """The steps of a round, which begins with some of this kind."""
    return (first,) * _FIRST + tuple(kind for kind, steps in _LATER.items() for _ in range(steps))


# Softness makes redundant contacts, and joints that rub, find their states; without them it only costs steps. Measured
# on thousands of steps of Go2 and G1 under a policy and random goals: mean and slowest of eight rows.
ONE_ROUND = one_round(NewtonStep(reach=2.0, softness=1e-1))
ROUND_WITHOUT_JOINTS = one_round(NewtonStep(reach=1.0, softness=1e-3))
ROUND_APART = one_round(NewtonStep(reach=1.0, softness=1e-5))
