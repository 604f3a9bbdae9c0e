"""The velocities of a robot in nodes of up to eight, along its branches: the blocks in which its inertia couples them."""

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
    """Chains of the tree, cut where it branches and after eight velocities."""
    parents = list(tree.parent_velocity)
    children: dict[int, list[int]] = {}
    for velocity, parent in enumerate(parents):
        children.setdefault(parent, []).append(velocity)
    members: list[tuple[int, ...]] = []
    above: list[int] = []  # the node before each
    pending = [(velocity, -1) for velocity in reversed(children.get(-1, []))]
    while pending:
        velocity, before = pending.pop()
        chain = [velocity]
        while len(chain) < WIDTH and len(children.get(chain[-1], [])) == 1:
            chain.append(children[chain[-1]][0])
        members.append(tuple(chain))
        above.append(before)
        pending += [(child, len(members) - 1) for child in reversed(children.get(chain[-1], []))]
    pairs = []
    for node in range(len(members)):
        other = above[node]
        while other >= 0:
            pairs.append((other, node))
            other = above[other]
    return VelocityNodes(tuple(members), tuple(pairs))
