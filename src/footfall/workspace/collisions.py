"""Which samples of a chain touch the robot itself: pairs of swept spheres, eight samples side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Lanes, LanesOfVector3, Vector3, as_records, routine
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import InvalidInput
from footfall.geometry.swept_cores import core_distance
from footfall.geometry.swept_lanes import (
    FIRST_CORNER,
    ROWS,
    WIDTH,
    EightElements,
    closest_in_lanes,
    pair_kind,
)
from footfall.geometry.swept_sphere import Element, SweptSphere
from footfall.math.transform import Transform
from footfall.robot.volumes import checked_pairs
from footfall.workspace.chain import ArmChain

_TRIED = 256  # samples of which one must have a pair apart, or it is never apart


class OwnVolumes(NamedTuple):
    """What can touch: elements of a chain's robot, those that stand still first.

    elements: (m, 15) as `Element`, in the frames of their carriers. carriers: (m,) number of the link, -1 for those
    that stand still. pairs: (p, 3): two elements, the first with no more corners, and their kind.
    """

    elements: Array
    carriers: Integers
    pairs: Integers

    @property
    def still(self) -> int:
        """How many elements stand still."""
        return int((self.carriers < 0).sum())


def own_volumes(chain: ArmChain) -> OwnVolumes:
    """The volumes of a chain's robot and which of them can meet: the pairs that it names, or all that move against
    each other, less those that touch in every one of some random samples (neighbours of neighbours)."""
    robot = chain.robot
    if not robot.volumes:
        message = (
            "has no swept-sphere volumes; make them by `footfall volumes` or footfall.volumes.fit_volumes"
        )
        raise InvalidInput(f"robot {robot.name!r} {message}")
    tree = robot.tree
    attachments = {volume.name: tree.attachments[volume.body] for volume in robot.volumes}
    moving = [pair for pair in checked_pairs(robot) if attachments[pair[0]].link != attachments[pair[1]].link]
    if moving:
        tried = np.random.default_rng(0).uniform(chain.lower, chain.upper, (_TRIED, chain.count))
        free = set(free_pairs_of_any(chain, tried))
        moving = [pair for pair in moving if pair in free]
    if not moving:
        raise InvalidInput(
            f"robot {robot.name!r} has no pair of volumes that this chain could bring together"
        )
    rows: list[tuple[int, str, SweptSphere]] = []
    named = {name for pair in moving for name in pair}
    for volume in robot.volumes:
        if volume.name in named:
            place = attachments[volume.name]
            rows += [(place.link, volume.name, each.moved(place.placement)) for each in volume.shape.elements]
    rows.sort(key=lambda row: row[0])
    pairs = []
    for first, second in moving:
        ones, others = ([k for k, row in enumerate(rows) if row[1] == name] for name in (first, second))
        for i in ones:
            for j in others:
                small, large = sorted((i, j), key=lambda k: len(rows[k][2].corners))
                sizes = [len(rows[k][2].corners) for k in (small, large)]
                pairs.append((small, large, int(pair_kind(*sizes))))
    pairs.sort(key=lambda pair: pair[2])
    elements = np.array([_numbers(row[2]) for row in rows])
    return OwnVolumes(elements, np.array([row[0] for row in rows]), np.array(pairs, dtype=np.int64))


def free_pairs_of_any(chain: ArmChain, samples: Array) -> tuple[tuple[str, str], ...]:
    """Pairs that are apart in one of some samples (k, n) at least."""
    found = np.asarray(volume_distances(chain.robot, samples, threads=1).distance).max(axis=0)
    return tuple(pair for pair, gap in zip(checked_pairs(chain.robot), found, strict=True) if gap > 0.0)


def _numbers(element: SweptSphere) -> Array:
    """As `Element`: size, radius, reach, middle, three corners."""
    corners = element.corners
    middle = corners.mean(axis=0)
    reach = float(np.linalg.norm(corners - middle, axis=1).max())
    filled = corners[np.minimum(np.arange(3), len(corners) - 1)]
    return np.concatenate([[len(corners), element.radius, reach], middle, filled.reshape(-1)])


def element_rows(volumes: OwnVolumes, poses: list[Transform]) -> Array:
    """(5 k, 3) of the k elements that move, as vectors of `Element`; poses: of links, numbers or symbols."""
    rows: list[Any] = []
    for numbers, carrier in zip(volumes.elements, volumes.carriers, strict=True):
        if carrier >= 0:
            pose = poses[carrier]
            rows.append(numbers[:3])
            rows += [pose.apply(point) for point in numbers[3:].reshape(-1, 3)]
    return np.array(rows)


@routine(fused=True)
def touching(
    vectors: ArrayOf[Vector3], still: int, moving: int, pairs: Integers, clearance: float, touches: Flags
) -> None:
    """Which of n samples (n,) bring a pair closer than the clearance, m.

    vectors: of the elements that stand still, then those of each sample. n is a multiple of eight. Samples in which the
    balls around a pair meet, and no plane across the line between their middles keeps it apart, wait until there are
    eight of them: these are looked at side by side.
    """
    elements = as_records(Element, vectors)
    stride = ROWS * moving
    waiting = np.zeros(2 * WIDTH, dtype=np.int64)
    for p in range(len(pairs)):
        e, f = pairs[p, 0], pairs[p, 1]
        near = elements[e].radius + elements[f].radius + clearance
        bound = near + elements[e].reach + elements[f].reach
        count = 0
        for first in range(0, len(touches), WIDTH):
            k = first * 1
            samples = np.array([k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7])
            zero = 0 * samples
            one = EightElements(vectors, stride * samples + ROWS * e if e >= still else zero + ROWS * e)
            other = EightElements(vectors, stride * samples + ROWS * f if f >= still else zero + ROWS * f)
            apart = one.middle - other.middle
            square = apart @ apart
            if not np.any(square < bound * bound):
                continue
            gap = _gap_along(one, other, apart)
            least = near * np.sqrt(square)
            for lane in range(WIDTH):
                if gap[lane] < least[lane] and not touches[first + lane]:
                    if square[lane] < near * near:  # middles lie within their cores
                        touches[first + lane] = True
                    else:
                        waiting[count] = first + lane
                        count += 1
            if count >= WIDTH:
                _look(vectors, still, moving, pairs[p], near, waiting, WIDTH, touches)
                for lane in range(WIDTH, count):
                    waiting[lane - WIDTH] = waiting[lane]
                count -= WIDTH
        if count > 0:
            for lane in range(count, WIDTH):
                waiting[lane] = waiting[0]
            _look(vectors, still, moving, pairs[p], near, waiting, count, touches)


@routine(fused=True)
def _gap_along(one: EightElements, other: EightElements, way: LanesOfVector3) -> Lanes:
    """How far cores are apart along ways from the second to the first, times the length of these."""
    low, high = one.corner(0) @ way, other.corner(0) @ way
    for k in range(1, 3):
        low, high = np.minimum(low, one.corner(k) @ way), np.maximum(high, other.corner(k) @ way)
    gap: Lanes = low - high
    return gap


@routine(fused=True)
def _look(
    vectors: ArrayOf[Vector3],
    still: int,
    moving: int,
    pair: Integers,
    near: float,
    waiting: Integers,
    count: int,
    touches: Flags,
) -> None:
    """Note which of the first `count` samples that wait bring a pair closer than `near`, m."""
    e, f = pair[0], pair[1]
    w, stride = waiting, ROWS * moving
    samples = np.array([w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]])
    zero = 0 * samples
    one = EightElements(vectors, stride * samples + ROWS * e if e >= still else zero + ROWS * e)
    other = EightElements(vectors, stride * samples + ROWS * f if f >= still else zero + ROWS * f)
    found = closest_in_lanes(pair[2], one, other)
    for lane in range(count):
        if found.square[lane] < near * near:
            sample = waiting[lane]
            touches[sample] = _touch(vectors, still, moving, sample, e, f, near, found.square[lane])


@routine
def _touch(
    vectors: ArrayOf[Vector3],
    still: int,
    moving: int,
    sample: int,
    e: int,
    f: int,
    near: float,
    square: float,
) -> bool:
    """Whether a pair is closer than that; lanes leave a negative square where they do not know."""
    if square > 1e-10:
        return square < near * near
    elements = as_records(Element, vectors)
    stride = moving * sample
    one = e + stride if e >= still else e
    other = f + stride if f >= still else f
    first, second = ROWS * one + FIRST_CORNER, ROWS * other + FIRST_CORNER
    found = core_distance(
        vectors[first : first + int(elements[one].size)], vectors[second : second + int(elements[other].size)]
    )
    return found.distance < near
