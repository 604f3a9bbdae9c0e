"""Sub-systems: links that share coordinates, found from the loops (Schwienbacher 2014, chapter 2, C-AUTO).

A sub-system behaves like one link to the rest of the robot: it hangs on one link, moves with coordinates of its own,
and others hang on its members. Links between a member and the link that the sub-system hangs on belong to it too.
A link that shares nothing is a sub-system by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.robot.loop_equations import Cut
from footfall.robot.tree import Tree


@dataclass(frozen=True, slots=True)
class Subsystem:
    """links: its members, ascending. parent: the link it hangs on, -1 for the world. cuts: indices of its loops."""

    links: tuple[int, ...]
    parent: int
    cuts: tuple[int, ...] = ()


def find_subsystems(tree: Tree, cuts: Sequence[Cut]) -> tuple[Subsystem, ...]:
    """Sub-systems in an order in which each comes after the one it hangs on.

    Links of one loop belong together, and so do loops that share a link. As a loop brings all links up to the one that
    carries it, what belongs together hangs on one link.
    """
    leader = list(range(len(tree.links)))

    def find(link: int) -> int:
        while leader[link] != link:
            leader[link] = leader[leader[link]]
            link = leader[link]
        return link

    for cut in cuts:
        for link in cut.links[1:]:
            first, second = sorted((find(cut.links[0]), find(link)))
            leader[second] = first
    members: dict[int, list[int]] = {}
    for link in range(len(tree.links)):
        members.setdefault(find(link), []).append(link)
    owners = {link: head for head, links in members.items() for link in links}
    found = {
        head: Subsystem(
            tuple(links),
            tree.links[links[0]].parent,
            tuple(k for k, cut in enumerate(cuts) if owners[cut.links[0]] == head),
        )
        for head, links in members.items()
    }
    ordered: list[Subsystem] = []
    done: set[int] = {-1}
    waiting = sorted(found)
    while waiting:  # of those that can come, the one with the lowest link
        head = next(head for head in waiting if found[head].parent in done)
        waiting.remove(head)
        ordered.append(found[head])
        done.update(found[head].links)
    return tuple(ordered)
