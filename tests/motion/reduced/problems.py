"""Problems that reduced models are asked in tests: LOLA on level ground, along a curve, and with a hand on a wall."""

from __future__ import annotations

from functools import lru_cache

from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.plans import load_plan
from footfall.motion.reduced.from_plan import balance_problem
from footfall.motion.reduced.problem import BalanceProblem
from tests.motion.lola import MODEL, walk

WALKING = ("lipm", "preview", "dcm", "mpc", "flywheel", "biped", "three_masses", "five_masses", "centroidal")


@lru_cache(maxsize=4)
def straight_problem(count: int = 6, forward: float = 0.3) -> BalanceProblem:
    return balance_problem(walk([WalkingTransition(forward=forward)] * count), MODEL)


@lru_cache(maxsize=1)
def curved_problem() -> BalanceProblem:
    steps = [WalkingTransition(forward=0.25, left=0.02, yaw=0.15)] * 5
    return balance_problem(walk(steps), MODEL)


@lru_cache(maxsize=1)
def hand_problem() -> BalanceProblem:
    """The shipped plan in which LOLA leans on a wall while it walks."""
    return balance_problem(load_plan("platform", MODEL), MODEL)
