"""A tree of boxes that shapes are put into and taken out of while the world runs.

A new leaf goes where the boxes around it grow least. Where many have been put in one by one the tree is built again
from the top, halved along the longest axis, so that it stays flat.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Integers
from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.shapes import TreeNode

NOTHING = -1


@routine
def surface(lower: Vector3, upper: Vector3) -> float:
    """Half the surface of a box."""
    x, y, z = upper - lower
    return x * y + y * z + z * x


@routine
def overlap(lower: Vector3, upper: Vector3, other_lower: Vector3, other_upper: Vector3) -> bool:
    return (
        lower[0] <= other_upper[0]
        and other_lower[0] <= upper[0]
        and lower[1] <= other_upper[1]
        and other_lower[1] <= upper[1]
        and lower[2] <= other_upper[2]
        and other_lower[2] <= upper[2]
    )


@routine
def take_node(nodes: ArrayOf[TreeNode], free: Integers, node: TreeNode) -> int:
    """Put a node into a free place, the first of which stands in `free` (1,); its number."""
    number = free[0]
    free[0] = nodes[number].parent
    nodes[number] = node
    return number


@routine
def give_back(nodes: ArrayOf[TreeNode], free: Integers, number: int) -> None:
    nodes[number] = nodes[number]._replace(parent=free[0], left=NOTHING, right=NOTHING, item=NOTHING)
    free[0] = number


@routine
def insert(
    nodes: ArrayOf[TreeNode], root: int, free: Integers, item: int, lower: Vector3, upper: Vector3
) -> tuple[int, int]:
    """Put a box in; the new root and the number of the leaf."""
    leaf = take_node(nodes, free, TreeNode(lower, upper, NOTHING, NOTHING, NOTHING, item))
    if root == NOTHING:
        return leaf, leaf
    at = root
    while nodes[at].item < 0:
        left, right = nodes[at].left, nodes[at].right
        at = left if _growth(nodes, left, lower, upper) < _growth(nodes, right, lower, upper) else right
    above = nodes[at].parent
    both = take_node(
        nodes,
        free,
        TreeNode(
            np.minimum(lower, nodes[at].lower), np.maximum(upper, nodes[at].upper), above, at, leaf, NOTHING
        ),
    )
    nodes[at] = nodes[at]._replace(parent=both)
    nodes[leaf] = nodes[leaf]._replace(parent=both)
    if above == NOTHING:
        return both, leaf
    _replace_child(nodes, above, at, both)
    _refit(nodes, above)
    return root, leaf


@routine
def _growth(nodes: ArrayOf[TreeNode], number: int, lower: Vector3, upper: Vector3) -> float:
    """By how much the surface of a node's box grows with another box in it."""
    node_lower, node_upper = nodes[number].lower, nodes[number].upper
    together = surface(np.minimum(lower, node_lower), np.maximum(upper, node_upper))
    return together - surface(node_lower, node_upper)


@routine
def _replace_child(nodes: ArrayOf[TreeNode], above: int, before: int, now: int) -> None:
    node = nodes[above]
    if node.left == before:
        nodes[above] = node._replace(left=now)
    else:
        nodes[above] = node._replace(right=now)


@routine
def _refit(nodes: ArrayOf[TreeNode], number: int) -> None:
    """Boxes from a node up to the root as large as their children need."""
    while number != NOTHING:
        node = nodes[number]
        lower = np.minimum(nodes[node.left].lower, nodes[node.right].lower)
        upper = np.maximum(nodes[node.left].upper, nodes[node.right].upper)
        nodes[number] = node._replace(lower=lower, upper=upper)
        number = node.parent


@routine
def remove(nodes: ArrayOf[TreeNode], root: int, free: Integers, leaf: int) -> int:
    """Take a leaf out; the new root."""
    above = nodes[leaf].parent
    give_back(nodes, free, leaf)
    if above == NOTHING:
        return NOTHING
    sibling = nodes[above].right if nodes[above].left == leaf else nodes[above].left
    over = nodes[above].parent
    give_back(nodes, free, above)
    nodes[sibling] = nodes[sibling]._replace(parent=over)
    if over == NOTHING:
        return sibling
    _replace_child(nodes, over, above, sibling)
    _refit(nodes, over)
    return root


@routine
def build(
    nodes: ArrayOf[TreeNode],
    free: Integers,
    items: Integers,
    lower: ArrayOf[Vector3],
    upper: ArrayOf[Vector3],
    leaves: Integers,
) -> int:
    """A tree of some items whose boxes (n, 3) are given; leaves (n,): gets the node of each. The root."""
    count = len(items)
    if count == 0:
        return NOTHING
    order = items.copy()
    root = NOTHING
    pending = [(0, count, NOTHING, 0)]  # from, to, the node above, whether it is its right child
    while len(pending):
        first, last, above, side = pending.pop()
        low, high = lower[order[first]], upper[order[first]]
        centre_low, centre_high = low + high, low + high
        for k in range(first + 1, last):
            low, high = np.minimum(low, lower[order[k]]), np.maximum(high, upper[order[k]])
            centre = lower[order[k]] + upper[order[k]]
            centre_low, centre_high = np.minimum(centre_low, centre), np.maximum(centre_high, centre)
        item = order[first] if last == first + 1 else NOTHING
        number = take_node(nodes, free, TreeNode(low, high, above, NOTHING, NOTHING, item))
        if above == NOTHING:
            root = number
        elif side:
            nodes[above] = nodes[above]._replace(right=number)
        else:
            nodes[above] = nodes[above]._replace(left=number)
        if item >= 0:
            leaves[item] = number
            continue
        wide = centre_high - centre_low
        axis = 0 if wide[0] >= wide[1] and wide[0] >= wide[2] else 1 if wide[1] >= wide[2] else 2
        middle = (first + last) // 2
        _halve(order, first, last, middle, axis, lower, upper)
        pending.append((middle, last, number, 1))
        pending.append((first, middle, number, 0))
    return root


@routine
def _halve(
    order: Integers,
    first: int,
    last: int,
    middle: int,
    axis: int,
    lower: ArrayOf[Vector3],
    upper: ArrayOf[Vector3],
) -> None:
    """Sort items along an axis so far that those before the middle come before all others (Hoare 1961)."""
    last -= 1
    while first < last:
        pivot_item = order[(first + last) // 2]
        pivot = lower[pivot_item, axis] + upper[pivot_item, axis]
        i, j = first, last
        while i <= j:
            while lower[order[i], axis] + upper[order[i], axis] < pivot:
                i += 1
            while pivot < lower[order[j], axis] + upper[order[j], axis]:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return
