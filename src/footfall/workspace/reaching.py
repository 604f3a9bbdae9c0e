"""Steps of inverse kinematics within the ranges of joints: whether a hand gets to a place, and where borders are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from footfall.arrays import Array, Flags
from footfall.compiler import Kernel, absolute, build_kernel, floor, maximum, minimum, sqrt, where
from footfall.errors import InvalidInput
from footfall.math.spatial import cross
from footfall.workspace.chain import ArmChain, hand_motion
from footfall.workspace.evaluation import position_kernel

REACHED = 1e-4  # m from the wanted place, which counts as there
_NEAREST = 3  # starts close by
_KNOWN = 2**15  # random configurations to start from
_ROUNDS = 60
_LONGEST = 0.05  # m that a step goes: joints turn, they do not go straight
_DAMPING = 2e-2  # m
_FULL_TURN = 1e-9  # rad: a joint that turns all the way round goes on at its other end


def step_kernel(chain: ArmChain) -> Kernel:
    """Native code: a damped step of Newton's method towards a target (3,), m, from shares (n,) of the joints' ranges;
    joints that would leave their range stop there, and the others do the rest."""
    turns = np.abs(chain.upper - chain.lower - 2.0 * np.pi) < _FULL_TURN
    round_and_round = [bool(turn) and not slide for turn, slide in zip(turns, chain.slides, strict=True)]

    def step(shares: Array, lower: Array, upper: Array, target: Array, damping: Array) -> Mapping[str, Any]:
        motion = hand_motion(chain.attached, lower + shares * (upper - lower))
        away = target - motion.pose.translation
        square = away @ away
        error = away * minimum(1.0, _LONGEST / sqrt(maximum(square, _LONGEST**2)))
        jacobian = motion.linear * (upper - lower)
        wished = shares + _damped(jacobian, error, damping[0])
        free, kept = [], []
        for k, turning in enumerate(round_and_round):
            inside = minimum(maximum(wished[k], 0.0), 1.0)
            stopped = where(absolute(wished[k] - inside) > 0.0, 1.0, 0.0) if not turning else 0.0
            free.append(1.0 - stopped)
            kept.append(stopped * (inside - shares[k]))
        left = error - jacobian @ np.array(kept)
        moved = shares + np.array(kept) + _damped(jacobian * np.array(free), left, damping[0])
        result = [
            each - floor(each) if turning else minimum(maximum(each, 0.0), 1.0)
            for each, turning in zip(moved, round_and_round, strict=True)
        ]
        return {"moved": np.array(result), "square": np.array([square])}

    n = chain.count
    key = f"{chain.robot.fingerprint} {chain.root} {chain.hand} {round_and_round}"
    inputs = {"shares": n, "lower": n, "upper": n, "target": 3, "damping": 1}
    return build_kernel(step, inputs, name="workspace_step", key=key, check_finite=False)


def _damped(jacobian: Array, error: Array, damping: Any) -> Array:
    """J^T (J J^T + damping^2)^-1 error."""
    gram = jacobian @ jacobian.T + damping * damping * np.eye(3)
    rows = [cross(gram[1], gram[2]), cross(gram[2], gram[0]), cross(gram[0], gram[1])]
    determinant = gram[0] @ rows[0]
    solved = np.array([row @ error for row in rows]) / determinant
    result: Array = jacobian.T @ solved
    return result


def reachable(
    chain: ArmChain, points: Array, *, tolerance: float = REACHED, starts: int = 30, seed: int = 0
) -> Flags:
    """Whether inverse kinematics brings the hand to points (m, 3) in the root frame, m: (m,).

    starts: how many configurations each point is tried from: those whose hands are nearest among some random ones, and
    from the fourth on any of them.
    Collisions and loads are not looked at. A point that is not reached may still be reachable, from other starts.
    """
    points = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise InvalidInput("points are not all finite")
    kernel = step_kernel(chain)
    random = np.random.default_rng(seed)
    known = random.random((_KNOWN, chain.count))
    places, _ = position_kernel(chain)(known, chain.lower, chain.upper)
    _, nearest = cKDTree(places).query(points, k=_NEAREST)
    found = np.zeros(len(points), dtype=np.bool_)
    for start in range(starts):
        open_points = np.flatnonzero(~found)
        if not len(open_points):
            break
        near = (
            nearest[open_points, start] if start < _NEAREST else random.integers(0, _KNOWN, len(open_points))
        )
        shares = known[near]
        for number in range(_ROUNDS):
            damping = np.full(1, _DAMPING * 0.7**number + 1e-6)
            moved, square = kernel.batch(shares, chain.lower, chain.upper, points[open_points], damping)
            there = square[:, 0] < tolerance**2
            found[open_points[there]] = True
            open_points, shares = open_points[~there], moved[~there]
            if not len(open_points):
                break
    return found
