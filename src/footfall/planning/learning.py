"""What a search of footsteps learns about its guide: steps of the middle between the feet that no footsteps make.

The guide looks at cells of 8 cm with some tolerance, so it may lead into a gap that no feet get through. The search
then takes up one stance after another in front of it. After some thousand of them it looks at what it has seen: a state
of the guide whose stances were taken up and led to no stance of the next state has no step there. Without such steps
the guide is made anew, and leads elsewhere.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import routine
from footfall.planning.footsteps import CLOSED, NEW, Nodes, Problem, estimate
from footfall.planning.heap import Heap, push
from footfall.planning.states import middle_of, state_of
from footfall.planning.step_set import GUIDE_CELL, GUIDE_TURN

REACHED, TAKEN = 1, 2  # of a state of the guide: stances of it were reached, or were taken up and led on


@routine
def mark_seen(problem: Problem, nodes: Nodes) -> None:
    """Fill in which states of the guide footsteps have got to."""
    ground, seen = problem.ground, problem.guide.seen
    headings = seen.shape[0]
    for number in range(len(nodes.status)):
        status = nodes.status[number]
        if status == NEW or status > CLOSED or nodes.costs[number] == np.inf:
            continue
        state = state_of(ground, number)
        middle = middle_of(ground, problem.volumes, state)
        i, j = int((middle[0] - ground.x) / GUIDE_CELL), int((middle[1] - ground.y) / GUIDE_CELL)
        yaw = state.yaw // GUIDE_TURN
        if state.yaw % GUIDE_TURN > 0:  # between two headings of the guide
            seen[yaw, i, j] = max(seen[yaw, i, j], REACHED)
            yaw = (yaw + 1) % headings
            seen[yaw, i, j] = max(seen[yaw, i, j], REACHED)
        else:
            seen[yaw, i, j] = max(seen[yaw, i, j], TAKEN if status == CLOSED else REACHED)


@routine
def renew_estimates(problem: Problem, nodes: Nodes, heap: Heap) -> None:
    """Order the open list by a guide that has changed."""
    count = heap.size[0]
    heap.size[0] = 0
    for n in range(count):  # entries are put back at places that were read already
        number = heap.items[n]
        if nodes.status[number] < CLOSED and nodes.costs[number] < np.inf:
            nodes.estimates[number] = problem.weight * estimate(problem, state_of(problem.ground, number))
            push(heap, nodes.costs[number] + nodes.estimates[number], number)
