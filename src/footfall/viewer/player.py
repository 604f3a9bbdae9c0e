"""Plays a recording in the browser."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from footfall.dynamics.kinematics import Poses, forward_kinematics, frame_pose
from footfall.errors import FootfallError, InvalidInput
from footfall.math.rotations import quaternion_from_matrix
from footfall.motion.model_derivation import reduced_model
from footfall.recording.reader import Recording
from footfall.robot.model import Robot
from footfall.viewer.drawing import ForceDrawing, RobotDrawing, SceneDrawing, forces_by_body, ground_height
from footfall.viewer.event_marks import recorded_marks
from footfall.viewer.fall_reason import reason_of_fall
from footfall.viewer.page_link import AnyMessage, Branch, Choose, PageLink, Seek
from footfall.viewer.playback import Playback
from footfall.viewer.plot_feed import PlotFeed, RecordedSignals
from footfall.viewer.pointing import body_at
from footfall.viewer.recorded_balance import RecordedBalance
from footfall.viewer.recorded_plans import RecordedPlans
from footfall.viewer.stage import Stage
from footfall.viewer.timeline import Timeline, latest_row
from footfall.viewer.volumes import VolumeSwitch
from footfall.viewer.walk_layers import Ghost, WrenchLabel, limb_ends

_NO_EVENT = "go to ..."
_MOST_EVENTS = 200
_GHOSTS = ((0.25, 0.5, 0.95, 0.3), (0.9, 0.55, 0.15, 0.3), (0.3, 0.7, 0.4, 0.3), (0.6, 0.35, 0.7, 0.3))
_SIZES = (0.05, 2.5)  # m of a robot, for its arrows; several of them may stand far apart


class Player(Playback):
    """Shows the robot, the scene, contact forces and plans of a recording, with controls to play it and plots.

    volumes: whether the robot's volumes are drawn at first. others: recordings whose robots are ghosts beside it, and
    whose signals are in the same plots. link: to the page's script that plots.
    """

    def __init__(
        self,
        stage: Stage,
        recording: Recording,
        *,
        others: Sequence[Recording] = (),
        loop: bool = False,
        volumes: bool = False,
        link: PageLink | None = None,
    ) -> None:
        finite = np.isfinite(recording.q).all(axis=1) & np.isfinite(recording.time)
        if not finite.any():
            raise InvalidInput(f"{str(recording.path)!r} has no state to show")
        kept = slice(None) if finite.all() else finite  # long recordings are not copied
        super().__init__(stage, Timeline(recording.time[kept], loop=loop))
        self.recording = recording
        self._q = recording.q[kept]
        scene = stage.server.scene
        self._robot = RobotDrawing(scene, recording.robot)
        self._scene = SceneDrawing(scene, recording.scene.fixed_objects if recording.scene else ())
        gravity = float(np.linalg.norm(recording.robot.gravity)) or 9.81
        first = self._poses(0)
        bounds = self._robot.bounds(first)
        size = float(np.clip(np.linalg.norm(bounds[1] - bounds[0]), *_SIZES))
        self._forces = ForceDrawing(scene, recording.robot.mass * gravity or 1.0, size)
        stage.set_ground(ground_height(recording.scene, bounds))
        stage.look_at(bounds)
        self._focus_offset = stage.focus - first.position[0]
        self._ghosts = [
            (Ghost(scene, each.robot, f"/ghosts/{k}", color), each)
            for k, (each, color) in enumerate(zip(others, itertools.cycle(_GHOSTS), strict=False))
        ]
        self.wrench = WrenchLabel(scene)
        frames = _frames(recording.robot)
        # Of bodies that are feet or hands: the signal of their wrench, and their frame.
        self._parts = {
            body: end
            for body, end in limb_ends(recording.robot, frames).items()
            if end[0] in recording.signals.values
        }
        self._foot: str | None = None  # whose wrench is told, by its body
        if self._parts:
            scene.on_click()(self._on_click)
        self.plans = RecordedPlans(scene, recording)
        self.balance = RecordedBalance(scene, recording, frames)
        self.plots = PlotFeed(link or PageLink())
        if link is not None:
            link.received, link.lost = self._on_message, self.plots.forget
        self.plots.offer(RecordedSignals([recording, *others]))
        self.plots.mark(recorded_marks(recording))
        self.add_controls()
        self._add_own_controls()
        self.volumes = VolumeSwitch(stage.server, recording.robot, shown=volumes, redraw=self._redraw)
        self.show()

    def draw(self, now: float) -> None:
        """Draw an instant, s."""
        poses = self._poses(self.timeline.row)
        self._robot.place(poses.position, quaternion_from_matrix(poses.rotation))
        self.volumes.show(np.ascontiguousarray(self._q[self.timeline.row]))
        self._scene.place(now)
        self._show_forces(now)
        self._show_wrench(now)
        for ghost, other in self._ghosts:
            if bool(self._seen["Ghosts"].value):
                row = max(latest_row(other.time, now), 0)
                ghost.show(other.q[row])
            else:
                ghost.hide()
        self.plans.show(now)
        self.balance.show(now, self._q[self.timeline.row])
        self.plots.show(now, live=False)

    def _on_message(self, page: int, message: AnyMessage) -> None:
        """What the script in a page says; in the server's thread."""
        match message:
            case Choose(names=names):
                self.plots.choose(page, names)
                self.plots.refresh()
            case Seek(time=float(moment)):
                self.pause()
                self.seek(moment)
            case Branch() if self.plans.tree is not None:
                self.plans.tree.take(message)

    def _on_click(self, event: Any) -> None:
        origin, direction = (np.array(each, np.float64) for each in (event.ray_origin, event.ray_direction))
        hit = body_at(origin, direction, self._poses(self.timeline.row), self._robot.surfaces)
        name = "" if hit is None else self.recording.robot.bodies[hit[0]].name
        if name in self._parts:
            self._choose_foot(name)

    def _choose_foot(self, body: str) -> None:
        """Tell the wrench of this foot or hand, or of none any more."""
        self._foot = None if body == self._foot else body
        self._redraw()

    def _choose_look(self) -> None:
        self._robot.schematic = bool(self._schematic.value)
        self._redraw()

    def _show_wrench(self, now: float) -> None:
        table = self.recording.signals
        row = latest_row(table.time, now) if self._foot is not None else -1
        if self._foot is None or row < 0:
            self.wrench.hide()
            return
        signal, name = self._parts[self._foot]
        q = np.ascontiguousarray(self._q[self.timeline.row])
        self.wrench.show(signal, table.values[signal][row], frame_pose(self.recording.robot, q, name))

    def _redraw(self) -> None:
        with self._lock:
            self.draw(self.timeline.now)

    def follow(self, now: float) -> None:
        """Let the cameras follow the robot."""
        self._stage.follow(self._poses(self.timeline.row).position[0] + self._focus_offset)

    def _poses(self, row: int) -> Poses:
        """Of the bodies; computed when they are drawn, so that hours of states fit into memory."""
        poses: Poses = forward_kinematics(self.recording.robot, np.ascontiguousarray(self._q[row]))
        return poses

    def _show_forces(self, now: float) -> None:
        contacts = self.recording.contacts
        instant = latest_row(contacts.time, now)
        rows = contacts.at(instant) if instant >= 0 else slice(0, 0)
        positions, forces = contacts.position[rows], contacts.force[rows]
        if not self._each.value:
            positions, forces = forces_by_body(positions, forces, contacts.body[rows])
        self._forces.show(positions, forces)

    def _add_own_controls(self) -> None:
        gui = self._stage.server.gui
        self._arrows: Any = gui.add_checkbox("Contact forces", True, hint=self._forces.scale)
        self._each: Any = gui.add_checkbox(
            "of each contact", False, hint="instead of their sum for each body"
        )
        self._each.on_update(lambda _: self._redraw())
        self._schematic: Any = gui.add_checkbox("Schematic", False, hint="lines between joints, no shapes")
        self._schematic.on_update(lambda _: self._choose_look())
        self._events = self._event_list()
        self._add_reason()
        self._seen: dict[str, Any] = {}
        if self._ghosts:
            names = ", ".join(str(other.path.stem) for _, other in self._ghosts)
            self._seen["Ghosts"] = gui.add_checkbox("Ghosts", True, hint=names)
            self._seen["Ghosts"].on_update(lambda _: self._redraw())
        self.balance.add_controls(gui, self._redraw)
        self.plans.add_controls(gui, self._redraw)
        if self.recording.damage is not None:
            self._stage.add_text(f"The file is not whole: {self.recording.damage}")
        self._arrows.on_update(lambda _: setattr(self._forces, "visible", bool(self._arrows.value)))

    def _add_reason(self) -> None:
        """Why it fell, if it did, and its last seconds again, slowly."""
        reason = reason_of_fall(self.recording)
        if reason is None:
            return
        self._stage.add_text("It " + reason.text)

        def review(_: Any) -> None:
            self._speed.value = "0.25x"
            self.timeline.speed = 0.25
            self.seek(max(reason.time, self.timeline.end - 2.0) - 8.0)
            self.play()

        self._stage.server.gui.add_button("Last ten seconds, slowly").on_click(review)

    def _event_list(self) -> Any:
        """A list of what happened, None if nothing did; choosing an event goes to its instant."""
        named = {
            f"{event.time:.3f} s  {event.name}": event.time for event in self.recording.events[:_MOST_EVENTS]
        }
        if not named:
            return None
        choice: Any = self._stage.server.gui.add_dropdown(
            "Event", (_NO_EVENT, *named), initial_value=_NO_EVENT
        )

        def go(_: Any) -> None:
            if choice.value in named:
                self.seek(named[choice.value])

        choice.on_update(go)
        return choice


def _frames(robot: Robot) -> Mapping[str, str]:
    """Of feet and hands of a robot that walks, by landmark; none of others."""
    try:
        return reduced_model(robot).frames
    except FootfallError:
        return {}
