"""What the planner knows of a biped: soles, volumes around body and arms, and where its hands reach while it steps.

All of it follows from the reduced model, in the frame midway between parallel feet: x ahead, y left, z up from the
ground. A model that was derived from a description knows the robot's shapes and where its hands get. One that does not
has the proportions that Seiwald 2023 (5.3.2 and figures 5.2, 5.3) shows for a robot with legs of 0.87 m and arms of
0.73 m: they grow with its legs, shoulders and arms.

Where a hand touches things during a whole step: capsules inside of what it reaches wherever its shoulder is then.

Seiwald 2023 (5.3.2) shifts the space of a hand along the way of the torso during a step, takes what is common to all,
and inscribes two volumes. Here they are found by trying all pairs of places: the capsule with most of the cells that
are common, then the one that adds most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import distance_transform_edt

from footfall.arrays import Array, Flags
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume, swept_line
from footfall.motion.hand_space import HandSpace
from footfall.motion.reduced_model import CapsuleShape, Rectangle, ReducedModel
from footfall.planning.parameters import PRINTED_LEG

_CAPSULES = 2
_ENDS = 160  # places that are tried as ends, the roomiest ones
_ALONG = 7  # places between them at which there must be room


def common_cells(space: HandSpace, shift: float) -> Flags:
    """Cells (x, y, z) that the hand reaches from all shoulders that are up to `shift` ahead or behind, m."""
    common = space.cells.copy()
    for cells in range(1, round(shift / space.size) + 1):
        ahead, behind = np.zeros_like(common), np.zeros_like(common)
        ahead[cells:], behind[:-cells] = space.cells[:-cells], space.cells[cells:]
        common &= ahead & behind
    return common


def reach_volume(space: HandSpace, shoulder: Array, *, shift: float, outside: float) -> SweptVolume | None:
    """Capsules where a right hand touches things, whose shoulder is at a place (3,), m; None if there is no room.

    shift: how far the shoulder moves to either side of its place during a step, m. outside: how far outside of it hands
    are sought, m: nearer the robot's own body is in the way.
    """
    common = common_cells(space, shift)
    middle = [space.corner[k] + space.size * (np.arange(common.shape[k]) + 0.5) for k in range(3)]
    common &= (middle[1] < -outside)[None, :, None]
    # From the middle of a cell to the middle of the nearest one outside; half a cell of it is not known.
    room = space.size * (distance_transform_edt(np.pad(common, 1))[1:-1, 1:-1, 1:-1] - 0.5)
    cells = np.argwhere(common)
    if len(cells) == 0:
        return None
    cells = cells[np.argsort(-room[tuple(cells.T)], kind="stable")][:_ENDS]
    first, second = np.triu_indices(len(cells))
    shares = np.linspace(0.0, 1.0, _ALONG)[None, :, None]
    between = np.rint(cells[first][:, None] * (1.0 - shares) + cells[second][:, None] * shares).astype(int)
    radii = room[tuple(np.moveaxis(between, 2, 0))].min(axis=1)
    within = radii > 0.0  # ways between others lead out of what is common
    radii, corner = radii[within], space.corner + 0.5 * space.size
    ends = [corner + space.size * cells[chosen[within]] for chosen in (first, second)]
    lengths = np.linalg.norm(ends[1] - ends[0], axis=1)
    sizes = np.pi * radii**2 * lengths + 4.0 / 3.0 * np.pi * radii**3
    points = corner + space.size * np.argwhere(common)
    free = np.ones(len(points), dtype=np.bool_)
    found = []
    for _ in range(_CAPSULES):
        best = _most(ends, radii, sizes, points[free])
        found.append(swept_line(shoulder + ends[0][best], shoulder + ends[1][best], float(radii[best])))
        free &= ~_inside(ends[0][best], ends[1][best], float(radii[best]), points)
    return SweptVolume(tuple(found))


def _most(ends: list[Array], radii: Array, sizes: Array, points: Array) -> int:
    """Number of the capsule with most points, of the largest ones."""
    chosen = np.argsort(-sizes, kind="stable")[:400]
    counts = [_inside(ends[0][n], ends[1][n], float(radii[n]), points).sum() for n in chosen]
    return int(chosen[int(np.argmax(counts))])


def _inside(first: Array, second: Array, radius: float, points: Array) -> Flags:
    way = second - first
    square = max(float(way @ way), 1e-12)
    share = np.clip((points - first) @ way / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - first - share[:, None] * way, axis=1) <= radius)


_PRINTED_ARM = 0.728  # m
# Of the body, with legs of 0.87 m: it begins where obstacles may be straddled.
_BODY_RADIUS, _BODY_BOTTOM = 0.20, 0.40
_ARM_RADIUS, _FOREARM_RADIUS = 0.13, 0.10
_TORSO_WAY = 0.35  # m that the torso moves to either side of a stance during a step
_SHOULDER_OUT = 0.077  # m, how far the arm's volume begins outside of the shoulder
# Where a right hand reaches during a whole step, seen from the shoulder, in lengths of the stretched arm: two capsules,
# for tables and for walls. They are inside of what the arm reaches from a torso that moves by +-0.35 m.
_LOW = ((-0.0584, -0.3187, -0.4299), (-0.0172, -0.4835, -0.3475), 0.2060)
_HIGH = ((0.0652, -0.4011, -0.4712), (0.0652, -0.6071, -0.1415), 0.1786)


@dataclass(frozen=True)
class Biped:
    """A robot as the planner sees it.

    foot_distance: lateral, of parallel feet, m. sole, toe_sole: (rear, front, right, left) in the frame of a foot, m.
    body: volume of legs and torso. arms, reach: of the right and the left side, the volume of a hanging arm and where
    the hand touches things; empty for a robot without hands. hand_radius: m. shoulder: of the right arm, m; arm: its
    length, m.
    """

    foot_distance: float
    sole: Rectangle
    toe_sole: Rectangle
    body: SweptVolume
    arms: tuple[SweptVolume, ...]
    reach: tuple[SweptVolume, ...]
    hand_radius: float
    shoulder: tuple[float, float, float]
    arm: float

    @cached_property
    def has_toes(self) -> bool:
        """Whether it can stand on less than its whole sole."""
        return self.sole != self.toe_sole

    @property
    def hands(self) -> int:
        """How many hands it has."""
        return len(self.reach)


def biped_of(model: ReducedModel, higher: float = 0.0) -> Biped:
    """The planner's view of a robot. higher: by which what it steps over may be higher than usual, m; its body begins
    as much higher."""
    leg = model.leg.lower_leg + model.leg.upper_leg
    scale, arm = leg / PRINTED_LEG, model.upper_arm + model.lower_arm
    middle = (model.sole[0] + model.sole[1]) / 2
    # At rest the torso's mass is above the hips, where five masses have their centre at the right height.
    hips = model.com_height / (1.0 - 2.0 * model.foot_share) - model.leg.hip_to_torso
    behind = middle / (1.0 - 2.0 * model.foot_share)
    shoulder = np.array([behind, -model.shoulder_width / 2, hips + model.shoulder_height])
    x, top = middle, shoulder[2] - 0.03 * scale
    body = SweptVolume(
        tuple(
            swept_line(
                (x, y, _BODY_BOTTOM * scale),
                (x, y, top),
                _BODY_RADIUS * scale,
            )
            for y in (-model.hip_width / 2, model.hip_width / 2)
        )
    )
    if model.bulk is not None:
        body = _capsules(model.bulk.body)
    if higher > 0.0:
        body = SweptVolume(tuple(_begun_higher(element, higher) for element in body.elements))
    arms: tuple[SweptVolume, ...] = ()
    reach: tuple[SweptVolume, ...] = ()
    right_reach = _reach_volume(model, shoulder, scale) if arm > 0.0 else None
    if right_reach is not None:
        right_arm = _arm_volume(model, shoulder, arm) if model.bulk is None else _capsules(model.bulk.arm)
        arms = (right_arm, right_arm.mirrored("y"))
        reach = (right_reach, right_reach.mirrored("y"))
    return Biped(
        model.foot_distance,
        model.sole,
        model.toe_sole,
        body,
        arms,
        reach,
        model.hand_radius,
        (float(shoulder[0]), float(shoulder[1]), float(shoulder[2])),
        arm,
    )


def _arm_volume(model: ReducedModel, shoulder: Array, arm: float) -> SweptVolume:
    """Upper arm and forearm of the right side at rest: the elbow a little behind and outside of the hand."""
    scale = arm / _PRINTED_ARM
    ahead, outside, above = model.hand_offset
    hand = np.array([ahead, -model.foot_distance / 2 - outside, above])
    begin = shoulder - _SHOULDER_OUT * scale * np.array([0.0, 1.0, 0.0])
    elbow = np.array([begin[0] + 0.07 * scale, hand[1] - 0.02 * scale, begin[2] - 0.33 * scale])
    return SweptVolume(
        (
            swept_line(begin, elbow, _ARM_RADIUS * scale),
            swept_line(elbow, hand, _FOREARM_RADIUS * scale),
        )
    )


def _begun_higher(element: SweptSphere, higher: float) -> SweptSphere:
    """A line whose ends are not lower than the lower one and a height above it, m."""
    low = element.corners[:, 2].min() + higher
    return SweptSphere(np.maximum(element.corners, (-np.inf, -np.inf, low)), element.radius)


def _capsules(shapes: tuple[CapsuleShape, ...]) -> SweptVolume:
    return SweptVolume(tuple(swept_line(each.first, each.second, each.radius) for each in shapes))


def _reach_volume(model: ReducedModel, shoulder: Array, scale: float) -> SweptVolume | None:
    """Where the right hand touches things; None if it reaches nothing during a whole step."""
    arm = model.upper_arm + model.lower_arm
    if model.hand_reach is not None:
        rows = np.array(model.hand_reach)
        return SweptVolume(
            tuple(swept_line(shoulder + row[:3], shoulder + row[3:6], float(row[6])) for row in rows)
        )
    if model.hand_space is not None:
        return reach_volume(
            model.hand_space, shoulder, shift=_TORSO_WAY * scale, outside=_SHOULDER_OUT * scale
        )
    return SweptVolume(
        tuple(
            swept_line(shoulder + arm * np.array(a), shoulder + arm * np.array(b), arm * radius)
            for a, b, radius in (_LOW, _HIGH)
        )
    )
