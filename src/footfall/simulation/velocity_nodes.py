"""The velocities of a robot in nodes of up to eight, along its branches: its inertia couples them in blocks."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.math.block_sparse import WIDTH
from footfall.robot.tree import Tree


@dataclass(frozen=True)
class VelocityNodes:
    """members: the velocities of each node, in the order of its lanes, each before those that hang on it. pairs: nodes
    between which the inertia has entries, the one nearer to the root first."""

    members: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def places(self) -> dict[int, tuple[int, int]]:
        """Node and lane of each velocity."""
        return {v: (node, lane) for node, row in enumerate(self.members) for lane, v in enumerate(row)}


def velocity_nodes(tree: Tree) -> VelocityNodes:
    """Chains of the tree, cut after eight velocities; where it branches, one branch may go on in the same node. Short
    limbs that hang on the same node share one.

    So the velocities of a node that move a link stand side by side, and begin where a limb does.
    """
    children: dict[int, list[int]] = {}
    for velocity, parent in enumerate(tree.parent_velocity):
        children.setdefault(parent, []).append(velocity)
    members: list[tuple[int, ...]] = []
    above: list[int] = []  # the node before each
    pending = [(velocity, -1) for velocity in reversed(children.get(-1, []))]
    while pending:
        velocity, before = pending.pop()
        lanes = _chain(children, velocity)[:WIDTH]
        others: list[int] = []
        while branches := children.get(lanes[-1], []):
            rest = WIDTH - len(lanes)
            fitting = [child for child in branches if len(_chain(children, child)) <= rest]
            # The branch that others hang on: it stands in all of their paths.
            chosen = max(fitting, key=lambda child: _size(children, child), default=None)
            if chosen is None:
                others += branches
                break
            others += [child for child in branches if child != chosen]
            lanes += _chain(children, chosen)
        members.append(tuple(lanes))
        above.append(before)
        pending += [(child, len(members) - 1) for child in sorted(others, reverse=True)]
    members, above = _limbs_together(members, above)
    pairs = []
    for node in range(len(members)):
        other = above[node]
        while other >= 0:
            pairs.append((other, node))
            other = above[other]
    return VelocityNodes(tuple(members), tuple(pairs))


def _limbs_together(
    members: list[tuple[int, ...]], above: list[int]
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The nodes and the one before each, where nodes that nothing hangs on share one if they hang on the same."""
    rows: list[tuple[int, ...]] = []
    before: list[int] = []
    numbers: list[int] = []  # that nodes have in the result
    limbs: set[int] = set()  # those of the result that nothing hangs on
    for node, row in enumerate(members):
        carrier = numbers[above[node]] if above[node] >= 0 else -1
        beside = [k for k in limbs if before[k] == carrier and len(rows[k]) + len(row) <= WIDTH]
        if node not in above and beside:
            rows[min(beside)] += row
            numbers.append(min(beside))
            continue
        if node not in above:
            limbs.add(len(rows))
        numbers.append(len(rows))
        rows.append(row)
        before.append(carrier)
    return rows, before


def _chain(children: dict[int, list[int]], velocity: int) -> list[int]:
    """A velocity and those after it until the tree branches or ends."""
    chain = [velocity]
    while len(children.get(chain[-1], [])) == 1:
        chain.append(children[chain[-1]][0])
    return chain


def _size(children: dict[int, list[int]], velocity: int) -> int:
    """How many velocities hang on one, with itself."""
    return 1 + sum(_size(children, child) for child in children.get(velocity, []))
