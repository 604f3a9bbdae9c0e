"""Soft layers below the soles of a robot: nodes without mass on springs, free of each other or of one elastic block.

A node of a layer with displacements x (3 n,) bears the force `f = K (x + tau x')`: springs K of any pattern, and a
material that relaxes within tau. What it bears, what it touches hands on. Schwienbacher 2014, table 2.3 has two such
layers: 48 "independent" displacements, and 864 of finite elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import Box, Geometry, Robot
from footfall.robot.start import start_of

# How an elastic block between a rigid plate and the ground gives way, by finite elements.
#
# Bricks with eight corners and trilinear displacements, integrated at 2 x 2 x 2 points (Hughes 1987, chapter 3). The
# upper face is bonded to the plate; loads act on the lower face only, so that all other nodes are eliminated (Guyan
# 1965). Such bricks are for foam and soft plastics: nearly incompressible rubber would lock in them.

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))  # of a brick, (8, 3)
_MOST_NODES = 6_000  # dense matrices
_MOST_POISSON = 0.45  # from here on bricks begin to lock


class Elastic(NamedTuple):
    """An isotropic material. young: modulus, Pa. poisson: ratio, above -1 and up to 0.45."""

    young: float
    poisson: float

    def stiffness(self) -> Array:
        """Stresses (6,) of strains (xx, yy, zz, xy, yz, zx), (6, 6), Pa."""
        shear = self.young / (2.0 * (1.0 + self.poisson))
        volume = self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
        result = np.diag([2.0 * shear] * 3 + [shear] * 3)
        result[:3, :3] += volume
        return result


def brick_stiffness(edges: Array, material: Elastic) -> Array:
    """Forces of displacements of the corners (24, 24), N/m, of a brick with edges (3,), m; the last coordinate
    of its corners changes first."""
    share, stress = float(np.prod(edges)) / len(_CORNERS), material.stiffness()
    result = np.zeros((24, 24))
    for place in _CORNERS / np.sqrt(3.0):  # of Gauss' second-order rule
        strain = _strains(_slopes(place, edges))
        result += share * (strain.T @ stress @ strain)
    return result


def _slopes(place: Array, edges: Array) -> Array:
    """Derivatives (8, 3) of the corners' shape functions along the axes at a place (3,) in [-1, 1], 1/m."""
    factors = 0.5 * (1.0 + _CORNERS * place)
    rows = [0.5 * _CORNERS[:, k] * np.prod(np.delete(factors, k, axis=1), axis=1) for k in range(3)]
    return np.stack(rows, axis=1) * (2.0 / edges)


def _strains(slope: Array) -> Array:
    """Strains (6, 24) of displacements of the corners."""
    result = np.zeros((6, 8, 3))
    for k, other in ((0, 1), (1, 2), (2, 0)):
        result[k, :, k] = slope[:, k]
        result[3 + k, :, k], result[3 + k, :, other] = slope[:, other], slope[:, k]
    return result.reshape(6, 24)


def block_stiffness(size: Array, cells: tuple[int, int, int], material: Elastic) -> Array:
    """Forces of displacements of all nodes (3 n, 3 n), N/m: of a block with edges (3,), m, in so many bricks each way.

    Nodes are numbered layer by layer from the lower face up, in each of them along y, then x.
    """
    counts = np.array(cells) + 1
    if not (0.0 < material.young < np.inf and -1.0 < material.poisson <= _MOST_POISSON):
        raise InvalidInput(
            f"{material}: young must be positive and finite, poisson above -1 and at most {_MOST_POISSON}"
        )
    if min(cells) < 1 or np.prod(counts) > _MOST_NODES:
        raise InvalidInput(
            f"a block of {cells} bricks; one each way is needed, and at most {_MOST_NODES} nodes"
        )
    brick = brick_stiffness(np.asarray(size, dtype=np.float64) / cells, material)
    result = np.zeros((3 * int(np.prod(counts)),) * 2)
    corners = (_CORNERS > 0.0).astype(np.int64)
    for x, y, z in product(*(range(count) for count in cells)):
        along, across, up = (corners + np.array([x, y, z])).T
        nodes = (up * counts[0] + along) * counts[1] + across
        rows = (3 * nodes[:, None] + np.arange(3)).ravel()
        result[np.ix_(rows, rows)] += brick
    return result


def sole_stiffness(size: Array, cells: tuple[int, int, int], material: Elastic) -> Array:
    """Forces of displacements of the lower face's nodes (3 m, 3 m), N/m, the upper face held.

    size: edges (3,), m. cells: bricks each way. Nodes are numbered along y, then x.
    """
    whole = block_stiffness(size, cells, material)
    face = 3 * (cells[0] + 1) * (cells[1] + 1)
    held = len(whole) - face
    lower, inside = slice(0, face), slice(face, held)
    if held <= face:
        return whole[lower, lower]
    eliminated = np.linalg.solve(whole[inside, inside], whole[inside, lower])
    result = whole[lower, lower] - whole[lower, inside] @ eliminated
    return np.asarray(0.5 * (result + result.T))


LayerModel = Literal["independent", "elastic"]

# As stiff as the four points of 5e4 N/m that a pad of LOLA has, and as fast: Seiwald 2023, section 7.4.
FOAM = Elastic(young=2.2e5, poisson=0.3)
RELAXATION, THICKNESS = 0.01, 0.01  # s and m
_BRICKS_DEEP = 2


@dataclass(frozen=True, eq=False)
class ContactLayer:
    """Nodes on springs below a body.

    body: that carries it. points: (n, 3) of the nodes at rest, in the body's frame, m. stiffness: (3 n, 3 n), symmetric
    and positive definite, N/m: forces that displacements along the body's axes need. relaxation: s, in which a layer
    that is let go has come back to a third.
    """

    body: str
    points: Array
    stiffness: Array
    relaxation: float = RELAXATION

    def __post_init__(self) -> None:
        points, stiffness = (np.array(each, dtype=np.float64) for each in (self.points, self.stiffness))
        size = 3 * len(points)
        if points.shape != (len(points), 3) or not len(points) or stiffness.shape != (size, size):
            raise InvalidInput(
                f"layer of {self.body!r}: points {points.shape} and stiffness {stiffness.shape}; they must be (n, 3) "
                "and (3 n, 3 n)"
            )
        if not (np.isfinite(points).all() and np.isfinite(stiffness).all()):
            raise InvalidInput(
                f"layer of {self.body!r}: points or stiffness hold NaN or infinite values; all must be finite"
            )
        if not 0.0 <= self.relaxation < np.inf:
            raise InvalidInput(
                f"layer of {self.body!r}: relaxation is {self.relaxation}; it must not be negative"
            )
        if np.abs(stiffness - stiffness.T).max() > 1e-9 * np.abs(stiffness).max():
            raise InvalidInput(f"layer of {self.body!r}: its stiffness is not symmetric; give (K + K.T) / 2")
        if np.linalg.eigvalsh(stiffness)[0] <= 0.0:
            raise InvalidInput(
                f"layer of {self.body!r}: its stiffness is not positive definite, so that it gives way to nothing"
            )
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "stiffness", stiffness)

    @property
    def states(self) -> int:
        """How many displacements there are."""
        return len(self.stiffness)

    @cached_property
    def compliance(self) -> Array:
        """Displacements (3 n, 3 n) of forces, m/N."""
        inverse = np.linalg.inv(self.stiffness)
        return np.asarray(0.5 * (inverse + inverse.T))


def sole_layers(
    robot: Robot,
    bodies: Sequence[str],
    model: LayerModel = "elastic",
    *,
    nodes: tuple[int, int] = (6, 6),
    thickness: float = THICKNESS,
    material: Elastic = FOAM,
    relaxation: float = RELAXATION,
    q: Array | None = None,
) -> tuple[ContactLayer, ...]:
    """A layer for each box that bodies touch with: the lowest part of the box is an elastic block, bonded to the rest.

    model: "elastic": a block of finite elements. "independent": nodes that do not know each other, each with its share
    of the block's stiffness without sides that bulge, `E A / t` down and `G A / t` along. nodes: of each box, along the
    longer edge of its lower face and across; one is in the middle. thickness: m, of the blocks. q: (nq,)
    which of a box's faces is the lower one shows here; where the robot starts, if it is not given.
    """
    if model not in get_args(LayerModel):
        raise UnknownName("model of contact layers", str(model), get_args(LayerModel), "sole_layers")
    if min(nodes) < (2 if model == "elastic" else 1):
        raise InvalidInput(f"nodes is {nodes}; an elastic block has two or more each way, others one or more")
    known = {body.name: body for body in robot.bodies}
    q = start_of(robot).q if q is None else q
    layers = []
    for name in bodies:
        if name not in known:
            raise UnknownName("body", name, known, f"robot {robot.name!r}")
        boxes = [each for each in known[name].collisions if isinstance(each.shape, Box)]
        if not boxes:
            raise InvalidInput(
                f"body {name!r} has no boxes to touch with; make a ContactLayer of points and a stiffness for it"
            )
        up = frame_pose(robot, q, name).rotation.T @ np.array([0.0, 0.0, 1.0])
        for box in boxes:
            block = _lowest_part(box, up, thickness)
            points, stiffness = _springs(block.size, model, nodes, material)
            turned = np.einsum("ij,ajbk,lk->aibl", block.axes, stiffness, block.axes)
            places = points @ block.axes.T + block.centre
            layers.append(ContactLayer(name, places, turned.reshape(places.size, -1), relaxation))
    return tuple(layers)


class _Block(NamedTuple):
    """centre: (3,) of its lower face on the body, m. axes: (3, 3) columns along, across and up, in the body's axes.
    size: (3,) edges along them, m."""

    centre: Array
    axes: Array
    size: Array


def _lowest_part(box: Geometry, up: Array, thickness: float) -> _Block:
    """up: (3,) in the body's axes. thickness: m, of the part."""
    assert isinstance(box.shape, Box)
    edges, own = np.array(box.shape.size), box.placement.rotation.T @ up
    deep = int(np.argmax(np.abs(own)))
    if not 0.0 < thickness <= edges[deep]:
        raise InvalidInput(
            f"thickness is {thickness} m; it must be above 0 and at most {edges[deep]:g} m here"
        )
    long, wide = sorted((k for k in range(3) if k != deep), key=lambda k: -edges[k])
    axes = np.zeros((3, 3))  # in the box's axes
    axes[long, 0], axes[deep, 2] = 1.0, np.sign(own[deep])
    axes[:, 1] = np.cross(axes[:, 2], axes[:, 0])
    axes = box.placement.rotation @ axes
    centre = box.placement.translation - 0.5 * edges[deep] * axes[:, 2]
    return _Block(centre, axes, np.array([edges[long], edges[wide], thickness]))


def _springs(
    size: Array, model: LayerModel, nodes: tuple[int, int], material: Elastic
) -> tuple[Array, Array]:
    """Nodes (n, 3) of a block's lower face about its centre, m, and their stiffness (n, 3, n, 3), N/m."""
    grid = np.stack(np.meshgrid(*map(_places, nodes), indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.column_stack([grid * size[:2], np.zeros(len(grid))])
    if model == "elastic":
        stiffness = sole_stiffness(size, (nodes[0] - 1, nodes[1] - 1, _BRICKS_DEEP), material)
    else:
        stiffness = _apart(size, len(grid), material)
    return points, stiffness.reshape(len(grid), 3, len(grid), 3)


def _places(count: int) -> Array:
    return np.zeros(1) if count == 1 else np.linspace(-0.5, 0.5, count)


def _apart(size: Array, count: int, material: Elastic) -> Array:
    share = size[0] * size[1] / size[2] / count
    shear = material.young / (2.0 * (1.0 + material.poisson))
    return np.diag(np.tile([shear * share, shear * share, material.young * share], count))
