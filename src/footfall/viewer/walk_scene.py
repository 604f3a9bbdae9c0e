"""What is drawn of a running walk: robot, objects, plan, forces and balance, and what the mouse does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import Poses, forward_kinematics
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.scene.model import SceneObject
from footfall.viewer.drawing import ForceDrawing, RobotDrawing, SceneDrawing, are_same, ground_height
from footfall.viewer.environment_panel import BY_CONFIDENCE, BY_HEIGHT, EnvironmentDrawing
from footfall.viewer.limb_forces import FootAndHandForces, Ground, foot_and_hand_forces, show_cones
from footfall.viewer.plan_drawing import GoalMarker, PlanDrawing
from footfall.viewer.plan_tree import kept_poses
from footfall.viewer.pointing import body_at
from footfall.viewer.stage import Stage
from footfall.viewer.volumes import VolumeDrawing
from footfall.viewer.walk_layers import (
    PARTS,
    FrictionCones,
    Gantry,
    Ghost,
    Traces,
    WrenchLabel,
    add_marks,
    limb_ends,
)
from footfall.walking.session import WalkSession

_MARGIN = 1.45  # around the robot, for the ground that it walks on
_BELIEF_NODES = 160  # of terrain along an edge, as it is drawn while the robot walks
LAYERS = {  # what may be drawn of the robot and besides it, and whether it is at first
    "Schematic": False,
    "Volumes": False,
    "Forces": True,
    "Friction cones": False,
    "Plan": True,
    "Balance": True,
    "Traces": False,
    "Ghost: set points": False,
    "Believed heights": False,
    "Believed confidence": False,
    "Believed objects": False,
}
_CONES, _TRACES, _GHOST = "Friction cones", "Traces", "Ghost: set points"
_HEIGHTS, _SURE, _OBJECTS = (
    "Believed heights",
    "Believed confidence",
    "Believed objects",
)
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
        self.marks = add_marks(self.scene)
        self._pull: Any = self.scene.add_arrows(
            "/pull",
            np.zeros((0, 2, 3), dtype=np.float32),
            _PULL,
            shaft_radius=0.012,
            head_radius=0.03,
            head_length=0.07,
        )
        self.wrench = WrenchLabel(self.scene)
        self.chosen: str | None = None  # foot or hand whose wrench is told
        self._pull_text: Any = self.scene.add_label("/pull/text", "", visible=False)
        self._shown = dict(LAYERS)
        self.aside = 0.0  # m, to the left, by which the ghost is drawn beside the robot
        self.version: int | None = None  # of the plan that is shown; None: the newest
        self.hidden: frozenset[int] = frozenset()  # poses of it
        self._cones = FrictionCones(self.scene, len(PARTS))
        self._traces = Traces(self.scene)
        self._gantry = Gantry(self.scene)
        self._beliefs = EnvironmentDrawing(self.scene, node="/beliefs", opacity=0.75)
        self._believed: tuple[int, bool, bool, bool] | None = None
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
            self._robot.schematic = self._shown["Schematic"]
            self._volumes: VolumeDrawing | None = None
            self.scene.remove_by_name("/robot distances")
            self.scene.remove_by_name("/ghost")
            self._ghost = Ghost(self.scene, session.code.body.robot, "/ghost")
        self._version, self.version, self.hidden = -1, None, frozenset()
        self._traces.clear()
        self._beliefs.clear()
        self._believed = None
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
        self._ground = Ground(self._objects)
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

    def show(
        self,
        session: WalkSession,
        *,
        past: tuple[Array, Any] | None = None,
        follow: bool = True,
    ) -> None:
        """Draw all as it is now, or as it was: configuration (nq,) and signals of the past."""
        walker = session.walker
        q = q_of(session) if past is None else np.ascontiguousarray(past[0])
        poses: Poses = forward_kinematics(self.whole, q)
        if not are_same(walker.scene.fixed_objects, self._objects):
            self._draw_objects(walker.scene.fixed_objects)
        assert self._robot is not None
        signals = past[1] if past is not None else walker.latest if walker.period else None
        with self._stage.server.atomic():
            self._robot.place(poses.position, quaternion_from_matrix(poses.rotation))
            self._drawing.place(session.time if past is None else float(past[1]["time"]))
            if signals is not None:
                self._show_balance(session, q, signals, past is None)
            self._show_ghost(session, past is None)
            self._show_volumes(session, q)
            frame = walker.frame if past is None else None
            self._gantry.show(frame, self.ground)
        if len(session.pilot.versions) != self._version:
            self._version = len(session.pilot.versions)
            self.show_plan(session)
        self._show_beliefs(session)
        if follow:
            self._stage.follow(poses.position[0] + self._offset)

    def show_plan(self, session: WalkSession) -> None:
        """Draw the plan that is followed, or the version that is chosen, or some of its poses."""
        motion, versions = session.pilot.motion, session.pilot.versions
        if self.version is not None and self.version < len(versions):
            poses, course = versions[self.version].poses, None
        else:
            poses, course = motion.given.poses, motion
        if len(poses) > 2:
            self.plan.show(kept_poses(poses, self.hidden), course)
        else:
            self.plan.clear()

    def _show_balance(self, session: WalkSession, q: Array, signals: Any, now: bool) -> None:
        self.marks["centre of mass"].position = signals["center"]
        self.marks["zero-moment point"].position = signals["zmp"]
        body, gains = session.code.body, session.walker.gains
        contacts = foot_and_hand_forces(body.robot, body.model.frames, q, signals)
        self._forces.show(contacts.places, contacts.forces)
        if self._shown[_CONES]:
            weight = gains.mass * gains.gravity
            show_cones(self._cones, contacts, self._ground, friction=gains.foot_friction, weight=weight)
        self._show_wrench(contacts, signals)
        if now and self._traces.take(session.time, contacts.frames) and self._shown[_TRACES]:
            self._traces.show()

    def choose_foot(self, body: str, session: WalkSession) -> None:
        """Tell the wrench and the centre of pressure of the foot, or hand, that is this body; of none any more if it is
        the one that was told of, or another body."""
        part, _ = limb_ends(session.code.body.robot, session.code.body.model.frames).get(body, (None, ""))
        self.chosen = None if part == self.chosen else part

    def body_at(self, session: WalkSession, origin: Array, direction: Array) -> tuple[str, float] | None:
        """The body of the robot that a ray (3,) meets first, and how far away that is, m."""
        assert self._robot is not None
        poses = forward_kinematics(self.whole, q_of(session))
        hit = body_at(origin, direction, poses, self._robot.surfaces)
        return None if hit is None else (self.whole.bodies[hit[0]].name, hit[1])

    def _show_wrench(self, contacts: FootAndHandForces, signals: Any) -> None:
        if self.chosen is None:
            self.wrench.hide()
            return
        k = PARTS.index(self.chosen)
        frame = Transform(contacts.turns[k], contacts.frames[k])
        self.wrench.show(self.chosen, np.array(signals[self.chosen]), frame)

    def _show_ghost(self, session: WalkSession, now: bool) -> None:
        """Where the controller wants the robot to be, by its plan and what it makes of it."""
        if not (self._shown[_GHOST] and now):
            self._ghost.hide()
            return
        self._ghost.show(session.walker.brain.state.q, self.aside)

    def _show_volumes(self, session: WalkSession, q: Array) -> None:
        """Volumes with their nearest connections; made when they are first wanted."""
        shown, robot = self._shown["Volumes"], session.code.body.robot
        if shown and self._volumes is None and robot.volumes:
            self._volumes = VolumeDrawing(self.scene, robot)
        if self._volumes is not None and (shown or self._volumes.visible):
            self._volumes.visible = shown
            self._volumes.show(np.ascontiguousarray(q[: robot.nq]))

    def _show_beliefs(self, session: WalkSession) -> None:
        """Draw what the robot believes, if that is wanted and has changed."""
        heights, sure, objects = (self._shown[each] for each in (_HEIGHTS, _SURE, _OBJECTS))
        environment = session.pilot.environment
        wanted = (environment.version, heights, sure, objects)
        if wanted == self._believed:
            return
        self._believed = wanted
        if not (heights or sure or objects) or environment.version == 0:
            self._beliefs.clear()
            return
        by = (BY_HEIGHT,) if heights else (BY_CONFIDENCE,) if sure else ()
        self._beliefs.show(environment, by=by, most=_BELIEF_NODES, volumes=False)
        self._beliefs.choose(by[0] if by else None, objects=objects, volumes=False)

    def set_layer(self, name: str, shown: bool) -> None:
        """Show or hide one of `LAYERS`."""
        self._shown[name] = shown
        match name:
            case "Forces":
                self._forces.visible = shown
            case "Plan":
                self.plan.frame.visible = shown
            case "Balance":
                for mark in self.marks.values():
                    mark.visible = shown
            case "Friction cones":
                self._cones.root.visible = shown
            case "Traces":
                self._traces.root.visible = shown
                self._traces.show()
            case "Schematic" if self._robot is not None:
                self._robot.schematic = shown


def q_of(session: WalkSession) -> Array:
    """Configuration of all that moves."""
    return np.ascontiguousarray(session.walker.arrays[0].q, np.float64)
