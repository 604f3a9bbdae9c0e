"""Things to open: drawers, doors and valves, anywhere and in any direction, with weight and dry friction.

Each is one joint with a handle, a slot between two plates in which a finger fits. Its pose is that of the handle of a
closed drawer or door, of the hub of a valve: x points out of the furniture, z up. Drawers slide along x, doors turn
about z, valves about x; their handles first move along x, along x, and about x from above the hub.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.errors import InvalidInput, UnknownName
from footfall.math.rotations import rotation_x, rotation_z
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Geometry
from footfall.scene.model import Material, SceneRobot

Kind = Literal["drawer", "door", "valve"]
Hinge = Literal["left", "right"]

FINGER = 0.012  # m, radius
_CLEARANCE = 5e-4  # m, on either side of the finger
_PLATE = (0.006, 0.05, 0.05)  # m
_PLATE_FRICTION = 0.3
_HEIGHT = 0.6  # m, of a door
_ROOM = 1.15  # of what is asked for, that drawers and doors open by at most
_MOST_TURN = np.radians(170.0)  # of a door
_WOOD, _STEEL = (0.7, 0.6, 0.45, 1.0), (0.85, 0.45, 0.2, 1.0)


@dataclass(frozen=True, eq=False)
class Openable:
    """What is to be opened.

    pose: of the handle of a closed drawer or door, of the hub of a valve. mass: kg, of a drawer, of the panel of a
    door, of the rim of a valve. friction: dry, N, of hinges and hubs N m. size: m, depth of a drawer, from the hinge of
    a door to its handle, radius of a valve. opening: how far to open it, m or rad. hinge: of a door, on which side as
    seen by someone in front of it.
    """

    kind: Kind
    pose: Transform
    mass: float
    friction: float
    size: float
    opening: float
    hinge: Hinge = "left"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownName("mechanism", self.kind, get_args(Kind))
        if self.hinge not in get_args(Hinge):
            raise UnknownName("side of a hinge", self.hinge, get_args(Hinge))
        for name, least in (
            ("mass", "above"),
            ("size", "above"),
            ("opening", "above"),
            ("friction", "at least"),
        ):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0.0 or (value == 0.0 and least == "above"):
                raise InvalidInput(f"{self.kind}: {name} is {value}; it must be a finite number {least} zero")
        if self.kind == "drawer" and self.opening > self.size:
            raise InvalidInput(f"drawer: opens by {self.opening} m; it is only {self.size} m deep")
        if self.kind == "door" and self.opening > _MOST_TURN:
            raise InvalidInput(
                f"door: opens by {math.degrees(self.opening):.0f} degrees; doors open by "
                f"{math.degrees(_MOST_TURN):.0f} at the most"
            )

    @property
    def turns(self) -> bool:
        """Whether it turns; else it slides."""
        return self.kind != "drawer"

    @property
    def lever(self) -> float:
        """Way of the handle for a unit of opening: 1, or the arm of the handle, m."""
        return self.size if self.turns else 1.0

    @property
    def inertia(self) -> float:
        """What resists an acceleration of its joint: kg, or kg m2 about the axis (a plate m w^2 / 3, a rim m r^2)."""
        return {"drawer": self.mass, "door": self.mass * self.size**2 / 3, "valve": self.mass * self.size**2}[
            self.kind
        ]

    @property
    def _side(self) -> float:
        """Where the hinge is along y: +1 or -1. Someone in front looks against x, and has y to the right."""
        return -1.0 if self.hinge == "left" else 1.0

    @property
    def axis(self) -> Array:
        """(3,) of the joint, in axes of the pose."""
        if self.kind == "door":
            return np.array([0.0, 0.0, self._side])
        return np.array([1.0, 0.0, 0.0])

    @property
    def pivot(self) -> Array:
        """(3,) Where the joint is, in the pose, m."""
        return np.array([0.0, self._side * self.size, 0.0]) if self.kind == "door" else np.zeros(3)

    @property
    def center_of_mass(self) -> Array:
        """(3,) in the pose of the closed mechanism, m."""
        return {
            "drawer": np.array([-self.size / 2, 0.0, 0.0]),
            "door": self.pivot / 2,
            "valve": np.zeros(3),
        }[self.kind]

    @property
    def _closed_slot(self) -> Transform:
        """The slot in the pose: x the way that the handle goes, z where the finger comes from."""
        if self.kind == "valve":
            turned = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
            return Transform(turned, np.array([0.0, 0.0, self.size]))
        return Transform(np.eye(3), np.zeros(3))

    def moved(self, opened: float) -> Transform:
        """Where the closed mechanism's pose has gone, in the world."""
        if not self.turns:
            return self.pose @ Transform(np.eye(3), opened * self.axis)
        turn = rotation_z(self._side * opened) if self.kind == "door" else rotation_x(opened)
        return self.pose @ Transform(turn, self.pivot - turn @ self.pivot)

    def slot(self, opened: float) -> Transform:
        """The slot in the world."""
        return self.moved(opened) @ self._closed_slot

    def opened(self, place: Array, near: float = 0.0) -> float:
        """How far it is open with its handle nearest to a place (3,) in the world; turns are counted near another."""
        local = self.pose.inverse().apply(place) - self.pivot
        if not self.turns:
            return float(local @ self.axis)
        first = self._closed_slot.translation - self.pivot
        angle = math.atan2(float(np.cross(first, local) @ self.axis), float(first @ local))
        return angle + 2 * math.pi * round((near - angle) / (2 * math.pi))

    def bend(self, opened: float, rate: float) -> Array:
        """(3,) Acceleration of the handle towards the pivot, m/s2, at a rate of opening, m/s or rad/s."""
        if not self.turns:
            return np.zeros(3)
        arm = self.slot(opened).translation - self.pose.apply(self.pivot)
        axis = self.pose.rotation @ self.axis
        return -(rate**2) * (arm - axis * (axis @ arm))

    def weight(self, opened: float, gravity: Array) -> float:
        """Force or moment of gravity (3,), m/s2, along the opening: N or N m."""
        axis = self.pose.rotation @ self.axis
        if not self.turns:
            return float(self.mass * gravity @ axis)
        arm = self.moved(opened).apply(self.center_of_mass) - self.pose.apply(self.pivot)
        return float(np.cross(arm, self.mass * gravity) @ axis)

    @property
    def _plates(self) -> tuple[Geometry, ...]:
        """Of the handle, in the body: the one before the finger, then the one behind it."""
        slot = self._closed_slot
        away = FINGER + _CLEARANCE + _PLATE[0] / 2
        return tuple(
            Geometry(
                Box(_PLATE),
                Transform(slot.rotation, slot.apply(np.array([side * away, 0.0, 0.0])) - self.pivot),
                color=_STEEL,
            )
            for side in (1.0, -1.0)
        )

    def robot(self) -> Robot:
        """It as a robot of one joint, whose world is the pose."""
        place = self.center_of_mass - self.pivot
        size, mass = self.size, self.mass
        if self.kind == "drawer":
            shape = Geometry(Box((size, 0.46, 0.16)), Transform(np.eye(3), place - [0.04, 0, 0]), color=_WOOD)
            spread = mass / 12 * np.diag([0.46**2 + 0.16**2, size**2 + 0.16**2, size**2 + 0.46**2])
        elif self.kind == "door":
            shape = Geometry(
                Box((0.02, size, _HEIGHT)), Transform(np.eye(3), place - [0.05, 0, 0]), color=_WOOD
            )
            spread = mass / 12 * np.diag([size**2 + _HEIGHT**2, _HEIGHT**2, size**2])
        else:
            shape = Geometry(
                Capsule(0.012, 2 * size), Transform(np.eye(3), np.array([-0.05, 0.0, 0.0])), color=_WOOD
            )
            spread = mass * size**2 * np.diag([1.0, 0.5, 0.5])
        body = Body(self.kind, mass, place, spread, (*self._plates, shape))
        limits = {} if self.kind == "valve" else {"lower": (0.0,), "upper": (_ROOM * self.opening,)}
        joint = Joint(
            "opening",
            {"drawer": JointType.PRISMATIC, "door": JointType.REVOLUTE, "valve": JointType.CONTINUOUS}[self.kind],
            WORLD,
            self.kind,
            Transform(np.eye(3), self.pivot),
            (float(self.axis[0]), float(self.axis[1]), float(self.axis[2])),
            friction=self.friction,
            **limits,  # type: ignore[arg-type]
        )  # fmt: skip
        return Robot(self.kind, (body,), (joint,))

    def in_scene(self) -> SceneRobot:
        """It as a part of a scene; there its body and its joint are called "furniture/..."."""
        return SceneRobot("furniture", self.robot(), self.pose)

    def candidates(self, frame: str, point: tuple[float, float, float]) -> list[Candidate]:
        """What of the handle a finger at a point of a frame may touch: the plate before it, and the one behind it."""
        material = Material(friction=_PLATE_FRICTION)
        return [
            Candidate(
                frame,
                point,
                FINGER,
                Surface(plate.shape, plate.placement, f"furniture/{self.kind}", material),
            )
            for plate in self._plates
        ]
