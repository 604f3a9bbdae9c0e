"""Worlds for tests, with nothing around the native step."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.contact.contacts import Contact
from footfall.contact.detection.world import build_contact_world
from footfall.contact.law import ContactRules
from footfall.geometry.plane import Plane
from footfall.math.rotations import rotation_x, rotation_y
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import Robot
from footfall.robot.shapes import Box
from footfall.scene.assembly import combined_robot, free_robot, initial_state
from footfall.scene.model import Material, Scene, SceneObject, free_body
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.world.build import Member, build_world, new_state, new_workspace
from footfall.simulation.world.records import Forces, Moment, Report, Settings
from footfall.simulation.world.step import advance

NO_FORCES = Forces(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, 3)))


class TestWorld:
    """A robot or none, and a scene; `step` advances by dt."""

    __test__ = False

    def __init__(self, robot: Robot | None, scene: Scene, *, q: Array | None = None, **settings: Any) -> None:
        self.combined = combined_robot(scene, robot, q=q)
        self.members = [] if robot is None else [Member(robot, RobotMotion(robot), identity_transform())]
        self.members += [Member(free_robot(each), None, identity_transform()) for each in scene.free_objects]
        self.contacts = build_contact_world(self.combined, scene)
        self.world = build_world(self.members, self.contacts, limits=True, friction=True)
        start, speed = initial_state(scene, self.combined)
        joints = sum(member.motion.joints for member in self.members if member.motion)
        self.state = new_state(self.world, self.contacts, start, speed, joints=joints, drives=np.zeros(0))
        self.room = new_workspace(self.world, self.contacts, nv=self.combined.nv)
        usual = {"dt": 1e-3, "gravity": np.array([0.0, 0.0, -9.81]), "reach": 1e-3}
        usual |= {"rules": ContactRules(False, 0.2, 0.0, 0.05, 0.02), "middle": True, "tolerance": 1e-9}
        usual |= {"moving_tolerance": 1e-6}
        usual |= {"direct_steps": 8, "interior_steps": 40, "final_steps": 40}
        usual |= {"sleep_speed": 1e-4, "sleep_steps": 0}
        self.settings = Settings(**{**usual, **settings})
        self.command = np.zeros((6, joints))

    def step(self, forces: Forces = NO_FORCES) -> Report:
        while True:
            now = Moment(self.world, self.settings, self.state, forces, self.room)
            report = advance(now, self.command)
            if report.contacts <= len(self.room.found) and report.pairs <= len(self.state.memory.pairs):
                return report  # type: ignore[no-any-return]
            self._grow(report)

    def run(self, seconds: float, forces: Forces = NO_FORCES) -> float:
        """The largest residual of all steps."""
        return max(self.step(forces).residual for _ in range(round(seconds / self.settings.dt)))

    def _grow(self, report: Report) -> None:
        count = max(2 * report.contacts, len(self.room.found))
        contacts, impulses = new_records(Contact, count), np.zeros((count, 3))
        contacts[: len(self.state.contacts)], impulses[: len(self.state.impulses)] = (
            self.state.contacts,
            self.state.impulses,
        )
        memory = self.contacts.fitting(self.state.memory, report.pairs)
        self.state = self.state._replace(contacts=contacts, impulses=impulses, memory=memory)
        self.room = self.room._replace(found=new_records(Contact, count))

    def impulses(self) -> Array:
        """(touches, 3) of the last step, world axes, N s."""
        return self.state.impulses[: int(self.state.counts[0])]


def ground(*, slope: float = 0.0, **material: float) -> SceneObject:
    """A plane through the origin that falls off along x by an angle, rad."""
    pose = Transform(rotation_y(slope), np.zeros(3))
    return SceneObject("ground", Plane(), pose, Material(**material))


def loose_box(
    name: str,
    size: tuple[float, float, float],
    position: tuple[float, float, float],
    *,
    mass: float = 1.0,
    slope: float = 0.0,
    turn: float = 0.0,
    velocity: tuple[float, ...] = (0.0,) * 6,
    **material: float,
) -> SceneObject:
    shape = Box(size)
    rotation = rotation_y(slope) @ rotation_x(turn)
    place = Transform(rotation, rotation_y(slope) @ np.array(position))
    return SceneObject(
        name, shape, place, Material(**material), free=free_body(shape, mass, velocity=velocity)
    )
