"""Detection measured: the same shapes at the same places, all contacts of a world in one call, against MuJoCo."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from footfall.arrays import Array
from footfall.bench import surroundings
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.compiler.routines import new_records
from footfall.contact.contacts import Contact
from footfall.contact.detection.find import NONE_SLEEP, find_contacts
from footfall.contact.detection.shapes import Bodies
from footfall.contact.detection.world import ContactWorld, contacts_of
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_rotation_vector, quaternion_from_matrix
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere

REACH = 1e-3  # m: points nearer than this are contacts, for both
_STATES = 16
_JITTER = 1e-4  # m and rad, from state to state: as within a step
_Placed = tuple[Any, Transform]


class Place(NamedTuple):
    """A world: shapes that move and shapes that are fixed, with their poses."""

    name: str
    moving: list[_Placed]
    fixed: list[_Placed]


class PlaceReport(NamedTuple):
    """contacts: ours and MuJoCo's, in the mean. difference: m, of the least gap of a state, the greatest of all."""

    name: str
    shapes: int
    contacts: tuple[float, float]
    difference: float
    race: Race


def at(x: float, y: float, z: float, turn: Array | None = None) -> Transform:
    rotation = np.eye(3) if turn is None else np.asarray(matrix_from_rotation_vector(turn))
    return Transform(rotation, np.array([x, y, z]))


def places() -> list[Place]:
    """Pairs of each kind, a hundred at a time; piles; a room full of things."""
    rng = np.random.default_rng(0)
    floor: list[_Placed] = [(Plane(), identity_transform())]
    box, ball = Box((0.2, 0.2, 0.2)), Sphere(0.1)
    kinds = {
        "balls": (ball, ball, 0.2),
        "capsules on boxes": (Capsule(0.05, 0.2), box, 0.25),
        "boxes on boxes": (Box((0.15, 0.2, 0.1)), box, 0.15),
        "cylinders on boxes": (Cylinder(0.08, 0.1), box, 0.15),
    }
    found = []
    for name, (upper, lower, height) in kinds.items():
        moving, fixed = [], []
        for k in range(100):
            x, y = k % 10, k // 10
            spin = np.array([0.0, 0.0, rng.uniform(-1, 1)])
            moving.append((upper, at(x + 0.01, y, height - 1e-4, spin)))
            fixed.append((lower, at(x, y, 0.0)))
        found.append(Place(f"100 {name}", moving, fixed))
    stack = [(box, at(0, 0, 0.1 + 0.2 * k)) for k in range(10)]
    found.append(Place("stack of 10 boxes", stack, floor))
    wall = [(Box((0.2, 0.1, 0.1)), at(0.2 * (k % 20), 0, 0.05 + 0.1 * (k // 20))) for k in range(200)]
    found.append(Place("wall of 200 bricks", wall, floor))
    balls = [(ball, at(0.2 * (k % 10), 0.2 * (k // 10 % 10), 0.1 + 0.2 * (k // 100))) for k in range(1000)]
    found.append(Place("block of 1,000 balls", balls, floor))
    room: list[_Placed] = []
    for x, y, z in rng.uniform([1.5, 1.5, 0.5], [30.0, 30.0, 3.0], size=(2000, 3)):
        room.append((Box(tuple(rng.uniform(0.1, 0.8, 3))), at(x, y, z)))
    few = [(box, at(0.25 * k, 0, 0.1)) for k in range(4)]
    found.append(Place("4 boxes, empty room", few, floor))
    found.append(Place("4 boxes, 2,000 fixed things", few, floor + room))
    heights = HeightMap(0.02 * rng.normal(size=(41, 41)), (0.1, 0.1))
    on_hills = [(ball, at(0.4 * (k % 5) - 0.8, 0.4 * (k // 5) - 0.8, 0.11)) for k in range(25)]
    found.append(Place("25 balls on a height map", on_hills, [(heights, identity_transform())]))
    return found


def measure(place: Place, *, blocks: int) -> PlaceReport:
    rng = np.random.default_rng(1)
    moved = [_moved(place.moving, rng) for _ in range(_STATES)]
    world, states, memory = _ours(place, moved)
    found = new_records(Contact, 64 * (len(place.moving) + 1))
    model, datas = _theirs(place, moved)
    gaps, counts = [], []
    for bodies, data in zip(states, datas, strict=True):
        need = find_contacts(world.table, memory, bodies, 0.0, REACH, found, NONE_SLEEP)
        mujoco.mj_collision(model, data)
        counts.append((need.contacts, data.ncon))
        gaps.append(abs(found["gap"][: need.contacts].min() - data.contact.dist.min()))
    constants = {
        "find": find_contacts,
        "table": world.table,
        "memory": memory,
        "reach": REACH,
        "found": found,
        "none": NONE_SLEEP,
    }
    ours = Contestant(
        sweep("find(table, memory, b, 0.0, reach, found, none)", {"b": states}, constants), _STATES
    )
    peer = {"collide": mujoco.mj_collision, "model": model}
    theirs = Contestant(sweep("collide(model, d)", {"d": datas}, peer), _STATES)
    raced = race({"ours": ours, "MuJoCo": theirs}, blocks=blocks)
    mean = np.mean(counts, axis=0)
    shapes = len(place.moving) + len(place.fixed)
    return PlaceReport(place.name, shapes, (float(mean[0]), float(mean[1])), float(max(gaps)), raced)


def _moved(moving: list[_Placed], rng: np.random.Generator) -> list[Transform]:
    return [
        Transform(
            matrix_from_rotation_vector(_JITTER * rng.normal(size=3)) @ pose.rotation,
            pose.translation + _JITTER * rng.normal(size=3),
        )
        for _, pose in moving
    ]


def _ours(place: Place, moved: list[list[Transform]]) -> tuple[ContactWorld, list[Bodies], Any]:
    world = ContactWorld(len(place.moving))
    for k, (shape, _) in enumerate(place.moving):
        world.add_body(f"moving {k}", k, [(shape, identity_transform(), 1, 1)], None)
    for k, (shape, pose) in enumerate(place.fixed):
        world.add_body(f"fixed {k}", -1, [(shape, pose, 1, 1)], None)
    rest = np.zeros((len(place.moving), 3))
    states = [
        Bodies(np.array([p.rotation for p in poses]), np.array([p.translation for p in poses]), rest, rest)
        for poses in moved
    ]
    _, memory = contacts_of(world, world.memory(), states[0], reach=REACH)
    return world, states, memory


def _theirs(place: Place, moved: list[list[Transform]]) -> tuple[Any, list[Any]]:
    spec = mujoco.MjSpec()
    for k, (shape, _) in enumerate(place.moving):
        body = spec.worldbody.add_body(name=f"moving {k}", mass=1.0, inertia=np.ones(3))
        body.add_freejoint()
        body.add_geom(margin=REACH, **_geom(spec, shape, k))
    for k, (shape, pose) in enumerate(place.fixed):
        quaternion = quaternion_from_matrix(np.asarray(pose.rotation))
        made = {"pos": pose.translation, "quat": quaternion, **_geom(spec, shape, k)}
        spec.worldbody.add_geom(margin=REACH, **made)
    model = spec.compile()
    datas = []
    for poses in moved:
        data = mujoco.MjData(model)
        rows = [[*p.translation, *quaternion_from_matrix(np.asarray(p.rotation))] for p in poses]
        data.qpos[:] = np.ravel(rows)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        datas.append(data)
    return model, datas


def _geom(spec: Any, shape: Any, number: int) -> dict[str, Any]:
    kinds = mujoco.mjtGeom
    match shape:
        case Plane():
            return {"type": kinds.mjGEOM_PLANE, "size": [0.0, 0.0, 1.0]}
        case Sphere(radius):
            return {"type": kinds.mjGEOM_SPHERE, "size": [radius, 0.0, 0.0]}
        case Capsule(radius, length):
            return {"type": kinds.mjGEOM_CAPSULE, "size": [radius, length / 2, 0.0]}
        case Cylinder(radius, length):
            return {"type": kinds.mjGEOM_CYLINDER, "size": [radius, length / 2, 0.0]}
        case Box(size):
            return {"type": kinds.mjGEOM_BOX, "size": np.array(size) / 2}
        case HeightMap():
            low, high = float(shape.heights.min()), float(shape.heights.max())
            x, y = np.array(shape.size) / 2
            # Rows along y; heights between 0 and 1, of the range above a base.
            rows = ((shape.heights.T - low) / (high - low)).ravel()
            spec.add_hfield(
                name=f"hills {number}",
                nrow=shape.heights.shape[1],
                ncol=shape.heights.shape[0],
                size=[x, y, high - low, 0.1],
                userdata=rows,
            )
            return {"type": kinds.mjGEOM_HFIELD, "hfieldname": f"hills {number}", "pos": [0.0, 0.0, low]}
    raise TypeError(shape)


def markdown(reports: list[PlaceReport], *, load: str) -> str:
    lines = [
        "# Contact detection",
        "",
        f"{surroundings.processor()}, {surroundings.cores()} cores, load before {load}.",
        f"{surroundings.versions()}, MuJoCo {mujoco.__version__}.",
        "Medians of block ratios, quartiles in brackets; see [docs/benchmarks.md](../docs/benchmarks.md).",
        "",
        "All contacts of a world in one call, one core, from states 0.1 mm and 0.1 mrad apart. Ours: `find_contacts`,",
        "which places the shapes and keeps its list of pairs. MuJoCo: `mj_collision`, bodies placed before.",
        f"Contacts: points nearer than {REACH * 1e3:g} mm. Difference: of the least gap, the greatest of all states.",
        "",
        "| world | shapes | contacts | MuJoCo's | ours, us | MuJoCo, us | MuJoCo / ours | difference, m |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for report in reports:
        ratio = report.race.ratio("MuJoCo", "ours")
        ours, theirs = (1e6 * report.race.time(name).median for name in ("ours", "MuJoCo"))
        lines.append(
            f"| {report.name} | {report.shapes} | {report.contacts[0]:.0f} | {report.contacts[1]:.0f} | {ours:.1f} | "
            f"{theirs:.1f} | {ratio.median:.1f} [{ratio.lower:.1f}, {ratio.upper:.1f}] | {report.difference:.0e} |"
        )
    return "\n".join(lines) + "\n"
