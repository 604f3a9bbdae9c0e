"""Which joints of a looped robot depend on which, and in what order they are solved.

Done once for a robot, on numbers, at a closed configuration near the configuration named "assembly" (or the neutral
one): the rank of each loop says how many joints follow from the others. Joints that a formula gives come first, then
those that the file names, then passive ones, the last on the tree before others; a joint is only taken if it moves
the loop in a direction of its own. Equations that couple no more than they must are solved one after the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.errors import LoopClosureError, LoopError
from footfall.robot.loop_closing import LoopSystem, close_dependent, close_freely, scaled_jacobian
from footfall.robot.loop_equations import Cut
from footfall.robot.subsystems import Subsystem, find_subsystems
from footfall.robot.tree import Tree

_RANK = 1e-7  # singular values below this part of the largest are zero
_THRESHOLDS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-5)  # of its own direction in a loop that a joint has, at least
_EXACT = 1e-9
_MOST_VELOCITIES = 80  # of a sub-system: what is solved together is cubic in it
PASSIVE, UNKNOWN, POWERED = range(3)  # preferences: the lower the sooner a joint is made dependent


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """An equation: a weighted sum of the equations of one loop; weights: (number in the loop, weight)."""

    cut: int
    weights: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Equations that are solved together, and the tree velocities that they give."""

    rows: tuple[ChosenRow, ...]
    velocities: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LoopStructure:
    """How the loops of a robot are solved.

    cuts: the loops that coordinates hold; held: those that forces hold. subsystems: of the whole tree. independent: the
    tree velocities that are v, in its order. blocks: in the order in which they are solved. reference: (nq,) a closed
    configuration. parent_velocity: for each entry of v the one before it on its way to the root, through all of a
    sub-system, -1 at the root.
    """

    cuts: tuple[Cut, ...]
    subsystems: tuple[Subsystem, ...]
    independent: tuple[int, ...]
    blocks: tuple[Block, ...]
    reference: Array
    parent_velocity: tuple[int, ...]
    held: tuple[Cut, ...] = ()

    @property
    def dependent(self) -> tuple[int, ...]:
        """Tree velocities that follow from the others."""
        return tuple(velocity for block in self.blocks for velocity in block.velocities)


def analyse_loops(
    tree: Tree, loops: Sequence[Cut], start: Array, *, joints: Mapping[int, str], preferences: Sequence[int]
) -> LoopStructure:
    """The structure of the loops of a tree.

    start: (nq,) configuration near which the loops close. joints: tree velocity -> name of its joint. preferences:
    for each tree velocity whether its joint is `PASSIVE`, `UNKNOWN` or `POWERED`.
    """
    for cut in loops:
        if len(cut.links) == 0:
            message = f"frames {cut.loop.frame!r} and {cut.loop.against!r} do not move against each other"
            raise LoopError(message, subject=("loop", cut.loop.name))
    cuts = [cut for cut in loops if cut.loop.held_by == "coordinates"]
    held = tuple(cut for cut in loops if cut.loop.held_by == "forces")
    subsystems = find_subsystems(tree, cuts)
    reference = start
    blocks: list[Block] = []
    for subsystem in subsystems:
        if not subsystem.cuts:
            continue
        system = LoopSystem(tree, subsystem, tuple(cuts[k] for k in subsystem.cuts))
        if len(system.velocities) > _MOST_VELOCITIES:
            message = (
                f"its sub-system has {len(system.velocities)} velocities, at most {_MOST_VELOCITIES} are solved "
                "together; let forces hold some of its loops"
            )
            raise LoopError(message, subject=("loop", system.cuts[0].loop.name))
        reference = close_freely(system, reference)
        samples = [reference, *_samples(system, reference)]
        rows = _choose_rows(system, samples, subsystem.cuts)
        chosen = _choose_dependent(system, samples, rows, preferences, joints)
        blocks += _ordered_blocks(system, samples, rows, chosen)
        reference = _kept(system, start, reference, chosen)
    dependent = {velocity for block in blocks for velocity in block.velocities}
    independent, parents = _order_of_velocities(tree, subsystems, dependent)
    for together in find_subsystems(tree, loops) if held else ():
        if any(loops[k] in held for k in together.cuts):
            reference = close_freely(
                LoopSystem(tree, together, tuple(loops[k] for k in together.cuts)), reference
            )
    reference = reference.copy()
    reference.flags.writeable = False
    return LoopStructure(tuple(cuts), subsystems, independent, tuple(blocks), reference, parents, held)


def _kept(system: LoopSystem, start: Array, reference: Array, dependent: Sequence[int]) -> Array:
    """The reference with the independent joints as they were at the start, where the loops close there."""
    at = reference.copy()
    for index in system.subsystem.links:
        at[system.tree.links[index].q] = start[system.tree.links[index].q]
    try:
        return close_dependent(system, at, [system.velocities[k] for k in dependent])
    except LoopClosureError:
        return reference


def _samples(system: LoopSystem, reference: Array) -> list[Array]:
    """Closed configurations around the reference: it may by chance be a special one."""
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(6):
        away = system.moved(reference, 0.2 * rng.normal(size=len(system.velocities)) * system.scales)
        try:
            samples.append(close_freely(system, away, tries=1))
        except LoopClosureError:
            continue
    return samples


def _rank(matrix: Array) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.count_nonzero(values > _RANK * max(values.max(initial=0.0), _EXACT)))


def _choose_rows(system: LoopSystem, samples: Sequence[Array], numbers: Sequence[int]) -> list[ChosenRow]:
    """Equations without repetition: of each loop as many as it adds to the rank of those before.

    A planar loop has no more than three, and two points on an axis are a hinge, with five.
    """
    jacobians = [scaled_jacobian(system, q) for q in samples]
    best = max(jacobians, key=_rank)
    chosen: list[ChosenRow] = []
    for position, cut in enumerate(system.cuts):
        rows = system.rows_of(position)
        before = np.linalg.svd(best[: rows.start], full_matrices=False)
        known = before[2][: _rank(best[: rows.start])] if rows.start else np.zeros((0, best.shape[1]))
        added = best[rows] - best[rows] @ known.T @ known
        rank = _rank(best[: rows.stop]) - len(known)
        left = np.linalg.svd(added)[0][:, :rank]
        projector = left @ left.T
        if np.abs(projector - np.round(projector)).max(initial=0.0) < _EXACT:
            # Whole equations, the others say nothing.
            basis = np.eye(len(projector))[np.diag(projector) > 0.5]
        else:
            basis = np.where(np.abs(left.T) < _EXACT, 0.0, left.T)
        chosen += [
            ChosenRow(numbers[position], tuple((k, float(w)) for k, w in enumerate(row) if w))
            for row in basis
        ]
        if rank == 0:
            others = ", ".join(repr(other.loop.name) for other in system.cuts[:position])
            message = f"says nothing that {others or 'the tree'} does not say already; remove it, or let forces hold it"
            raise LoopError(message, subject=("loop", cut.loop.name))
    if len(chosen) >= len(system.velocities):
        names = ", ".join(repr(cut.loop.name) for cut in system.cuts)
        message = f"loops {names} have {len(chosen)} equations for {len(system.velocities)} velocities: nothing moves"
        raise LoopError(message, subject=("loop", system.cuts[-1].loop.name))
    return chosen


def _chosen_jacobian(system: LoopSystem, q: Array, rows: Sequence[ChosenRow]) -> Array:
    jacobian = scaled_jacobian(system, q)
    starts = {number: system.rows_of(k).start for k, number in enumerate(system.subsystem.cuts)}
    return np.array(
        [sum(weight * jacobian[starts[row.cut] + k] for k, weight in row.weights) for row in rows]
    ).reshape(len(rows), len(system.velocities))


def _choose_dependent(
    system: LoopSystem,
    samples: Sequence[Array],
    rows: Sequence[ChosenRow],
    preferences: Sequence[int],
    joints: Mapping[int, str],
) -> list[int]:
    """Columns of the velocities that follow from the others, as many as there are rows."""
    full = max((_chosen_jacobian(system, q, rows) for q in samples), key=_rank)
    rest, open_rows = full.copy(), list(range(len(rows)))
    chosen: list[int] = []
    cuts = dict(zip(system.subsystem.cuts, system.cuts, strict=True))
    for number, row in enumerate(rows):
        cut = cuts[row.cut]
        if not cut.loop.type.is_explicit or cut.loop.dependent:
            continue
        column = system.velocities.index(cut.coordinates[0][1])
        if column not in chosen and abs(rest[number, column]) > _EXACT * np.abs(rest[number]).max():
            rest -= (
                np.outer(rest[:, column] / rest[number, column], rest[number])
                * (np.arange(len(rows)) != number)[:, None]
            )
            chosen.append(column)
            open_rows.remove(number)
    wanted = {name for cut in system.cuts for name in cut.loop.dependent}
    basis = np.linalg.svd(rest[open_rows], full_matrices=False)[2] if open_rows else np.zeros((0, 0))
    order = sorted(
        (k for k in range(len(system.velocities)) if k not in chosen),
        key=lambda k: (preferences[system.velocities[k]], -system.velocities[k]),
    )
    named = [k for k in order if joints[system.velocities[k]] in wanted]
    unpowered = [k for k in order if preferences[system.velocities[k]] < POWERED]
    passes = [(_THRESHOLDS[-1], named), *((threshold, unpowered) for threshold in _THRESHOLDS[:3])]
    for threshold, columns in (*passes, *((threshold, order) for threshold in _THRESHOLDS)):
        for column in columns:
            if len(chosen) == len(rows):
                break
            length = float(np.linalg.norm(basis[:, column]))
            if column in chosen or length < threshold:
                continue
            direction = basis[:, column] / length
            basis = basis - np.outer(direction, direction @ basis)
            chosen.append(column)
    unused = wanted - {joints[system.velocities[k]] for k in chosen}
    if unused or len(chosen) < len(rows):
        message = (
            f"{', '.join(sorted(unused)) or 'its joints'} cannot follow from the others where the loop is at "
            "present; name other dependent joints, or another configuration 'assembly'"
        )
        raise LoopError(message, subject=("loop", system.cuts[-1].loop.name))
    return chosen


def _open_pattern(
    system: LoopSystem, reference: Array, rows: Sequence[ChosenRow], columns: Sequence[int]
) -> Array:
    """Which residual depends on which unknown while loops are open: rotated axes mix what is apart when closed."""
    starts = {number: system.rows_of(k).start for k, number in enumerate(system.subsystem.cuts)}

    def residuals(q: Array) -> Array:
        whole = system.equations(q)[0] * system.row_scales
        return np.array(
            [sum(weight * whole[starts[row.cut] + k] for k, weight in row.weights) for row in rows]
        )

    rng = np.random.default_rng(1)
    pattern = np.zeros((len(rows), len(columns)), dtype=bool)
    for _ in range(2):
        away = system.moved(reference, 0.3 * rng.normal(size=len(system.velocities)) * system.scales)
        for place, column in enumerate(columns):
            step = np.zeros(len(system.velocities))
            step[column] = 0.1 * system.scales[column]
            change = residuals(system.moved(away, step)) - residuals(away)
            pattern[:, place] |= np.abs(change) > _EXACT
    return pattern


def _ordered_blocks(
    system: LoopSystem, samples: Sequence[Array], rows: Sequence[ChosenRow], columns: Sequence[int]
) -> list[Block]:
    """Equations and unknowns in blocks, each solved when those before it are (Dulmage, Mendelsohn)."""
    from scipy.sparse import csr_array  # slow to import, and needed for looped robots only
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    pattern = np.any(
        [np.abs(_chosen_jacobian(system, q, rows)[:, columns]) > _EXACT for q in samples], axis=0
    ) | _open_pattern(system, samples[0], rows, columns)
    partner = maximum_bipartite_matching(csr_array(pattern), perm_type="column")  # row -> its unknown
    needs = pattern[:, partner]  # [i, j]: row i needs the unknown of row j
    count, labels = connected_components(csr_array(needs), directed=True, connection="strong")
    groups = [np.flatnonzero(labels == label) for label in range(count)]
    blocks: list[Block] = []
    solved: set[int] = set()
    while groups:
        ready = next(
            group for group in groups if set(np.flatnonzero(needs[group].any(axis=0))) <= solved | {*group}
        )
        groups = [group for group in groups if group is not ready]
        solved.update(int(k) for k in ready)
        unknowns = sorted(system.velocities[columns[partner[k]]] for k in ready)
        blocks.append(Block(tuple(rows[int(k)] for k in ready), tuple(unknowns)))
    return blocks


def _order_of_velocities(
    tree: Tree, subsystems: Sequence[Subsystem], dependent: set[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """v's order: that of the tree, but what carries a sub-system comes before it; and `parent_velocity`."""
    owner = {link: k for k, subsystem in enumerate(subsystems) for link in subsystem.links}
    own = [
        [
            velocity
            for link in subsystem.links
            for velocity in range(tree.links[link].v.start, tree.links[link].v.stop)
            if velocity not in dependent
        ]
        for subsystem in subsystems
    ]
    missing = [len(velocities) for velocities in own]
    children: list[list[int]] = [[] for _ in subsystems]
    ready: list[int] = []
    for k, subsystem in enumerate(subsystems):
        if subsystem.parent >= 0:
            children[owner[subsystem.parent]].append(k)
        else:
            ready += own[k]
    holder = {velocity: k for k, velocities in enumerate(own) for velocity in velocities}
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        velocity = heapq.heappop(ready)
        order.append(velocity)
        missing[holder[velocity]] -= 1
        if missing[holder[velocity]] == 0:
            for child in children[holder[velocity]]:
                for following in own[child]:
                    heapq.heappush(ready, following)
    place = {velocity: k for k, velocity in enumerate(order)}
    last: list[int] = []
    parents = [0] * len(order)
    for k, subsystem in enumerate(subsystems):
        before = last[owner[subsystem.parent]] if subsystem.parent >= 0 else -1
        for velocity in sorted(own[k], key=place.__getitem__):
            parents[place[velocity]] = before
            before = place[velocity]
        last.append(before)
    return tuple(order), tuple(parents)
