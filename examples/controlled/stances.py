"""Robots that stand: where their feet may touch the ground, and whole-body control that holds, moves and turns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall import (
    Command,
    Material,
    Plane,
    Robot,
    Scene,
    SceneObject,
    Transform,
    frame_pose,
    neutral,
)
from footfall.arrays import Array
from footfall.contact import Candidate, surface_of
from footfall.control import (
    Contact,
    PoseReference,
    WholeBodyControl,
    WholeBodyLimits,
    footings,
    gains_from,
    torque_command,
)
from footfall.errors import UnknownName
from footfall.simulation import FeetSimulation
from footfall.tasks import LeastForce, PoseTask, PostureTask

PosePath = Transform | PoseReference | Callable[[float], Transform | PoseReference]
TRUSTED, TRUE = 0.6, 0.8  # friction that controllers count on, and that of the floor
LEAST_FORCE = 2.0  # N, with which every foot presses


@dataclass(frozen=True)
class Stance:
    """A robot on its feet at q (nq,) on level ground. base: the frame that is moved about. contacts: what may not move.
    radii: of the balls around the points of contact, m."""

    robot: Robot
    q: Array
    base: str
    contacts: tuple[Contact, ...]
    radii: tuple[float, ...]

    def simulation(self, *, dt: float = 1e-3, substeps: int = 5) -> FeetSimulation:
        """The robot on a floor."""
        candidates = [
            Candidate(contact.frame, contact.point, radius, surface_of(FLOOR))
            for contact, radius in zip(self.contacts, self.radii, strict=True)
        ]
        return FeetSimulation(
            self.robot, Scene("floor", (FLOOR,)), candidates=candidates, q=self.q, dt=dt, substeps=substeps
        )

    def control(self, path: PosePath, *, frequency: float = 1.5) -> WholeBodyControl:
        """Moves the base along a path like a mass on a critically damped spring of a frequency, Hz."""
        tasks = (
            PoseTask(self.base, path, gains=gains_from(frequency)),
            PostureTask(self.q, priority=1),
            LeastForce(priority=2),
        )
        limits = WholeBodyLimits(least_force=LEAST_FORCE, joints=False)
        return WholeBodyControl(self.robot, self.contacts, tasks, limits, on_limits="closest")


FLOOR = SceneObject("floor", Plane(), material=Material(friction=TRUE))


def stance_on(
    robot: Robot, q: Array, base: str, feet: Sequence[str], *, points: Mapping[str, Array] | None = None
) -> Stance:
    """A robot at q (nq,), whose base is moved up or down until the lowest foot touches the ground.

    feet: bodies. They touch with points (n, 3) given by body, m, or as `footings` says.
    """
    places: list[tuple[str, Array, float]] = []
    for foot in feet:
        if points is not None and foot in points:
            places += [(foot, np.asarray(point), 0.0) for point in points[foot]]
            continue
        places += [(foot, each.point, each.radius) for each in footings(robot, q, foot)]
    q = np.array(q)
    q[2] -= min(frame_pose(robot, q, foot).apply(point)[2] - radius for foot, point, radius in places)
    contacts = tuple(Contact(foot, tuple(point.tolist()), friction=TRUSTED) for foot, point, _ in places)
    return Stance(robot, q, base, contacts, tuple(radius for *_, radius in places))


@dataclass(frozen=True)
class Legs:
    """How a kind of robot stands: its base, its feet, and joints whose names contain a word, rad."""

    base: str
    feet: tuple[str, ...]
    joints: Mapping[str, float]
    points: Mapping[str, Any] = field(default_factory=dict)


_TALOS_SOLE = [[x, y, -0.107] for x in (-0.1, 0.1) for y in (-0.06, 0.06)]
LEGS = {
    "anymal": Legs(
        "base",
        ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
        {"F_HFE": 0.4, "F_KFE": -0.8, "H_HFE": -0.4, "H_KFE": 0.8},
    ),
    "go2": Legs(
        "base",
        ("FL_foot", "FR_foot", "RL_foot", "RR_foot"),
        {"thigh": 0.8, "calf": -1.6},
        {name: [[0.0, 0.0, -0.02]] for name in ("FL_foot", "FR_foot", "RL_foot", "RR_foot")},
    ),
    "talos": Legs(
        "base_link",
        ("leg_left_6_link", "leg_right_6_link"),
        {"leg_left_3": -0.4114, "leg_left_4": 0.8594, "leg_left_5": -0.448}
        | {"leg_right_3": -0.4114, "leg_right_4": 0.8594, "leg_right_5": -0.448}
        | {"arm_left_4": -1.6, "arm_right_4": -1.6, "arm_left_2": 0.25, "arm_right_2": -0.25},
        {"leg_left_6_link": _TALOS_SOLE, "leg_right_6_link": _TALOS_SOLE},
    ),
}


def standing(robot: Robot, kind: str) -> Stance:
    """A robot of a kind in `LEGS` on its feet."""
    if kind not in LEGS:
        raise UnknownName("kind of robot", kind, LEGS, "standing")
    legs, q = LEGS[kind], neutral(robot)
    for joint in robot.joints:
        for word, angle in legs.joints.items():
            if word in joint.name and joint.type.velocities == 1:
                q[robot.q_slice(joint.name)] = angle
    return stance_on(robot, q, legs.base, legs.feet, points=legs.points)


def lola_standing(robot: Robot) -> Stance:
    """LOLA in her idle pose on the eight pads of her feet."""
    return stance_on(robot, robot.configuration("idle"), "UB", ("sfr", "zfr", "sfl", "zfl"))


@dataclass
class Watched:
    """A controller whose forces are looked at; it counts how often no motion kept all limits.

    forces (rows,): of the contacts, that it counted on in the last call, N.
    """

    control: WholeBodyControl
    exceeded: int = 0
    forces: Array = field(default_factory=lambda: np.zeros(0))

    def __call__(self, time: float, q: Array, v: Array) -> Command:
        solution = self.control.solve(time, q, v)
        self.exceeded += bool(solution.exceeded)
        self.forces = solution.forces
        return torque_command(solution.torque)
