"""Samples go into cells: part after part, then where cells are few, then along the border.

Steps of inverse kinematics within the ranges of joints: whether a hand gets to a place, and where borders are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from footfall.arrays import Array, Flags
from footfall.compiler import Kernel, absolute, build_kernel, floor, maximum, minimum, sqrt, where
from footfall.errors import InvalidInput
from footfall.geometry.swept_lanes import ROWS
from footfall.math.spatial import cross
from footfall.workspace.border import Border, border_cells, climb, fitted, new_border, occupied, renewed
from footfall.workspace.cells import WIDTH, Batch, CellTable, cell_places, enlarged, fill, new_table
from footfall.workspace.chain import ArmChain, hand_motion
from footfall.workspace.collisions import OwnVolumes, own_volumes, touching
from footfall.workspace.evaluation import Asked, constants, evaluation_kernel, nearest_table, position_kernel
from footfall.workspace.indices import LOAD

REACHED = 1e-4  # m from the wanted place, which counts as there
_NEAREST = 3  # starts close by
_KNOWN = 2**15  # random configurations to start from
_MOST_ROUNDS = 60
_LONGEST_STEP = 0.05  # m that a step goes: joints turn, they do not go straight
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
        error = away * minimum(1.0, _LONGEST_STEP / sqrt(maximum(square, _LONGEST_STEP**2)))
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
        for number in range(_MOST_ROUNDS):
            damping = np.full(1, _DAMPING * 0.7**number + 1e-6)
            moved, square = kernel.batch(shares, chain.lower, chain.upper, points[open_points], damping)
            there = square[:, 0] < tolerance**2
            found[open_points[there]] = True
            open_points, shares = open_points[~there], moved[~there]
            if not len(open_points):
                break
    return found


BATCH = 4096  # samples at once: they stay in the caches
_BLOCK = 256  # of them, whose elements stay in the caches
ENOUGH = 16.0  # samples of a cell, from which on those that looked for it count no more
_ALL = 1e300
_TRIES = 4  # of each cell at the border, a round
_CLIMBS = 12  # rounds along the border


class Gatherer:
    """Evaluates samples of a chain and puts them into cells. clearance: m between own volumes, None: may touch."""

    def __init__(
        self, chain: ArmChain, asked: Asked, size: float, directions: int, clearance: float | None
    ) -> None:
        self.chain, self.asked, self.size = chain, asked, size
        self._volumes: OwnVolumes | None = own_volumes(chain) if clearance is not None else None
        self._clearance = clearance or 0.0
        self._kernel = evaluation_kernel(chain, asked, self._volumes)
        self._constants = constants(chain, asked)
        self._nearest = nearest_table(directions)
        if (asked.load is not None or asked.push is not None) and not np.isfinite(chain.effort).all():
            names = [name for name, limit in zip(chain.joints, chain.effort, strict=True) if np.isinf(limit)]
            message = f"joints {', '.join(names)} have no effort limit; load and push need them"
            raise InvalidInput(f"robot {chain.robot.name!r}: {message}")
        self._load = 1 + asked.names.index(LOAD) if asked.load is not None else -1
        self._out: list[Any] = [np.empty((BATCH, 3)), np.empty((BATCH, 1)), np.empty((BATCH, WIDTH))]
        if self._volumes is not None:
            self._still = self._volumes.still
            self._moving = len(self._volumes.elements) - self._still
            self._vectors = np.zeros((ROWS * (self._still + _BLOCK * self._moving), 3))
            self._vectors[: ROWS * self._still] = self._volumes.elements[: self._still].reshape(-1, 3)
            self._elements = self._vectors[ROWS * self._still :].reshape(_BLOCK, ROWS * self._moving, 3)

    def new_table(self) -> CellTable:
        """Without a cell."""
        return new_table(*self.chain.ball, self.size, self.chain.count)

    def batches(self, shares: Array) -> Iterator[Batch]:
        """Samples (m, n), some at a time; each is valid until the next."""
        for first in range(0, len(shares), BATCH):
            part = shares[first : first + BATCH]
            count = len(part)
            if count < BATCH:  # rows of the last one are repeated, and dropped
                part = np.concatenate([part, np.repeat(part[-1:], BATCH - count, axis=0)])
            dropped = np.zeros(BATCH, dtype=np.bool_)
            if self._volumes is None:
                self._kernel.batch(part, *self._constants, out=self._out, threads=1)
            else:
                self._look_at(part, self._volumes, dropped)
            dropped[count:] = True
            if self._load >= 0:
                dropped |= self._out[2][:, self._load] > 1.0
            position, bins, values = self._out
            yield Batch(part, position, bins, values, dropped)

    def _look_at(self, part: Array, volumes: OwnVolumes, touches: Flags) -> None:
        """Evaluate a batch, and note which of its samples touch the robot itself."""
        for first in range(0, BATCH, _BLOCK):
            block = slice(first, first + _BLOCK)
            out = [*(each[block] for each in self._out), self._elements]
            self._kernel.batch(part[block], *self._constants, out=out, threads=1)
            touching(self._vectors, self._still, self._moving, volumes.pairs, self._clearance, touches[block])

    def gather(
        self, table: CellTable, shares: Array, *, enough: float = _ALL, border: Border | None = None
    ) -> CellTable:
        """Put samples (m, n) into cells; and let them climb along a border, if there is one."""
        for batch in self.batches(shares):
            done = 0
            while (done := fill(table, batch, self._nearest, done, enough)) < BATCH:
                if done < 0:
                    place = batch.positions[-1 - done]
                    raise AssertionError(f"a sample lies outside of the grid: {place}")
                table = enlarged(table, table.blocks + max(table.blocks // 2, 1))
            if border is not None:
                climb(table, border, batch)
        return table

    def explore(
        self, table: CellTable, random: np.random.Generator, budget: int
    ) -> tuple[CellTable, int, int]:
        """A round of looking around cells at the border and those that have been reached seldom: the table, cells that
        are new, and samples that it took."""
        before = int(occupied(table).sum())
        counts = table.rows[: 3 * len(occupied(table)) : 3, 0]
        seldom = np.flatnonzero((counts > 0.0) & (counts < ENOUGH))
        chosen = np.union1d(seldom, border_cells(table))
        chosen = np.repeat(chosen, _TRIES)
        chosen = random.permutation(chosen)[:budget]
        ways = random.uniform(-1.5, 1.5, (len(chosen), 3)) * table.size
        table = self.gather(table, self._stepped(table, chosen, ways, random), enough=ENOUGH)
        return table, int(occupied(table).sum()) - before, len(chosen)

    def follow_border(
        self, table: CellTable, random: np.random.Generator, budget: int
    ) -> tuple[CellTable, Border, int]:
        """Planes of the cells at the border, and the samples that it took to find them, one a cell and round at
        least."""
        border, spent = new_border(table), 0
        for number in range(_CLIMBS):
            if number == _CLIMBS // 2:
                border = renewed(table, border)
            cells = border.cells
            tries = min(max((budget - spent) // ((_CLIMBS - number) * max(len(cells), 1)), 1), _TRIES)
            chosen = np.repeat(cells, tries)
            # The first round starts at the first sample of each cell, wherever that is.
            longest = 0.0 if number == 0 else 1.0
            ways = border.normals[chosen] * random.uniform(0.0, longest, (len(chosen), 1))
            ways = (ways + random.uniform(-0.3, 0.3, (len(chosen), 3))) * table.size
            table = self.gather(
                table, self._stepped(table, chosen, ways, random), enough=ENOUGH, border=border
            )
            spent += len(chosen)
        return table, fitted(table, border), spent

    def _stepped(self, table: CellTable, chosen: Any, ways: Array, random: np.random.Generator) -> Array:
        """Shares (m, n) that bring the hand from the seeds of chosen cells along ways (m, 3), or near to it."""
        shares = np.ascontiguousarray(table.seeds[chosen])
        middles = table.corner + table.size * (cell_places(table.grid)[chosen] + 0.5)
        noise = random.normal(scale=table.size, size=shares.shape) / np.maximum(self._motion, table.size)
        shares = np.clip(shares + noise, 0.0, 1.0)
        damping = np.full(1, 0.1 * table.size)
        moved, _ = self._step.batch(
            shares, self.chain.lower, self.chain.upper, middles + ways, damping, threads=1
        )
        return np.asarray(moved)

    @property
    def _motion(self) -> Array:
        """(n,) m that the hand moves while a joint goes through its range, at most."""
        chain = self.chain
        return np.where(chain.slides, 1.0, np.maximum(chain.levers, 1e-9)) * (chain.upper - chain.lower)

    @property
    def _step(self) -> Any:
        return step_kernel(self.chain)
