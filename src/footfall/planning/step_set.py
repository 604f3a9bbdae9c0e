"""All steps between states: which cell and heading a foot may go to, and what that costs on level ground.

They depend on the robot and on parameters, not on the scene, and are made once (Seiwald 2023, sections 5.5.2 to 5.5.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector2, new_records, routine
from footfall.errors import InvalidInput
from footfall.gait.step_parameters import step_lengths
from footfall.motion.pose_checks import sole_gap
from footfall.motion.reduced_model import Rectangle
from footfall.planning.biped import Biped
from footfall.planning.parameters import PlannerParameters

CELL = 0.04  # m, of footsteps
GUIDE_CELL = 0.08  # m, of the guide
SWEEP = 9  # places along the way of a foot at which its footprint is looked at
TURNS = 2  # headings to either side that a step may lead to
GUIDE_TURN = 2  # headings of footsteps in one of the guide
# m, steps of the guide of a robot with legs of 0.87 m
_AHEAD = (
    0.0,
    0.08,
    0.16,
    0.24,
    0.32,
    0.40,
    0.48,
    0.56,
    0.64,
)
_AHEAD_AND_ASIDE = (0.0, 0.16, 0.24)
_TURN_SHARE = 1.0  # of the cost of a full turn: two half ones cost half as much
_ROUNDING = 1e-9
_MOST_STEPS = 1_000_000  # each takes half a kilobyte
_LARGEST_STEP = 10.0  # m


class Step(NamedTuple):
    """A step from one stance to the next: cells along x and y, headings, cost on level ground, and its length."""

    dx: int
    dy: int
    turn: int
    cost: float
    forward: float  # m, along the arc


class SweepPlace(NamedTuple):
    """A footprint on the way of a swing foot: cells from the stance foot, and headings."""

    dx: int
    dy: int
    turn: int


class StepSet(NamedTuple):
    """Steps by stance foot (0 right, 1 left) and heading: those of foot f and heading k are first[f, k] to
    first[f, k + 1] of `steps`; the ways of both half swings of step n are 2 SWEEP rows from 2 SWEEP n on."""

    steps: ArrayOf[Step]
    first: Integers
    sweeps: ArrayOf[SweepPlace]
    longest: float  # m, of the ways that the middle between the feet makes
    reach: int  # cells, farthest that a foot or its way gets


def step_set(biped: Biped, parameters: PlannerParameters) -> StepSet:
    """All footsteps of a biped, each cell within the limits once for every turn (Seiwald 2023, 5.5.4)."""
    _check_count(parameters)
    yaws = parameters.grid.yaws
    rows: list[Array] = []
    sweeps: list[Array] = []
    first, longest = np.zeros((2, yaws + 1), np.int64), 0.0
    count = 0
    quarter = yaws // 4
    for foot in range(2):
        first[foot, 0] = count
        for k in range(yaws):
            if k < quarter:
                found = _steps_from(biped, parameters, foot, 2 * np.pi * k / yaws)
                rows.append(found.rows)
                sweeps.append(_sweeps(biped, found, foot, 2 * np.pi * k / yaws, yaws))
                longest = max(longest, float(found.path.max(initial=0.0)))
            else:  # a quarter of a turn maps cells on cells
                rows.append(_quarter_turn(rows[-quarter]))
                sweeps.append(_quarter_turn(sweeps[-quarter]))
            count += len(rows[-1])
            first[foot, k + 1] = count
    if count == 0:
        raise InvalidInput(
            "no step keeps all limits of [step]: forward_m and outward_m are too short for feet_apart_m"
        )
    table, ways = np.concatenate(rows), np.concatenate(sweeps).reshape(-1, 3)
    steps, places = new_records(Step, len(table)), new_records(SweepPlace, len(ways))
    for n, name in enumerate(Step._fields):
        steps[name] = table[:, n]
    for n, name in enumerate(SweepPlace._fields):
        places[name] = ways[:, n]
    reach = int(max(np.abs(table[:, :2]).max(), np.abs(ways[:, :2]).max())) + 1
    return StepSet(steps, first, places, longest, reach)


def _check_count(parameters: PlannerParameters) -> None:
    """Steps are the cells of a triangle, for each foot, heading and turn; limits may ask for more than memory holds."""
    limits, yaws = parameters.step, parameters.grid.yaws
    # with a cell around it, since its corners are rounded
    cells = (limits.forward_m / CELL + 2) * (limits.outward_m / CELL + 2) / 2
    expected = 2 * yaws * (2 * TURNS + 1) * cells
    if expected > _MOST_STEPS or limits.forward_m + limits.outward_m > _LARGEST_STEP:
        raise InvalidInput(
            f"steps of {limits.forward_m:g} m ahead and {limits.outward_m:g} m aside in {yaws} headings are about "
            f"{expected:.2g}; at most {_MOST_STEPS} are possible, within {_LARGEST_STEP:g} m: shorten them"
        )


def _quarter_turn(rows: Array) -> Array:
    """Rows (..., n) that begin with dx and dy, turned to the left."""
    return np.concatenate([-rows[..., 1:2], rows[..., :1], rows[..., 2:]], axis=-1)


class _Found(NamedTuple):
    """Steps from one stance: rows (n, 5) as `Step`, and the ways (n,) of the middle between the feet, m."""

    rows: Array
    path: Array


def _steps_from(biped: Biped, parameters: PlannerParameters, foot: int, yaw: float) -> _Found:
    limits, half = parameters.step, biped.foot_distance / 2
    side = 1.0 if foot == 0 else -1.0  # to the side on which the swing foot is
    reach = int(np.ceil((limits.forward_m + limits.outward_m + 2 * half) / CELL)) + 1
    i, j = (grid.ravel() for grid in np.meshgrid(*[np.arange(-reach, reach + 1)] * 2, indexing="ij"))
    c, s = np.cos(yaw), np.sin(yaw)
    ways = CELL * np.stack([c * i + s * j, c * j - s * i, np.zeros(len(i))], axis=1)
    rows, paths = [], []
    for turn in range(-TURNS, TURNS + 1):
        phi = np.deg2rad(limits.turn_deg) / TURNS * turn
        lengths = step_lengths(ways, np.full(len(ways), phi), side * half)
        forward, outward = lengths[:, 0], side * lengths[:, 1]
        kept = (forward >= -_ROUNDING) & (forward <= limits.forward_m + _ROUNDING)
        kept &= (outward >= -_ROUNDING) & (outward <= limits.outward_m + _ROUNDING)
        kept &= forward / limits.forward_m + outward / limits.outward_m <= 1.0 + _ROUNDING
        poses = np.concatenate([ways[kept, :2], np.full((int(kept.sum()), 1), phi)], axis=1)
        apart = np.empty(len(poses))
        sole_gaps(sole_corners(biped.sole), poses, apart)
        kept[kept] = apart >= limits.feet_apart_m
        path = np.hypot(
            ways[kept, 0] + side * half * np.sin(phi), ways[kept, 1] - side * half * (np.cos(phi) + 1.0)
        )
        cost = parameters.cost
        price = (
            cost.step + cost.path_per_m * path + cost.length_per_m * np.abs(forward[kept] - cost.desired_m)
        )
        price += cost.turn_per_rad2 * phi**2 + cost.lateral_per_m * np.abs(outward[kept])
        turns = np.full(len(price), turn)
        rows.append(np.stack([i[kept], j[kept], turns, price, forward[kept]], axis=1))
        paths.append(path)
    return _Found(np.concatenate(rows), np.concatenate(paths))


def sole_corners(sole: Rectangle) -> Array:
    """Corners (4, 2) of a sole, counter-clockwise."""
    rear, front, right, left = sole
    return np.array([[rear, right], [front, right], [front, left], [rear, left]])


@routine(quick=True)
def sole_gaps(sole: ArrayOf[Vector2], poses: Array, gaps: Array) -> None:
    """Distances (n,) between a sole in the origin and soles at poses (n, 3): x, y, yaw."""
    moved: ArrayOf[Vector2] = np.empty((4, 2))
    for n in range(len(poses)):
        c, s = np.cos(poses[n, 2]), np.sin(poses[n, 2])
        for k in range(4):
            corner = sole[k]
            moved[k] = np.array(
                [
                    poses[n, 0] + c * corner[0] - s * corner[1],
                    poses[n, 1] + s * corner[0] + c * corner[1],
                ]
            )
        gaps[n] = sole_gap(sole, moved)


def _sweeps(biped: Biped, found: _Found, foot: int, yaw: float, yaws: int) -> Array:
    """Places (n, 2 SWEEP, 3) of the half swings: the stance foot to beside the next stance, and the foot beside it to
    the next stance (Seiwald 2023, 5.5.4), so that costs do not depend on the step before."""
    side = 1.0 if foot == 0 else -1.0
    turn = found.rows[:, 2]
    heading = yaw + 2 * np.pi / yaws * turn
    end = CELL * found.rows[:, :2]
    width = side * biped.foot_distance
    across = np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    beside_next = end - width * across
    beside = np.broadcast_to(width * np.array([-np.sin(yaw), np.cos(yaw)]), end.shape)
    shares = np.linspace(0.0, 1.0, SWEEP)[None, :, None]
    ways = [(np.zeros_like(end), beside_next), (beside, end)]
    places = [begin[:, None] + shares * (last - begin)[:, None] for begin, last in ways]
    cells = np.rint(np.concatenate(places, axis=1) / CELL)
    turns = np.rint(np.concatenate([shares[..., 0], shares[..., 0]], axis=1) * turn[:, None])
    return np.concatenate([cells, turns[..., None]], axis=2)


class GuideStep(NamedTuple):
    """A step of the middle between the feet along the guide: its cells, its headings, cost and length, m."""

    dx: int
    dy: int
    turn: int
    cost: float
    length: float


class CellBetween(NamedTuple):
    """A cell of the guide on the way of a step, from that where it begins."""

    dx: int
    dy: int


class GuideSteps(NamedTuple):
    """Steps by the heading in which they end: those of heading k are first[k] to first[k + 1]. Between begin and end
    of step n are the cells between_first[n] to between_first[n + 1] of `between`."""

    steps: ArrayOf[GuideStep]
    first: Integers
    between: ArrayOf[CellBetween]
    between_first: Integers
    reach: int  # cells of the guide


def guide_steps(parameters: PlannerParameters) -> GuideSteps:
    """Steps of the guide: arcs ahead, turns in place and steps aside, rounded to cells, each once."""
    headings = parameters.grid.yaws // GUIDE_TURN
    ending: list[list[list[float]]] = [[] for _ in range(headings)]
    ways: list[list[set[tuple[int, int]]]] = [[] for _ in range(headings)]
    for k in range(headings):
        known: dict[tuple[int, int, int], list[float]] = {}
        for row in _guide_rows(2 * np.pi * k / headings, parameters):
            key = (int(row[0]), int(row[1]), int(row[2]))
            if any(key) and (key not in known or row[3] < known[key][3]):
                known[key] = row
        for row in known.values():
            end = (k + int(row[2])) % headings
            ending[end].append(row)
            ways[end].append(_cells_between(int(row[0]), int(row[1])))
    first = np.cumsum([0, *(len(rows) for rows in ending)])
    table = np.array([row for rows in ending for row in rows])
    steps = new_records(GuideStep, len(table))
    for n, name in enumerate(GuideStep._fields):
        steps[name] = table[:, n]
    cells = [sorted(way) for rows in ways for way in rows]
    between = new_records(CellBetween, sum(map(len, cells)))
    # Steps of a slow or small robot may end in the next cell, with none between.
    passed = np.array([cell for way in cells for cell in way], dtype=np.float64).reshape(-1, 2)
    between["dx"], between["dy"] = passed.T
    between_first = np.cumsum([0, *map(len, cells)])
    return GuideSteps(steps, first, between, between_first, int(np.abs(table[:, :2]).max()) + 1)


def _cells_between(dx: int, dy: int) -> set[tuple[int, int]]:
    """Cells that a straight way of some cells passes, without the first and the last."""
    shares = np.linspace(0.0, 1.0, max(abs(dx), abs(dy)) + 1)
    return {(round(share * dx), round(share * dy)) for share in shares[1:-1].tolist()}


def _guide_rows(yaw: float, parameters: PlannerParameters) -> list[list[float]]:
    """Rows as `GuideStep`. Two steps move the body aside by outward_m at the most, so that on average half of it is
    left for each, the less the farther they lead ahead."""
    cost, limits = parameters.cost, parameters.step
    unit = np.deg2rad(limits.turn_deg)
    scale = limits.forward_m / 0.64
    moves = [(scale * ahead, 0.0) for ahead in _AHEAD] + [
        (scale * ahead, side * GUIDE_CELL) for ahead in _AHEAD_AND_ASIDE for side in (-1.0, 1.0)
    ]
    rows = []
    for turn in (-1, 0, 1):
        angle = yaw + unit * turn / 2
        for ahead, aside in moves:
            x = round((np.cos(angle) * ahead - np.sin(angle) * aside) / GUIDE_CELL)
            y = round((np.sin(angle) * ahead + np.cos(angle) * aside) / GUIDE_CELL)
            length = GUIDE_CELL * float(np.hypot(x, y))
            straight = length if aside == 0.0 else ahead
            price = cost.step + cost.path_per_m * length + cost.length_per_m * abs(straight - cost.desired_m)
            price += _TURN_SHARE * cost.turn_per_rad2 * (unit * turn) ** 2 + cost.lateral_per_m * abs(aside)
            rows.append([x, y, turn, price, length])
    return rows
