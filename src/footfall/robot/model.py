"""The robot model: an immutable value that every algorithm takes.

A robot is a tree of bodies. `joints[i]` carries `bodies[i]` on its parent body (or on the world) and stands
in the order of the coordinates: parents before children, depth first, children in the order of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnknownName
from footfall.robot import values
from footfall.robot.digest import digest_of
from footfall.robot.html_table import html_table
from footfall.robot.loops import Loop, LoopType, check_loops
from footfall.robot.parts import Body, Frame, Joint, JointType, Mimic
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from footfall.robot.tree import Tree, build_tree
from footfall.robot.tree_loops import ASSEMBLY, closed_configuration, independent_slices, structure_of
from footfall.robot.validation import WORLD, check_references, checked_configuration, depth_first
from footfall.robot.volumes import BodyVolume, as_pairs, check_volumes

if TYPE_CHECKING:
    from footfall.robot.drives.drive import Drive
    from footfall.robot.drives.spring import Spring

__all__ = [
    "WORLD",
    "Array",
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "Frame",
    "Geometry",
    "Joint",
    "JointType",
    "Loop",
    "LoopType",
    "Mesh",
    "Mimic",
    "Robot",
    "Shape",
    "Sphere",
]

STANDARD_GRAVITY = (0.0, 0.0, -9.81)  # m/s2, of robots whose description says nothing
Limits = Mapping[str, tuple[float, float]]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, eq=False, repr=False)
class Robot(values.Value):
    """A robot: see the module's docstring. Compared and hashed by identity; arrays are read-only.

    Bodies and joints may be given in any order that has one joint for each body; they are put depth first.
    configurations: named `q` (nq,). groups: named tuples of joint names. gravity: (3,) in world axes, m/s2.
    notes: remarks of the description (which values are reconstructed, say), by name. regions: named tuples of
    body names. limit_sets: named position limits, joint name -> (lower, upper), beside the joints' own. drives: what
    moves the joints, for simulations that ask for it. springs: that act on joints in every simulation.
    loops: what couples the joints besides the tree. Then `q` still lists the coordinates of all joints, `v` only those
    velocities from which the others follow; configurations are closed, the one named "assembly" says near which the
    loops close. volumes: of bodies, for distances; volume_pairs: names of those that may come close to each other.
    apart: pairs of bodies that never touch each other in simulations.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    configurations: Mapping[str, Array] = field(default_factory=_nothing)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    notes: Mapping[str, str] = field(default_factory=_nothing)
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    limit_sets: Mapping[str, Limits] = field(default_factory=_nothing)
    drives: tuple[Drive, ...] = ()
    springs: tuple[Spring, ...] = ()
    loops: tuple[Loop, ...] = ()
    volumes: tuple[BodyVolume, ...] = ()
    volume_pairs: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        subject = ("robot", self.name)
        bodies, joints = depth_first(
            values.parts(self.bodies, Body, "bodies", subject),
            values.parts(self.joints, Joint, "joints", subject),
        )
        frozen: dict[str, Any] = {
            "bodies": bodies,
            "joints": joints,
            "frames": values.parts(self.frames, Frame, "frames", subject),
            "gravity": values.vector(self.gravity, 3, "gravity", subject),
            "configurations": {
                name: checked_configuration(name, q, joints) for name, q in self.configurations.items()
            },
            "groups": {name: tuple(members) for name, members in self.groups.items()},
            "regions": {name: tuple(members) for name, members in self.regions.items()},
            "notes": dict(self.notes),
            "loops": values.parts(self.loops, Loop, "loops", subject),
            "limit_sets": {
                name: MappingProxyType(
                    {joint: (float(low), float(high)) for joint, (low, high) in limits.items()}
                )
                for name, limits in self.limit_sets.items()
            },
            "drives": values.parts(self.drives, object, "drives", subject),  # their kinds: `check_drives`
            "springs": values.parts(self.springs, object, "springs", subject),
            "volumes": values.parts(self.volumes, BodyVolume, "volumes", subject),
            "volume_pairs": as_pairs(self.volume_pairs),
            "apart": as_pairs(self.apart, "pair that never touches", "bodies"),
        }
        for name, value in frozen.items():
            object.__setattr__(self, name, MappingProxyType(value) if isinstance(value, dict) else value)
        check_references(self)
        check_volumes(self, WORLD)
        if self.drives or self.springs:
            from footfall.robot.drives.references import check_drives  # drives know robots, not the reverse

            check_drives(self)
        if self.loops:
            check_loops(self)
            _ = self.tree  # finds out whether they close
            closed = {name: closed_configuration(self, q) for name, q in self.configurations.items()}
            if ASSEMBLY in closed and self.tree.loops is not None:
                # So that the file it is written to gives the same robot.
                closed[ASSEMBLY] = self.tree.loops.reference
            object.__setattr__(self, "configurations", MappingProxyType(closed))

    def __repr__(self) -> str:
        floating = [
            joint for joint in self.joints if joint.type is JointType.FLOATING and joint.parent == WORLD
        ]
        base = (
            " + floating base"
            if len(floating) == 1
            else f" + {len(floating)} floating bases"
            if floating
            else ""
        )
        moving = sum(joint.type is not JointType.FIXED for joint in self.joints) - len(floating)
        bodies = "1 body" if len(self.bodies) == 1 else f"{len(self.bodies)} bodies"
        loops = f", {len(self.loops)} loop{'' if len(self.loops) == 1 else 's'}" if self.loops else ""
        return (
            f"Robot {self.name!r}: {bodies}, {moving} joint{'' if moving == 1 else 's'}{base}{loops}, "
            f"nq {self.nq}, nv {self.nv}, {self.mass:.4g} kg"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the joints, with their places in q and v."""
        rows = [
            (
                joint.name,
                joint.type.value,
                f"{joint.parent} to {joint.child}",
                *(_place(slices[k]) for slices in (self._q_slices, self._v_slices)),
                *(", ".join(f"{value:.4g}" for value in values) for values in (joint.lower, joint.upper)),
            )
            for k, joint in enumerate(self.joints)
            if joint.type is not JointType.FIXED
        ]
        columns = ("joint", "type", "bodies", "in q", "in v", "lower", "upper")
        return html_table(repr(self), columns, rows)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(joint.type.coordinates for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocities; of a looped robot, of those that are independent."""
        structure = self.tree.loops
        return self.tree.nv if structure is None else len(structure.independent)

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(body.mass for body in self.bodies))

    @cached_property
    def tree(self) -> Tree:
        """The robot reduced to elementary links: what the algorithms run on."""
        tree = build_tree(self)
        return replace(tree, loops=structure_of(self, tree)) if self.loops else tree

    @cached_property
    def spanning(self) -> Robot:
        """The robot without its loops: `nv`, limits, damping and the like of all joints. A tree is its own."""
        return replace(self, loops=(), configurations={}) if self.loops else self

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that moves it or may touch: bodies, joints, frames, gravity, loops, volumes; not how it looks."""
        bodies = [(body.name, body.mass, body.center_of_mass, body.inertia) for body in self.bodies]
        loops = (self.loops, self.tree.loops.reference) if self.tree.loops is not None else ()
        volumes = (self.volumes, self.volume_pairs) if self.volumes else ()
        # Gains are data, not part of native code.
        joints = [replace(joint, kp=(), kd=()) for joint in self.joints]
        return digest_of(bodies, joints, self.frames, self.gravity, *loops, *volumes)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of `q`; `q_slice` and `v_slice` give the places of each."""
        return tuple(joint.name for joint in self.joints if joint.type is not JointType.FIXED)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """All names that stand for a frame: the frames, the bodies, the world."""
        return (*(frame.name for frame in self.frames), *self._bodies, WORLD)

    def body(self, name: str) -> Body:
        """The body of that name."""
        if name not in self._bodies:
            raise UnknownName("body", name, self._bodies, f"robot {self.name!r}")
        return self._bodies[name]

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return self.joints[self._joint_index(name)]

    def q_slice(self, joint: str) -> slice:
        """Where the joint's coordinates stand in `q`."""
        return self._q_slices[self._joint_index(joint)]

    def v_slice(self, joint: str) -> slice:
        """Where the joint's velocities stand in `v`; empty for a joint that follows from others."""
        return self._v_slices[self._joint_index(joint)]

    def configuration(self, name: str) -> Array:
        """A copy of the named configuration `q` (nq,)."""
        if name not in self.configurations:
            raise UnknownName("configuration", name, self.configurations, f"robot {self.name!r}")
        return self.configurations[name].copy()

    def limits(self, limit_set: str | None = None) -> tuple[Array, Array]:
        """Lower and upper limits of `q`, (nq,) each, rad or m, infinite where there are none.

        limit_set: one of `limit_sets`; joints that it does not name keep their own limits.
        """
        lower, upper = (
            self._per_coordinate(name, limit) for name, limit in (("lower", -np.inf), ("upper", np.inf))
        )
        if limit_set is not None:
            if limit_set not in self.limit_sets:
                raise UnknownName("limit set", limit_set, self.limit_sets, f"robot {self.name!r}")
            for joint, (low, high) in self.limit_sets[limit_set].items():
                lower[self.q_slice(joint)], upper[self.q_slice(joint)] = low, high
        return _read_only(lower), _read_only(upper)

    @cached_property
    def lower_limits(self) -> Array:
        """Lower limits of `q` (nq,), rad or m, -inf where there are none."""
        return self.limits()[0]

    @cached_property
    def upper_limits(self) -> Array:
        """Upper limits of `q` (nq,), rad or m, inf where there are none."""
        return self.limits()[1]

    @cached_property
    def velocity_limits(self) -> Array:
        """Greatest rates (nv,), rad/s or m/s, inf where there is no limit."""
        return self._per_velocity("velocity", np.inf)

    @cached_property
    def effort_limits(self) -> Array:
        """Greatest joint torques and forces (nv,), N m or N, inf where there is no limit."""
        return self._per_velocity("effort", np.inf)

    @cached_property
    def servo_gains(self) -> tuple[Array, Array]:
        """Stiffness and damping of the joints' position servos, (nv,) each, NaN where a joint has none."""
        return self._per_velocity("kp", np.nan), self._per_velocity("kd", np.nan)

    @cached_property
    def damping(self) -> Array:
        """Viscous damping (nv,), N m s/rad or N s/m."""
        return self._per_velocity("damping", 0.0)

    @cached_property
    def friction(self) -> Array:
        """Coulomb friction (nv,), N m or N."""
        return self._per_velocity("friction", 0.0)

    @cached_property
    def armature(self) -> Array:
        """Rotor inertia seen at the joints (nv,), kg m2 or kg."""
        return self._per_velocity("armature", 0.0)

    @cached_property
    def _bodies(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _joint_indices(self) -> dict[str, int]:
        return {joint.name: index for index, joint in enumerate(self.joints)}

    @cached_property
    def _q_slices(self) -> tuple[slice, ...]:
        return _slices([joint.type.coordinates for joint in self.joints])

    @cached_property
    def _v_slices(self) -> tuple[slice, ...]:
        slices = _slices([joint.type.velocities for joint in self.joints])
        structure = self.tree.loops
        return slices if structure is None else independent_slices(slices, structure.independent)

    def _joint_index(self, name: str) -> int:
        if name not in self._joint_indices:
            raise UnknownName("joint", name, self._joint_indices, f"robot {self.name!r}")
        return self._joint_indices[name]

    def _per_coordinate(self, name: str, default: float) -> Array:
        result = np.full(self.nq, default)
        for joint, place in zip(self.joints, self._q_slices, strict=True):
            if getattr(joint, name):
                result[place] = getattr(joint, name)
        return result

    def _per_velocity(self, name: str, default: float) -> Array:
        if self.tree.loops is not None:
            return _read_only(self.spanning._per_velocity(name, default)[list(self.tree.loops.independent)])
        result = np.full(self.nv, default)
        for joint, place in zip(self.joints, self._v_slices, strict=True):
            value = getattr(joint, name)
            result[place] = default if value == () else value
        return _read_only(result)


def _place(where: slice) -> str:
    """Indices as text: 7, or 3 to 6."""
    count = where.stop - where.start
    return "" if count < 1 else str(where.start) if count == 1 else f"{where.start} to {where.stop - 1}"


def _slices(sizes: list[int]) -> tuple[slice, ...]:
    stops = np.cumsum(sizes, dtype=int).tolist()
    return tuple(slice(stop - size, stop) for size, stop in zip(sizes, stops, strict=True))


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
