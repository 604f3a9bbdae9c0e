"""Whether nothing but feet can have touched in a step, as a bound that is computed in lanes.

A step in lanes knows feet only. Its result is the solution of the whole contact problem if all other contacts stay
open with it: `gap + dt v_n >= 0` for each. That is shown by volumes around the shapes, which are cheap to compare:

- against the ground, the lowest point of a volume moves by an affine function of its points, `z + dt v_z`;
- two links stay apart if the distance of their volumes is more than joints between them can move them, at their
  velocities after the step. Where volumes say little, and there are one or two joints between them, tables have the
  distance of their shapes by the angles of these; else hulls of the shapes are compared along a few lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import nnls

from footfall.arrays import Array
from footfall.compiler import absolute, floor, gather, maximum, minimum, repeat, sqrt, where
from footfall.contact.convex import Convex, convex_distance
from footfall.contact.detection.shapes import Kind
from footfall.contact.detection.world import ordered
from footfall.dynamics.kinematics import link_poses, world_velocities
from footfall.dynamics.loops import Coupling
from footfall.geometry.height_map import HeightMap
from footfall.math.spatial import cross
from footfall.math.transform import Transform

if TYPE_CHECKING:
    from footfall.simulation.lanes.found_step import FoundStep

_ROUND = 24  # corners on the rim of a cylinder
_MERGED = 0.03  # m: so much wider a capsule around all shapes of a link may be than those around each
_MARGIN = 1e-6  # m: rounding, and how far hulls with fewer corners may be from those that are found
_TRIED = 64  # configurations by which the kinds of bounds are chosen
_JOINT_RANGE = 0.5  # rad about the start, in which these lie
_RATE, _SPEED = 3.0, 2.0  # rad/s and m/s, at which joints and links then move
_WINDOWS = 4  # of a map that cover what is under a block, along each axis
_FASTEST = 5.0  # m/s, at which they do
_LAYER, _MOST_CORNERS = 1e-3, 24  # m around the hull of so many corners of a shape
_MOST_EXACT = 400  # corners of a shape that are all looked at
_MOST_PARTS = 200  # of what joints can do, that are looked at
_TINY = 1e-12  # m2, m4
_ANGLES = 48  # of a joint, at which a table has distances
_LINES = 8  # along which two hulls are compared


class Capsule(NamedTuple):
    """Around some shapes of a link: ends (2, 3) of its axis, link axes, and radius, m."""

    link: int
    ends: Array
    radius: float

    @property
    def middle(self) -> Array:
        return np.asarray(self.ends.mean(axis=0))

    @property
    def reach(self) -> float:
        """Radius of the ball around its middle."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]) / 2.0 + self.radius)

    @property
    def volume(self) -> float:
        return float(
            np.pi * self.radius**2 * (2.0 * self.reach - 2.0 * self.radius + 4.0 / 3.0 * self.radius)
        )


class Block(NamedTuple):
    """A box around a shape of a link: middle (3,), columns of its axes (3, 3), half edges (3,), m."""

    link: int
    middle: Array
    axes: Array
    half: Array

    @property
    def reach(self) -> float:
        """Radius of the ball around its middle."""
        return float(np.linalg.norm(self.half))

    def lowest(self, a: Array, steepness: Any) -> Any:
        """The least of `a x` over its points x; steepness: the length of a (3,)."""
        along = a @ self.axes
        sunk = sum(half * absolute(each) for half, each in zip(self.half, along, strict=True))
        return a @ self.middle - sunk


class Corners(NamedTuple):
    """The hull of some balls around a shape of a link: points (n, 3) and their radius, m."""

    link: int
    points: Array
    radius: float

    @property
    def middle(self) -> Array:
        return np.asarray(self.points.mean(axis=0))

    @property
    def reach(self) -> float:
        """Radius of a ball around its middle."""
        return float(np.linalg.norm(self.points - self.middle, axis=1).max()) + self.radius

    def lowest(self, a: Array, steepness: Any) -> Any:
        """See `Block.lowest`."""
        least = a @ self.points[0]
        for point in self.points[1:]:
            least = minimum(least, a @ point)
        return least - self.radius * steepness


class _Table(NamedTuple):
    """Distances of the shapes of two links, m, at angles of the joints between them, the last one fastest. first, step:
    rad or m, of the angles (_ANGLES,) of each joint; coordinates of these."""

    apart: Array
    coordinates: list[int]
    first: list[float]
    step: list[float]


class _Pair(NamedTuple):
    """Two capsules that must not meet. arms: by velocity of the tree how far it moves one against the other, at most,
    m or none. around: what is compared, the balls around them if they do, else themselves; or there is a table of their
    shapes. hulled: whether hulls of the shapes are compared where capsules meet."""

    first: int
    second: int
    arms: dict[int, float]
    around: Literal["balls", "capsules"]
    table: _Table | None = None
    hulled: bool = False


@dataclass(frozen=True)
class Clearance:
    """Of all shapes of a robot but its feet from the ground, and of all its links from each other."""

    found: FoundStep

    def holds(self, q: Array, v: Array) -> Any:
        """Whether all stays clear in a step from q (nq,) that ends with the velocity v (nv,); not so where they are
        not numbers."""
        robot, tree = self.found.robot, self.found.robot.tree
        poses = link_poses(tree, q)
        rates = Coupling(robot, q).velocity(v)
        motions = world_velocities(tree, poses, rates)
        clear: Any = self._above_ground(poses, motions)
        dt = self.found.options.dt
        speeds = {
            k: dt * absolute(rates[k])
            for pair in self.pairs
            if pair.around == "balls" or pair.table is not None
            for k in pair.arms
        }
        segments = [self._placed(poses, capsule) for capsule in self.capsules]

        def moved_by(pair: _Pair) -> Any:
            return sum((arm * speeds[k] for k, arm in pair.arms.items()), start=_MARGIN)

        for pair in self.pairs:
            one, other = self.capsules[pair.first], self.capsules[pair.second]
            if pair.table is not None:
                clear = (_looked_up(pair.table, list(pair.arms.values()), q) > moved_by(pair)) & clear
                continue
            if pair.around == "balls":
                moved = moved_by(pair)
                between = segments[pair.first].middle - segments[pair.second].middle
                apart, least = between @ between, one.reach + other.reach + moved
                clear = (apart > least * least) & clear
                continue
            clear = self._capsules_clear(pair, poses, motions, segments) & clear
        return clear

    def _capsules_clear(
        self, pair: _Pair, poses: list[Transform], motions: Sequence[Array], segments: list[_Segment]
    ) -> Any:
        """Whether two capsules are apart by more than they move, or the hulls of what they are around are, along the
        line between their axes or one of some others: that is looked at only where it is needed."""
        one, other = self.capsules[pair.first], self.capsules[pair.second]
        between = _between_axes(segments[pair.first], segments[pair.second])
        dt = self.found.options.dt
        linear, turn, reach = self._relative_motion(pair, poses, motions, segments)
        moved = _MARGIN + dt * (sqrt(linear @ linear) + reach * sqrt(turn @ turn))
        apart, least = between @ between, one.radius + other.radius + moved
        if not pair.hulled:
            return apart > least * least

        def compared(known: Any, along: Array, nearest: Array, first: Any) -> tuple[Any, Array, Array, Any]:
            """By the corners of the second hull: how far its points are beyond the first one, less how far they move,
            is a concave function of them. The next line is that to the nearest of the differences of points that were
            found, between the last and the new one (Gilbert 1966)."""
            length: Any = sqrt(along @ along)
            gap: Any = -_MARGIN * length
            ends = []
            for number, way in ((pair.first, along), (pair.second, -along)):
                hull = self._hull(number)
                pose = poses[hull.link] if hull.link >= 0 else Transform(np.eye(3), np.zeros(3))
                a, moves = pose.rotation.T @ way, [0.0] * len(hull.points)
                layer = hull.radius * length
                if number == pair.second:
                    # Velocities of its points against the first link, in its own axes.
                    speed = pose.rotation.T @ (
                        linear + cross(turn, pose.translation - segments[pair.first].middle)
                    )
                    spin = pose.rotation.T @ turn
                    velocities = [speed + cross(spin, point) for point in hull.points]
                    moves = [dt * sqrt(velocity @ velocity) for velocity in velocities]
                    layer = layer * (1.0 + dt * sqrt(turn @ turn))
                lowest, end = np.inf, hull.points[0]
                for point, moved in zip(hull.points, moves, strict=True):
                    low = a @ point - moved * length
                    end = where(low < lowest, point, end)
                    lowest = minimum(low, lowest)
                gap = gap + pose.translation @ way + lowest - layer
                ends.append(pose.apply(end))
            new = ends[0] - ends[1]
            way = new - nearest
            share = minimum(maximum(-(nearest @ way) / maximum(way @ way, _TINY), 0.0), 1.0)
            nearest = where(first > 0.5, new, nearest + share * way)
            return where(gap > 0.0, 1.0, 0.0), nearest, nearest, 0.0

        start = (where(apart > least * least, 1.0, 0.0), between, np.zeros(3), 1.0)
        known, *_ = repeat(compared, start, count=_LINES, until=lambda known, *_: known > 0.5)
        return known > 0.5

    # Volumes

    @cached_property
    def _corners(self) -> list[tuple[int, str, Array, float]]:
        """Of each shape of the robot: its link, its body, corners (n, 3) in link axes, m, and the radius of the layer
        around them, m."""
        contacts = self.found.contacts
        pools, found = contacts.table.pools, []
        for body in self.found.standing.bodies:
            for number in contacts._numbers.get(body.name, ()):
                shape = contacts._shapes[number]
                size, radius = shape["size"], float(shape["radius"])
                kind = Kind(int(shape["kind"]))
                if kind is Kind.HULL:
                    hull = pools.hulls[int(shape["content"])]
                    corners = pools.points[hull["first_point"] : hull["first_point"] + hull["points"]]
                elif kind is Kind.CYLINDER:
                    angles = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
                    rim = size[0] / np.cos(np.pi / _ROUND) * np.array([np.cos(angles), np.sin(angles)]).T
                    corners = np.array([[*place, end * size[2]] for end in (-1.0, 1.0) for place in rim])
                elif kind in (Kind.BOX, Kind.SPHERE, Kind.CAPSULE):
                    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
                    corners = signs * size
                else:  # a ball around all of it
                    corners, radius = np.zeros((1, 3)), float(shape["bound"])
                placed = np.asarray(corners) @ shape["rotation"].T + shape["position"]
                found.append((int(shape["body"]), body.name, placed, radius))
        return found

    @cached_property
    def blocks(self) -> list[Block | Corners]:
        """Around all shapes that are no feet and move by themselves: those of links that carry feet come near to the
        ground all the time, and are enclosed more closely."""
        low = self._low_links
        return [
            corners_around(link, corners, radius) if link in low else block_around(link, corners, radius)
            for link, corners, radius in self._limbs
        ]

    @cached_property
    def _hulls_near_ground(self) -> dict[int, Corners]:
        """All corners of the shapes of links that carry feet, and of the links above these, by number of their block:
        a robot that crouches has its knees just above the ground."""
        links = self.found.robot.tree.links
        low = self._low_links | {links[link].parent for link in self._low_links}
        return {
            k: Corners(link, corners, radius)
            for k, (link, corners, radius) in enumerate(self._limbs)
            if link in low and len(corners) <= _MOST_EXACT
        }

    @property
    def _limbs(self) -> list[tuple[int, Array, float]]:
        """Of each shape that is no foot and moves by itself: its link, corners, and the layer around them."""
        feet = {foot.body for foot in self.found.feet}
        return [
            (link, corners, radius)
            for link, body, corners, radius in self._corners
            if body not in feet and link >= 0
        ]

    @cached_property
    def _low_links(self) -> set[int]:
        """Those that carry feet; where they have no other shapes, those above them too."""
        tree = self.found.robot.tree
        low = {tree.attachments[foot.body].link for foot in self.found.feet}
        bare = low - {link for link, *_ in self._limbs}
        return low | {tree.links[link].parent for link in bare}

    @cached_property
    def _capsules(self) -> tuple[list[Capsule], list[set[str]]]:
        """Around the shapes of each link, and whose they are."""
        made: list[Capsule] = []
        bodies: list[set[str]] = []
        for link in sorted({link for link, *_ in self._corners}):
            own = [
                (body, corners, radius) for number, body, corners, radius in self._corners if number == link
            ]
            single = [capsule_around(link, corners, radius) for _, corners, radius in own]
            points = np.concatenate([corners for _, corners, _ in own])
            radii = np.concatenate([np.full(len(corners), radius) for _, corners, radius in own])
            whole = capsule_around(link, points, radii)
            if whole.radius <= _MERGED + max(each.radius for each in single):
                made.append(whole)
                bodies.append({body for body, *_ in own})
            else:
                made += single
                bodies += [{body} for body, *_ in own]
        return made, bodies

    def _hull(self, number: int) -> Corners:
        """Of what a capsule is around."""
        if number not in self._hulls:
            capsule, bodies = self.capsules[number], self._capsules[1][number]
            own = [each for each in self._corners if each[0] == capsule.link and each[1] in bodies]
            points = np.concatenate([corners for *_, corners, _ in own])
            self._hulls[number] = corners_around(capsule.link, points, max(radius for *_, radius in own))
        return self._hulls[number]

    @cached_property
    def _hulls(self) -> dict[int, Corners]:
        return {}

    @property
    def capsules(self) -> list[Capsule]:
        return self._capsules[0]

    @cached_property
    def pairs(self) -> list[_Pair]:
        """All that may touch each other."""
        capsules, bodies = self._capsules
        excluded, found = self.found.contacts.excluded, []
        for (i, one), (j, other) in combinations(enumerate(capsules), 2):
            names = [ordered(a, b) for a in bodies[i] for b in bodies[j]]
            if one.link != other.link and any(pair not in excluded for pair in names):
                found.append(_Pair(i, j, self._arms(one, other), "capsules"))
        return self._chosen(found)

    def _arms(self, one: Capsule, other: Capsule) -> dict[int, float]:
        """How far each joint between two links moves a point of theirs at a rate of one, at most."""
        tree = self.found.robot.tree
        paths = [tree.path(each.link) if each.link >= 0 else [] for each in (one, other)]
        common = set(paths[0]) & set(paths[1])
        lower, upper = self.found.robot.spanning.lower_limits, self.found.robot.spanning.upper_limits
        arms: dict[int, float] = {}
        for capsule, path in zip((one, other), paths, strict=True):
            length = float(np.linalg.norm(capsule.ends, axis=1).max()) + capsule.radius
            beside = float(np.linalg.norm(capsule.ends[:, :2], axis=1).max()) + capsule.radius
            for number in path:  # from the link inwards
                link = tree.links[number]
                if number in common:
                    break
                arm = beside if number == capsule.link and link.kind == "revolute" else length
                for velocity in range(tree.nv)[link.v]:
                    arms[velocity] = 1.0 if link.kind == "prismatic" else arm
                if link.kind == "prismatic":
                    length += float(max(abs(lower[link.q.start]), abs(upper[link.q.start])))
                length += float(np.linalg.norm(link.placement.translation))
        return arms

    def _chosen(self, pairs: list[_Pair]) -> list[_Pair]:
        """The same with the cheapest bound that does as well as others near the start; without those whose joints
        cannot bring them together, if bounds do not show it."""
        robot, rng = self.found.robot, np.random.default_rng(0)
        lower, upper = np.asarray(robot.lower_limits), np.asarray(robot.upper_limits)
        start = np.asarray(self.found.start)
        tried = np.tile(start, (_TRIED, 1))
        driven = [robot.q_slice(joint.name) for joint in robot.joints[1:]]
        places = [place for part in driven if part.stop - part.start == 1 for place in range(robot.nq)[part]]
        moved = start[places] + rng.uniform(-_JOINT_RANGE, _JOINT_RANGE, (_TRIED, len(places)))
        tried[:, places] = np.clip(moved, lower[places], upper[places])
        near, dt = np.zeros((len(pairs), 2)), self.found.options.dt
        for q in tried:
            poses = link_poses(robot.tree, q)
            placed = [self._placed(poses, capsule) for capsule in self.capsules]
            for k, pair in enumerate(pairs):
                one, other = self.capsules[pair.first], self.capsules[pair.second]
                middle = float(np.linalg.norm(placed[pair.first].middle - placed[pair.second].middle))
                if middle < one.reach + other.reach + dt * _RATE * sum(pair.arms.values()):
                    axes = _between_axes(placed[pair.first], placed[pair.second])
                    least = one.radius + other.radius + dt * _SPEED
                    near[k] += [True, bool(np.linalg.norm(axes) < least)]
        chosen = []
        for pair, (balls, capsules) in zip(pairs, near, strict=True):
            if capsules:
                if self._stay_apart(pair):
                    continue
                pair = pair._replace(table=self._table(pair), hulled=True)
            chosen.append(pair._replace(around="capsules" if balls else "balls"))
        return chosen

    def _between(self, pair: _Pair) -> dict[int, tuple[float, float]] | None:
        """What one or two joints between two links can do, by their coordinates, rad or m; none if there are more, or
        what they do has no end."""
        robot, tree = self.found.robot, self.found.robot.tree
        links = {k: link for link in tree.links for k in range(tree.nv)[link.v]}
        if robot.loops or len(pair.arms) > 2 or any(links[k].kind == "spherical" for k in pair.arms):
            return None
        places = [links[k].q.start for k in pair.arms]
        ranges = {
            place: (float(robot.lower_limits[place]), float(robot.upper_limits[place])) for place in places
        }
        return ranges if np.isfinite(list(ranges.values())).all() else None

    def _distance(self, pair: _Pair) -> Callable[[Array], float]:
        """A function from a configuration (nq,) to the distance of the shapes of two links, m."""
        bodies = self._capsules[1]
        one, other = (
            [
                (link, Convex(corners, layer=radius))
                for link, body, corners, radius in self._corners
                if link == self.capsules[k].link and body in bodies[k]
            ]
            for k in (pair.first, pair.second)
        )

        def distance(q: Array) -> float:
            poses = link_poses(self.found.robot.tree, q)
            return min(convex_distance(a, poses[i], b, poses[j]).distance for i, a in one for j, b in other)

        return distance

    def _stay_apart(self, pair: _Pair) -> bool:
        """Whether two links never meet, whatever their joints do within their limits, if there are one or two between
        them: parts of what these can do are halved until the distance in the middle of each is more than its rest
        can take away."""
        ranges = self._between(pair)
        if ranges is None:
            return False
        distance, arms = self._distance(pair), list(pair.arms.values())
        pending, q = [np.array(list(ranges.values()))], np.array(self.found.start)
        for _ in range(_MOST_PARTS):
            if not pending:
                return True
            part = pending.pop()
            q[list(ranges)] = part.mean(axis=1)
            apart = distance(q)
            rest = [arm * (high - low) / 2.0 for (low, high), arm in zip(part, arms, strict=True)]
            if apart <= _MARGIN:
                return False
            if apart <= sum(rest):
                widest = int(np.argmax(rest))
                low, high = part[widest]
                for half in ((low, (low + high) / 2.0), ((low + high) / 2.0, high)):
                    pending.append(np.array([half if k == widest else own for k, own in enumerate(part)]))
        return False

    def _table(self, pair: _Pair) -> _Table | None:
        """Distances of the shapes of two links, if there are one or two joints between them."""
        ranges = self._between(pair)
        if ranges is None:
            return None
        angles = [np.linspace(low, high, _ANGLES) for low, high in ranges.values()]
        distance, q, apart = self._distance(pair), np.array(self.found.start), []
        for chosen in product(*angles):
            q[list(ranges)] = chosen
            apart.append(distance(q))
        steps = [(high - low) / (_ANGLES - 1) for low, high in ranges.values()]
        return _Table(np.array(apart), list(ranges), [low for low, _ in ranges.values()], steps)

    def _relative_motion(
        self, pair: _Pair, poses: list[Transform], motions: Sequence[Array], segments: list[_Segment]
    ) -> tuple[Array, Array, float]:
        """How two links move against each other: velocity (3,) of the second one at the middle of the first capsule,
        m/s, and its rotation (3,), rad/s; and how far points of that capsule are from there at most, m."""
        one, other = self.capsules[pair.first], self.capsules[pair.second]
        at, none = segments[pair.first].middle, np.zeros(6)
        first, second = (motions[each.link] if each.link >= 0 else none for each in (one, other))
        origins = [poses[each.link].translation if each.link >= 0 else np.zeros(3) for each in (one, other)]
        linear = [
            motion[:3] + cross(motion[3:], at - origin)
            for motion, origin in zip((first, second), origins, strict=True)
        ]
        return linear[1] - linear[0], second[3:] - first[3:], one.reach

    @staticmethod
    def _placed(poses: list[Transform], capsule: Capsule) -> _Segment:
        """The axis of a capsule in the world."""
        pose = poses[capsule.link] if capsule.link >= 0 else Transform(np.eye(3), np.zeros(3))
        half = (capsule.ends[1] - capsule.ends[0]) / 2.0
        return _Segment(pose.apply(capsule.middle), pose.rotation @ half, float(half @ half))

    # Ground

    def _above_ground(self, poses: list[Transform], motions: Sequence[Array]) -> Any:
        """Whether no block reaches the ground: `z + dt v_z` is affine in its points, the slope `a` in link axes. Where
        one may, all corners of the shapes in it are looked at, if they are known."""
        dt = self.found.options.dt
        slopes: dict[int, tuple[Array, Any]] = {}
        for block in self.blocks:
            if block.link not in slopes:
                motion = motions[block.link]
                up = np.array([-dt * motion[4], dt * motion[3], 1.0])  # e_z + dt e_z x w
                slopes[block.link] = poses[block.link].rotation.T @ up, sqrt(up @ up)
        levels = [self._level(block, poses[block.link], motions[block.link]) for block in self.blocks]

        def above(k: int, block: Block | Corners) -> Any:
            a, steepness = slopes[block.link]
            height = poses[block.link].translation[2] + dt * motions[block.link][2]
            return height + block.lowest(a, steepness) > levels[k]

        clear: Any = True
        near: Any = True
        for k, block in enumerate(self.blocks):
            if k in self._hulls_near_ground:
                near = above(k, block) & near
            else:
                clear = above(k, block) & clear

        def looked_at(_: Any) -> Any:
            exact: Any = True
            for k, hull in self._hulls_near_ground.items():
                exact = above(k, hull) & exact
            return where(exact, 1.0, 0.0)

        if self._hulls_near_ground:
            known = repeat(looked_at, where(near, 1.0, 0.0), count=1, until=lambda known: known > 0.5)
            clear = (known > 0.5) & clear
        return clear

    def _level(self, block: Block | Corners, pose: Transform, motion: Array) -> Any:
        """The highest that the ground is under a block, from where it is to where it is after a step, m: the greatest
        height of a map at all corners of cells that a rectangle around both comes to, by windows that cover these.
        Without end where there are more than they cover."""
        ground, dt = self.found.ground, self.found.options.dt
        if not isinstance(ground, HeightMap):
            return _MARGIN
        box = block if isinstance(block, Block) else block_around(block.link, block.points, block.radius)
        middle, axes, turn = pose.apply(box.middle), pose.rotation @ box.axes, motion[3:]
        moved = dt * (motion[:3] + cross(turn, middle - pose.translation))
        turned = _MARGIN + dt * sqrt(turn @ turn) * box.reach
        assert ground.origin is not None
        starts, covered = [], True
        for k, (origin, step, count) in enumerate(
            zip(ground.origin, ground.spacing, ground.heights.shape, strict=True)
        ):
            beside = turned + sum(half * absolute(each) for half, each in zip(box.half, axes[k], strict=True))
            first = floor((middle[k] + minimum(moved[k], 0.0) - beside - origin) / step)
            last = floor((middle[k] + maximum(moved[k], 0.0) + beside - origin) / step) + 1.0
            edge = _window(box, step, dt)
            covered = (last - first < _WINDOWS * edge) & covered
            places = [minimum(first + j * edge, last - edge + 1.0) for j in range(_WINDOWS)]
            starts.append(
                [minimum(maximum(place, 1.0 - edge), count - 1.0) + (edge - 1.0) for place in places]
            )
        along_x, along_y = (_window(box, step, dt) for step in ground.spacing)
        table, stride = self._highest((along_x, along_y))
        levels = [gather(table, i * stride + j) for i in starts[0] for j in starts[1]]
        highest = levels[0]
        for level in levels[1:]:
            highest = maximum(highest, level)
        return where(covered, highest + _MARGIN, np.inf)

    def _highest(self, window: tuple[int, int]) -> tuple[Array, float]:
        """The greatest height in each window of so many heights along x and y, m, from the first that has one of the
        map's on, row by row; and how many there are in a row."""
        ground = self.found.ground
        assert isinstance(ground, HeightMap)
        if window not in self._tables:
            padded = np.pad(ground.heights, [(edge - 1, edge - 1) for edge in window], mode="edge")
            highest = sliding_window_view(padded, window).max(axis=(2, 3))
            self._tables[window] = np.ascontiguousarray(highest).reshape(-1), float(highest.shape[1])
        return self._tables[window]

    @cached_property
    def _tables(self) -> dict[tuple[int, int], tuple[Array, float]]:
        return {}


def _window(box: Block, step: float, dt: float) -> int:
    """Edge of windows, in spacings of a map, of which `_WINDOWS` in a row cover a box."""
    return max(2, int(np.ceil(((2.0 * box.reach + dt * _FASTEST) / step + 2.0) / _WINDOWS)))


class _Segment(NamedTuple):
    """middle, half (3,): of its length, m; square: of half of its length, m2."""

    middle: Array
    half: Array
    square: float


def _looked_up(table: _Table, arms: Sequence[float], q: Array) -> Any:
    """How far the shapes of two links are apart at least, m: as far as at the nearest angles of a table, less what the
    joints move them from there."""
    place, rest = 0.0, 0.0
    for coordinate, first, step, arm in zip(table.coordinates, table.first, table.step, arms, strict=True):
        number = minimum(maximum(floor((q[coordinate] - first) / step + 0.5), 0.0), _ANGLES - 1.0)
        place = place * _ANGLES + number
        rest = rest + arm * absolute(q[coordinate] - (first + step * number))
    return gather(table.apart, place) - rest


def _between_axes(one: _Segment, other: _Segment) -> Array:
    """From the second of two segments to the first (3,), m: the nearest points of their lines, each held to its segment
    (Ericson 2005, 5.1.9)."""
    between = one.middle - other.middle
    a, b = one.half, other.half
    ab, ar, br = a @ b, a @ between, b @ between
    determinant = maximum(one.square * other.square - ab * ab, _TINY)
    s = _within((ab * br - ar * other.square) / determinant)
    t = _within((ab * s + br) * (1.0 / max(other.square, _TINY)))
    s = _within((ab * t - ar) * (1.0 / max(one.square, _TINY)))
    return np.asarray(between + s * a - t * b)


def _within(value: Any) -> Any:
    return minimum(maximum(value, -1.0), 1.0)


def capsule_around(link: int, points: Array, radii: Array | float) -> Capsule:
    """A narrow one around balls of radii (n,) about points (n, 3)."""
    middle = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - middle, full_matrices=True)
    best: Capsule | None = None
    for axis in axes:
        side = points - middle - np.outer((points - middle) @ axis, axis)
        center = _center_of_circle(side)
        apart = np.linalg.norm(side - center, axis=1)
        around = float((apart + radii).max())
        along = (points - middle) @ axis
        inset = np.sqrt(np.maximum((around - radii) ** 2 - apart**2, 0.0))
        low, high = float((along + inset).min()), float((along - inset).max())
        low, high = (low, high) if low < high else ((low + high) / 2.0,) * 2
        ends = middle + center + np.outer([low, high], axis)
        made = Capsule(link, ends, around)
        if best is None or made.volume < best.volume:
            best = made
    assert best is not None
    return best


def _center_of_circle(points: Array) -> Array:
    """About the middle (3,) of the least ball around points (n, 3), by steps towards the farthest (Badoiu and Clarkson
    2003)."""
    center = points.mean(axis=0)
    for k in range(200):
        farthest = points[np.argmax(np.linalg.norm(points - center, axis=1))]
        center = center + (farthest - center) / (k + 2.0)
    return np.asarray(center)


def block_around(link: int, points: Array, radius: float) -> Block:
    """A small box around balls of a radius about points (n, 3): along axes that they have, or those of the link."""
    middle = points.mean(axis=0)
    _, _, own = np.linalg.svd(points - middle, full_matrices=True)
    found = []
    for axes in (own.T, np.eye(3)):
        along = points @ axes
        half = np.ptp(along, axis=0) / 2.0 + radius
        found.append(Block(link, axes @ ((along.min(axis=0) + along.max(axis=0)) / 2.0), axes, half))
    return min(found, key=lambda block: float(np.prod(block.half)))


def corners_around(link: int, points: Array, radius: float) -> Corners:
    """The hull of a few of points (n, 3) with a layer in which all others are: the farthest are added one by one."""
    chosen = [int(np.argmax(points @ direction)) for direction in np.vstack([np.eye(3), -np.eye(3)])]
    chosen = list(dict.fromkeys(chosen))
    while True:
        apart = np.array([_distance_to_hull(points[chosen], point) for point in points])
        if apart.max() < _LAYER or len(chosen) >= min(_MOST_CORNERS, len(points)):
            return Corners(link, points[chosen], float(apart.max()) + radius)
        chosen.append(int(np.argmax(apart)))


def _distance_to_hull(corners: Array, point: Array) -> float:
    """Of a point (3,) to some place in the hull of corners (n, 3), about the nearest, m; weights of the corners by
    least squares that are not negative (Lawson and Hanson 1974), their sum as a row that weighs much."""
    heavy = 1e3
    rows = np.vstack([(corners - point).T, np.full(len(corners), heavy)])
    weights, _ = nnls(rows, np.array([0.0, 0.0, 0.0, heavy]))
    return float(np.linalg.norm((weights / weights.sum()) @ corners - point))
