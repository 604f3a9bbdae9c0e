"""Signed distance and outward normal of a point to a shape, for numbers and for symbols.

Every function takes the point (3,) in the frame of the shape and gives the distance in m, negative inside, and
the unit normal (3,) along which the distance grows. Choices are made by `where`, so that the functions can be
traced into a native step; at places where the normal is not unique (the centre of a sphere, the medial planes
of a box) one is chosen and everything stays finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, greater, greater_equal, less, maximum, minimum, sqrt, where
from footfall.geometry.height_map import Cell, HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.scene.shapes import MeshShape

# Signed distance to a height map, cell by cell, for numbers and for symbols.
#
# A ball that rolls towards a wall touches floor and wall at once, and that before its centre is over the wall. So a
# point has contacts with the cell below it and with the nearest ones beside it (`facets`), and a step sees the bend
# before it cuts into it. The plane of a cell counts only where it does not stand in the air.

_OUT_OF_REACH = 1e3  # m, the distance of a cell that cannot be touched
_LARGE = 0.2  # of a cell: the radius from which a ball may touch the cell beyond a corner before any other
_BEFORE = 0.1  # of a cell: so far ahead a step may reach
_NEWTON_STEPS, _CONVEX = 6, 0.95
_FOUND = 1e-3  # of a cell, how near a foot must be
_FLATNESS = 1e-9  # m, or a difference of slopes, that is none


@dataclass(frozen=True)
class TerrainFacet:
    """Of a height map, seen from a point: the nearest cell beside the one below it, along x, along y or along both; or
    of the cell below it the flank of its valley to the left or to the right, if it is so twisted that it has one."""

    terrain: HeightMap
    axes: Literal["x", "y", "xy", "left", "right"]


def facets(terrain: HeightMap, radius: float) -> Sequence[HeightMap | TerrainFacet]:
    """All surfaces that a point with a radius (m) needs: the map, which is the cell below it, and cells beside it."""
    beside = [TerrainFacet(terrain, "x"), TerrainFacet(terrain, "y")]
    if radius > _LARGE * min(terrain.spacing):
        beside.append(TerrainFacet(terrain, "xy"))
    if radius * _most_twisted(terrain) > 1.0:  # than such a valley the ball is wider
        beside += [TerrainFacet(terrain, "left"), TerrainFacet(terrain, "right")]
    return [terrain, *beside]


def _is_rough(terrain: HeightMap) -> bool:
    """Whether slopes change by more than one over a cell, so that the foot of a point must be searched for."""
    return _most_twisted(terrain) * min(terrain.spacing) > 1.0


def _most_twisted(terrain: HeightMap) -> float:
    """The greatest curvature of a cell, 1/m."""
    twists = np.diff(np.diff(terrain.heights, axis=0), axis=1)
    return float(np.abs(twists).max()) / (terrain.spacing[0] * terrain.spacing[1])


def height_map_distance(terrain: HeightMap, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) of a point (3,) to the cell below it, to first order in the bend of the cell.

    Beside a ridge the nearest place may be the ridge, or lie beyond it; so the distance is continuous where a point
    crosses one.
    """
    x, y, z = point
    cell = terrain.cell(x, y)
    height, slope_x, slope_y = cell.surface(x, y)
    drop = (z - height) / (1.0 + slope_x * slope_x + slope_y * slope_y)
    foot = x + drop * slope_x, y + drop * slope_y
    if _is_rough(terrain):
        foot = _least_distant(cell, point, foot)[0]
    beside = [_beside(terrain, k, cell, point) for k in range(2)]
    over = [
        less(each.bend, -_FLATNESS) & greater(each.step * (foot[k] - each.line), 0.0)
        for k, each in enumerate(beside)
    ]
    near = _near(cell, foot)
    at = [where(over[k], beside[k].line, near[k]) for k in range(2)]
    height, slope_x, slope_y = cell.surface(*at)
    arm = np.array([x - at[0], y - at[1], z - height])
    normal = _normal(slope_x, slope_y)
    above = arm @ normal
    on_ridge = (over[0] | over[1]) & greater(above, _FLATNESS)
    length = sqrt(where(on_ridge, arm @ arm, 1.0))
    distance, normal = where(on_ridge, length, above), where(on_ridge, arm / length, normal)
    for crosses, plane in zip(over, beside, strict=True):
        beyond = crosses & greater(plane.beyond, 0.0)
        distance, normal = where(beyond, plane.distance, distance), where(beyond, plane.normal, normal)
    return _not_in_the_air([cell, *(each.cell for each in beside)], z, distance, normal)


def facet_distance(facet: TerrainFacet, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) of a point (3,) to the plane of a cell beside the one below it, or to a flank of
    the cell below it.

    To a plane only if it does not stand in the air, beyond a ridge: if the point's foot on it is on that cell, or just
    before it at a line where the ground bends upwards.
    """
    terrain, (x, y) = facet.terrain, point[:2]
    own = terrain.cell(x, y)
    if facet.axes in ("left", "right"):
        return _flank_distance(own, point, 1.0 if facet.axes == "right" else -1.0)
    sides = [_side(own, point, k) for k in range(2)]
    there = [axis in facet.axes for axis in "xy"]
    steps = [step if beside else 0.0 for (step, _), beside in zip(sides, there, strict=True)]
    cell = terrain.cell(x, y, *steps)
    at = [
        line if beside else point[k] for k, ((_, line), beside) in enumerate(zip(sides, there, strict=True))
    ]
    distance, normal, foot = _at_foot(cell, point, at)
    touchable: Any = True
    for k, ((step, line), beside) in enumerate(zip(sides, there, strict=True)):
        beyond = step * (point[k] - distance * normal[k] - line)
        across = list(steps)
        across[k] = 0.0 if beside else step
        place = [line if axis == k else foot[axis] for axis in range(2)]
        bend = step * (cell.surface(*place)[1 + k] - terrain.cell(x, y, *across).surface(*place)[1 + k])
        before = greater(bend, _FLATNESS) & greater(beyond, -_BEFORE * own.spacing[k])
        if not beside:
            touchable = touchable & (less(beyond, 0.0) | less(bend, -_FLATNESS))
        elif facet.axes == "xy":
            touchable = touchable & (greater(beyond, 0.0) | before)
        else:
            touchable = touchable & before  # over a ridge the cell below the point is the right one
    return _not_in_the_air([cell], point[2], where(touchable, distance, _OUT_OF_REACH), normal)


def _not_in_the_air(cells: Sequence[Cell], z: Any, distance: Any, normal: Array) -> tuple[Any, Array]:
    """A distance (m) and its normal (3,), or those to the highest corner's level: far above a twisted cell planes that
    touch it may be much nearer than itself."""
    corners = [height for cell in cells for height in (cell.h00, cell.h01, cell.h10, cell.h11)]
    highest = corners[0]
    for height in corners[1:]:
        highest = maximum(highest, height)
    wrong = less(distance, z - highest - _FLATNESS)
    return where(wrong, z - highest, distance), where(wrong, np.array([0.0, 0.0, 1.0]), normal)


def _flank_distance(cell: Cell, point: Array, side: float) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) of a point (3,) to the nearest place on one flank of the valley of a twisted cell.

    Along one of its diagonals such a cell is curved upwards, and a ball that is wider than that touches it twice. The
    place is where the distance is least, found by Newton's method from the cell's corner on that side.
    """
    width, depth = cell.spacing
    corner = [
        cell.x + width / 2 * (1.0 + side),
        cell.y + depth / 2 * (1.0 + side * where(less(_twist(cell), 0.0), -1.0, 1.0)),
    ]
    foot, inside = _least_distant(cell, point, corner)
    distance, normal = _plane_distance(point, foot, cell.surface(*foot))
    for k, (low, size) in enumerate(((cell.x, width), (cell.y, depth))):
        inside = inside & greater(foot[k], low) & less(foot[k], low + size)
    return where(inside, distance, _OUT_OF_REACH), normal


def _least_distant(cell: Cell, point: Array, start: Sequence[Any]) -> tuple[tuple[Any, Any], Any]:
    """The place (x, y) of a cell, or just beside it, nearest to a point, by Newton's method from another one, and
    whether it was found; if not it is the other one."""
    place, twist = (start[0], start[1]), _twist(cell)
    for _ in range(_NEWTON_STEPS):
        _, slope_x, slope_y = cell.surface(*place)
        pull_x, pull_y, above = _pull(cell, point, place)
        along, across = 1.0 + slope_x * slope_x, 1.0 + slope_y * slope_y
        # Where the matrix were not positive the step would lead to where the distance is greatest.
        most = _CONVEX * sqrt(along * across)
        mixed = minimum(maximum(slope_x * slope_y - above * twist, -most), most)
        scale = 1.0 / (along * across - mixed * mixed)
        step_x, step_y = (across * pull_x - mixed * pull_y) * scale, (along * pull_y - mixed * pull_x) * scale
        place = _near(cell, (place[0] - step_x, place[1] - step_y))
    pull_x, pull_y, _ = _pull(cell, point, place)
    found = less(pull_x * pull_x + pull_y * pull_y, (_FOUND * min(cell.spacing)) ** 2)
    return (where(found, place[0], start[0]), where(found, place[1], start[1])), found


def _pull(cell: Cell, point: Array, place: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Derivatives of half the square of a point's distance from a place (x, y), m, and its height above it, m."""
    height, slope_x, slope_y = cell.surface(*place)
    above = point[2] - height
    return place[0] - point[0] - above * slope_x, place[1] - point[1] - above * slope_y, above


def _twist(cell: Cell) -> Any:
    """How much the slope along x grows along y, 1/m."""
    return (cell.h11 - cell.h10 - cell.h01 + cell.h00) / (cell.spacing[0] * cell.spacing[1])


class _Plane(NamedTuple):
    """The plane of a cell beside another one.

    cell: that one. distance (m) and normal (3,): of a point. step: -1 or 1, to which side the cell lies; line: where it
    begins, m; beyond: how far the point's foot on the plane is beyond that line, m. bend: how much steeper the way up
    becomes at the line: negative on a ridge.
    """

    cell: Cell
    distance: Any
    normal: Array
    step: Any
    line: Any
    beyond: Any
    bend: Any


def _beside(terrain: HeightMap, k: int, cell: Cell, point: Array) -> _Plane:
    """Of the cells beside one, that which is nearer to a point along axis k: its tangent plane at the point's foot."""
    x, y = point[:2]
    step, line = _side(cell, point, k)
    steps, at = ((step, 0.0), (line, y)) if k == 0 else ((0.0, step), (x, line))
    neighbour = terrain.cell(x, y, *steps)
    bend = step * (neighbour.surface(*at)[1 + k] - cell.surface(x, y)[1 + k])
    distance, normal, _ = _at_foot(neighbour, point, at)
    beyond = step * (point[k] - distance * normal[k] - line)
    return _Plane(neighbour, distance, normal, step, line, beyond, bend)


def _side(cell: Cell, point: Array, k: int) -> tuple[Any, Any]:
    """To which side of a cell, -1 or 1, a point is nearer along axis k, and where the cell ends there, m."""
    corner, width = (cell.x, cell.y)[k], cell.spacing[k]
    back = less(point[k] - corner, width / 2)
    return where(back, -1.0, 1.0), where(back, corner, corner + width)


def _at_foot(cell: Cell, point: Array, at: Sequence[Any]) -> tuple[Any, Array, tuple[Any, Any]]:
    """Distance (m) and normal (3,) of a point to the plane that touches a cell at the point's foot, and that foot.

    A cell may be twisted, so the foot is sought twice: on the plane at a place (x, y) of the cell first.
    """
    distance, normal = _plane_distance(point, at, cell.surface(*at))
    foot = _near(cell, (point[0] - distance * normal[0], point[1] - distance * normal[1]))
    return *_plane_distance(point, foot, cell.surface(*foot)), foot


def _near(cell: Cell, place: tuple[Any, Any]) -> tuple[Any, Any]:
    """The nearest place that is not farther than half a cell from a cell: far away it would be twisted too much."""
    low = cell.x - cell.spacing[0] / 2, cell.y - cell.spacing[1] / 2
    x, y = (minimum(maximum(place[k], low[k]), low[k] + 2 * cell.spacing[k]) for k in range(2))
    return x, y


def _plane_distance(point: Array, at: Any, surface: tuple[Any, Any, Any]) -> tuple[Any, Array]:
    """Distance (m) of a point to the plane that touches the surface at a place (x, y), and its normal (3,)."""
    height, slope_x, slope_y = surface
    normal = _normal(slope_x, slope_y)
    return np.array([point[0] - at[0], point[1] - at[1], point[2] - height]) @ normal, normal


def _normal(slope_x: Any, slope_y: Any) -> Array:
    scale = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return np.array([-slope_x * scale, -slope_y * scale, scale])


Surface = Shape | Plane | HeightMap | TerrainFacet | MeshShape

_TINY = 1e-24  # square of a length, m2, below which a direction has no meaning
_X, _Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def signed_distance(shape: Surface, pose: Transform, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) in world axes of a point (3,) given in the world.

    pose: of the shape in the world; floats or symbols, like the point.
    """
    rotation, translation = pose
    distance, normal = local_distance(shape, rotation.T @ (point - translation))
    return distance, rotation @ normal


def local_distance(shape: Surface, point: Array) -> tuple[Any, Array]:
    """Distance (m) and normal (3,) of a point (3,), all in the frame of the shape."""
    match shape:
        case Plane():
            return plane_distance(point)
        case Box(size):
            return box_distance(size, point)
        case Sphere(radius):
            return sphere_distance(radius, point)
        case Capsule(radius, length):
            return capsule_distance(radius, length, point)
        case Cylinder(radius, length):
            return cylinder_distance(radius, length, point)
        case HeightMap():
            return height_map_distance(shape, point)
        case TerrainFacet():
            return facet_distance(shape, point)
        case Mesh() | MeshShape():
            return mesh_distance(shape, point)
    raise TypeError(
        f"no distance to a {type(shape).__name__}; shapes are Plane, HeightMap and those of a robot"
    )


def plane_distance(point: Array) -> tuple[Any, Array]:
    """To the x-y plane, Ayit 2015, chapter 2."""
    return point[2], _Z


def sphere_distance(radius: Any, point: Array) -> tuple[Any, Array]:
    """To a sphere about the origin; upwards from its centre."""
    length, direction = _length_and_direction(point, _Z)
    return length - radius, direction


def capsule_distance(radius: Any, length: Any, point: Array) -> tuple[Any, Array]:
    """To a capsule along z; from its axis along x."""
    along = maximum(minimum(point[2], length / 2), -length / 2)
    distance, direction = _length_and_direction(np.array([point[0], point[1], point[2] - along]), _X)
    return distance - radius, direction


def box_distance(size: Any, point: Array) -> tuple[Any, Array]:
    """To a box about the origin with edge lengths `size`; inside along the nearest face, z before y before x."""
    beyond = absolute(point) - np.asarray(size) / 2
    x, y, z = beyond
    up = greater_equal(z, maximum(x, y))
    sideways = greater_equal(y, x)
    face = np.array(
        [
            where(up, 0.0, where(sideways, 0.0, 1.0)),
            where(up, 0.0, where(sideways, 1.0, 0.0)),
            where(up, 1.0, 0.0),
        ]
    )
    outside, direction = _length_and_direction(maximum(beyond, 0.0), face)
    signs = where(less(point, 0.0), -1.0, 1.0)
    return outside + minimum(maximum(maximum(x, y), z), 0.0), direction * signs


def cylinder_distance(radius: Any, length: Any, point: Array) -> tuple[Any, Array]:
    """To a cylinder along z; inside along the cap or the mantle, whichever is nearer."""
    axial = np.array([point[0], point[1], 0.0 * point[2]])
    from_axis, radial = _length_and_direction(axial, _X)
    around, along = from_axis - radius, absolute(point[2]) - length / 2
    cap = greater_equal(along, around)
    inner = np.array([where(cap, 0.0, 1.0), where(cap, 1.0, 0.0)])
    outside, direction = _length_and_direction(np.array([maximum(around, 0.0), maximum(along, 0.0)]), inner)
    sign = where(less(point[2], 0.0), -1.0, 1.0)
    normal = np.array([direction[0] * radial[0], direction[0] * radial[1], direction[1] * sign])
    return outside + minimum(maximum(around, along), 0.0), normal


def mesh_distance(mesh: Mesh | MeshShape, point: Array) -> tuple[Any, Array]:
    """To the triangles of a mesh, the sign by angle-weighted pseudonormals (Seiwald 2023, section 7.4)."""
    from footfall.geometry.mesh import load_mesh  # meshes are rare, and what reads them is slow to import
    from footfall.geometry.mesh_distance import distance_function

    triangles = mesh.mesh if isinstance(mesh, MeshShape) else load_mesh(mesh.path, scale=mesh.scale)
    result = distance_function(triangles)(point)
    return result[0], result[1:4]


def _length_and_direction(vector: Array, fallback: Array) -> tuple[Any, Array]:
    """Length of a vector and its direction, `fallback` if it has none."""
    square = vector @ vector
    long = greater(square, _TINY)
    length = sqrt(where(long, square, 1.0))
    return where(long, length, 0.0), where(long, vector / length, fallback)
