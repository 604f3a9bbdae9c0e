"""Samples go into cells: part after part, then where cells are few, then along the border."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from footfall.arrays import Array, Flags
from footfall.errors import InvalidInput
from footfall.geometry.swept_lanes import ROWS
from footfall.workspace.border import Border, border_cells, climb, fitted, new_border, occupied, renewed
from footfall.workspace.cells import WIDTH, Batch, CellTable, cell_places, enlarged, fill, new_table
from footfall.workspace.chain import ArmChain
from footfall.workspace.collisions import OwnVolumes, own_volumes, touching
from footfall.workspace.directions import nearest_table
from footfall.workspace.evaluation import Asked, constants, evaluation_kernel
from footfall.workspace.indices import LOAD
from footfall.workspace.reaching import step_kernel

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
