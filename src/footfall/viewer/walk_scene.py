"""What is drawn of a running walk: robot, objects, plan, forces and balance, and what the mouse does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import Poses, forward_kinematics, frame_pose
from footfall.gait.poses import HANDS
from footfall.math.rotations import quaternion_from_matrix
from footfall.robot.model import Robot
from footfall.scene.model import SceneObject
from footfall.viewer.drawing import ForceDrawing, RobotDrawing, SceneDrawing, are_same, ground_height
from footfall.viewer.plan_drawing import GoalMarker, PlanDrawing
from footfall.viewer.stage import Stage
from footfall.walking.body import FEET
from footfall.walking.session import WalkSession

PARTS = ("right_foot", "left_foot", "right_hand", "left_hand")
_MARGIN = 1.45  # around the robot, for the ground that it walks on
_MARKS = {"centre of mass": (46, 139, 87), "zero-moment point": (20, 20, 20)}
_CLOSED = (214, 40, 31)  # colour of what closes a way
_PULL = (235, 120, 20)


class Drag(NamedTuple):
    """A drag of the mouse. phase: "start", "update" or "end". name: of the body or object. grabbed: where it was taken,
    m; to: where the pointer is; origin: where the camera is. client: of which page."""

    phase: str
    name: str
    grabbed: Array
    to: Array
    origin: Array
    client: int


class WalkScene:
    """Drawings of one session. dragged: called when a body (kind "body"), an object ("object") or the goal ("goal") is
    dragged, from a thread of the server."""

    def __init__(self, stage: Stage, session: WalkSession, dragged: Callable[[str, Drag], None]) -> None:
        self._stage, self._dragged = stage, dragged
        self.scene: Any = stage.server.scene
        self.plan = PlanDrawing(self.scene, session.code.body.model, "/plan")
        self.preview = PlanDrawing(self.scene, session.code.body.model, "/preview", opacity=0.35)
        self.goal = GoalMarker(self.scene)
        self._bind(self.goal.mesh, "goal", "goal")
        self.marks = {
            name: self.scene.add_icosphere(f"/marks/{name}", radius=0.022, color=color, cast_shadow=False)
            for name, color in _MARKS.items()
        }
        self._pull: Any = self.scene.add_arrows(
            "/pull",
            np.zeros((0, 2, 3), dtype=np.float32),
            _PULL,
            shaft_radius=0.012,
            head_radius=0.03,
            head_length=0.07,
        )
        self._pull_text: Any = self.scene.add_label("/pull/text", "", visible=False)
        self.whole: Robot
        self._objects: tuple[SceneObject, ...] = ()
        self._robot: RobotDrawing | None = None
        self.take(session)

    def take(self, session: WalkSession) -> None:
        """Draw another session from now on: a new walk, or another robot."""
        walker = session.walker
        whole = walker.engine.setting.robot
        if self._robot is None or whole is not self.whole:
            self.scene.remove_by_name("/robot")
            self.whole = whole
            self._robot = RobotDrawing(self.scene, whole)
            for body, meshes in zip(whole.bodies, self._robot.meshes, strict=True):
                for mesh in meshes:
                    self._bind(mesh, "body", body.name)
            first = forward_kinematics(whole, q_of(session))
            bounds = self._robot.bounds(first)
            self._forces = ForceDrawing(
                self.scene, whole.mass * 9.81, float(np.linalg.norm(bounds[1] - bounds[0]))
            )
            self._stage.look_at(bounds, margin=_MARGIN)
            self.ground = ground_height(walker.scene, bounds)
            self._stage.set_ground(self.ground)
            self._offset = self._stage.focus - first.position[0]
        self._version = -1
        self._closed: str | None = None
        self._draw_objects(walker.scene.fixed_objects)
        self.plan.clear()
        self.preview.clear()
        self.goal.hide()
        self.pull(None, 0.0)

    @property
    def object_names(self) -> set[str]:
        """Of objects that are drawn."""
        return set(self._drawing.meshes)

    def close_way(self, name: str | None) -> None:
        """Mark the object that closes a way, or none."""
        if name != self._closed:
            self._closed = name
            self._draw_objects(self._objects)

    def _bind(self, node: Any, kind: str, name: str) -> None:
        node.on_drag("left")(partial(self._on_drag, kind, name))

    def _on_drag(self, kind: str, name: str, event: Any) -> None:
        grabbed, to = (np.array(each, np.float64) for each in (event.start_position, event.end_position))
        origin = np.array(event.client.camera.position, np.float64)
        self._dragged(kind, Drag(event.phase, name, grabbed, to, origin, event.client_id))

    def _draw_objects(self, objects: Sequence[SceneObject]) -> None:
        self.scene.remove_by_name("/scene")
        self._objects = tuple(objects)
        colors = (
            {self._closed: (_CLOSED[0] / 255, _CLOSED[1] / 255, _CLOSED[2] / 255, 1.0)}
            if self._closed
            else {}
        )
        self._drawing = SceneDrawing(self.scene, self._objects, colors=colors)
        for name, meshes in self._drawing.meshes.items():
            for mesh in meshes:
                self._bind(mesh, "object", name)

    def pull(self, line: tuple[Array, Array] | None, newtons: float) -> None:
        """Show by which force the mouse pulls, from one place (3,) to another, or nothing."""
        points = np.zeros((0, 2, 3)) if line is None else np.array([line])
        self._pull.points = points.astype(np.float32)
        self._pull_text.visible = line is not None
        if line is not None:
            self._pull_text.text = f"{newtons:.0f} N"
            self._pull_text.position = line[1]

    def show(self, session: WalkSession, *, q: Array | None = None, follow: bool = True) -> None:
        """Draw all as it is now, or the robot at q (nq,) of the past."""
        walker = session.walker
        poses: Poses = forward_kinematics(self.whole, q_of(session) if q is None else np.ascontiguousarray(q))
        if not are_same(walker.scene.fixed_objects, self._objects):
            self._draw_objects(walker.scene.fixed_objects)
        assert self._robot is not None
        with self._stage.server.atomic():
            self._robot.place(poses.position, quaternion_from_matrix(poses.rotation))
            self._drawing.place(session.time)
            if q is None:
                self._show_balance(session)
        if len(session.pilot.versions) != self._version:
            self._version = len(session.pilot.versions)
            self._show_plan(session)
        if follow:
            self._stage.follow(poses.position[0] + self._offset)

    def _show_plan(self, session: WalkSession) -> None:
        motion = session.pilot.motion
        if len(motion.given.poses) > 2:
            self.plan.show(motion.given.poses, motion)
        else:
            self.plan.clear()

    def _show_balance(self, session: WalkSession) -> None:
        walker = session.walker
        if walker.period == 0:
            return
        signals = walker.latest
        self.marks["centre of mass"].position = signals["center"]
        self.marks["zero-moment point"].position = signals["zmp"]
        positions, forces = foot_and_hand_forces(session, signals)
        self._forces.show(positions, forces)

    def set_layer(self, name: str, shown: bool) -> None:
        """Show or hide "Forces", "Plan" or "Balance"."""
        if name == "Forces":
            self._forces.visible = shown
        elif name == "Plan":
            self.plan.frame.visible = shown
        else:
            for mark in self.marks.values():
                mark.visible = shown


def q_of(session: WalkSession) -> Array:
    """Configuration of all that moves."""
    return np.ascontiguousarray(session.walker.arrays[0].q, np.float64)


def foot_and_hand_forces(session: WalkSession, signals: Any) -> tuple[Array, Array]:
    """Where feet and hands are pushed (4, 3), m, at the centres of pressure of feet, and by which forces (4, 3), N."""
    body = session.walker.code.body
    q = np.ascontiguousarray(q_of(session)[: body.robot.nq])
    places, forces = [], []
    for landmark, part in zip((*FEET, *HANDS), PARTS, strict=True):
        wrench = np.array(signals[part])
        place = np.array(frame_pose(body.robot, q, body.model.frames[landmark]).translation)
        if landmark in FEET:
            load = max(float(wrench[2]), 1.0)
            place[0] -= wrench[4] / load
            place[1] += wrench[3] / load
        places.append(place)
        forces.append(wrench[:3])
    return np.array(places), np.array(forces)
